"""Metrics: one family per file, found by their records."""
