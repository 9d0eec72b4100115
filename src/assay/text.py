"""Words: numbers and names as sentences use them."""

from __future__ import annotations

from collections.abc import Sequence


def counted(count: int, noun: str) -> str:
    """`1 query`, `2 queries`, `1,000 documents`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def some_of(names: Sequence[str], most: int = 5) -> str:
    """The first few names, and an ellipsis if there are more."""
    return " ".join(names[:most]) + (" …" if len(names) > most else "")
