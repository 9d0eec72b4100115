"""pack: each piece of evidence is credited once, whatever retrieves it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import UsageError
from assay.model.records import Pack, Query
from assay.relevance.catalog.by_id import has_evidence, resolve_pack

from ._cases import evidence_pack, ground

QUERY = Query("q", evidence=["e1", "e2", "e3"])


def judged(hits, query=QUERY, pack=None):
    return resolve_pack(ground(query, hits, pack=pack or evidence_pack()), [query])[query.query_id]


def test_the_first_hit_of_an_item_is_credited():
    found = judged(["e1#0", "x", "e1#1", "e2#0"])
    assert found.grades == {"e1#0": 1.0, "x": 0.0, "e1#1": 0.0, "e2#0": 1.0}
    assert (list(found.hidden), found.counted_over) == ([1.0], "evidence")


def test_one_hit_that_covers_2_of_3_pieces_counts_once_so_there_are_2_to_find():
    """R is what was credited, and what is still to find: 1 hit for two pieces, and 1 piece."""
    pack = Pack("many", lambda query, hit: ("e1", "e2") if hit.doc_id == "both" else (), lambda query: 3)
    found = judged(["x", "both"], pack=pack)
    assert (found.grades, list(found.hidden)) == ({"x": 0.0, "both": 1.0}, [1.0])
    dataset = assay.BenchmarkDataset("Three", queries={"q": QUERY}, pack=pack)
    result = assay.evaluate(dataset, {"q": ["x", "both"]}, ["recall@2", "rprec", "ndcg@2"])
    assert result.summary == {"recall@2": 1 / 2, "rprec": 1 / 2, "ndcg@2": pytest.approx(0.6309297535 / 1.6309297535)}


@pytest.mark.parametrize(("hits", "n_relevant"), [(["both"], 2), (["e1", "both"], 3), (["both", "e1"], 2), (["e3"], 3)])
def test_the_denominator_is_the_hits_credited_and_the_pieces_not_found(hits, n_relevant):
    covers = {"both": ("e1", "e2"), "e1": ("e1",), "e3": ("e3",)}
    found = judged(hits, pack=Pack("many", lambda query, hit: covers[hit.doc_id], lambda query: 3))
    assert sum(found.grades.values()) + sum(found.hidden) == n_relevant


def test_of_the_hits_that_a_pack_says_yes_to_as_many_are_credited_as_there_are_pieces():
    found = judged(list("abcde"), pack=Pack("yes", lambda query, hit: hit.doc_id != "b", lambda query: 2))
    assert found.grades == {"a": 1.0, "b": 0.0, "c": 1.0, "d": 0.0, "e": 0.0}
    assert list(found.hidden) == []


@given(answers=st.lists(st.booleans(), max_size=8), n_evidence=st.integers(0, 5))
def test_yes_and_no_credit_the_first_hits_and_never_more_than_there_is(answers, n_evidence):
    pack = Pack("yes", lambda query, hit: answers[int(hit.doc_id)], lambda query: n_evidence)
    found = judged([str(number) for number in range(len(answers))], pack=pack)
    credited = [number for number, yes in enumerate(answers) if yes][:n_evidence]
    assert found.grades == {str(number): float(number in credited) for number in range(len(answers))}
    assert sum(found.grades.values()) + sum(found.hidden) == n_evidence


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
