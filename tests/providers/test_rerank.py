"""rerank: the new order, the old one beside it, and functions that misbehave."""

import json
import re
import sys
from types import ModuleType

import numpy as np
import pytest

from assay import Document, Hit, Query
from assay.errors import ProviderError
from assay.providers import PermanentFailure, RetryLater, first_ranking

from ._asking import ids, provider, ready
from ._stand_ins import package

DOCUMENTS = [Document("a", "dog"), Document("b", "dog dog cat"), Document("c", "dog cat tree", title="dog")]
Q = Query("q", "dog", scope="s")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@pytest.fixture
def module(monkeypatch):
    """A module that can be imported; its names are set by the test."""
    made = ModuleType("rerank_module")
    made.letters = lambda text, k: [Hit(doc, 100.0 - n, doc, {"page": n}) for n, doc in enumerate(LETTERS[:k])]
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def reranked(module, function, k=10, first="bm25", depth=100):
    module.score = function
    text = f"rerank({first}, function=rerank_module:score, depth={depth})"
    return ready(text, DOCUMENTS, {"q": {"a": 2, "b": 1}}).search([Q], k)[0]


def first_order():
    return ready("bm25", DOCUMENTS).search([Q], 10)[0]


def by_length(query, texts):
    return [len(text) for text in texts]


def test_a_new_order_with_the_old_one_beside_it(module):
    hits = reranked(module, by_length)
    assert [(hit.doc_id, hit.score) for hit in hits] == [("c", 16.0), ("b", 11.0), ("a", 3.0)]
    before = sorted(hits, key=lambda hit: hit.metadata["first_rank"])
    known = [(hit.doc_id, hit.score) for hit in first_order()]
    assert [(hit.doc_id, hit.metadata["first_score"]) for hit in before] == known
    assert [hit.text for hit in hits] == [None] * 3
    assert ids(reranked(module, lambda query, texts: [0] * len(texts))) == ["c", "b", "a"], "equal scores go by id"

    async def later(query, texts):
        return by_length(query, texts)

    assert reranked(module, later) == hits
    assert reranked(module, lambda query, texts: iter(by_length(query, texts))) == hits
    judged = reranked(module, by_length, first="oracle")
    assert [(hit.doc_id, hit.metadata["first_rank"]) for hit in judged] == [("b", 2), ("a", 1)]


def test_what_a_function_is_given(module):
    seen = []

    def by_hits(query, hits):
        seen.append((query, {hit.text for hit in hits}))
        return [hit.score for hit in hits]

    assert ids(reranked(module, by_hits)) == ids(first_order())
    reranked(module, lambda question, texts: seen.append((question, set(texts))) or np.zeros(len(texts)))
    texts = {"dog", "dog dog cat", "dog\ndog cat tree"}
    assert seen == [(Q, texts), ("dog", texts)]


def test_hits_beyond_the_depth_stay_behind_in_their_order(module):
    before = ids(first_order())
    hits = reranked(module, lambda query, texts: [-5, 7], depth=2)
    assert [(hit.doc_id, hit.score) for hit in hits] == [(before[1], 7), (before[0], -5), (before[2], -6)]
    assert ids(reranked(module, lambda query, texts: [1, 2], depth=2, k=1)) == [before[1]]


class RateLimited(Exception):
    status_code = 429


def raising(error):
    def score(query, texts):
        raise error

    return score


def test_a_query_that_cannot_be_scored_has_failed_by_itself(module, snapshots):
    functions = {
        "too few": lambda query, texts: [1],
        "nothing": lambda query, texts: None,
        "words": lambda query, texts: ["x"] * 3,
        "nan": lambda query, texts: [float("nan")] * 3,
        "leaves": raising(SystemExit(3)),
        "busy": raising(RateLimited("slow down")),
    }
    answers = {name: reranked(module, function) for name, function in functions.items()}
    module.elsewhere = lambda text, k: ["z"]
    answers["no text"] = reranked(module, by_length, first="python:rerank_module:elsewhere")
    final = {name: isinstance(answer, PermanentFailure) for name, answer in answers.items()}
    assert [name for name, is_final in final.items() if not is_final] == ["leaves", "busy"]
    assert isinstance(answers["busy"], RetryLater)
    text = "".join(f"## {name}\n{answer}\n\n" for name, answer in answers.items())
    snapshots.check("providers/rerank", re.sub(r"\.py:\d+", ".py:…", text))
    with pytest.raises(KeyboardInterrupt):
        reranked(module, raising(KeyboardInterrupt))
    module.score = raising(AssertionError)
    unasked = ready("rerank(bm25, function=rerank_module:score)", DOCUMENTS)
    assert unasked.search([Query("q", "unknown")], 5) == [[]], "a query without hits is not scored"


def test_a_cross_encoder(monkeypatch):
    class CrossEncoder:
        def __init__(self, name):
            if name == "nowhere":
                raise OSError("no such model")

        def predict(self, pairs, show_progress_bar):
            return np.array([len(text) for _, text in pairs], np.float32)

    package(monkeypatch, "sentence_transformers", CrossEncoder=CrossEncoder)
    assert ids(ready("rerank(bm25, model=stand-in)", DOCUMENTS).search([Q], 5)[0]) == ["c", "b", "a"]
    assert isinstance(ready("rerank(bm25, model=nowhere)", DOCUMENTS).search([Q], 5)[0], ProviderError)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ProviderError, match=r"pip install 'assay-ir\[sentence-transformers\]'$"):
        provider("rerank(bm25, model=cross-encoder/small)").make()


ORDERS = (ord, lambda text: -ord(text), lambda text: ord(text) * 7 % 11)


def test_the_first_ranking_comes_back_even_from_a_file(module):
    for score in ORDERS:
        for depth in (1, 7, 26, 100):
            for k in (1, 5, 10, 26, 40):
                by_score = lambda query, texts, score=score: [score(text) for text in texts]  # noqa: E731
                hits = reranked(module, by_score, k, "python:rerank_module:letters", depth)
                kept = json.loads(json.dumps([[hit.doc_id, hit.score, hit.metadata] for hit in hits]))
                first = first_ranking([Hit(doc, value, None, metadata) for doc, value, metadata in kept])
                expected = [(doc, 100.0 - n) for n, doc in enumerate(LETTERS[:k])]
                assert [(hit.doc_id, hit.score) for hit in first] == expected, (depth, k)
                assert all("first" not in hit.metadata for hit in hits[1:])
    assert first_ranking([Hit("a", 1.0, None, {"first_rank": 1, "first_score": 3.0}), Hit("b", 0.0)]) is None
    assert first_ranking([]) == []
