"""jiang_conrath: worked by hand on the small ontology."""

import math

import pytest

from ._small import small


def ic(n_below):
    """Information content of a term that is above so many of the nine, itself included."""
    return 1 - math.log(n_below) / math.log(9)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("X:D", "X:A", 1 - (1 + ic(4) - 2 * ic(4)) / 2),
        ("X:D", "X:E", 1 - (2 - 2 * ic(5)) / 2),
        ("X:C", "X:F", 1 - (ic(2) - ic(3)) / 2),
        ("X:D", "X:F", 1 - (1 - ic(2)) / 2),
        ("X:A", "X:B", 1 - (ic(4) + ic(5) - 2 * ic(7)) / 2),
        ("X:A", "X:T", 0),
        ("X:E", "X:E", 1),
        ("X:A", "X:A", 1),
    ],
)
def test_by_hand(a, b, expected):
    ontology = small()
    value = ontology.similarity("jiang_conrath", ontology.numbers([a]), ontology.numbers([b]))
    assert value.tolist() == pytest.approx([expected])
