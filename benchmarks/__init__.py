"""Measurements of speed and soundness; each prints its figures and the ratio to a yardstick of the same run."""
