"""resnik: worked by hand on the small ontology."""

import math

import pytest

from ._small import small


def ic(n_below):
    """Information content of a term that is above so many of the nine, itself included."""
    return 1 - math.log(n_below) / math.log(9)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("X:D", "X:A", ic(4)),
        ("X:D", "X:E", ic(5)),
        ("X:C", "X:F", ic(3)),
        ("X:D", "X:F", ic(2)),
        ("X:A", "X:B", ic(7)),
        ("X:A", "X:T", 0),
        ("X:D", "X:R", ic(7)),
        ("X:E", "X:E", 1),
        ("X:A", "X:A", ic(4)),
    ],
)
def test_by_hand(a, b, expected):
    ontology = small()
    value = ontology.similarity("resnik", ontology.numbers([a]), ontology.numbers([b]))
    assert value.tolist() == pytest.approx([expected])
