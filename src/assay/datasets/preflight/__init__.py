"""Preflight: one family per file."""
