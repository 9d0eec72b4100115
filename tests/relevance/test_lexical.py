"""lexical: BM25 with the expected answer as the query."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.records import Query
from assay.relevance import _by_text
from assay.relevance._resolve import resolve
from assay.relevance._words import WordIndex
from assay.relevance.lexical import bm25_share

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
    pairs = _by_text.Pairs(index, wanted, np.array([1, 2]), query, text, index.shared(wanted, query, text))
    whole, part = bm25_share(pairs).tolist()
    assert whole == pytest.approx(1.0)
    assert 0 < part < 0.5


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
