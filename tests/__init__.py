"""The tests and the test server, importable from the root of the repository."""
