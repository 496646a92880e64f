"""Methods and limits in sentences: every number in them is computed from the ledger."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from hinglishbench.report.figures import number, percent, ratio, usd
from hinglishbench.report.gather import Findings
from hinglishbench.report.labels import SMALL_MODEL, short_digest
from hinglishbench.report.palette import form_name
from hinglishbench.stats import decision, power, proportions

Row = dict[str, Any]

_ADJUST = {
    "holm": "Holm's method",
    "bh": "the method of Benjamini and Hochberg",
    "none": "nothing: each p stands alone",
}
_ORIGIN = {
    "live": "asked by the runs of this ledger",
    "import": "imported from predictions and asked elsewhere",
    "replay": "replayed from a cassette",
}


# --- words -------------------------------------------------------------------------------------


def count(n: int, one: str, many: str | None = None) -> str:
    """`1 pair`, `1,200 pairs`."""
    return f"{number(n)} {one if n == 1 else many or one + 's'}"


def listed(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    found = list(words)
    return (
        found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}" if found else ""
    )


def day(moment: datetime | None) -> str:
    """A moment as its day, UTC."""
    return "-" if moment is None else moment.strftime("%Y-%m-%d")


def span(values: Iterable[float | None], form: Any) -> str | None:
    """`3.1` or `3.1 to 8.2`; None where all are unknown."""
    known = sorted(value for value in values if value is not None)
    if not known:
        return None
    low, high = form(known[0]), form(known[-1])
    return str(low) if low == high else f"{low} to {high}"


def _default(function: Any, name: str) -> Any:
    """What a statistic does unless told otherwise: the text cannot disagree with the code."""
    return inspect.signature(function).parameters[name].default


def level() -> str:
    """Confidence level of the intervals."""
    interval = proportions.accuracy(1, 2).interval
    assert interval is not None
    return percent(interval.level, 0)


# --- the lead ----------------------------------------------------------------------------------


def lead(found: Findings) -> list[str]:
    """What was found, one sentence a row, for the top of the page (at most six)."""
    sentences = []
    for row in found.tax[:6]:
        if not row["n_pairs"]:
            continue
        tax = "its token tax is unknown"
        if row["tax_median"] is not None:
            tax = f"a reply in {form_name(row['form'])} takes {ratio(row['tax_median'])} the tokens of English"
            if row["tax_ci"] and None not in row["tax_ci"]:
                tax += f" ({row['tax_ci'][0]:.2f} to {row['tax_ci'][1]:.2f})"
            if row["tax_at_cap"] and row["max_tokens"] is not None:
                tax += f" at the cap of {number(row['max_tokens'])}"
        sentences.append(
            f"{row['label']}: {tax}, and accuracy goes from {percent(row['acc_base'])} to"
            f" {percent(row['acc_form'])} on {count(row['n_pairs'], 'pair')} ({row['decision']})."
        )
    if len(found.tax) > len(sentences) > 0:
        sentences.append(f"All {count(len(found.tax), 'row')} stand in the table below.")
    return [*sentences, *filter(None, [_embedded(found)])]


# --- methods -----------------------------------------------------------------------------------


def methods(found: Findings) -> list[str]:
    """How the figures were made."""
    return [
        text
        for text in (
            _what_was_asked(found),
            _how_it_was_asked(found),
            _pairing(found),
            _tokens(found),
            _statistics(found),
            _grading(found),
            _dollars(found),
        )
        if text
    ]


def _what_was_asked(found: Findings) -> str:
    cells = sum(row["cells"] for row in found.outcomes)
    answered = cells - sum(row["unanswered"] for row in found.outcomes)
    first = min((arm["first_at"] for arm in found.arms if arm["first_at"]), default=None)
    last = max((arm["last_at"] for arm in found.arms if arm["last_at"]), default=None)
    when = f"on {day(first)}" if day(first) == day(last) else f"from {day(first)} to {day(last)}"
    # A larger --limit extends a smaller one: the largest set of a suite holds the others.
    most = sum(
        max(row["items"] for row in found.outcomes if row["suite"] == suite)
        for suite in found.suites
    )
    return (
        f"{count(most, 'item')} of {listed(found.suites)} in the forms {listed(found.forms)}, put to"
        f" {count(len(found.arms), 'arm')} {when} (UTC): {count(cells, 'cell')}, of which"
        f" {number(answered)} have an answer. The answers were {_ORIGIN[found.origin]}."
    )


def _how_it_was_asked(found: Findings) -> str:
    prompts = {arm["prompt"]: arm["prompt_digest"] for arm in found.arms}
    named = listed(f"{name} ({short_digest(digest)})" for name, digest in sorted(prompts.items()))
    temperatures = sorted({_temperature(arm["temperature"]) for arm in found.arms})
    efforts = sorted({arm["effort"] or "not sent" for arm in found.arms})
    caps = sorted({arm["max_tokens"] for arm in found.arms}, key=lambda cap: cap or 0)
    samples = span((row["samples"] for row in found.outcomes), number)
    return (
        f"One prompt serves all forms of a comparison: {named}. Samples of a cell: {samples}."
        f" Temperature: {listed(temperatures)}. Reasoning effort: {listed(efforts)}. Cap on output"
        f" tokens: {listed('none' if cap is None else number(cap) for cap in caps)}."
    )


def _temperature(value: float | None) -> str:
    return "not sent, the provider's default" if value is None else f"{value:g}"


def _pairing(found: Findings) -> str:
    gaps = span((row["pair_gap_s_median"] for row in found.tax), lambda s: number(s, 1))
    if gaps is None:
        return ""
    far = sum(row["n_far_pairs"] for row in found.tax)
    return (
        "A pair is one item and sample of one arm in English and in the form. The forms of an item"
        f" are asked next to each other: half of the pairs had their two calls within {gaps} s."
        f" {count(far, 'pair')} asked too far apart in time {'was' if far == 1 else 'were'} left out."
    )


def _tokens(found: Findings) -> str:
    rules = Counter(rule for arm in found.arms for rule in arm["output_rules"] or ())
    if not rules:
        return ""
    return (
        "The tax is billable completion tokens of the form over those of English, as the provider"
        " counts them, reasoning included. Where reasoning tokens stand in the providers' counts,"
        f" by arm: {listed(f'{rule} ({n})' for rule, n in sorted(rules.items()))}. The headline is the"
        " median over pairs; a reply cut at the cap counts as at least its length."
    )


def _statistics(found: Findings) -> str:
    compared = [row for row in found.tax if row["n_pairs"]]
    if not compared:
        return ""
    gap_methods = listed(sorted({row["gap_method"] for row in compared}))
    tax_methods = listed(sorted({row["tax_method"] for row in compared}))
    adjust = compared[0]["adjust"]
    family = compared[0]["family_size"]
    alpha = _default(decision.decide, "alpha")
    return (
        f"Intervals are at {level()}. Gap: {gap_methods}. Tax: {tax_methods}. The p values of the"
        f" {count(family, 'row')} with one are adjusted by {_ADJUST[adjust]}, gaps and taxes apart;"
        f" a row is called different below {alpha:g}."
    )


def _grading(found: Findings) -> str:
    versions = sorted({v for arm in found.arms for v in arm["grader_versions"] or ()})
    if not versions:
        return ""
    return (
        f"Answers were parsed without sight of the gold by {listed(versions)}. Accuracy is correct"
        " answers over all but provider errors; a filtered reply counts as not correct and has no tax."
    )


def _dollars(found: Findings) -> str:
    by_source: Counter[str] = Counter()
    for row in found.prices:
        by_source[row["source"]] += row["attempts"]
    if not by_source:
        return ""
    sources = listed(f"{name} ({count(n, 'attempt')})" for name, n in sorted(by_source.items()))
    return f"Dollars are counts times dated prices. Where the prices came from: {sources}."


# --- limits ------------------------------------------------------------------------------------


def limits(found: Findings) -> list[str]:
    """What the figures cannot say."""
    return [
        text
        for text in (
            _embedded(found),
            _power(found),
            _dropped(found),
            _cut(found),
            _unread(found),
            _unknown(found),
            _doubtful_rules(found),
            _one_sample(found),
            _narrow(found),
        )
        if text
    ]


def _embedded(found: Findings) -> str:
    small = [found.labels[arm["arm_id"]] for arm in found.arms if arm["provider"] == "local"]
    if not small:
        return ""
    return f"{listed(small)}: the embedded model {SMALL_MODEL}."


def _power(found: Findings) -> str:
    seen = span((row["mde_pts"] for row in found.tax), lambda v: number(v, 1))
    if seen is None:
        return ""
    pairs = span((row["n_pairs"] for row in found.tax if row["n_pairs"]), number)
    open_rows = sum(row["decision_gap"] == "not decided" for row in found.tax)
    wanted = percent(_default(power.smallest_gap, "power"), 0)
    return (
        f"With {pairs} pairs a row, the smallest gap that would be seen with {wanted} power is"
        f" {seen} points. {_of(open_rows, len(found.tax), 'row')} could not decide about the gap: that"
        " is no evidence that there is none."
    )


def _of(n: int, total: int, one: str) -> str:
    return f"{number(n)} of {count(total, one)}"


def _dropped(found: Findings) -> str:
    reasons: Counter[str] = Counter()
    for row in found.tax:
        reasons.update(row["dropped"])
    dropped = sum(row["n_dropped"] for row in found.tax)
    if not dropped:
        return "No pair was dropped."
    said = listed(f"{number(n)} {name.replace('_', ' ')}" for name, n in reasons.items() if n)
    planned = sum(row["n_pairs"] + row["n_dropped"] for row in found.tax)
    return f"{_of(dropped, planned, 'pair')} were dropped from the paired figures: {said}."


def _cut(found: Findings) -> str:
    cells = sum(row["cells"] - row["unanswered"] for row in found.outcomes)
    cut = sum(row["cut"] for row in found.outcomes)
    if not cut or not cells:
        return "No reply was cut at the token cap." if cells else ""
    open_rows = [row for row in found.tax if row["tax_at_cap"]]
    text = f"{_of(cut, cells, 'answer')} ({percent(cut / cells)}) were cut at the token cap; what they would have taken is not known."
    if open_rows:
        text += (
            f" In {_of(len(open_rows), len(found.tax), 'row')} this leaves the median tax open"
            " between two readings, and it is labelled with the cap."
        )
    return text


def _unread(found: Findings) -> str:
    cells = sum(row["cells"] - row["unanswered"] - row["error"] for row in found.outcomes)
    unparsed = sum(row["unparsed"] for row in found.outcomes)
    filtered = sum(row["filtered"] for row in found.outcomes)
    if not cells:
        return ""
    return (
        f"{_of(unparsed, cells, 'answer')} ({percent(unparsed / cells)}) held no answer that the"
        f" grader could find, and {number(filtered)} ({percent(filtered / cells)}) were withheld by a"
        " filter; both count as not correct."
    )


def _unknown(found: Findings) -> str:
    parts = []
    missing = sum(row["tokens_missing"] for row in found.outcomes)
    if missing:
        parts.append(f"{count(missing, 'answer')} came without token counts and have no tax")
    cost = found.cost
    if cost["unpriced_attempts"]:
        parts.append(
            f"{count(cost['unpriced_attempts'], 'attempt')} of {number(cost['attempts'])} have no known"
            " price and are in no sum of dollars"
        )
    if cost["maybe_billed_attempts"]:
        parts.append(
            f"{count(cost['maybe_billed_attempts'], 'attempt')} brought no answer and may be billed all"
            f" the same, so that the bill lies between {usd(cost['cost_usd'])} and"
            f" {usd(cost['cost_upper_usd'])}"
        )
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _doubtful_rules(found: Findings) -> str:
    doubtful = [
        found.labels[arm["arm_id"]]
        for arm in found.arms
        if {"assumed", "inconsistent"} & set(arm["output_rules"] or ())
    ]
    if not doubtful:
        return ""
    return (
        f"For {listed(doubtful)} the provider's totals do not say whether reasoning tokens are inside"
        " the completion tokens; inside was taken."
    )


def _one_sample(found: Findings) -> str:
    if any(row["samples"] > 1 for row in found.outcomes):
        return ""
    return (
        "Each cell was asked once: how much a second answer to the same question would differ is not"
        " in these intervals."
    )


def _narrow(found: Findings) -> str:
    days = {day(arm[key]) for arm in found.arms for key in ("first_at", "last_at") if arm[key]}
    return (
        f"The figures hold for {listed(found.suites)}, for the endpoints and dates named here"
        f" ({count(len(days), 'day')} on which calls began or ended), and for these prompts. A hosted"
        " model can change behind the same name."
    )


# --- provenance --------------------------------------------------------------------------------


def run_options(run: Row) -> str:
    """What a run was asked for, in short."""
    options = json.loads(run["options"])
    if "imported" in options:
        return f"imported {short_digest(str(options['imported']))}"
    shown = {k: v for k, v in options.items() if v not in (None, [], (), {}, "", False)}
    return ", ".join(f"{key}={_short(value)}" for key, value in shown.items())


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


__all__: Sequence[str] = (
    "count",
    "day",
    "lead",
    "level",
    "limits",
    "listed",
    "methods",
    "run_options",
    "span",
)
