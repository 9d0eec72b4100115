"""Providers as a user writes them: only what is marked as written may name code, files and addresses."""

from __future__ import annotations

from assay.grammar import mark_written
from assay.providers import provider


def parse_provider(text):
    """The provider that a text, or a map, of the user's own stands for."""
    return provider.parse_provider(mark_written(text))
