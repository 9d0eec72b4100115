"""rerank: the new order, the old one beside it, and functions that misbehave."""

from __future__ import annotations

import json
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import numpy as np
import pytest

from assay.errors import BadParameter, ProviderError
from assay.model.records import Document, Hit, Query
from assay.providers.catalog.rerank import Rerank, first_ranking
from assay.providers.retriever import PermanentFailure, RetryLater

from ._written import parse_provider

DOCUMENTS = [Document("a", "dog"), Document("b", "dog dog cat"), Document("c", "dog cat tree", title="dog")]
Q = Query("q", "dog", scope="s")


@pytest.fixture
def module(monkeypatch):
    """A module that can be imported; its names are set by the test."""
    made = ModuleType("rerank_test_module")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def reranked(module, function, k=10, first="bm25", depth=100):
    module.score = function
    retriever = parse_provider(f"rerank({first}, function=rerank_test_module:score, depth={depth})").make()
    retriever.index(DOCUMENTS)
    return retriever.search([Q], k)[0]


def first_order(k=10):
    retriever = parse_provider("bm25").make()
    retriever.index(DOCUMENTS)
    return retriever.search([Q], k)[0]


def by_length(query, texts):
    return [len(text) for text in texts]


def test_a_new_order_with_the_old_one_beside_it(module):
    hits = reranked(module, by_length)
    assert [(hit.doc_id, hit.score) for hit in hits] == [("c", 16.0), ("b", 11.0), ("a", 3.0)]
    before = sorted(hits, key=lambda hit: hit.metadata["first_rank"])
    assert [(hit.doc_id, hit.metadata["first_score"]) for hit in before] == [
        (hit.doc_id, hit.score) for hit in first_order()
    ]
    assert [hit.text for hit in hits] == [None] * 3


def test_what_a_function_is_given(module):
    seen = []

    def by_texts(question, texts):
        seen.append((question, texts))
        return np.zeros(len(texts))

    def by_hits(query, hits):
        seen.append((query, hits))
        return [hit.score for hit in hits]

    reranked(module, by_texts)
    assert [hit.doc_id for hit in reranked(module, by_hits)] == [hit.doc_id for hit in first_order()]
    assert seen[0][0] == "dog"
    assert set(seen[0][1]) == {"dog", "dog dog cat", "dog\ndog cat tree"}
    assert seen[1][0] is Q
    assert all(type(hit) is Hit and hit.text for hit in seen[1][1])


def test_coroutines_classes_and_objects(module):
    async def later(query, texts):
        return by_length(query, texts)

    class Scorer:
        def __call__(self, query, texts):
            return by_length(query, texts)

    expected = reranked(module, by_length)
    assert [reranked(module, one) for one in (later, Scorer, Scorer())] == [expected] * 3


def test_hits_beyond_the_depth_stay_behind_in_their_order(module):
    before = [hit.doc_id for hit in first_order()]
    hits = reranked(module, lambda query, texts: [-5, 7], depth=2)
    assert [hit.doc_id for hit in hits] == [before[1], before[0], before[2]]
    assert [hit.score for hit in hits] == [7, -5, -6]
    assert [hit.doc_id for hit in reranked(module, lambda query, texts: [1, 2], depth=2, k=1)] == [before[1]]


def test_equal_scores_go_by_id(module):
    assert [hit.doc_id for hit in reranked(module, lambda query, texts: [0] * len(texts))] == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda query, texts: [1], "was given 3 texts and returned 1 scores"),
        (lambda query, texts: None, "must return a score for each text, not one NoneType"),
        (lambda query, texts: ["x"] * 3, "must return a score for each text"),
        (lambda query, texts: [float("nan")] * 3, "not a finite number"),
        (lambda query, texts: 1 / 0, "raised ZeroDivisionError"),
    ],
)
def test_a_query_that_cannot_be_scored_has_failed_by_itself(module, function, message):
    answer = reranked(module, function)
    assert isinstance(answer, ProviderError)
    assert message in str(answer)


def test_a_query_without_hits_is_not_scored(module):
    module.score = lambda query, texts: 1 / 0
    retriever = parse_provider("rerank(bm25, function=rerank_test_module:score)").make()
    retriever.index(DOCUMENTS)
    assert retriever.search([Query("q", "unknown")], 5) == [[]]


class Elsewhere:
    """A retriever with its own documents."""

    batch = 1

    def __init__(self, text):
        self.text = text

    def index(self, documents):
        pass

    def search(self, queries, k):
        return [[Hit("z", 1.0, self.text, {"page": 3})] for _ in queries]


def test_texts_may_come_with_the_hits(module):
    module.score = by_length
    retriever = Rerank([Elsewhere("zebra")], "rerank_test_module:score", "", 10)
    assert retriever.batch == 1
    assert retriever.search([Q], 5) == [[Hit("z", 5.0, "zebra", {"page": 3, "first_rank": 1, "first_score": 1.0})]]
    (answer,) = Rerank([Elsewhere(None)], "rerank_test_module:score", "", 10).search([Q], 5)
    assert "document z has no text" in str(answer)


def test_the_judgments_reach_an_oracle(module):
    module.score = by_length
    retriever = parse_provider("rerank(oracle, function=rerank_test_module:score)").make()
    retriever.set_judgments({"q": {"a": 2, "b": 1}})
    retriever.index(DOCUMENTS)
    assert [(hit.doc_id, hit.metadata["first_rank"]) for hit in retriever.search([Q], 5)[0]] == [("b", 2), ("a", 1)]


def test_a_cross_encoder(monkeypatch):
    class CrossEncoder:
        def __init__(self, name):
            if name == "nowhere":
                raise OSError("no such model")

        def predict(self, pairs, show_progress_bar):
            return np.array([len(text) for _, text in pairs], np.float32)

    package = ModuleType("sentence_transformers")
    package.__spec__ = ModuleSpec("sentence_transformers", None)
    package.CrossEncoder = CrossEncoder
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    retriever = parse_provider("rerank(bm25, model=stand-in)").make()
    retriever.index(DOCUMENTS)
    assert [hit.doc_id for hit in retriever.search([Q], 5)[0]] == ["c", "b", "a"]
    missing = parse_provider("rerank(bm25, model=nowhere)").make()
    missing.index(DOCUMENTS)
    assert "'nowhere' cannot be loaded" in str(missing.search([Q], 5)[0])


def test_a_missing_package_names_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ProviderError, match=r"pip install 'assay\[sentence-transformers\]'$"):
        parse_provider("rerank(bm25, model=cross-encoder/small)").make()


def test_what_must_be_given(module):
    module.score, module.number = by_length, 3
    function = "function=rerank_test_module:score"
    for text in ("rerank(bm25)", f"rerank(bm25, tfidf_chars, {function})", f"rerank(bm25, {function}, model=x)"):
        with pytest.raises(BadParameter):
            parse_provider(text).make()
    with pytest.raises(BadParameter):
        parse_provider("rerank(bm25, function=nothing)")
    for name in ("rerank_test_module:scores", "rerank_test_module:number", "no_such_module_at_all:f"):
        with pytest.raises(ProviderError):
            parse_provider(f"rerank(bm25, function={name})").make()
    assert parse_provider(f"rerank({function})").name == "rerank(bm25, function='rerank_test_module:score')"


# The first ranking comes back


class Ranked:
    """A retriever that answers a to z, best first, with a memory of its own."""

    def index(self, documents):
        """Nothing."""

    def search(self, queries, k):
        return [[Hit(doc, 100.0 - n, doc, {"page": n}) for n, doc in enumerate("abcdefghijklmnopqrstuvwxyz"[:k])]]


@pytest.mark.parametrize("k", [1, 2, 3, 5, 10, 25, 26, 40])
@pytest.mark.parametrize("depth", [1, 4, 7, 26, 100])
@pytest.mark.parametrize("order", ["reversed", "the same", "mixed"])
def test_the_first_ranking_comes_back_even_from_a_file(module, k, depth, order):
    scores = {
        "reversed": lambda text: ord(text),
        "the same": lambda text: -ord(text),
        "mixed": lambda text: ord(text) * 7 % 11,
    }
    module.score = lambda query, texts: [scores[order](text) for text in texts]
    (hits,) = Rerank([Ranked()], "rerank_test_module:score", "", depth).search([Q], k)
    kept = [[hit.doc_id, hit.score, hit.metadata] for hit in hits]
    again = [Hit(doc, score, None, metadata) for doc, score, metadata in json.loads(json.dumps(kept))]
    first = first_ranking(again)
    expected = Ranked().search([Q], k)[0]
    assert [(hit.doc_id, hit.score) for hit in first] == [(hit.doc_id, hit.score) for hit in expected]
    assert all("first" not in hit.metadata for hit in hits[1:])


def test_one_after_the_other_the_last_one_tells(module):
    module.score = lambda query, texts: [ord(text) for text in texts]
    inner = Rerank([Ranked()], "rerank_test_module:score", "", 100)
    module.again = lambda query, texts: [-ord(text) for text in texts]
    (hits,) = Rerank([inner], "rerank_test_module:again", "", 3).search([Q], 2)
    assert [hit.doc_id for hit in hits] == ["x", "y"]
    assert [hit.doc_id for hit in first_ranking(hits)] == ["z", "y"]


def test_hits_that_do_not_tell():
    assert first_ranking([Hit("a", 1.0), Hit("b", 0.0, None, {"page": 1})]) is None
    assert first_ranking([Hit("a", 1.0, None, {"first_rank": 1, "first_score": 3.0}), Hit("b", 0.0)]) is None
    assert first_ranking([]) == []


# Scorers of every kind


def test_a_scorer_may_be_a_coroutine_over_hits_or_a_generator(module):
    async def later(query, hits):
        return [len(hit.text) for hit in hits]

    def one_by_one(query, texts):
        yield from by_length(query, texts)

    expected = reranked(module, by_length)
    assert [reranked(module, one) for one in (later, one_by_one)] == [expected] * 2


def test_a_scorer_that_is_busy_or_leaves(module):
    class RateLimited(Exception):
        status_code = 429

    async def busy(query, texts):
        raise RateLimited("slow down")

    def leaving(query, texts):
        raise SystemExit(3)

    assert isinstance(reranked(module, busy), RetryLater)
    assert "raised SystemExit: 3" in str(reranked(module, leaving))
    assert isinstance(reranked(module, lambda query, texts: [1]), PermanentFailure)
    assert not isinstance(reranked(module, leaving), PermanentFailure)

    def interrupted(query, texts):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reranked(module, interrupted)
