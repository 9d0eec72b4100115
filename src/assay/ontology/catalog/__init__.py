"""Similarities: found by their records."""
