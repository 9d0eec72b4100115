"""Trees: each node of a tree is reached from the root once, so that no search for a leaf leaves the tree or never ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.errors import DataError


def reached_splits(left: Sequence[int], right: Sequence[int], is_leaf: Callable[[int], bool]) -> tuple[list[int], int]:
    """The nodes with children that are reached from node 0, and how many nodes are reached.

    An error if a child is not a node, or if a node has two parents, as in a circle.
    """
    seen = bytearray(len(left))
    seen[0], n_reached = 1, 1
    splits, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        if is_leaf(node):
            continue
        splits.append(node)
        for child in (left[node], right[node]):
            if not 0 <= child < len(left):
                raise DataError(f"node {node} has the child {child}, which does not exist")
            if seen[child]:
                raise DataError(f"node {child} is reached twice")
            seen[child] = 1
            waiting.append(child)
        n_reached += 2
    return splits, n_reached


def check_range(name: str, numbers: Sequence[int], lowest: int, highest: int) -> None:
    """Raise if a number is too small or too large."""
    if numbers and not lowest <= min(numbers) <= max(numbers) <= highest:
        wrong = next(number for number in numbers if not lowest <= number <= highest)
        raise DataError(f"{name}: expected {lowest} to {highest}, found {wrong}")
