"""All checks of a parallel set, gathered: what is wrong, what looks odd, what to read first.

Every check is automatic and none proves a text good: they find lost numbers, wrong scripts, texts
that are not mixed, doubles. Findings carry a weight, so that a person with an hour reads the worst
items first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import fmean, median

from hinglishbench.forms.duplicates import near_duplicates
from hinglishbench.forms.expression import ExpressionError, evaluate
from hinglishbench.forms.mixing import Mixing, mixing, words
from hinglishbench.forms.names import FORMS
from hinglishbench.forms.quantities import Quantity, compare, plain, quantities
from hinglishbench.forms.scripts import native_digits, script_faults
from hinglishbench.suites.items import Item

WEIGHTS: Mapping[str, float] = {
    "numbers": 5,  # the pair is not the same problem
    "check": 5,  # the gold is doubtful
    "scripts": 4,
    "duplicate": 4,
    "markers": 3,
    "mixing": 2,
    "ratio": 2,
    "length": 1,
    "leak": 1,
    "digits": 1,
}
"""Checks and what one finding of each adds to an item's score."""

FAULTS = frozenset({"numbers", "check", "scripts"})
"""Checks whose findings are faults; the others are reasons to look."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is still ordinary.

    Attributes:
        words: least and most words of a text.
        english: least and most share of English in a mixed form, 0..1.
        markers: least number of different Hindi grammar words in a romanized form.
        ratio: least and most words of a form for one word of the base form.
        similarity: Jaccard similarity of shingles from which two items are near-duplicates.
    """

    words: tuple[int, int] = (4, 250)
    english: tuple[float, float] = (0.10, 0.75)
    markers: int = 2
    ratio: tuple[float, float] = (0.4, 2.5)
    similarity: float = 0.4


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found: the check (a key of `WEIGHTS`), where, and what in one sentence."""

    item: str
    form: str | None
    check: str
    message: str


@dataclass(frozen=True, slots=True)
class FormSummary:
    """Measures of one form over a set; shares 0..1, None where no text has the measure.

    Attributes:
        texts: how many items have the form.
        words: mean words of a text.
        ratio: median over items of words here / words in the base form.
        share_english: mean share of English words.
        cmi: mean Code-Mixing Index, 0..100.
        unknown: share of words in no list.
    """

    texts: int
    words: float
    ratio: float | None
    share_english: float | None
    cmi: float | None
    unknown: float


@dataclass(frozen=True, slots=True)
class Report:
    """The result of `verify`.

    Attributes:
        items: how many were checked.
        base: the form that the others are compared with.
        forms: measures by form.
        findings: in the order of the items.
        ranked: (item id, score, its findings), worst first, items without findings left out.
    """

    items: int
    base: str
    forms: Mapping[str, FormSummary]
    findings: tuple[Finding, ...]
    ranked: tuple[tuple[str, float, tuple[Finding, ...]], ...] = field(repr=False)

    @property
    def faults(self) -> tuple[Finding, ...]:
        """The findings that are faults and not only reasons to look."""
        return tuple(f for f in self.findings if f.check in FAULTS)


def verify(items: Sequence[Item], *, bounds: Bounds | None = None) -> Report:
    """Run every check over a parallel set."""
    limits = bounds or Bounds()
    base = base_form(items)
    findings = [f for item in items for f in item_findings(item, base, limits)]
    findings += duplicate_findings(items, limits.similarity)
    by_item: dict[str, list[Finding]] = {}
    for finding in findings:
        by_item.setdefault(finding.item, []).append(finding)
    scored = [(key, sum(WEIGHTS[f.check] for f in own), own) for key, own in by_item.items()]
    scored.sort(key=lambda row: -row[1])
    return Report(
        items=len(items),
        base=base,
        forms=summaries(items, base),
        findings=tuple(findings),
        ranked=tuple((key, score, tuple(own)) for key, score, own in scored),
    )


def base_form(items: Sequence[Item]) -> str:
    """English where every item has it, else the first form of the first item."""
    if not items or all("en" in item.forms for item in items):
        return "en"
    return next(iter(items[0].forms))


def item_findings(item: Item, base: str, bounds: Bounds) -> Iterator[Finding]:
    """Findings of one item, form by form."""
    stated = {form: quantities(text, form) for form, text in item.forms.items()}
    for check, message in _answer_findings(item, stated.get(base, ())):
        yield Finding(item.id, None, check, message)
    for form, text in item.forms.items():
        found = [("scripts", message) for message in script_faults(text, form)]
        if digits := native_digits(text):
            found.append(("digits", f"uses the digits {''.join(digits)}"))
        if form != base and base in stated and (lost := compare(stated[base], stated[form])):
            found.append(("numbers", f"against {base}: {lost}"))
        found += _length_findings(text, item.forms.get(base) if form != base else None, bounds)
        found += _mixing_findings(form, mixing(text, form), bounds)
        for check, message in found:
            yield Finding(item.id, form, check, message)


def duplicate_findings(items: Sequence[Item], threshold: float) -> list[Finding]:
    """Near-duplicates in any form; each pair is told once, at its second item."""
    told: set[tuple[str, str]] = set()
    found = []
    for form in dict.fromkeys(form for item in items for form in item.forms):
        texts = {item.id: item.forms[form] for item in items if form in item.forms}
        for pair in near_duplicates(texts, threshold):
            if (pair.first, pair.second) in told:
                continue
            told.add((pair.first, pair.second))
            message = f"shares {pair.similarity:.0%} of its word runs with {pair.first}"
            found.append(Finding(pair.second, form, "duplicate", message))
    return found


def check_fault(item: Item) -> str | None:
    """Why an item's `check` does not give its answer; None when it does, or there is none."""
    if item.check is None:
        return None
    answers = (item.answer,) if isinstance(item.answer, str) else item.answer
    try:
        value = evaluate(item.check)
        wanted = [Fraction(answer.replace(",", "")) for answer in answers]
    except (ExpressionError, ValueError, ZeroDivisionError) as error:
        return f"the check cannot be evaluated: {error}"
    if value in wanted:
        return None
    return f"the check gives {plain(value)}, the answer is {', '.join(answers)}"


def summaries(items: Sequence[Item], base: str) -> dict[str, FormSummary]:
    """Measures by form, in the order in which the forms appear."""
    forms = dict.fromkeys(form for item in items for form in item.forms)
    return {form: _summary([i for i in items if form in i.forms], form, base) for form in forms}


def _answer_findings(item: Item, stated: Iterable[Quantity]) -> Iterator[tuple[str, str]]:
    if fault := check_fault(item):
        yield "check", fault
    if not isinstance(item.answer, str):
        return
    try:
        answer = Fraction(item.answer.replace(",", ""))
    except (ValueError, ZeroDivisionError):
        return
    if any(quantity.value == answer for quantity in stated):
        yield "leak", f"the answer {item.answer} stands in the text"


def _length_findings(text: str, base: str | None, bounds: Bounds) -> Iterator[tuple[str, str]]:
    n = len(words(text))
    low, high = bounds.words
    if not low <= n <= high:
        yield "length", f"has {n} words; {low} to {high} are ordinary"
    if base is not None and words(base):
        ratio = n / len(words(base))
        least, most = bounds.ratio
        if not least <= ratio <= most:
            yield "ratio", f"has {ratio:.2f} words for each word of the base form"


def _mixing_findings(form: str, mix: Mixing, bounds: Bounds) -> Iterator[tuple[str, str]]:
    rule = FORMS.get(form)
    if rule is None or not (rule.mixed or form == "hi-rom"):
        return
    if "Devanagari" not in rule.scripts and mix.markers < bounds.markers:
        yield "markers", f"has {mix.markers} Hindi grammar words; {bounds.markers} are wanted"
    share = mix.share_english
    if not rule.mixed or share is None:
        return
    low, high = bounds.english
    if not low <= share <= high:
        kind = "nearly pure Hindi" if share < low else "nearly English"
        yield "mixing", f"is {kind}: {share:.0%} of its words are English"


def _summary(items: Sequence[Item], form: str, base: str) -> FormSummary:
    texts = [item.forms[form] for item in items]
    counts = [len(words(text)) for text in texts]
    mixes = [mixing(text, form) for text in texts]
    ratios = [
        n / len(words(item.forms[base]))
        for n, item in zip(counts, items, strict=True)
        if base in item.forms and words(item.forms[base])
    ]
    shares = [m.share_english for m in mixes if m.share_english is not None]
    indexes = [m.cmi for m in mixes if m.cmi is not None]
    return FormSummary(
        texts=len(texts),
        words=fmean(counts),
        ratio=median(ratios) if ratios else None,
        share_english=fmean(shares) if shares else None,
        cmi=fmean(indexes) if indexes else None,
        unknown=sum(m.unknown for m in mixes) / max(1, sum(counts)),
    )
