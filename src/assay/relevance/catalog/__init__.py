"""Catalog: one family of resolvers per file, found by their records."""
