"""Formats: one family per file."""
