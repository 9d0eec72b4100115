"""Blocks: many rows of a run at once, as bytes and arrays, so that no row becomes a Python object."""
