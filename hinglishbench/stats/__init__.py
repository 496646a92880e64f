"""Paired statistics: pure functions, no database and no network, standard library only.

Where to look:

- `estimates`: the result types; what is undefined is None beside a reason, never NaN.
- `distributions`: normal, binomial and Student t, valid to a million pairs.
- `proportions`: Wilson's interval for an accuracy.
- `gap`: difference of two paired accuracies (Newcombe, McNemar, t, clustered t).
- `ratio`: the tax: exact interval for a median of ratios, sign test, cut replies.
- `clustered`: the same when items belong together.
- `walsh`: Hodges-Lehmann's estimate and interval without holding n^2 numbers.
- `means`: geometric mean of ratios and ratio of totals.
- `bootstrap`: for what has no closed form, by item or by cluster, seeded.
- `multiplicity`: Holm and Benjamini-Hochberg over a family.
- `equivalence`: two one-sided tests against a stated margin.
- `power`: the smallest visible effect at n, and the pairs that an effect needs.
- `decision`: the finding in plain words.

Units: proportions and differences of proportions are 0..1 and -1..1 (points are made where they
are printed), ratios are plain numbers, levels are confidence levels such as 0.95.
Formulas with sources, and the coverage measured for each interval: docs/statistics.md.
"""
