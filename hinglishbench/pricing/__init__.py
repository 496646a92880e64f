"""Prices: where they come from and which one counts."""
