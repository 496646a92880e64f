"""Vega-Lite specifications to SVG, without a network, a browser or a font of our own.

The SVG holds presentation attributes only (no `style`), so it stands in a page whose policy allows no
inline style. Text and rules are drawn in `currentColor`: the page, or the style that `standalone`
adds, decides what that is in light and dark.
"""

from __future__ import annotations

import re
from decimal import Decimal
from html import escape
from typing import Any

from hinglishbench.canonical import digest
from hinglishbench.errors import RefusedError
from hinglishbench.report.html import shown
from hinglishbench.report.palette import DARK, INK_DARK, INK_LIGHT, LIGHT

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"

CONFIG: dict[str, Any] = {
    "background": None,
    "aria": False,  # the figure as a whole has a name and a table; 300 unnamed marks help nobody
    "font": "sans-serif",
    "view": {"stroke": None},
    "text": {"color": "currentColor", "fontSize": 12},
    "axis": {
        "labelColor": "currentColor",
        "titleColor": "currentColor",
        "titleFontWeight": "normal",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "domain": False,
        "tickColor": "currentColor",
        "tickOpacity": 0.4,
        "gridColor": "currentColor",
        "gridOpacity": 0.12,
        "titlePadding": 8,
    },
}

_ROOT = re.compile(r"<svg [^>]*?width=\"([\d.]+)\" height=\"([\d.]+)\" viewBox=\"([^\"]+)\">")
# Vega names its groups for screen readers ("symbol mark container"): the image has one name, its own.
_ROLES = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')
_ID = re.compile(r"(id=\"|url\(#|href=\"#)([A-Za-z][\w-]*)")


def svg(spec: dict[str, Any], *, name: str, title: str, description: str) -> str:
    """Draw a specification.

    Args:
        spec: Vega-Lite, without `config`.
        name: makes ids unique in a page of many drawings.
        title: the name of the image for those who do not see it.
        description: what it shows, in a sentence or two.

    Raises:
        RefusedError: the extra `report` is not installed.
    """
    try:
        import vl_convert  # noqa: PLC0415  33 MB, wanted by this command alone
    except ImportError as error:
        raise RefusedError(
            "charts need vl-convert-python, which is not installed",
            hint="pip install 'hinglishbench[report]'",
        ) from error
    readable = _readable(spec | {"config": CONFIG})
    drawn = vl_convert.vegalite_to_svg(readable, allowed_base_urls=[])
    return _named(drawn, name, title, description, _digest(readable))


def _digest(spec: dict[str, Any]) -> str:
    """What is drawn, whatever fonts a machine measures its texts with: the last digits are rounded off."""

    def rounded(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: rounded(part) for key, part in value.items()}
        if isinstance(value, list):
            return [rounded(part) for part in value]
        return f"{value:.9g}" if isinstance(value, float) else value

    return digest("chart", rounded(spec))


def _readable(value: Any) -> Any:
    """The specification as plain JSON, its texts without marks that would be obeyed."""
    if isinstance(value, dict):
        return {key: _readable(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_readable(part) for part in value]
    if isinstance(value, str):
        return shown(value)
    return float(value) if isinstance(value, Decimal) else value


def _named(drawn: str, name: str, title: str, description: str, drawn_digest: str) -> str:
    root = _ROOT.search(drawn)
    assert root is not None
    width, height, box = root.groups()
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{width}" height="{height}"'
        f' role="img" aria-labelledby="{name}-t {name}-d" font-family="{FONT}" data-spec="{drawn_digest}">'
        f'<title id="{name}-t">{escape(shown(title))}</title>'
        f'<desc id="{name}-d">{escape(shown(description))}</desc>'
    )
    body = _ROLES.sub("", drawn[root.end() :].replace(' font-family="sans-serif"', ""))
    # Vega counts its ids over all drawings of a process; ours are the same whenever they are drawn.
    ids: dict[str, str] = {}
    return head + _ID.sub(
        lambda found: found[1] + ids.setdefault(found[2], f"{name}-{len(ids) + 1}"), body
    )


def standalone(drawn: str) -> str:
    """The drawing as a file of its own, with colours for light and dark."""
    style = (
        f"<style>svg{{--paper:{LIGHT};color:{INK_LIGHT};background:{LIGHT}}}"
        f"@media (prefers-color-scheme:dark){{svg{{--paper:{DARK};color:{INK_DARK};background:{DARK}}}}}</style>"
    )
    end = drawn.index(">") + 1
    return f"{drawn[:end]}{style}{drawn[end:]}\n"
