"""A parameter that counts."""

from __future__ import annotations

from assay.grammar import cutoff


def whole_number(text: str) -> int:
    """0, 1, 2, …"""
    try:
        return cutoff(text) if text.strip("0") or not text else 0
    except ValueError:
        raise ValueError("a whole number from 0 to 1,000,000,000") from None
