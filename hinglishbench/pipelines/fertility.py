"""Fertility: how many tokens a form costs on the way in, by tokenizer, paired with English.

The input side of the tax. It needs no call to a model, and says nothing about how long the answers
get; the output side is what `hbench tax` measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hinglishbench.errors import RefusedError
from hinglishbench.pipelines.tokenizers import Count
from hinglishbench.stats.estimates import Interval
from hinglishbench.stats.means import ratio_of_totals
from hinglishbench.stats.ratio import Reading, median_ratio, reading
from hinglishbench.suites.items import Item


@dataclass(frozen=True, slots=True)
class FormFertility:
    """What one form costs under one tokenizer.

    Attributes:
        items: texts counted.
        tokens: of all of them together.
        tokens_per_item: mean.
        tokens_per_word: tokens of all texts / words of all texts (parted by white space).
        tokens_per_char: the same over characters (code points).
        n_pairs: items that have the form and the baseline form.
        ratio_median: median over pairs of tokens here / tokens of the baseline; None for the baseline.
        ratio_ci: exact interval of that median (order statistics), None where there are too few pairs.
        ratio_total: tokens here / tokens of the baseline, over the pairs.
        p: sign test of "as many ratios above 1 as below".
    """

    form: str
    items: int
    tokens: int
    tokens_per_item: float
    tokens_per_word: float
    tokens_per_char: float
    n_pairs: int
    ratio_median: float | None
    ratio_ci: Interval | None
    ratio_total: float | None
    p: float | None


def fertility(
    items: Sequence[Item], forms: Sequence[str], count: Count, *, base: str = "en"
) -> list[FormFertility]:
    """Measure each form, the baseline form among them or not.

    Raises:
        RefusedError: no item has one of the forms.
    """
    tokens = {
        form: {item.id: count(item.forms[form]) for item in items if form in item.forms}
        for form in dict.fromkeys([base, *forms])
    }
    for form in forms:
        if not tokens[form]:
            raise RefusedError(f"no item has the form {form}", hint="choose others with --forms")
    return [_form(items, form, tokens[form], tokens[base], base) for form in forms]


def _form(
    items: Sequence[Item], form: str, own: dict[str, int], based: dict[str, int], base: str
) -> FormFertility:
    texts = [item.forms[form] for item in items if form in item.forms]
    total = sum(own.values())
    pairs = [key for key in own if key in based] if form != base else []
    readings: list[Reading] = [
        found for key in pairs if (found := reading(based[key], own[key])) is not None
    ]
    median = median_ratio(readings)
    return FormFertility(
        form=form,
        items=len(texts),
        tokens=total,
        tokens_per_item=total / len(texts),
        tokens_per_word=total / max(1, sum(len(text.split()) for text in texts)),
        tokens_per_char=total / max(1, sum(map(len, texts))),
        n_pairs=len(readings),
        ratio_median=median.median,
        ratio_ci=median.interval,
        ratio_total=ratio_of_totals(sum(based[k] for k in pairs), sum(own[k] for k in pairs)),
        p=median.p,
    )


def as_row(suite: str, tokenizer: str, base: str, form: FormFertility) -> dict[str, Any]:
    """One object of `hbench fertility --json`."""
    limits = form.ratio_ci
    return {
        "suite": suite, "tokenizer": tokenizer, "form": form.form, "baseline_form": base,
        "items": form.items, "tokens": form.tokens, "tokens_per_item": form.tokens_per_item,
        "tokens_per_word": form.tokens_per_word, "tokens_per_char": form.tokens_per_char,
        "n_pairs": form.n_pairs, "ratio_median": form.ratio_median,
        "ratio_ci": None if limits is None else [limits.lo, limits.hi],
        "ratio_total": form.ratio_total, "ratio_p": form.p,
        "ratio_method": None if limits is None else limits.method,
    }  # fmt: skip
