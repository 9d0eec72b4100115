"""simple: worked by hand on the small ontology."""

import pytest

from ._small import small


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("X:D", "X:A", 1 / 4),
        ("X:D", "X:E", 1 / 4),
        ("X:C", "X:F", 2 / 4),
        ("X:D", "X:F", 3 / 4),
        ("X:A", "X:B", 0),
        ("X:A", "X:T", 0),
        ("X:D", "X:R", 0),
        ("X:E", "X:E", 1),
    ],
)
def test_by_hand(a, b, expected):
    ontology = small()
    value = ontology.similarity("simple", ontology.numbers([a]), ontology.numbers([b]))
    assert value.tolist() == pytest.approx([expected])
