"""build_ontology: numbering, depth by the longest way, circles, and what files get wrong."""

import pytest
from hypothesis import given

from assay import DataError
from assay.ontology import TermRecord, build_ontology

from ._small import PARENTS, depth, graphs, ontology_of, records, small


def test_depth_is_the_longest_way_to_a_root():
    ontology = small()
    depths = dict(zip(ontology.ids, ontology.depth.tolist(), strict=True))
    assert depths == {"X:R": 0, "X:S": 0, "X:A": 1, "X:B": 1, "X:T": 1, "X:C": 2, "X:E": 2, "X:F": 3, "X:D": 4}
    assert ontology.max_depth == 4


@given(graphs())
def test_terms_are_numbered_by_depth_and_then_by_id(parents):
    ontology = ontology_of(parents)
    assert list(ontology.ids) == sorted(parents, key=lambda one: (depth(parents, one), one))
    for number, one in enumerate(ontology.ids):
        assert {ontology.ids[up] for up in ontology.parents_of(number).tolist()} == set(parents[one])
        assert all(up < number for up in ontology.parents_of(number).tolist())
        children = {ontology.ids[child] for child in ontology.children_of(number).tolist()}
        assert children == {child for child, above in parents.items() if one in above}


def test_the_order_of_records_does_not_matter():
    forth, back = small(), build_ontology(records()[::-1])
    assert forth.ids == back.ids
    assert forth.parents.tolist() == back.parents.tolist()


@pytest.mark.parametrize(
    ("parents", "circle"),
    [
        ({"a": ("a",)}, "a → a"),
        ({"a": ("b",), "b": ("a",)}, "a → b → a"),
        ({"r": (), "x": ("r", "a"), "a": ("b",), "b": ("c",), "c": ("a",)}, "a → b → c → a"),
    ],
)
def test_a_circle_is_an_error_that_shows_it(parents, circle):
    with pytest.raises(DataError, match=f"terms must not be above themselves, but {circle}"):
        ontology_of(parents)


def test_parents_that_are_obsolete_or_undefined_are_left_out():
    gone = TermRecord("gone", is_obsolete=True)
    ontology = build_ontology([TermRecord("a", parents=("gone", "nowhere", "r")), TermRecord("r"), gone])
    assert ontology.parents_of(1).tolist() == [0]
    assert ontology.ids == ("r", "a")
    assert ontology.notes == ("1 parent is not in the file: nowhere",)
    assert small().notes == ()


def test_a_parent_named_twice_is_one():
    assert ontology_of({"r": (), "a": ("r", "r")}).parents.tolist() == [0]


def test_an_id_that_comes_twice_is_an_error():
    with pytest.raises(DataError, match="1 term defined twice: a"):
        build_ontology([TermRecord("a"), TermRecord("a"), TermRecord("b")])


def test_no_current_term_is_an_error():
    with pytest.raises(DataError, match="no current term"):
        build_ontology([TermRecord("a", is_obsolete=True)])


def test_the_small_ontology_is_as_drawn():
    assert len(small()) == len(PARENTS)
