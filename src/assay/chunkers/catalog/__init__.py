"""Catalog: one family of chunkers per file, found by their records."""
