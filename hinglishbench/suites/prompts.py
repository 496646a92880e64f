"""Prompts as data: one TOML file for all forms and models of a comparison.

A file names itself, says what it is for and where its wording comes from, and has templates with
named slots: `{question}`, `{question_en}`, `{options}`, `{context}`, `{shots}`. Anything else in
braces is text (LaTeX stays whole). A form may have its own wording inside the same file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from hinglishbench.canonical import digest
from hinglishbench.errors import InputError, RefusedError

SLOTS = ("question", "question_en", "options", "context", "shots")
_SLOT = re.compile(r"\{(" + "|".join(SLOTS) + r")\}")
_KEYS = {"id", "purpose", "source", "answer_format", "system", "user", "forms", "note"}
_FORM_KEYS = {"system", "user"}


@dataclass(frozen=True)
class Prompt:
    """One prompt file.

    Attributes:
        name: its id, and the name of its file.
        content: the whole file as a value; the digest is over it.
    """

    name: str
    content: Mapping[str, Any]

    @cached_property
    def digest(self) -> str:
        """`prompt:sha256:…`, over everything in the file."""
        return digest("prompt", self.content)

    def templates(self, form: str) -> tuple[str | None, str]:
        """The system (or None) and user template for a form."""
        own = self.content.get("forms", {}).get(form, {})
        return own.get("system", self.content.get("system")), own.get("user", self.content["user"])

    def slots(self, form: str) -> set[str]:
        """Which slots the templates of a form use."""
        system, user = self.templates(form)
        return set(_SLOT.findall(user)) | set(_SLOT.findall(system or ""))

    def messages(self, form: str, values: Mapping[str, str]) -> list[dict[str, str]]:
        """The chat messages for one cell.

        Args:
            form: the language form asked in.
            values: text of each slot that the templates use.

        Raises:
            RefusedError: a slot has no value.
        """

        def fill(match: re.Match[str]) -> str:
            try:
                return values[match[1]]
            except KeyError:
                raise RefusedError(
                    f"prompt {self.name} needs {{{match[1]}}}, which this item does not have",
                    hint="choose another --prompt, or add what is missing to the suite",
                ) from None

        system, user = self.templates(form)
        messages = [{"role": "user", "content": _SLOT.sub(fill, user)}]
        if system:
            messages.insert(0, {"role": "system", "content": _SLOT.sub(fill, system)})
        return messages


def prompt_folders() -> list[Path]:
    """Where prompts are looked for, first match wins: the working folder, then the package."""
    package = Path(__file__).parents[1]
    # In the wheel prompts/ stands inside the package, in a clone beside it.
    return [Path("prompts"), package / "prompts", package.parent / "prompts"]


def prompt_names() -> list[str]:
    """Names of all prompts that can be found, sorted."""
    return sorted(
        {p.stem for folder in prompt_folders() if folder.is_dir() for p in folder.glob("*.toml")}
    )


def load_prompt(name: str) -> Prompt:
    """Read `prompts/NAME.toml`.

    Raises:
        RefusedError: no such prompt.
        InputError: the file is not a prompt.
    """
    if re.fullmatch(r"[\w.-]+", name):
        for folder in prompt_folders():
            path = folder / f"{name}.toml"
            if path.is_file():
                return _read(path, name)
    raise RefusedError(f"no prompt named {name!r}", hint=f"there are: {', '.join(prompt_names())}")


def _read(path: Path, name: str) -> Prompt:
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(path, None, f"not TOML: {error}") from error
    wrong = sorted(set(content) - _KEYS)
    for form, own in content.get("forms", {}).items():
        wrong += [f"forms.{form}.{key}" for key in set(own) - _FORM_KEYS]
    if wrong:
        raise InputError(
            path, None, f"unknown key {wrong[0]}", hint=f"allowed: {', '.join(sorted(_KEYS))}"
        )
    if content.get("id") != name:
        raise InputError(path, None, f"id must be {name!r}, as the file is named")
    if not isinstance(content.get("user"), str) or "{question}" not in content["user"]:
        raise InputError(path, None, "needs a `user` template with {question} in it")
    return Prompt(name, content)
