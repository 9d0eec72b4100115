"""Preflight: checks of a dataset and of a run for it, one subject per file."""
