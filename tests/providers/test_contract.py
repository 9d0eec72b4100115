"""What every provider promises, checked for each that can be built without a network.

A provider that has its documents elsewhere (`http`, `command` …) is held to it in its own test file.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest

from assay.errors import ProviderError
from assay.model.records import Document, Hit, Query
from assay.providers.provider import all_providers

from ._written import parse_provider

ELSEWHERE = {"command", "http", "python", "replay"}
"""Providers that are not given the documents, or whose answers are somebody else's."""
READY_MADE = {"vectors"}
"""Providers whose documents somebody else took in: a test file of its own holds it to the contract."""
ADAPTERS = {"chroma", "haystack", "lancedb", "langchain", "llamaindex", "pgvector", "qdrant"}
"""Providers over other people's stores: tests/providers/adapters holds them to the contract, over the real packages."""

LOCAL = [
    "bm25",
    "bm25(k1=0.9, b=0.4, language=de, stem=false, stopwords=false)",
    "tfidf_chars",
    "tfidf_chars(low=2, high=3)",
    "dense",
    "hybrid",
    "hybrid(bm25, tfidf_chars, method=weighted, weights=[0.7, 0.3])",
    "rerank(bm25, function=contract_scores:by_length, depth=2)",
    "oracle",
    "random_order(seed=7)",
]

DOCUMENTS = [
    Document("d1", "The quick brown fox jumps over the lazy dog"),
    Document("d2", "A dog sleeps in the sun", title="Lazy afternoons"),
    Document("d3", "Große Straßen führen nach Übersee"),
    Document("d4", "東京の天気は晴れです"),
    Document("d5", ""),
    Document("d6", "foxes and dogs, dogs and foxes"),
    Document("D6", "foxes and dogs, dogs and foxes"),
    Document("é#1", "naïve café ☕ 🦊"),
]
QUERIES = [
    Query("q1", "lazy dogs"),
    Query("q2", ""),
    Query("q3", "xyzzyplugh"),
    Query("q4", "grosse strasse"),
    Query("q5", "天気"),
    Query("q6", "dog dog dog fox"),
    Query("q7", " \t\n?!"),
    Query("q8", "NAÏVE \ud800 cafe\u0301"),
]
QRELS = {"q1": {"d1": 1, "d2": 2, "gone": 3, "d4": 0, "d5": -1}, "q6": {"d6": 1, "D6": 1}}


@pytest.fixture(autouse=True)
def scoring(monkeypatch):
    module = ModuleType("contract_scores")
    module.by_length = lambda query, texts: [len(text) for text in texts]
    monkeypatch.setitem(sys.modules, "contract_scores", module)


def ready(text, documents=DOCUMENTS):
    retriever = parse_provider(text).make()
    if retriever.needs_judgments:
        retriever.set_judgments(QRELS)
    retriever.index(iter(documents))
    return retriever


def order(hits):
    return sorted(hits, key=lambda hit: (hit.score, hit.doc_id), reverse=True)


def test_every_provider_is_held_to_the_contract():
    assert {parse_provider(text).provider.name for text in LOCAL} | ELSEWHERE | READY_MADE | ADAPTERS == set(all_providers())


@pytest.mark.parametrize("text", LOCAL)
def test_up_to_k_known_hits_best_first(text):
    retriever = ready(text)
    for k in (1, 3, 100):
        answers = retriever.search(QUERIES, k)
        assert len(answers) == len(QUERIES)
        for hits in answers:
            ids = [hit.doc_id for hit in hits]
            assert all(type(hit) is Hit and type(hit.score) is float for hit in hits)
            assert len(ids) == len(set(ids)) <= min(k, len(DOCUMENTS))
            assert set(ids) <= {document.doc_id for document in DOCUMENTS}
            assert hits == order(hits)
    assert any(retriever.search(QUERIES, 3))


@pytest.mark.parametrize("text", LOCAL)
def test_a_query_has_the_same_answer_alone_and_in_company(text):
    retriever = ready(text)
    together = retriever.search(QUERIES, 5)
    assert [retriever.search([query], 5)[0] for query in QUERIES] == together
    assert retriever.search(QUERIES[::-1], 5) == together[::-1]
    assert ready(text).search(QUERIES, 5) == together


def drawn(seed, n_documents=300, n_queries=60):
    """Documents and queries of words that are drawn, long enough for sums to differ in their last bits."""
    chance = random.Random(seed)
    words = ["".join(chance.choices("abcdefghijé", k=chance.randint(2, 9))) for _ in range(500)]
    texts = (" ".join(chance.choices(words, k=chance.randint(1, 60))) for _ in range(n_documents))
    documents = [Document(f"d{number}", text) for number, text in enumerate(texts)]
    return documents, [Query(f"q{n}", " ".join(chance.choices(words, k=chance.randint(0, 12)))) for n in range(n_queries)]


@pytest.fixture
def vector_files(tmp_path):
    numbers = np.random.default_rng(7).normal(size=(360, 50)).astype(np.float32)
    for name, rows, ids in (("d", numbers[:300], "d"), ("q", numbers[300:], "q")):
        np.savez(tmp_path / f"{name}.npz", ids=[f"{ids}{n}" for n in range(len(rows))], vectors=rows)
    return f"vectors(documents={tmp_path / 'd.npz'}, queries={tmp_path / 'q.npz'})"


@pytest.mark.parametrize("text", [*LOCAL, "vectors"])
def test_a_batch_of_any_size_gives_the_same_bits(text, vector_files):
    documents, queries = drawn(3)
    retriever = ready(vector_files if text == "vectors" else text, documents)
    if retriever.needs_order:
        retriever.set_order([query.query_id for query in queries], [document.doc_id for document in documents])
    together = retriever.search(queries, 30)
    for size in (1, 2, 7):
        batches = [retriever.search(queries[start : start + size], 30) for start in range(0, len(queries), size)]
        assert [hits for batch in batches for hits in batch] == together
    assert len(together) == len(queries)


@pytest.mark.parametrize("text", LOCAL)
def test_the_order_of_documents_does_not_matter(text):
    assert ready(text, DOCUMENTS[::-1]).search(QUERIES, 5) == ready(text).search(QUERIES, 5)


@pytest.mark.parametrize("text", [text for text in LOCAL if not text.startswith("rerank")])
def test_fewer_hits_are_the_first_of_more(text):
    retriever = ready(text)
    assert retriever.search(QUERIES, 2) == [hits[:2] for hits in retriever.search(QUERIES, 8)]


@pytest.mark.parametrize("text", [text for text in LOCAL if not text.startswith("random_order")])
def test_a_blank_query_finds_nothing(text):
    assert ready(text).search([Query("b1", ""), Query("b2", " \n\t")], 3) == [[], []]


@pytest.mark.parametrize("text", LOCAL)
def test_few_documents_or_none(text):
    assert ready(text, []).search(QUERIES, 5) == [[] for _ in QUERIES]
    assert ready(text, [Document("d5", "")]).search([Query("q1", "")], 5)[0] in ([], [Hit("d5", 1.0)])
    assert [hit.doc_id for hit in ready(text, DOCUMENTS[1:2]).search(QUERIES[:1], 5)[0]] == ["d2"]
    assert ready(text).search([], 5) == []


@pytest.mark.parametrize("text", LOCAL)
def test_a_search_before_the_index_is_an_error(text):
    retriever = parse_provider(text).make()
    with pytest.raises(ProviderError, match="index"):
        retriever.search(QUERIES, 5)


@pytest.mark.parametrize("text", LOCAL)
def test_two_documents_with_one_id_are_an_error(text):
    with pytest.raises(ProviderError, match="d1 is there twice"):
        ready(text, [*DOCUMENTS, Document("d1", "again")])


@pytest.mark.parametrize("text", LOCAL)
def test_an_index_can_be_made_anew(text):
    retriever = ready(text)
    retriever.index(DOCUMENTS[1:2])
    assert {hit.doc_id for hits in retriever.search(QUERIES, 5) for hit in hits} == {"d2"}


@pytest.mark.parametrize("text", LOCAL)
def test_names_read_back_and_configurations_can_be_written_down(text):
    bound = parse_provider(text)
    again = parse_provider(bound.name)
    assert (again.name, again.configuration, again.fingerprint) == (bound.name, bound.configuration, bound.fingerprint)
    assert json.loads(json.dumps(bound.configuration)) == bound.configuration
    assert bound.configuration["provider"] == bound.provider.name


def test_listing_providers_loads_none_of_their_packages():
    heavy = {"bm25s", "Stemmer", "scipy", "wordllama", "tokenizers", "sentence_transformers"}
    heavy |= {"chromadb", "qdrant_client", "lancedb", "psycopg", "langchain_core", "llama_index", "haystack"}
    code = "from assay.providers.provider import all_providers; all_providers(); import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {name.partition(".")[0] for name in done.stdout.split()} & heavy == set()
