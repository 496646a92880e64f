"""Translating items from one form to another, every translation checked, every exclusion told why.

The reasons, in the order in which they are looked for; the first that holds is counted:

    error         no answer came (the endpoint's fault, not the translator's)
    filtered      the endpoint's filter ended the reply
    truncated     the reply was cut by the token limit
    empty         the reply holds no text
    untranslated  the source came back, or the text is still in the source's language
    scripts       letters that the form does not have, characters that cannot be seen
    markers       fewer than two Hindi grammar words in a romanized form
    numbers       the quantities differ from those of the source (docs/forms.md)
    length        so much longer or shorter that it is another text (solved, explained, summed up)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hinglishbench.forms.checks import Bounds
from hinglishbench.forms.mixing import mixing, words
from hinglishbench.forms.names import FORMS, form_title
from hinglishbench.forms.quantities import compare, quantities
from hinglishbench.forms.scripts import script_faults
from hinglishbench.ledger.requests import Reply
from hinglishbench.pipelines.asking import Stage, Task, after, ask
from hinglishbench.pipelines.replies import Exclusion, read
from hinglishbench.run.options import RunOptions
from hinglishbench.suites.items import Item
from hinglishbench.suites.prompts import Prompt

REASONS = ("error", "filtered", "truncated", "empty", "untranslated", "scripts", "markers", "numbers",
           "length")  # fmt: skip
SLOTS = frozenset({"text", "from", "to"})
_PROMPTS = {("en", "cm-rom"): "translate-to-hinglish", ("cm-rom", "en"): "translate-to-english"}
_ORDINARY = Bounds()
_ROMANIZED = frozenset({"cm-rom", "hi-rom"})


@dataclass(frozen=True, slots=True)
class Rejected:
    """An item left out, with all that a person needs to judge the judgement.

    Attributes:
        item: as it came, without the translation.
        exclusion: of the last try.
        reply: what came back, whole; None when nothing did.
        tries: how often it was asked.
    """

    item: Item
    exclusion: Exclusion
    reply: str | None
    tries: int


@dataclass
class Translated:
    """What a translation of a set came to.

    Attributes:
        kept: the items with the new form, in the order given; `meta["tries"]` where it took more than one.
        rejected: the others, in the order given.
        stages: one a round.
        complete: False when something was left unasked: nothing may be written yet.
    """

    kept: list[Item] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    complete: bool = True

    @property
    def reasons(self) -> dict[str, int]:
        """Exclusions by reason, in the order of `REASONS`."""
        counts = Counter(rejected.exclusion.reason for rejected in self.rejected)
        return {reason: counts[reason] for reason in REASONS if counts[reason]}


def default_prompt(source: str, target: str) -> str:
    """Name of the prompt for a direction."""
    return _PROMPTS.get((source, target), "translate-between-forms")


def translate(
    options: RunOptions,
    items: Sequence[Item],
    *,
    source: str,
    target: str,
    prompt: Prompt,
    dataset: str,
    retry_failed: int = 0,
    quiet: bool = False,
) -> Translated:
    """Translate every item from the form `source` to the form `target`.

    Args:
        options: whom to ask and how.
        items: each has the form `source`.
        source: form to read.
        target: form to write.
        prompt: what to ask with.
        dataset: name for the ledger.
        retry_failed: how many more times a failed translation is asked for. The items that come in
            this way are those that the translator can do sometimes: it selects, and the card says so.
        quiet: no progress.
    """
    done = Translated()
    kept: dict[str, Item] = {}
    rejected: dict[str, Rejected] = {}
    left = list(items)
    for sample in range(retry_failed + 1):
        tasks = [Task(item.id, _values(item, source, target), sample) for item in left]
        left_to_spend = after(options, *(earlier.result for earlier in done.stages))
        stage = ask(
            left_to_spend, tasks, prompt=prompt, purpose="translate", dataset=dataset, quiet=quiet
        )
        done.stages.append(stage)
        if not stage.complete:
            done.complete = False
            return done
        again = []
        for item, reply in zip(left, stage.replies, strict=True):
            result = judge(reply, item.forms[source], source, target)
            if isinstance(result, str):
                meta = {**item.meta, "tries": sample + 1} if sample else item.meta
                kept[item.id] = replace(item, forms={**item.forms, target: result}, meta=meta)
                rejected.pop(item.id, None)
            else:
                rejected[item.id] = Rejected(item, result, reply.text, sample + 1)
                again.append(item)
        left = again
        if not left:
            break
    done.kept = [kept[item.id] for item in items if item.id in kept]
    done.rejected = [rejected[item.id] for item in items if item.id in rejected]
    return done


def judge(reply: Reply, text: str, source: str, target: str) -> str | Exclusion:
    """The translation of a text out of a reply, or why it is not used."""
    found = read(reply)
    if isinstance(found, Exclusion):
        return found
    return fault(text, found, source, target) or found


def fault(text: str, translation: str, source: str, target: str) -> Exclusion | None:
    """Why a translation is not used; None when nothing speaks against it."""
    if _plain(translation) == _plain(text):
        return Exclusion("untranslated", "the source came back")
    if target == "en":
        markers = mixing(translation, "cm-rom").markers
        if markers >= _ORDINARY.markers:
            return Exclusion("untranslated", f"holds {markers} Hindi grammar words")
    if faults := script_faults(translation, target):
        return Exclusion("scripts", "; ".join(faults))
    if (
        target in _ROMANIZED
        and (markers := mixing(translation, target).markers) < _ORDINARY.markers
    ):
        return Exclusion(
            "markers", f"holds {markers} Hindi grammar words; {_ORDINARY.markers} are wanted"
        )
    if lost := compare(quantities(text, source), quantities(translation, target)):
        return Exclusion("numbers", str(lost))
    ratio = len(words(translation)) / max(1, len(words(text)))
    least, most = _ORDINARY.ratio
    if not least <= ratio <= most:
        return Exclusion("length", f"has {ratio:.2f} words for each word of the source")
    return None


def _values(item: Item, source: str, target: str) -> Mapping[str, str]:
    return {"text": item.forms[source], "from": _named(source), "to": _named(target)}


def _named(form: str) -> str:
    return form_title(form) if form in FORMS else form


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def summary(done: Translated) -> dict[str, Any]:
    """Counts for the record of a build and for `--json`."""
    results = [stage.result for stage in done.stages]
    return {
        "asked": sum(r.asked for r in results),
        "reused": sum(r.reused for r in results),
        "kept": len(done.kept),
        "excluded": len(done.rejected),
        "reasons": done.reasons,
        "kept_after_retry": sum("tries" in item.meta for item in done.kept),
    }
