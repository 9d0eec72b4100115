"""Relevance by text: what is counted, over what, and which hits stand for which documents."""

import pytest
from hypothesis import given

from assay.model.records import Hit, Query
from assay.relevance import _by_text
from assay.relevance._by_text import has_expected
from assay.relevance._resolve import resolve

from ._cases import f1, grades_by_text, ground, grounds

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


def test_a_scope_without_documents_is_counted_over_what_was_retrieved():
    query = Query("q", expected="red cat", scope="nowhere")
    assert judged(["d1"], query, scopes={"mine": ["d1"]}) == ({"d1": 1.0}, {"retrieved": 1})


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
        patch.setattr(_by_text, "MANY_PAIRS", many)
        resolved = resolve(made, "token")
    for query in made.queries.values():
        assert resolved.qrels[query.query_id] == grades_by_text(made, query, f1, 0.3)


@given(grounds())
def test_a_query_is_judged_the_same_alone_and_in_company(made):
    whole = resolve(made, "token")
    for name, query in made.queries.items():
        alone = resolve(
            ground(query, {name: made.hits.get(name, ())}, documents=made.documents, scopes=made.scopes), "token"
        )
        assert alone.qrels[name] == whole.qrels[name]
        assert set(alone.counted_over) <= set(whole.counted_over)
