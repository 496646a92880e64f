"""The journal and the DuckDB ledger that it feeds."""
