"""qrels and pack: judgments and evidence decide by ids, and each gold item is credited once, whatever retrieves it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import Hit, Pack, Query, UsageError
from assay.relevance import parse_resolver, resolve

from ._cases import evidence_pack, ground

QUERY = Query("q", evidence=["e1", "e2", "e3"])


def before_hash(chunk):
    return chunk.partition("#")[0]


def by_qrels(hits, qrels, document_of=None):
    made = ground(Query("q"), hits, qrels={"q": qrels}, document_of=document_of)
    return parse_resolver("qrels").resolve(made, [Query("q")])["q"]


def by_pack(hits, query=QUERY, pack=None):
    return parse_resolver("pack").resolve(ground(query, hits, pack=pack or evidence_pack()), [query])[query.query_id]


def test_grades_are_those_of_the_judgments_and_the_first_chunk_of_a_document_gets_it():
    judged = by_qrels(["x", "d1"], {"d1": 2, "d2": 0})
    assert (judged.grades, judged.hidden, judged.counted_over) == ({"d1": 2, "d2": 0}, (), "judgments")
    applies, made = parse_resolver("qrels").resolver.applies, ground([QUERY, Query("other")], {}, qrels={"q": {}})
    assert (applies(made, QUERY), applies(made, Query("other"))) == (True, False)
    assert by_qrels([], {}).grades == {}
    judged = by_qrels(["d1#2", "x#1", "d1#0", "d2#5"], {"d1": 3, "d2": 0, "d3": 1}, before_hash)
    assert (judged.grades, judged.hidden) == ({"d1#2": 3, "d1#0": 0.0, "d2#5": 0}, [1])
    for hits in ([], ["x"]):
        assert sorted(by_qrels(hits, {"a": 1, "b": 2}, before_hash).hidden) == [1, 2]


@given(
    qrels=st.dictionaries(st.sampled_from("abcd"), st.integers(-1, 3), max_size=4),
    chunks=st.lists(st.tuples(st.sampled_from("abcx"), st.integers(0, 3)), unique=True, max_size=10),
)
def test_credit_moves_no_grade_and_makes_none(qrels, chunks):
    judged = by_qrels([f"{doc}#{number}" for doc, number in chunks], qrels, before_hash)
    before, after = (sorted(filter(None, grades)) for grades in (qrels.values(), [*judged.grades.values(), *judged.hidden]))
    assert before == after
    for doc in qrels:
        assert sum(judged.grades.get(f"{doc}#{number}", 0) for number in range(4)) in (0, qrels[doc])


YES = Pack("yes", lambda _, hit: hit.doc_id != "b", lambda _: 2)
LETTERS = Pack("many", lambda _, hit: set(hit.doc_id) & set("ab"), lambda _: 3)
CREDITED = [
    (["e1#0", "x", "e1#1", "e2#0"], evidence_pack(), {"e1#0": 1, "x": 0, "e1#1": 0, "e2#0": 1}, 1),
    (list("abcde"), YES, {"a": 1, "b": 0, "c": 1, "d": 0, "e": 0}, 0),  # as many as there are pieces
    (["ab", "a", "x", "b"], LETTERS, {"ab": 1, "a": 0, "x": 0, "b": 0}, 1),  # two pieces at once count once
    (["a", "ab", "b"], LETTERS, {"a": 1, "ab": 1, "b": 0}, 1),
    (["a"], Pack("no", lambda *_: (), lambda _: 1), {"a": 0}, 1),
]
"""Hits, who knows what they cover, the grades, and how many pieces are still to find."""


def test_each_piece_of_evidence_is_credited_once():
    for hits, pack, grades, n_hidden in CREDITED:
        judged = by_pack(hits, pack=pack)
        assert (judged.grades, list(judged.hidden), judged.counted_over) == (grades, [1.0] * n_hidden, "evidence"), hits
    empty = by_pack(["e1"], Query("q", evidence=[]))
    assert (empty.grades, list(empty.hidden)) == ({"e1": 0.0}, [])
    # one hit that covers 2 of 3 pieces counts once, so there are 2 to find
    pack = Pack("many", lambda _, hit: ("e1", "e2") if hit.doc_id == "both" else (), lambda _: 3)
    dataset = assay.BenchmarkDataset("Three", queries={"q": QUERY}, pack=pack)
    result = assay.evaluate(dataset, {"q": ["x", "both"]}, ["recall@2", "ndcg@2"])
    assert result.summary == {"recall@2": 1 / 2, "ndcg@2": pytest.approx(0.6309297535 / 1.6309297535)}


@given(
    evidence=st.lists(st.sampled_from("abcd"), unique=True, max_size=4),
    chunks=st.lists(st.tuples(st.sampled_from("abx"), st.integers(0, 4)), unique=True, max_size=12),
)
def test_there_is_as_much_relevant_as_there_is_evidence_in_any_order(evidence, chunks):
    hits = [f"{doc}#{number}" for doc, number in chunks]
    judged = by_pack(hits, Query("q", evidence=evidence))
    assert sum(judged.grades.values()) == len({doc for doc, _ in chunks} & set(evidence))
    assert sum(judged.grades.values()) + sum(judged.hidden) == len(evidence)
    assert by_pack(hits, Query("q", evidence=evidence[::-1])) == judged


def test_a_query_without_evidence_is_not_the_packs_business_but_empty_evidence_is():
    applies = parse_resolver("pack").resolver.applies
    for evidence, has in ((None, False), ([], True), (["e1"], True)):
        query = Query("q", evidence=evidence)
        assert applies(ground(query, [], pack=evidence_pack()), query) == has, evidence
        assert not applies(ground(query, []), query), evidence
    with pytest.raises(UsageError):
        parse_resolver("pack").resolve(ground(QUERY, []), [QUERY])


EVIDENCE, BARE = Query("e", expected="cats", evidence=["x", "y", "y"]), Query("b")


def test_evidence_without_a_count_is_counted():
    for count in (None, lambda _: None):
        pack = Pack("mine", lambda _, hit: hit.doc_id if hit.doc_id == "x" else None, count)
        resolved = resolve(ground(EVIDENCE, ["x"], pack=pack))
        assert (resolved.strategy_used, resolved.qrels["e"]) == ("pack", {"x": 1.0, "\0gold 0": 1.0})


def test_a_pack_that_does_not_seal_relevance_hands_over_to_words():
    pack = Pack("mine", lambda *_: True, sealed_relevance=False)
    assert resolve(ground(EVIDENCE, [Hit("d", 1.0, "cats")], pack=pack)).strategies == {"e": "token-fallback"}


def test_a_pack_without_need_of_evidence_decides_before_words_and_counts_what_it_found():
    queries = [EVIDENCE, Query("w", expected="cats"), BARE]
    pack = Pack("mine", lambda _, hit: hit.doc_id == "x", needs_evidence=False)
    hits = {query.query_id: [Hit("x", 2.0, "cats"), Hit("z", 1.0, "dogs")] for query in queries}
    resolved = resolve(ground(queries, hits, pack=pack))
    assert resolved.strategies == {"e": "pack", "w": "pack", "b": "pack"}
    assert (resolved.qrels["b"], resolved.counted_over) == ({"x": 1.0, "z": 0.0}, {"evidence": 1, "retrieved": 2})
    needy = resolve(ground(queries, hits, pack=replace(pack, needs_evidence=True)))
    assert (needy.strategies, needy.undecided) == ({"e": "pack", "w": "token-fallback"}, ("b",))
