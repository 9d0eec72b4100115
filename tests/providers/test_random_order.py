"""random_order: the floor."""

from __future__ import annotations

from collections import Counter

from assay.model.records import Document, Query

from ._written import parse_provider


def drawn(text, queries, k, n_documents=6):
    retriever = parse_provider(text).make()
    retriever.index(Document(str(number)) for number in range(n_documents))
    return [[hit.doc_id for hit in hits] for hits in retriever.search([Query(query) for query in queries], k)]


def test_every_document_once():
    for ids in drawn("random_order", "abc", 10, 50):
        assert len(ids) == 10
    assert all(sorted(ids) == list("012345") for ids in drawn("random_order", "abc", 100))


def test_seeds_and_queries_have_their_own_orders():
    orders = {tuple(drawn(f"random_order(seed={seed})", [query], 50, 50)[0]) for seed in (0, 1) for query in "abc"}
    assert len(orders) == 6


def test_every_place_is_as_likely_for_every_document():
    queries = [str(number) for number in range(6000)]
    for place in (0, 3, 5):
        counts = Counter(ids[place] for ids in drawn("random_order", queries, 6))
        assert all(870 < counts[str(number)] < 1130 for number in range(6))
