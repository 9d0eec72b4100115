"""Catalog: similarities, found by their records."""
