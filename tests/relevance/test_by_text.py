"""Relevance by text: what is counted, over what, and which hits stand for which documents."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import Document
from assay.datasets import BenchmarkDataset
from assay.model.records import Hit, Query
from assay.relevance import by_text
from assay.relevance.by_text import has_expected, judge_by_text
from assay.relevance.catalog.by_words import token_f1
from assay.relevance.resolution import resolve

from ._cases import TEXT_RESOLVERS, f1, grades_by_text, ground, grounds

QUERY = Query("q", expected="red cat")
DOCUMENTS = {"d1": "red cat", "d2": "a red cat", "d3": "blue dog", "d4": "the red cat sleeps"}


def judged(hits, query=QUERY, relevance="token", **more):
    resolved = resolve(ground(query, hits, **{"documents": DOCUMENTS, **more}), relevance)
    return resolved.qrels["q"], dict(resolved.counted_over)


@pytest.mark.parametrize(
    ("expected", "has"), [(None, False), ("", False), ("…", False), ("cat", True), ("北", True), ("7", True)]
)
def test_an_expected_answer_has_words(expected, has):
    query = Query("q", expected=expected)
    assert has_expected(ground(query, []), query) == has


def test_seed_003_the_number_of_relevant_items_is_counted_over_the_corpus_when_it_is_at_hand():
    assert judged(["d1", "d3"]) == ({"d1": 1.0, "d3": 0.0, "d2": 1.0, "d4": 1.0}, {"scope": 1})


def test_seed_003_else_over_what_was_retrieved_and_marked_as_such():
    chunks = [Hit("c1", 2.0, "red cat"), Hit("c2", 1.0, "grey"), Hit("c3", 0.0, "a cat is red")]
    assert judged(chunks, documents={}) == ({"c1": 1.0, "c2": 0.0, "c3": 1.0}, {"retrieved": 1})
    assert judged([Hit("c1", 2.0, "one red cat"), "d1"]) == ({"c1": 1.0, "d1": 1.0}, {"retrieved": 1})


def test_nothing_retrieved_is_counted_over_the_scope():
    assert judged([]) == ({"d1": 1.0, "d2": 1.0, "d4": 1.0}, {"scope": 1})
    assert judged([], documents={}) == ({}, {"retrieved": 1})


def test_a_hit_with_an_id_of_its_own_stands_for_the_document_whose_text_it_has():
    assert judged([Hit("x7", 1.0, "a red cat")]) == ({"x7": 1.0, "d1": 1.0, "d4": 1.0}, {"scope": 1})


def test_of_two_documents_with_one_text_a_hit_stands_for_one():
    twins = {"a": "red cat", "b": "red cat"}
    assert judged([Hit("x", 1.0, "red cat")], documents=twins)[0] == {"x": 1.0, "b": 1.0}
    assert judged(["a"], documents=twins)[0] == {"a": 1.0, "b": 1.0}


def test_the_text_a_hit_brought_counts_not_the_documents():
    assert judged([Hit("d3", 1.0, "red cat"), Hit("d1", 0.0, "blue")])[0]["d3"] == 1.0
    assert judged([Hit("d3", 1.0, "red cat"), Hit("d1", 0.0, "blue")])[0]["d1"] == 0.0


def test_every_chunk_stands_for_itself():
    chunks = [Hit(f"d1#{number}", -float(number), "red cat") for number in range(3)]
    assert judged(chunks)[0] == {"d1#0": 1.0, "d1#1": 1.0, "d1#2": 1.0, "d2": 1.0, "d4": 1.0}


def test_a_relevant_text_outside_the_scope_is_not_counted():
    query = Query("q", expected="red cat", scope="mine")
    scopes = {"mine": ["d1", "d3"], "others": ["d2", "d4"]}
    assert judged(["d3"], query, scopes=scopes) == ({"d3": 0.0, "d1": 1.0}, {"scope": 1})
    assert judged(["d2", "d1"], query, scopes=scopes) == ({"d2": 0.0, "d1": 1.0}, {"scope": 1})


def test_a_scope_that_no_document_has_lets_none_through_and_is_counted_over_what_was_retrieved():
    query = Query("q", expected="red cat", scope="nowhere")
    hits = ["d1", Hit("chunk", -1.0, "one red cat")]
    assert judged(hits, query, scopes={"mine": ["d1"]}) == ({"d1": 0.0, "chunk": 1.0}, {"retrieved": 1})


# Hits that nobody knows


TEN = {f"d{number}": f"red cat {number}" for number in range(10)}


@pytest.mark.parametrize(
    "strangers",
    [["ghost"], ["ghost", "spook"], [Hit("ghost", -9.0, "")], [Hit("ghost", -9.0, "red cat 7")]],
    ids=["an id", "two ids", "an empty text", "the text of a document"],
)
def test_an_unknown_id_without_a_text_of_its_own_leaves_the_count_over_the_scope(strangers):
    grades, over = judged(["d0", *strangers], documents=TEN)
    assert over == {"scope": 1}
    assert sum(grades.values()) == 10


def test_of_ten_relevant_documents_one_is_a_tenth_with_an_unknown_id_or_without():
    dataset = BenchmarkDataset("Ten", queries={"q": QUERY})
    for doc, text in TEN.items():
        dataset.add_document(Document(doc, text))
    for ranking in (["d0"], ["d0", "ghost"], ["ghost", "d0"]):
        result = assay.evaluate(dataset, {"q": ranking}, "recall@10", relevance="token")
        assert result["recall@10"] == 0.1
        assert result.relevance["counted_over"] == {"scope": 1}
    chunk = [Hit("d0", 1.0), Hit("ghost", 0.0, "grey mouse")]
    result = assay.evaluate(dataset, {"q": chunk}, "recall@10", relevance="token")
    assert (result["recall@10"], result.relevance["counted_over"]) == (1.0, {"retrieved": 1})


@pytest.mark.parametrize("relevance", ["token", "coverage", "lexical", "hybrid(method=weighted)"])
def test_what_has_no_text_is_not_relevant_even_if_everything_is(relevance):
    resolved = resolve(ground(QUERY, ["d3", "ghost"], documents=DOCUMENTS), relevance, threshold=0.0)
    assert (resolved.qrels["q"]["d3"], resolved.qrels["q"]["ghost"]) == (1.0, 0.0)


METRICS = ("recall@3", "recall", "ndcg@3", "ndcg", "map", "mrr", "precision@3")


@given(
    made=grounds(),
    places=st.lists(st.integers(0, 6), min_size=1, max_size=3),
    relevance=st.sampled_from(TEXT_RESOLVERS),
    threshold=st.sampled_from([0.0, 0.3, 0.8]),
)
def test_unknown_ids_without_text_never_raise_a_score(made, places, relevance, threshold):
    dataset = BenchmarkDataset("Law", queries=dict(made.queries))
    for doc, text in made.documents.items():
        dataset.add_document(
            Document(doc, text, group=next((name for name, docs in made.scopes.items() if doc in docs), None))
        )
    chosen = assay.Relevance(relevance, defaults={"threshold": threshold})
    without = {query: [replace(hit, score=0.0) for hit in made.hits.get(query, ())] for query in made.queries}
    haunted = {query: list(hits) for query, hits in without.items()}
    for hits in haunted.values():
        for number, place in enumerate(places):
            hits.insert(place, Hit(f"ghost{number}"))
    before, after = (
        assay.evaluate(
            dataset,
            {query: [replace(hit, score=-float(place)) for place, hit in enumerate(hits)] for query, hits in run.items()},
            METRICS,
            relevance=chosen,
        )
        for run in (without, haunted)
    )
    assert before.relevance["counted_over"] == after.relevance["counted_over"]
    assert before.relevance["relevant_found"] == after.relevance["relevant_found"]
    for metric in METRICS:
        for query, score in before.scores(metric).items():
            assert after.scores(metric)[query] <= score + 1e-12, (metric, query)
    assert before.scores("recall") == after.scores("recall")


def test_hits_without_text_are_counted():
    hits = ["d1", "ghost", Hit("chunk", -5.0, "x"), Hit("empty", -6.0, ""), Hit("d2", -7.0, "")]
    found = judge_by_text(ground(QUERY, hits, documents=DOCUMENTS), [QUERY], token_f1, 0.3)
    assert found["q"].n_without_text == 2


@pytest.mark.parametrize(
    ("texts", "exact"),
    [
        (["red cat"], 1),
        (["A RED-CAT!"], 1),
        (["cat red"], 0),
        (["red old cat"], 0),
        (["a red cat", "red cat"], 1),
        ([], 0),
    ],
)
def test_exact_matches_are_queries_with_a_text_that_holds_the_expected_words(texts, exact):
    hits = [Hit(f"c{number}", -float(number), text) for number, text in enumerate(texts)]
    assert resolve(ground(QUERY, hits), "token").n_exact == exact


def test_a_likeness_is_not_missed_by_rounding():
    expected = " ".join(f"w{number}" for number in range(7))
    made = ground(Query("q", expected=expected), ["d"], documents={"d": "w0 w1 w2 x y z v"})
    assert 2 * 3 / (7 + 7) == 3 / 7
    assert resolve(made, f"token(threshold={3 / 7 + 1e-15!r})").qrels["q"]["d"] == 1.0


@pytest.mark.parametrize("many", [0, 1, 3])
@given(made=grounds())
def test_large_scopes_are_compared_block_by_block(many, made):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_text, "MANY_PAIRS", many)
        resolved = resolve(made, "token")
    for query in made.queries.values():
        assert resolved.qrels[query.query_id] == grades_by_text(made, query, f1, 0.3)


@pytest.mark.parametrize("relevance", TEXT_RESOLVERS)
@given(made=grounds())
def test_a_query_is_judged_the_same_alone_and_in_company(relevance, made):
    whole = resolve(made, relevance)
    for name, query in made.queries.items():
        alone = resolve(
            ground(query, {name: made.hits.get(name, ())}, documents=made.documents, scopes=made.scopes), relevance
        )
        assert alone.qrels[name] == whole.qrels[name]
        assert set(alone.counted_over) <= set(whole.counted_over)
