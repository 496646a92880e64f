"""The journal and the DuckDB ledger that it feeds.

`journal` appends, `store` opens and migrates, `intake` takes journals in, `planning` claims cells and
`requests` what has no cells, `queries/*.sql` answer questions. Only this room imports duckdb.
"""
