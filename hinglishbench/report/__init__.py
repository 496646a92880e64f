"""From figures to tables and pages: what SQL and the statistics say, in rows that people can read.

- `tax`: a form against the baseline form (`clusters` when items belong together by topic);
  `options`, `families`: what may be asked of it, and the adjustment of its p values.
- `ledger`: the tables as methods of a `Ledger`, for Python.
- `figures`: numbers, money and percentages as people read them.

A row is a dict whose keys are a contract (docs/statistics.md lists them). Accuracies and rates are
0..1, gaps in points, intervals `[lo, hi]`; undefined is None with its reason in `notes`.
"""
