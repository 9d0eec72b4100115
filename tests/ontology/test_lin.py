"""lin: worked by hand on the small ontology."""

import math

import pytest

from ._small import small


def ic(n_below):
    """Information content of a term that is above so many of the nine, itself included."""
    return 1 - math.log(n_below) / math.log(9)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("X:D", "X:A", 2 * ic(4) / (1 + ic(4))),
        ("X:D", "X:E", 2 * ic(5) / 2),
        ("X:C", "X:F", 2 * ic(3) / (ic(3) + ic(2))),
        ("X:D", "X:F", 2 * ic(2) / (1 + ic(2))),
        ("X:A", "X:B", 2 * ic(7) / (ic(4) + ic(5))),
        ("X:A", "X:T", 0),
        ("X:E", "X:E", 1),
        ("X:A", "X:A", 1),
    ],
)
def test_by_hand(a, b, expected):
    ontology = small()
    value = ontology.similarity("lin", ontology.numbers([a]), ontology.numbers([b]))
    assert value.tolist() == pytest.approx([expected])
