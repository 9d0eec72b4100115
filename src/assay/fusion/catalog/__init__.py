"""Catalog: one family of fusions per file, found by their records."""
