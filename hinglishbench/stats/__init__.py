"""Paired statistics: pure functions, no database and no network."""
