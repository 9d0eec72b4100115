"""oracle: the ceiling."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.datasets.format import load_dataset
from assay.errors import ProviderError
from assay.evaluation import evaluate
from assay.model.records import Document, Hit, Pack, Query
from assay.providers import RelevanceRule
from assay.providers.retriever import PermanentFailure

from ._written import parse_provider

SAMPLES = Path(__file__).parents[1] / "datasets" / "samples"


def test_relevant_documents_best_grade_first():
    oracle = parse_provider("oracle").make()
    oracle.set_judgments({"q": {"a": 1, "b": 3, "c": 0, "d": -1, "e": 1, "elsewhere": 5}, "r": {}})
    oracle.index(Document(doc) for doc in "abcdef")
    answers = oracle.search([Query("q"), Query("r"), Query("unjudged")], 5)
    assert answers == [[Hit("b", 3.0), Hit("e", 1.0), Hit("a", 1.0)], [], []]
    assert oracle.search([Query("q")], 1) == [[Hit("b", 3.0)]]


def test_without_judgments_it_knows_nothing():
    oracle = parse_provider("oracle").make()
    oracle.index([Document("a")])
    with pytest.raises(ProviderError, match="judgments"):
        oracle.search([Query("q")], 5)


def knowing(documents, qrels, *rule, **settings):
    """An oracle over documents, given as id → text, that was told the truth."""
    oracle = parse_provider("oracle").make()
    oracle.set_judgments(qrels, RelevanceRule(*rule, settings=settings))
    oracle.index(Document(doc, text) for doc, text in documents.items())
    return oracle


def ids(answer):
    return [hit.doc_id for hit in answer]


def test_evidence_is_found_by_the_pack():
    """Chunks cover evidence: c1 and c2 the first piece, c3 the second, c4 nothing."""
    covers = {"c1": "one", "c2": "one", "c3": "two"}
    pack = Pack("by hand", lambda query, hit: covers.get(hit.doc_id), lambda query: len(query.evidence))
    oracle = knowing(dict.fromkeys(("c1", "c2", "c3", "c4"), ""), {}, pack)
    query = Query("q", evidence=("one", "two"))
    assert set(ids(oracle.search([query], 5)[0])) == {"c3", "c2"}
    assert len(oracle.search([query], 1)[0]) == 1


def test_an_expected_answer_is_found_by_its_words():
    texts = {"a": "blue whale", "b": "the blue whale sings", "c": "a red fox"}
    query = Query("q", "?", expected="blue whale")
    assert ids(knowing(texts, {}).search([query], 5)[0]) == ["b", "a"]
    assert ids(knowing(texts, {}, None, "token", threshold=0.9).search([query], 5)[0]) == ["a"]
    assert ids(knowing(texts, {"q": {"c": 1}}).search([query], 5)[0]) == ["c"]
    assert ids(knowing(texts, {"q": {"c": 1}}, None, "token(threshold=0.9)").search([query], 5)[0]) == ["a"]


def test_where_nothing_can_be_known_it_says_so():
    (answer,) = knowing({"a": "x"}, {}).search([Query("q", "x")], 5)
    assert isinstance(answer, PermanentFailure)
    assert "judgments, evidence, or an expected answer" in str(answer)


@pytest.mark.parametrize(("name", "by"), [("locomo10.json", "auto"), ("longmemeval_s.json", "pack"), ("beir", "auto")])
def test_it_is_the_ceiling_of_benchmarks_of_every_kind(name, by):
    """Each query with anything relevant scores 1; those without score 0."""
    dataset = load_dataset(SAMPLES / name)
    found = {}
    for query in dataset.queries.values():
        documents = {doc: dataset.documents[doc].content for doc in dataset.in_scope(query)}
        oracle = knowing(documents, dataset.qrels, dataset.owner_of_relevance, by)
        (found[query.query_id],) = oracle.search([query], 100)
    result = evaluate(dataset, found, metrics=["ndcg@10", "recall@100"], relevance=by)
    share = result.relevance["queries_with_relevant"] / len(result.table.query_ids)
    assert result.relevance["queries_with_relevant"] > 0
    assert result.summary == {"ndcg@10": pytest.approx(share), "recall@100": pytest.approx(share)}
