"""The order in which ranx leaves equal scores: that of a quicksort, which moves equals past each other."""

from __future__ import annotations

from collections.abc import Sequence

SHORT = 15
"""Stretches up to this length are sorted by insertion, which keeps equals in the order given."""


def quicksort_order(values: Sequence[float]) -> list[int]:
    """Places of the values in ascending order, as Numba's argsort gives them: its choice of pivot decides about equals."""
    order = list(range(len(values)))
    stretches = [(0, len(order))]
    while stretches:
        low, end = stretches.pop()
        if end - low <= SHORT:
            order[low:end] = sorted(order[low:end], key=values.__getitem__)
        else:
            middle = _partition(values, order, low, end - 1)
            stretches += [(low, middle), (middle + 1, end)]
    return order


def _partition(values: Sequence[float], order: list[int], low: int, high: int) -> int:
    """Smaller values to the left, larger ones to the right of a pivot; its place is returned."""
    middle = (low + high) >> 1
    for left, right in ((low, middle), (middle, high), (low, middle)):
        if values[order[right]] < values[order[left]]:
            order[left], order[right] = order[right], order[left]
    pivot = values[order[middle]]
    order[high], order[middle] = order[middle], order[high]
    left, right = low, high - 1
    while True:
        while left < high and values[order[left]] < pivot:
            left += 1
        while right >= low and pivot < values[order[right]]:
            right -= 1
        if left >= right:
            break
        order[left], order[right] = order[right], order[left]
        left, right = left + 1, right - 1
    order[left], order[high] = order[high], order[left]
    return left
