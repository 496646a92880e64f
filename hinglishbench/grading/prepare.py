"""From a reply to the text in which its answer is looked for, or to the reason for none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from hinglishbench.grading.contract import Outcome, Reply
from hinglishbench.grading.reasoning import split_reasoning

_CUT = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_length", "max_new_tokens", "incomplete"}
)
_FILTERED = frozenset({"content_filter", "safety", "blocklist", "prohibited_content", "recitation"})


@dataclass(frozen=True, slots=True)
class Prepared:
    """The visible text of a reply, up to the end of the model's own turn.

    Attributes:
        text: visible text; empty when `failure` is set.
        whole: the reply was not cut by the token limit or a filter.
        filtered: the endpoint's filter stopped the reply.
        flags: what was seen: reasoning kinds, an end-of-turn token, …
        failure: outcome when there is nothing to read.
        method: why there is nothing to read.
    """

    text: str
    whole: bool
    filtered: bool
    flags: tuple[str, ...]
    failure: Outcome | None = None
    method: str = ""


@lru_cache(maxsize=1)
def _end_of_turn() -> re.Pattern[str]:
    return re.compile(
        r"<\|(?:eot_id|eom_id|im_end|end|endoftext|end_of_text|return|user|im_start|start_header_id"
        r"|end_of_turn|END_OF_TURN_TOKEN|start_of_role|end_of_role|eos)\|>"
        r"|</s>|<eos>|<end_of_turn>|<start_of_turn>|<｜end▁of▁sentence｜>|\[/?INST\]|<\|eot\|>|<\|endofassistant\|>"
    )


def prepare(reply: Reply) -> Prepared:
    """Strip reasoning and end-of-turn tokens; say why when nothing is left."""
    text = reply.text or ""
    reason = (reply.finish_reason or "").lower()
    split = split_reasoning(text)
    visible = split.visible
    if "<" in visible or "[" in visible:
        visible = _own_turn(visible)
    flags = tuple(f"reasoning:{tag}" for tag in split.tags)
    filtered = reason in _FILTERED
    whole = not filtered and reason not in _CUT
    if visible.strip():
        return Prepared(visible, whole, filtered, flags)
    if filtered:
        return Prepared("", whole, filtered, flags, "filtered", "filtered")
    if reason in _CUT or (split.unclosed and not reason):
        return Prepared("", whole, filtered, flags, "truncated", "truncated")
    thought = split.reasoning.strip() or (reply.reasoning or "").strip()
    if split.unclosed:
        return Prepared("", whole, filtered, (*flags, "unclosed"), "unparsed", "unclosed_reasoning")
    if thought:
        # Never graded from the reasoning: a person would see an empty reply.
        return Prepared(
            "", whole, filtered, (*flags, "only_reasoning"), "unparsed", "only_reasoning"
        )
    return Prepared("", whole, filtered, flags, "unparsed", "empty")


def _own_turn(text: str) -> str:
    """Up to the first end-of-turn token that has text before it."""
    at = 0
    parts: list[str] = []
    for match in _end_of_turn().finditer(text):
        parts.append(text[at : match.start()])
        at = match.end()
        if parts[-1].strip():
            return "".join(parts)
    return "".join(parts) + text[at:]
