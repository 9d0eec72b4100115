"""systems: which of them is meant by a name, and who is compared with whom."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from assay.errors import UnknownName, near_matches


def place_of(name: str, names: Sequence[str]) -> int:
    """The number of a system; a near match is offered for a name nobody has."""
    if name not in names:
        raise UnknownName("system", name, near_matches(name, names), f"there are {', '.join(names)}")
    return list(names).index(name)


def pairs_of(names: Sequence[str], baseline: str | None) -> list[tuple[int, int]]:
    """The numbers of every two systems, or of the baseline and each other one."""
    if baseline is None:
        return list(combinations(range(len(names)), 2))
    first = place_of(baseline, names)
    return [(first, other) for other in range(len(names)) if other != first]
