"""The nearest vectors and the best scores: exact, whatever the blocks, threads and company."""

from __future__ import annotations

import numpy as np
import pytest

from assay.providers import nearest
from assay.providers.nearest import best_of, top_k


def naive(queries, documents, k):
    """Every pair in float64, sorted by score, then by row."""
    scores = (queries.astype(np.float64)[:, None] * documents.astype(np.float64)[None]).sum(axis=2).astype(np.float32)
    rows = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return rows, np.take_along_axis(scores, rows, axis=1)


def vectors(n, width=16, seed=0):
    return np.random.default_rng(seed).standard_normal((n, width)).astype(np.float32)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(nearest, "QUERIES_PER_BLOCK", 3)
    monkeypatch.setattr(nearest, "DOCUMENTS_PER_BLOCK", 50)
    monkeypatch.setattr(nearest, "PAIRS_PER_BLOCK", 7)


@pytest.mark.parametrize("k", [1, 5, 12, 13, 60, 333, 1000])
def test_as_if_every_pair_were_sorted(small_blocks, k):
    queries, documents = vectors(10, seed=1), vectors(333, seed=2)
    rows, scores = top_k(queries, documents, k)
    expected_rows, expected_scores = naive(queries, documents, k)
    assert np.array_equal(rows, expected_rows)
    assert np.array_equal(scores, expected_scores)


@pytest.mark.parametrize("k", [1, 7, 100])
def test_of_equal_ones_the_lower_rows(small_blocks, k):
    documents = np.repeat(vectors(4, seed=3), 60, axis=0)[np.random.default_rng(4).permutation(240)]
    queries = vectors(5, seed=5)
    assert np.array_equal(top_k(queries, documents, k)[0], naive(queries, documents, k)[0])


def test_the_best_may_come_last(small_blocks):
    documents = np.linspace(0, 1, 400, dtype=np.float32)[:, None] * np.ones(8, np.float32)
    assert top_k(np.ones((2, 8), np.float32), documents, 3)[0].tolist() == [[399, 398, 397]] * 2


def test_blocks_and_company_change_nothing(monkeypatch):
    queries, documents = vectors(40, 256, 6), vectors(3000, 256, 7)
    rows, scores = top_k(queries, documents, 20)
    for sizes in ((1, 3000), (7, 999), (128, 64)):
        monkeypatch.setattr(nearest, "QUERIES_PER_BLOCK", sizes[0])
        monkeypatch.setattr(nearest, "DOCUMENTS_PER_BLOCK", sizes[1])
        again = top_k(queries, documents, 20)
        assert np.array_equal(again[0], rows)
        assert np.array_equal(again[1], scores)
    alone = top_k(queries[5:6], documents, 20)
    assert np.array_equal(alone[0][0], rows[5])
    assert np.array_equal(alone[1][0], scores[5])


def test_nothing_to_find_and_nobody_who_asks():
    assert top_k(vectors(2), vectors(0), 5)[0].shape == (2, 0)
    assert top_k(vectors(0), vectors(3), 5)[0].shape == (0, 3)


@pytest.mark.parametrize("k", [1, 3, 4, 9])
def test_the_best_of_scores(k):
    rows, scores = np.array([8, 2, 5, 1, 9]), np.array([1, 3, 3, 0, 3], np.float32)
    best, values = best_of(rows, scores, k)
    assert best.tolist() == [2, 5, 9, 8, 1][:k]
    assert values.tolist() == [3, 3, 3, 1, 0][:k]
