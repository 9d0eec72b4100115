"""Catalog: one judge per file."""
