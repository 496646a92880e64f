"""Datasets made with models, against a scripted server."""
