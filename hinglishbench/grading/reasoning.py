"""Take the reasoning out of a reply: nothing that was only thought can be the answer.

Known wrappers: ``<think>`` and its relatives, ``[THINK]``, ``◁think▷``, the harmony
channels as special tokens (``<|channel|>analysis<|message|>``) and as what is left of them
when a server drops special tokens (``analysis…assistantfinal…``), ``<|channel>thought``,
``<|begin_of_thought|>``, ``<|START_THINKING|>``, and the sentences that some models are
trained to put around their thoughts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from hinglishbench.grading.contract import SplitReply

# Names of paired tags, <name> ... </name>; more can be passed to split_reasoning.
TAG_NAMES = (
    "think",
    "thinking",
    "thought",
    "thoughts",
    "thought_process",
    "reasoning",
    "reason",
    "reflection",
    "scratchpad",
    "analysis",
    "monologue",
    "inner_monologue",
    "inner_thoughts",
    "antthinking",
    "think_fast",
    "longcat_think",
    "rationale",
)

# What may stand after the last closing tag without being an answer.
_SPECIAL = r"<\|[^|<>\n]{1,40}\|>|</?s>|<eos>|<end_of_turn>|<｜[^｜<>\n]{1,40}｜>"
MAX_TAGS = 1_000  # more tags than this are no reply of a person's interest
_ANSWER_CHANNELS = frozenset({"final", "response", "answer", "output"})


@lru_cache(maxsize=16)
def _tags(extra: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, TAG_NAMES + extra), key=len, reverse=True))
    # One set of first characters, so that the search skips to them.
    return re.compile(
        rf"[<&\[◁](?:(?:(?<=<)|(?<=&)lt;)(?P<slash>/)?\s?(?:[a-z]{{1,8}}:)?(?P<name>{names})"
        r"(?:\s[^<>\n]{0,80})?(?P<empty>/)?\s?(?:>|&gt;)"
        r"|(?<=\[)(?P<sq_slash>/)?(?P<sq>think|thinking|reasoning)\]"
        r"|(?<=◁)(?P<tri_slash>/)?(?P<tri>think)▷"
        r"|(?<=<)\|(?P<bar_slash>/)?(?P<bar>think|thinking|thought)\|>"
        r"|(?<=<)\|(?P<edge>begin|end)_of_thought\|>"
        r"|(?<=<)\|(?P<edge2>start|end)_thinking\|>"
        r"|(?<=<)(?P<unused>unused9[45])>"
        r"|(?<=<)\|(?P<chan_open>channel>)[ \t]*(?P<channel>[a-z]*)"
        r"|(?<=<)(?P<chan_close>channel\|>))",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _special() -> re.Pattern[str]:
    return re.compile(_SPECIAL)


@lru_cache(maxsize=1)
def _bare_harmony() -> re.Pattern[str]:
    return re.compile(r"assistant\s?final(?![a-z])|assistantfinal", re.IGNORECASE)


@lru_cache(maxsize=1)
def _bare_harmony_open() -> re.Pattern[str]:
    return re.compile(r"\s*analysis(?=[A-Z\"'“(\d])")


@lru_cache(maxsize=1)
def _spoken() -> re.Pattern[str]:
    return re.compile(r"\s*\**here(?: is|'s) my thought process\s?:", re.IGNORECASE)


@lru_cache(maxsize=1)
def _spoken_end() -> re.Pattern[str]:
    return re.compile(r"\**here(?: is|'s) my (?:final )?response\s?:\**", re.IGNORECASE)


def split_reasoning(text: str, *, extra_tags: Sequence[str] = ()) -> SplitReply:
    """Split a reply into what is shown and what was thought.

    A closing tag without an opening one ends a reasoning that began before the reply (the
    chat template had opened it). An opening tag without a closing one starts a reasoning
    that never ended. Inside a reasoning, further opening tags are only text.

    Args:
        text: the reply's text as it came.
        extra_tags: names of further paired tags, without the angle brackets.
    """
    if "<" not in text and "[" not in text and "◁" not in text and "&lt;" not in text:
        if "ssistant" not in text and "nalysis" not in text and "thought process" not in text:
            return SplitReply(text, "", unclosed=False, tags=())
        return _split_unmarked(text)
    if "<|channel|>" in text:
        return _split_harmony(text)
    pattern = _tags(tuple(extra_tags))
    if pattern.search(text) is None:
        return _split_unmarked(text)
    return _split_tags(text, pattern)


def _split_unmarked(text: str) -> SplitReply:
    ends = list(_bare_harmony().finditer(text))
    if ends:
        last = ends[-1]
        return SplitReply(
            text[last.end() :], text[: last.start()], unclosed=False, tags=("harmony",)
        )
    if _bare_harmony_open().match(text):
        return SplitReply("", text, unclosed=True, tags=("harmony",))
    if start := _spoken().match(text):
        end = _spoken_end().search(text, start.end())
        if end is None:
            return SplitReply("", text, unclosed=True, tags=("thought process",))
        return SplitReply(
            text[end.end() :], text[: end.start()], unclosed=False, tags=("thought process",)
        )
    return SplitReply(text, "", unclosed=False, tags=())


def _split_harmony(text: str) -> SplitReply:
    head, *channels = text.split("<|channel|>", MAX_TAGS)
    head = _special().sub("", head.replace("<|start|>assistant", ""))
    shown: list[str] = []
    thought: list[str] = []
    closed = True
    for part in channels:
        name, _, content = part.partition("<|message|>")
        if not _:
            name, _, content = part.partition("\n")
        content, end, _rest = _first_of(content, ("<|end|>", "<|return|>", "<|call|>", "<|start|>"))
        if name.strip().lower().startswith("final"):
            shown.append(content)
            closed = True
        else:
            thought.append(content)
            closed = bool(end)
    if shown:
        # A reply that begins inside the analysis channel: the template had opened it.
        thought.insert(0, head)
        return SplitReply("\n".join(shown), "\n".join(thought), unclosed=False, tags=("harmony",))
    return SplitReply(head, "\n".join(thought), unclosed=not closed, tags=("harmony",))


def _first_of(text: str, marks: tuple[str, ...]) -> tuple[str, str, str]:
    found = [(at, mark) for mark in marks if (at := text.find(mark)) >= 0]
    if not found:
        return text, "", ""
    at, mark = min(found)
    return text[:at], mark, text[at + len(mark) :]


def _split_tags(text: str, pattern: re.Pattern[str]) -> SplitReply:
    shown: list[str] = []
    thought: list[str] = []
    tags: list[str] = []
    matches = list(islice(pattern.finditer(text), MAX_TAGS))
    if len(matches) == MAX_TAGS:
        return _split_at_last(text, pattern, matches)
    inside = opened = False
    at = 0
    last_end = matches[-1].end()
    tail = bool(_special().sub("", text[last_end:]).strip())
    for match in matches:
        kind, closes = _kind(match)
        if kind is None:
            continue
        if kind not in tags:
            tags.append(kind)
        piece = text[at : match.start()]
        if not closes:
            if not inside:
                shown.append(piece)
                at, inside, opened = match.end(), True, True
        elif inside:
            thought.append(piece)
            at, inside = match.end(), False
        elif tail or match.end() != last_end or not opened:
            # No opening tag of its own: what came before it was thought, too.
            thought.extend((*shown, piece))
            shown.clear()
            at = match.end()
        else:
            # A second closing tag with nothing behind it is a slip of the pen.
            shown.append(piece)
            at = match.end()
    (thought if inside else shown).append(text[at:])
    return SplitReply("".join(shown), "\n".join(thought), unclosed=inside, tags=tuple(tags))


def _split_at_last(text: str, pattern: re.Pattern[str], matches: list[re.Match[str]]) -> SplitReply:
    """A text of nothing but tags: all is reasoning up to the last tag of its tail."""
    tail = list(islice(pattern.finditer(text, max(matches[-1].end(), len(text) - 4_000)), MAX_TAGS))
    kind, closes = _kind(tail[-1] if tail else matches[-1])
    end = (tail[-1] if tail else matches[-1]).end()
    shown = text[end:] if closes else ""
    return SplitReply(
        shown, text[: len(text) - len(shown)], unclosed=not closes, tags=(kind or "think",)
    )


def _kind(match: re.Match[str]) -> tuple[str | None, bool]:
    group = match.groupdict()
    if group["empty"]:
        return None, False
    for name, slash in (
        ("name", "slash"),
        ("sq", "sq_slash"),
        ("tri", "tri_slash"),
        ("bar", "bar_slash"),
    ):
        if group[name]:
            return group[name].lower(), bool(group[slash])
    if group["edge"] or group["edge2"]:
        return "thought", (group["edge"] or group["edge2"]).lower() == "end"
    if group["unused"]:
        return "unused94", group["unused"].endswith("5")
    if group["chan_open"] and group["channel"].lower() in _ANSWER_CHANNELS:
        return None, False
    return "channel", bool(group["chan_close"])
