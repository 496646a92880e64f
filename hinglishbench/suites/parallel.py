r"""Reading a parallel file: every fault of every line, named by number.

A file comes from strangers: from a spreadsheet, from a model, from a half-finished copy. It is read
whole and judged whole, so that one look shows all there is to mend. Lines are parted by `\n` alone,
as JSON Lines says (a text may hold U+2028); a byte-order mark and blank lines are no fault.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hinglishbench.errors import InputError
from hinglishbench.suites.items import Item

_KNOWN = frozenset(
    {"id", "answer", "forms", "tier", "topic", "check", "options", "labels", "context"}
)


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One thing wrong with a line of a file (line 0: with the file as a whole)."""

    line: int
    message: str


def read_items(
    path: Path, *, need_forms: Sequence[str] = (), grader: str = "numeric"
) -> tuple[list[Item], list[Fault]]:
    """Read a parallel file; every line that is whole becomes an item, every fault is returned.

    Raises:
        InputError: the file cannot be read at all.
    """
    items: list[Item] = []
    faults: list[Fault] = []
    seen: dict[str, int] = {}
    for line, raw in _lines(path):
        found: list[str] = []
        row = _parse(raw, found)
        item = _to_item(row, raw, need_forms, grader, found) if row is not None else None
        if row is not None and (id_ := _as_id(row.get("id"))):
            if id_ in seen:
                found.append(f"duplicate id {id_!r}, first on line {seen[id_]}")
            seen.setdefault(id_, line)
        faults += (Fault(line, message) for message in found)
        if item is not None and not found:
            items.append(item)
    if not items and not faults:
        faults.append(Fault(0, "has no items"))
    return items, faults


def safe_name(stem: str) -> str:
    """A name for tables, files and folders: letters of any script, digits, `.`, `_` and `-`."""
    import unicodedata  # noqa: PLC0415  only a user's file needs it

    normal = unicodedata.normalize("NFC", stem)
    kept = (
        c if c.isalnum() or c in "._-" or unicodedata.category(c).startswith("M") else "-"
        for c in normal
    )
    return "-".join(filter(None, "".join(kept).split("-")))[:80].strip("-.") or "items"


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Number and bytes of each line that is not blank."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise InputError(path, None, "no such file", hint="check the path") from None
    except OSError as error:
        raise InputError(path, None, f"cannot be read: {error.strerror}") from None
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(path, 1, "the file is UTF-16", hint="save it as UTF-8")
    for number, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            yield number, line


def _parse(raw: bytes, found: list[str]) -> dict[str, Any] | None:
    """The object on a line, or None with the reason in `found`."""
    if b"\x00" in raw:
        found.append("holds a NUL byte")
        return None
    try:
        row = json.loads(
            raw.decode("utf-8"), object_pairs_hook=_unique_keys, parse_constant=_no_constant
        )
        # A lone surrogate passes as JSON and would break each later write.
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        found.append(f"not UTF-8 (byte {error.start + 1} of the line)")
    except UnicodeEncodeError:
        found.append("holds half of a surrogate pair")
    except json.JSONDecodeError as error:
        found.append(f"not JSON: {error.msg} at column {error.colno}")
    except (ValueError, RecursionError) as error:
        found.append(f"not JSON: {error}")
    else:
        if isinstance(row, dict):
            return row
        found.append(f"not a JSON object but {_kind(row)}")
    return None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands twice")
    return row


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _to_item(
    row: dict[str, Any], raw: bytes, need_forms: Sequence[str], grader: str, found: list[str]
) -> Item | None:
    """The item of an object; what is wrong goes to `found`, then the item is not used."""
    id_ = _as_id(row.get("id"))
    if not id_:
        found.append(_absent(row, "id") or "id is not a printable string")
    answer = _as_answer(row, raw, found)
    # Kept as meta, but the grader reads it: refused here, or it would be when the replies are paid for.
    tolerance = row.get("tolerance")
    if tolerance is not None and not isinstance(tolerance, str):
        found.append(f'tolerance is {_kind(tolerance)}, not a text such as "0.01" or "1%"')
        tolerance = None
    if answer is not None:
        found += _gold_faults(answer, grader, tolerance)
    forms = _as_forms(row, need_forms, found)
    strings = {key: _as_text(row, key, found) for key in ("tier", "topic", "check")}
    lists = {key: _as_texts(row, key, found) for key in ("options", "labels")}
    context = row.get("context")
    if context is not None and not isinstance(context, str | dict):
        found.append(f"context is {_kind(context)}, not a text or an object")
        context = None
    return Item(
        id=id_ or "",
        answer=answer or "",
        forms=forms,
        tier=strings["tier"],
        topic=strings["topic"],
        check=strings["check"],
        options=lists["options"],
        labels=lists["labels"],
        context=context,
        meta={key: value for key, value in row.items() if key not in _KNOWN},
    )


def _as_id(value: object) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value.strip() and "\x00" not in value and value.isprintable():
        return value
    return None


def _as_answer(row: dict[str, Any], raw: bytes, found: list[str]) -> str | tuple[str, ...] | None:
    value = row.get("answer")
    if isinstance(value, float) or (
        isinstance(value, list) and any(isinstance(v, float) for v in value)
    ):
        # Read the number as it stands: 0.10 stays 0.10, 1e3 does not become 1000.0.
        value = json.loads(raw, parse_float=str)["answer"]
    values = value if isinstance(value, list) else [value]
    texts = [str(v) if isinstance(v, int) and not isinstance(v, bool) else v for v in values]
    good = [t for t in texts if isinstance(t, str) and t.strip() and "\x00" not in t]
    if not texts or len(good) < len(texts):
        found.append(_absent(row, "answer") or "answer is not a text, a number or a list of them")
        return None
    return tuple(good) if isinstance(value, list) else good[0]


def _as_forms(row: dict[str, Any], need_forms: Sequence[str], found: list[str]) -> dict[str, str]:
    value = row.get("forms")
    if not isinstance(value, dict):
        found.append(_absent(row, "forms") or f"forms is {_kind(value)}, not an object")
        return {}
    if not value:
        found.append("forms is empty")
    forms: dict[str, str] = {}
    for name, text in value.items():
        if not name.strip() or not name.isprintable():
            found.append(f"the name of a form is not printable: {name!r}")
        elif not isinstance(text, str):
            found.append(f"form {name} is {_kind(text)}, not a text")
        elif not text.strip():
            found.append(f"form {name} is empty")
        elif "\x00" in text:
            found.append(f"form {name} holds a NUL character")
        else:
            forms[name] = text
    found += (f"form {name} is missing" for name in need_forms if name not in value)
    return forms


def _as_text(row: dict[str, Any], key: str, found: list[str]) -> str | None:
    value = row.get(key)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    found.append(f"{key} is {_kind(value)}, not a text")
    return None


def _as_texts(row: dict[str, Any], key: str, found: list[str]) -> tuple[str, ...]:
    value = row.get(key)
    if value is None:
        return ()
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        return tuple(value)
    found.append(f"{key} is not a list of texts")
    return ()


def _gold_faults(answer: str | tuple[str, ...], grader: str, tolerance: str | None) -> list[str]:
    """What makes an answer unfit as gold of a grader, in the grader's own words."""
    from hinglishbench.grading import (  # noqa: PLC0415  a name must load without the graders
        GRADERS,
        GoldError,
        Task,
    )

    if grader not in GRADERS:
        return []
    try:
        GRADERS[grader].check_gold(answer, Task(grader=grader, tolerance=tolerance))
    except GoldError as error:
        return [str(error)]
    return []


def _absent(row: dict[str, Any], key: str) -> str | None:
    if row.get(key) is None or row[key] in ("", []):
        return f"no {key}"
    return None


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    if value is None:
        return "null"
    return names.get(type(value), "a number")
