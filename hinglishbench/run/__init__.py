"""A run: plan, engine, progress."""
