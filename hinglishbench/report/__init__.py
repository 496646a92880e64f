"""From figures to tables and pages: what SQL and the statistics say, in rows that people can read.

- `pairs`: the figures of one group of pairs (`clusters` when items belong together by topic);
  `options`, `families`: what may be asked of them, and the adjustment of their p values.
- `tax`: a form against the baseline form. `compare`: two arms on the same item and form.
  `power`: pairs that an effect needs. `published`: figures of others under the keys of `tax`.
- `ledger`: the tables as methods of a `Ledger`, for Python.
- `figures`: numbers, money and percentages as people read them.

A row is a dict whose keys are a contract (docs/statistics.md lists them). Accuracies and rates are
0..1, gaps in points, intervals `[lo, hi]`; undefined is None with its reason in `notes`.
"""
