"""What every provider promises, checked for each that can be built without a network.

tests/providers/adapters holds those over other people's stores to it, over the real packages.
"""

import json
import random
import shlex
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from types import ModuleType

import numpy as np
import pytest

from assay import Document, Hit, Query
from assay.errors import ProviderError
from assay.providers import all_providers

from ._asking import ids, provider, ready
from ._engines import ENGINES
from ._service import serving

BY_FEATURES = {"feature", "lightgbm", "sklearn", "xgboost"}
"""Providers that rank by features; tests/learning_to_rank holds them to it."""
ADAPTERS = {"chroma", "haystack", "lancedb", "langchain", "llamaindex", "pgvector", "qdrant"}
LOCAL = [
    "bm25",
    "bm25(k1=0.9, b=0.4, language=de, stem=false, stopwords=false)",
    "tfidf_chars",
    "dense",
    "hybrid",
    "hybrid(bm25, tfidf_chars, method=weighted, weights=[0.7, 0.3])",
    "rerank(bm25, function=contract_module:by_length, depth=2)",
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
TEXTS = ("lazy dogs", "", "xyzzyplugh", "grosse strasse", "天気", "dog dog dog fox", " \t\n?!", "NAÏVE \ud800 cafe\u0301")
QUERIES = [Query(f"q{number}", text) for number, text in enumerate(TEXTS, 1)]
QRELS = {"q1": {"d1": 1, "d2": 2, "gone": 3, "d4": 0, "d5": -1}, "q6": {"d6": 1, "D6": 1}}


@pytest.fixture(autouse=True)
def module(monkeypatch):
    made = ModuleType("contract_module")
    made.by_length = lambda query, texts: [len(text) for text in texts]
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def over(text, documents=DOCUMENTS):
    return ready(text, documents, QRELS)


def best_first(hits):
    return sorted(hits, key=lambda hit: (hit.score, hit.doc_id), reverse=True)


def check_answers(retriever, name):
    """Up to k known hits, best first; the same alone and in company."""
    for k in (1, 3, 100):
        answers = retriever.search(QUERIES, k)
        assert len(answers) == len(QUERIES), name
        for hits in answers:
            assert all(type(hit) is Hit and type(hit.score) is float for hit in hits), name
            assert len(hits) == len(set(ids(hits))) <= min(k, len(DOCUMENTS)), name
            assert set(ids(hits)) <= {document.doc_id for document in DOCUMENTS}, name
            assert hits == best_first(hits), name
    assert any(answers), name
    together = retriever.search(QUERIES, 5)
    assert [retriever.search([query], 5)[0] for query in QUERIES] == together, name
    assert retriever.search(QUERIES[::-1], 5) == together[::-1], name
    assert retriever.search([], 5) == [], name


def check_name(text):
    """Names read back, and configurations can be written down."""
    bound = provider(text)
    again = provider(bound.name)
    assert (again.name, again.configuration, again.fingerprint) == (bound.name, bound.configuration, bound.fingerprint)
    assert json.loads(json.dumps(bound.configuration)) == bound.configuration, text
    assert bound.configuration["provider"] == bound.provider.name, text


def test_up_to_k_known_hits_best_first_alone_and_in_company():
    for text in LOCAL:
        check_answers(over(text), text)
        check_name(text)


def test_neither_the_order_of_documents_nor_k_nor_a_new_index_changes_an_answer():
    for text in LOCAL:
        retriever = over(text)
        answers = retriever.search(QUERIES, 8)
        assert over(text, DOCUMENTS[::-1]).search(QUERIES, 8) == answers, text
        if not text.startswith("rerank"):
            assert retriever.search(QUERIES, 2) == [hits[:2] for hits in answers], text
        if not text.startswith("random_order"):
            assert retriever.search([Query("b1", ""), Query("b2", " \n\t")], 3) == [[], []], text
        retriever.index(DOCUMENTS[1:2])
        assert {doc for hits in retriever.search(QUERIES, 5) for doc in ids(hits)} == {"d2"}, text


def test_no_index_and_two_documents_with_one_id_are_errors():
    for text in LOCAL:
        with pytest.raises(ProviderError, match="index"):
            provider(text).make().search(QUERIES, 5)
        with pytest.raises(ProviderError, match="d1"):
            over(text, [*DOCUMENTS, Document("d1", "again")])


def drawn(seed, n_documents=150, n_queries=30):
    """Documents and queries of words that are drawn, long enough for sums to differ in their last bits."""
    chance = random.Random(seed)
    words = ["".join(chance.choices("abcdefghijé", k=chance.randint(2, 9))) for _ in range(500)]
    texts = (" ".join(chance.choices(words, k=chance.randint(1, 60))) for _ in range(n_documents))
    documents = [Document(f"d{number}", text) for number, text in enumerate(texts)]
    return documents, [Query(f"q{n}", " ".join(chance.choices(words, k=chance.randint(0, 12)))) for n in range(n_queries)]


def vector_files(folder):
    numbers = np.random.default_rng(7).normal(size=(180, 50)).astype(np.float32)
    for name, rows in (("d", numbers[:150]), ("q", numbers[150:])):
        np.savez(folder / f"{name}.npz", ids=[f"{name}{n}" for n in range(len(rows))], vectors=rows)
    return f"vectors(documents={folder / 'd.npz'}, queries={folder / 'q.npz'})"


def test_a_batch_of_any_size_gives_the_same_bits(tmp_path):
    documents, queries = drawn(3)
    for text in [*LOCAL, vector_files(tmp_path)]:
        retriever = over(text, documents)
        together = retriever.search(queries, 30)
        for size in (1, 7):
            batches = [retriever.search(queries[start : start + size], 30) for start in range(0, len(queries), size)]
            assert [hits for batch in batches for hits in batch] == together, (text, size)


# Providers whose answers are somebody else's: here all of them ask one small ranking, each in its way

RANKING = """
def ranked(documents, text, k):
    words = set(text.casefold().split())
    scores = {doc: float(len(words & set(content.casefold().split()))) for doc, content in documents.items()}
    best = sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)
    return [[doc, scores[doc]] for doc in best if scores[doc]][:k]
"""
PROGRAM = f"""{RANKING}
import json, sys
documents = {{}}
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "document":
        documents[asked["id"]] = asked.get("title", "") + " " + asked["text"]
    elif asked["type"] == "search":
        print(json.dumps({{"id": asked["id"], "hits": ranked(documents, asked["query"], asked["k"])}}), flush=True)
"""
NAMES: dict = {}
exec(RANKING, NAMES)  # the same lines that the program runs
ranked = NAMES["ranked"]


def contents(documents):
    return {document.doc_id: f"{document.title or ''} {document.text}" for document in documents}


class Mine:
    def index(self, documents):
        self.documents = contents(documents)

    def search(self, queries, k):
        return [ranked(self.documents, query.text, k) for query in queries]


def replayed(folder):
    ranking = {query.query_id: dict(ranked(contents(DOCUMENTS), query.text, 99)) for query in QUERIES}
    (folder / "run.json").write_text(json.dumps(ranking))
    return f"replay:{folder / 'run.json'}"


def answer_http(asked, _):
    return {"results": ranked(contents(DOCUMENTS), asked.body["query"], asked.body["k"])}


def answer_as(stub, asked, handler):
    texts = contents(DOCUMENTS)
    return stub.answer(asked, handler, lambda text, _: [(*hit, texts[hit[0]]) for hit in ranked(texts, text, 99)])


def check_ranking(retriever, name):
    """The ranking of the service, with its scores unless its order alone counts."""
    by_order = name.startswith(("typesense", "meilisearch", "milvus"))
    for k in (1, 3):
        for query, hits in zip(QUERIES, retriever.search(QUERIES, k), strict=True):
            expected = [Hit(*pair) for pair in ranked(contents(DOCUMENTS), query.text, k)]
            if by_order:
                expected = [replace(hit, score=float(-place)) for place, hit in enumerate(expected)]
            assert [replace(hit, text=None, metadata=None) for hit in hits] == expected, name


def test_providers_elsewhere(tmp_path, module):
    module.Mine, module.search = Mine, lambda text, k: ranked(contents(DOCUMENTS), text, k)
    (tmp_path / "program.py").write_text(PROGRAM)
    command = f"command(command='{shlex.quote(sys.executable)} -S {tmp_path / 'program.py'}', timeout=10)"
    names = ["python:contract_module:search", "python:contract_module:Mine", command, replayed(tmp_path)]
    with ExitStack() as services:
        names += [f"http(url='{services.enter_context(serving(answer_http)).url}', timeout=10)"]
        for stub in ENGINES.values():
            service = services.enter_context(serving(partial(answer_as, stub)))
            names.append(f"{stub.text.format(url=service.url.removesuffix('/search'))[:-1]}, timeout=10)")
        for name in names:
            retriever = over(name)
            check_answers(retriever, name)
            check_name(name)
            assert not provider(name).is_repeatable, name
            check_ranking(retriever, name)
            if retriever.indexes:
                retriever.index([Document("new", "lazy")])
                assert retriever.search([Query("q", "lazy")], 5) == [[Hit("new", 1.0)]], name
                with pytest.raises(ProviderError):
                    provider(name).make().search(QUERIES, 5)
            retriever.close()
    held = {provider(name).provider.name for name in [*names, *LOCAL, "vectors(documents=a.npy, queries=b.npy)"]}
    assert held | ADAPTERS | BY_FEATURES == set(all_providers())


def test_listing_providers_loads_none_of_their_packages():
    heavy = {"bm25s", "Stemmer", "scipy", "wordllama", "tokenizers", "sentence_transformers"}
    heavy |= {"chromadb", "qdrant_client", "lancedb", "psycopg", "langchain_core", "llama_index", "haystack"}
    code = "from assay.providers import all_providers; all_providers(); import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {name.partition(".")[0] for name in done.stdout.split()} & heavy == set()
