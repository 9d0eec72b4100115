"""hybrid: worked by hand on the small ontology."""

import pytest

from ._small import small


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("X:D", "X:A", 0.7 / 4 + 0.3 * (1 - 1 / 5)),
        ("X:D", "X:E", 0.7 / 4 + 0.3 * (1 - 4 / 6)),
        ("X:C", "X:F", 0.35 + 0.3 * (1 - 1 / 5)),
        ("X:D", "X:F", 0.525 + 0.3 * (1 - 1 / 7)),
        ("X:A", "X:B", 0),
        ("X:A", "X:T", 0),
        ("X:D", "X:R", 0.3 * (1 - 2 / 4)),
        ("X:R", "X:R", 1),
    ],
)
def test_by_hand(a, b, expected):
    ontology = small()
    value = ontology.similarity("hybrid", ontology.numbers([a]), ontology.numbers([b]))
    assert value.tolist() == pytest.approx([expected])


def test_a_parent_is_near_but_not_the_same():
    """The mistake not to repeat: depth by the shortest way made a parent and its child the same."""
    ontology = small()
    assert ontology.similarity("hybrid", ontology.numbers(["X:D"]), ontology.numbers(["X:A"]))[0] < 0.5


def test_the_weight_may_be_another():
    ontology = small()
    pair = ontology.numbers(["X:D"]), ontology.numbers(["X:A"])
    assert ontology.similarity("hybrid(weight=1)", *pair)[0] == ontology.similarity("simple", *pair)[0]
    assert ontology.similarity("hybrid(weight=0)", *pair)[0] == pytest.approx(1 - 1 / 5)
