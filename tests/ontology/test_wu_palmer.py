"""wu_palmer: worked by hand on the small ontology."""

import pytest

from ._small import small


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("X:D", "X:A", 4 / 7),
        ("X:D", "X:E", 4 / 8),
        ("X:C", "X:F", 6 / 7),
        ("X:D", "X:F", 8 / 9),
        ("X:A", "X:B", 2 / 4),
        ("X:A", "X:T", 0),
        ("X:D", "X:R", 2 / 6),
        ("X:E", "X:E", 1),
    ],
)
def test_by_hand(a, b, expected):
    ontology = small()
    value = ontology.similarity("wu_palmer", ontology.numbers([a]), ontology.numbers([b]))
    assert value.tolist() == pytest.approx([expected])
