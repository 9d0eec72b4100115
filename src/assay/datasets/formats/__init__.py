"""Formats: the catalog of dataset formats, one family per file."""
