"""What a pipeline asks, as data: `prompts/NAME.toml` of this room, or a file of the user's.

The format is that of the prompts of `run`, with one difference: any name in braces that the caller
has a value for is a slot, and every slot that a file declares (`slots = [...]`) must get one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hinglishbench.errors import InputError, RefusedError
from hinglishbench.suites.prompts import Prompt

_FOLDER = Path(__file__).parent / "prompts"
_KEYS = {"id", "purpose", "source", "answer_format", "system", "user", "slots", "note"}


def load(name_or_path: str, slots: frozenset[str]) -> Prompt:
    """Read a prompt of this room by name, or a file of the user's.

    Args:
        name_or_path: `translate-to-hinglish`, or `mine.toml`.
        slots: what the caller can fill in; the file may use no others.

    Raises:
        RefusedError: no such prompt.
        InputError: the file is not a prompt, or wants something that is not there.
    """
    path = Path(name_or_path)
    if path.suffix != ".toml":
        path = _FOLDER / f"{name_or_path}.toml"
        if not re.fullmatch(r"[\w.-]+", name_or_path) or not path.is_file():
            known = ", ".join(sorted(p.stem for p in _FOLDER.glob("*.toml")))
            raise RefusedError(
                f"no pipeline prompt named {name_or_path!r}",
                hint=f"there are: {known}; or give a FILE.toml",
            )
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(path, None, f"cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(path, None, f"not TOML: {error}") from error
    if wrong := sorted(set(content) - _KEYS):
        allowed = ", ".join(sorted(_KEYS))
        raise InputError(path, None, f"unknown key {wrong[0]}", hint=f"allowed: {allowed}")
    for key in ("id", "user"):
        if not isinstance(content.get(key), str):
            raise InputError(path, None, f"needs a text `{key}`")
    for slot in content.get("slots", ()):
        if slot not in slots:
            known = ", ".join(sorted(slots))
            raise InputError(path, None, f"nothing fills the slot {slot!r}", hint=f"known: {known}")
    missing = [s for s in content.get("slots", ()) if "{" + s + "}" not in _templates(content)]
    if missing or not content.get("slots"):
        raise InputError(
            path, None, "needs `slots`, a list of the names in braces that its templates use"
        )
    return Prompt(content["id"], content)


def messages(prompt: Prompt, values: Mapping[str, str]) -> list[dict[str, str]]:
    """The chat messages with the declared slots filled; other braces are text."""
    names = "|".join(map(re.escape, prompt.content["slots"]))
    slot = re.compile(r"\{(" + names + r")\}")

    def fill(template: str) -> str:
        return slot.sub(lambda match: values[match[1]], template)

    asked = [{"role": "user", "content": fill(prompt.content["user"])}]
    if system := prompt.content.get("system"):
        asked.insert(0, {"role": "system", "content": fill(system)})
    return asked


def _templates(content: Mapping[str, Any]) -> str:
    return f"{content['user']}\n{content.get('system', '')}"
