"""pack: each piece of evidence is credited once, whatever retrieves it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import UsageError
from assay.model.records import Pack, Query
from assay.relevance.pack import has_evidence, resolve_pack

from ._cases import evidence_pack, ground

QUERY = Query("q", evidence=["e1", "e2", "e3"])


def judged(hits, query=QUERY, pack=None):
    return resolve_pack(ground(query, hits, pack=pack or evidence_pack()), [query])[query.query_id]


def test_the_first_hit_of_an_item_is_credited():
    found = judged(["e1#0", "x", "e1#1", "e2#0"])
    assert found.grades == {"e1#0": 1.0, "x": 0.0, "e1#1": 0.0, "e2#0": 1.0}
    assert (list(found.hidden), found.counted_over) == ([1.0], "evidence")


def test_a_pack_may_just_say_yes():
    found = judged(["a", "b", "c"], pack=Pack("yes", lambda query, hit: hit.doc_id != "b", lambda query: 2))
    assert found.grades == {"a": 1.0, "b": 0.0, "c": 1.0}
    assert list(found.hidden) == []


def test_a_hit_may_cover_several_items():
    pack = Pack("many", lambda query, hit: set(hit.doc_id) & set("ab"), lambda query: 3)
    found = judged(["ab", "a", "x", "b"], pack=pack)
    assert found.grades == {"ab": 1.0, "a": 0.0, "x": 0.0, "b": 0.0}
    assert list(found.hidden) == [1.0]


@pytest.mark.parametrize("nothing", [None, False, "", ()])
def test_what_covers_nothing_is_not_relevant(nothing):
    found = judged(["a"], pack=Pack("no", lambda query, hit: nothing, lambda query: 1))
    assert (found.grades, list(found.hidden)) == ({"a": 0.0}, [1.0])


@pytest.mark.parametrize(("evidence", "has"), [(None, False), ([], True), (["e1"], True)])
def test_a_query_without_evidence_is_not_the_packs_business_but_empty_evidence_is(evidence, has):
    query = Query("q", evidence=evidence)
    assert has_evidence(ground(query, [], pack=evidence_pack()), query) == has
    assert not has_evidence(ground(query, []), query)


def test_empty_evidence_has_nothing_relevant():
    found = judged(["e1"], Query("q", evidence=[]))
    assert (found.grades, list(found.hidden)) == ({"e1": 0.0}, [])


def test_without_a_pack_it_says_what_to_use():
    with pytest.raises(UsageError, match="does not decide about relevance; use qrels or a resolver of text"):
        resolve_pack(ground(QUERY, []), [QUERY])


@given(
    evidence=st.lists(st.sampled_from("abcd"), unique=True, max_size=4),
    chunks=st.lists(st.tuples(st.sampled_from("abx"), st.integers(0, 4)), unique=True, max_size=12),
)
def test_there_is_as_much_relevant_as_there_is_evidence_and_never_more(evidence, chunks):
    found = judged([f"{doc}#{number}" for doc, number in chunks], Query("q", evidence=evidence))
    assert sum(found.grades.values()) == len({doc for doc, _ in chunks} & set(evidence))
    assert sum(found.grades.values()) + sum(found.hidden) == len(evidence)


@given(st.permutations(["e1", "e2", "e3"]))
def test_the_order_of_evidence_does_not_matter(evidence):
    assert judged(["e2#1", "e1", "e2"], Query("q", evidence=evidence)) == judged(["e2#1", "e1", "e2"])
