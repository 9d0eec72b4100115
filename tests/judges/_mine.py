"""Judges of a user."""


def three(query: str, document: str) -> float:
    """Always 3."""
    return 3


def two_with_a_reason(query: str, document: str) -> tuple[float, str]:
    """Always 2."""
    return 2, f"{query} fits"


def as_map(query: str, document: str) -> dict:
    """A map, or none for one document."""
    return {"grade": None if "pair 1 " in document else 1, "reason": "so"}


def broken(query: str, document: str) -> float:
    """Never a grade."""
    raise KeyError("nothing")


async def later(query: str, document: str) -> float:
    """A coroutine."""
    return 1
