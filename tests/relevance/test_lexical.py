"""lexical: BM25 with the expected answer as the query."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.records import Hit, Query
from assay.relevance import by_text
from assay.relevance.catalog.by_words import bm25_share
from assay.relevance.resolution import resolve
from assay.relevance.words import WordIndex

from ._cases import grades_by_text, ground, grounds, lexical


def grades(expected, documents, relevance="lexical"):
    return resolve(ground(Query("q", expected=expected), list(documents), documents=documents), relevance).qrels["q"]


def test_rare_words_weigh_more_than_common_ones():
    common = {f"d{number}": f"the thing number {number} of the list" for number in range(20)}
    found = grades("the aardvark", {**common, "rare": "an aardvark was here today ok"})
    assert found["rare"] == 1.0
    assert not any(grade for doc, grade in found.items() if doc != "rare")


def test_a_text_with_every_word_has_the_whole_share():
    assert grades("cat", {"a": "cat", "b": "dog"}, "lexical(threshold=1)") == {"a": 1.0, "b": 0.0}


def test_a_word_that_nobody_has_lowers_every_share():
    index = WordIndex(["cat", "dog"])
    wanted = ["cat", "cat unicorn"]
    query, text = np.array([0, 1]), np.array([0, 0])
    pairs = by_text.Pairs(index, wanted, np.array([1, 2]), query, text, index.shared(wanted, query, text))
    whole, part = bm25_share(pairs).tolist()
    assert whole == pytest.approx(1.0)
    assert 0 < part < 0.5


def test_what_another_query_retrieved_does_not_change_what_is_rare():
    """Many texts with "cat" make it common only where they are documents."""
    documents = {"d1": "cat", "d2": "dog"}
    mine, other = Query("q", expected="cat bird"), Query("other", expected="dog")
    crowd = [Hit(f"c{number}", -float(number), f"cat bird {number}") for number in range(50)]
    for name in ("lexical(threshold=0.28)", "lexical(threshold=0.3)", "hybrid(method=weighted, weights=[0, 0, 0, 1])"):
        alone = resolve(ground(mine, ["d1", "d2"], documents=documents), name)
        both = resolve(ground([mine, other], {"q": ["d1", "d2"], "other": crowd}, documents=documents), name)
        assert alone.qrels["q"] == both.qrels["q"]
    assert grades("cat bird", documents, "lexical(threshold=0.27)")["d1"] == 1.0
    assert grades("cat bird", documents, "lexical(threshold=0.29)")["d1"] == 0.0


def test_without_documents_half_of_the_words_are_half_of_the_share_however_long_the_text():
    hits = [Hit("short", 1.0, "cat"), Hit("long", 0.0, "a cat in a text with very many words in it")]
    for threshold, relevant in ((0.5, 1.0), (0.51, 0.0)):
        found = resolve(ground(Query("q", expected="cat dog"), hits), f"lexical(threshold={threshold})").qrels["q"]
        assert found == {"short": relevant, "long": relevant}


@given(grounds(), st.sampled_from([0.1, 0.3, 0.5, 0.9]))
def test_against_the_plain_formula(made, threshold):
    resolved = resolve(made, f"lexical(threshold={threshold})")
    share = lexical(made)
    for query in made.queries.values():
        found, wanted = resolved.qrels[query.query_id], grades_by_text(made, query, share, threshold)
        near = {doc for doc in {*found, *wanted} if found.get(doc, 0) != wanted.get(doc, 0)}
        texts = {hit.doc_id: made.text_of(hit) for hit in made.hits.get(query.query_id, ())}
        assert all(
            abs(share(query.expected, texts.get(doc, made.documents.get(doc, ""))) - threshold) < 1e-9 for doc in near
        )
