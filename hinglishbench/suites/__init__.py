"""Benchmarks as data: a suite is a named set of items with forms and a grader."""
