"""jaccard: worked by hand on the small ontology."""

import pytest

from ._small import small


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("X:D", "X:A", 2 / 6),
        ("X:D", "X:E", 2 / 7),
        ("X:C", "X:F", 4 / 5),
        ("X:D", "X:F", 5 / 6),
        ("X:A", "X:B", 1 / 3),
        ("X:A", "X:T", 0),
        ("X:D", "X:R", 1 / 6),
        ("X:E", "X:E", 1),
    ],
)
def test_by_hand(a, b, expected):
    ontology = small()
    value = ontology.similarity("jaccard", ontology.numbers([a]), ontology.numbers([b]))
    assert value.tolist() == pytest.approx([expected])
