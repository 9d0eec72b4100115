"""qrels: the judgments decide; of several chunks of one document the first is credited."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.records import Query
from assay.relevance.catalog.by_id import is_judged, resolve_qrels
from assay.relevance.resolution import resolve

from ._cases import ground

QUERY = Query("q")


def before_hash(chunk):
    return chunk.partition("#")[0]


def test_grades_are_those_of_the_judgments():
    made = ground(QUERY, ["x", "d1"], qrels={"q": {"d1": 2, "d2": 0}})
    (judged,) = resolve_qrels(made, [QUERY]).values()
    assert (judged.grades, judged.hidden, judged.counted_over) == ({"d1": 2, "d2": 0}, (), "judgments")


def test_an_empty_list_is_a_judgment():
    made = ground([QUERY, Query("other")], {}, qrels={"q": {}})
    assert is_judged(made, QUERY)
    assert not is_judged(made, Query("other"))
    assert resolve_qrels(made, [QUERY])["q"].grades == {}


def test_the_first_chunk_of_a_document_is_credited_and_later_ones_get_nothing():
    made = ground(QUERY, ["d1#2", "x#1", "d1#0", "d2#5"], qrels={"q": {"d1": 3, "d2": 0, "d3": 1}}, document_of=before_hash)
    judged = resolve_qrels(made, [QUERY])["q"]
    assert judged.grades == {"d1#2": 3, "d1#0": 0.0, "d2#5": 0}
    assert judged.hidden == [1]


@given(
    qrels=st.dictionaries(st.sampled_from("abcd"), st.integers(-1, 3), max_size=4),
    chunks=st.lists(st.tuples(st.sampled_from("abcx"), st.integers(0, 3)), unique=True, max_size=10),
)
def test_credit_moves_no_grade_and_makes_none(qrels, chunks):
    made = ground(QUERY, [f"{doc}#{number}" for doc, number in chunks], qrels={"q": qrels}, document_of=before_hash)
    judged = resolve_qrels(made, [QUERY])["q"]
    given, found = (sorted(filter(None, grades)) for grades in (qrels.values(), [*judged.grades.values(), *judged.hidden]))
    assert given == found
    for doc in qrels:
        assert sum(judged.grades.get(f"{doc}#{number}", 0) for number in range(4)) in (0, qrels[doc])


@given(st.permutations(list({"a": 3, "b": 1, "c": 0, "d": 2}.items())))
def test_the_order_of_ground_truth_does_not_matter(items):
    made = ground(QUERY, ["b#1", "a#1", "b#2"], qrels={"q": dict(items)}, document_of=before_hash)
    resolved = resolve(made, "qrels")
    assert {doc: grade for doc, grade in resolved.qrels["q"].items() if "#" in doc} == {"b#1": 1, "a#1": 3, "b#2": 0}
    assert sorted(resolved.qrels["q"].values()) == [0, 0, 1, 2, 3]


@pytest.mark.parametrize("hits", [[], ["x"]])
def test_nothing_retrieved_leaves_everything_to_find(hits):
    made = ground(QUERY, hits, qrels={"q": {"a": 1, "b": 2}}, document_of=before_hash)
    assert sorted(resolve_qrels(made, [QUERY])["q"].hidden) == [1, 2]
