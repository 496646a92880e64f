"""Graders: pure, versioned functions from a reply to an outcome."""
