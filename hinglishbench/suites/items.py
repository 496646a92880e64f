"""Items and suites: what is asked, in which forms, with which gold.

A suite is either packaged (a folder of `hinglishbench/data/` with a `suite.toml`) or a user's
parallel file, one JSON object a line::

    {"id": "k1", "answer": "245", "forms": {"en": "…", "cm-rom": "…"}}

A user's file is read whole and checked whole before anything else happens: each fault has its line,
so that a run never stops at item 300 after 299 calls have been paid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hinglishbench.errors import InputError, RefusedError

DATA = Path(__file__).resolve().parent.parent / "data"
"""The folder of the packaged suites."""


@dataclass(frozen=True, slots=True)
class Item:
    """One problem, the same in every form.

    Attributes:
        id: unique in its suite.
        answer: the gold, as written; a tuple when several strings are accepted.
        forms: form name to text, in the order of the file.
        tier: difficulty (`easy`, `medium`, `hard`), None where the suite has none.
        topic: slug of the subject, or None.
        check: arithmetic expression equal to the answer, or None.
        options: texts of the choices, when the item has choices.
        labels: names of the choices (`A`, `B`, …), or topics of another kind.
        context: what the question is asked about (a passage), a text or one text a form.
        meta: every further key of the object, as it stood.
    """

    id: str
    answer: str | tuple[str, ...]
    forms: Mapping[str, str]
    tier: str | None = None
    topic: str | None = None
    check: str | None = None
    options: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    context: Mapping[str, Any] | str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Suite:
    """A named set of items with their forms, grader and default prompt.

    Attributes:
        name: the packaged name, or the stem of a user's file made safe for paths.
        items: in the order of the files.
        grader: name of the grader (`numeric`, …).
        default_prompt: name of the prompt used when none is asked for.
        forms: the forms that every item has, in the order of the first item.
        path: the folder of a packaged suite, or the user's file.
        digest: `sha256:…` over the items as canonical JSON; equal items, equal digest.
        title: one line for people.
        card: path of the dataset card, None for a user's file.
    """

    name: str
    items: tuple[Item, ...]
    grader: str
    default_prompt: str
    forms: tuple[str, ...]
    path: str
    digest: str
    title: str = ""
    card: str | None = None


def load_suite(name_or_path: str | Path, *, need_forms: Sequence[str] = ()) -> Suite:
    """Load a packaged suite by name, or a user's parallel file by path.

    A name of a packaged suite wins over a file of that name (`./NAME` means the file).

    Args:
        name_or_path: `tiered-100`, or `pairs.jsonl`, or any existing path.
        need_forms: forms that each item must have.

    Raises:
        InputError: the file has faults; names the first by line and counts the others.
        RefusedError: no such suite, or a packaged suite without a needed form; names what exists.
    """
    text = str(name_or_path)
    if text in packaged_names():
        return _load_packaged(text, need_forms)
    path = Path(text).expanduser()
    if path.suffix.lower() in {".jsonl", ".json"} or _exists(path):
        return _load_file(path, need_forms)
    raise RefusedError(
        f"no suite named {text!r}; packaged: {', '.join(packaged_names()) or 'none'}",
        hint="give one of these names, or a parallel file that ends in .jsonl",
    )


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name too long, or with a NUL, is no file
        return False


def packaged_names() -> tuple[str, ...]:
    """Names of the packaged suites, sorted."""
    return tuple(sorted(p.parent.name for p in DATA.glob("*/suite.toml")))


def items_digest(items: Sequence[Item]) -> str:
    """`sha256:…` over the items as canonical JSON, in order, meta included."""
    import hashlib  # noqa: PLC0415  keeps the import of this module cheap

    from hinglishbench.canonical import canonical_json  # noqa: PLC0415  the same

    digest = hashlib.sha256()
    for item in items:
        row = {name: getattr(item, name) for name in Item.__slots__}
        digest.update(canonical_json(row).encode() + b"\n")
    return f"sha256:{digest.hexdigest()}"


def _load_packaged(name: str, need_forms: Sequence[str]) -> Suite:
    import tomllib  # noqa: PLC0415  only a packaged suite needs it

    folder = DATA / name
    spec = tomllib.loads((folder / "suite.toml").read_text("utf-8"))
    items: list[Item] = []
    for file in spec["files"]:
        items += _sound(folder / file, (), spec["grader"])
    forms = _common_forms(items)
    if lacking := [form for form in need_forms if form not in forms]:
        raise RefusedError(
            f"the suite {name} has no form {', '.join(lacking)}",
            hint=f"its forms are {', '.join(forms)}",
        )
    return Suite(
        name=name,
        items=tuple(items),
        grader=spec["grader"],
        default_prompt=spec["prompt"],
        forms=forms,
        path=str(folder),
        digest=items_digest(items),
        title=spec["title"],
        card=str(folder / spec["card"]),
    )


def _load_file(path: Path, need_forms: Sequence[str]) -> Suite:
    from hinglishbench.suites.parallel import safe_name  # noqa: PLC0415  it imports this module

    items = _sound(path, need_forms, "numeric")
    return Suite(
        name=safe_name(path.stem),
        items=tuple(items),
        grader="numeric",
        default_prompt="fair",
        forms=_common_forms(items),
        path=str(path),
        digest=items_digest(items),
        title=f"{path.name}, a file of yours",
    )


def _sound(path: Path, need_forms: Sequence[str], grader: str) -> list[Item]:
    from hinglishbench.suites.parallel import read_items  # noqa: PLC0415  it imports this module

    items, faults = read_items(path, need_forms=need_forms, grader=grader)
    if faults:
        first, more = faults[0], len(faults) - 1
        tail = f" (and {more} more {'fault' if more == 1 else 'faults'})" if more else ""
        raise InputError(
            path,
            first.line or None,
            first.message + tail,
            hint='one object a line: {"id": "…", "answer": "…", "forms": {"en": "…", …}}; '
            f"`hbench data verify {path.name}` lists all faults",
        )
    return items


def _common_forms(items: Sequence[Item]) -> tuple[str, ...]:
    if not items:
        return ()
    return tuple(f for f in items[0].forms if all(f in item.forms for item in items))
