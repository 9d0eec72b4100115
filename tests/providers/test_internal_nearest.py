"""The kernel of the nearest vectors: exact, whatever the blocks, threads and company."""

import numpy as np

from assay.providers import nearest
from assay.providers.nearest import top_k


def naive(queries, documents, k):
    """Every pair in float64, sorted by score, then by row."""
    scores = (queries.astype(np.float64)[:, None] * documents.astype(np.float64)[None]).sum(axis=2).astype(np.float32)
    rows = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return rows, np.take_along_axis(scores, rows, axis=1)


def vectors(n, width=16, seed=0):
    return np.random.default_rng(seed).standard_normal((n, width)).astype(np.float32)


def with_blocks(monkeypatch, queries, documents, pairs=7):
    sizes = {"QUERIES_PER_BLOCK": queries, "DOCUMENTS_PER_BLOCK": documents, "PAIRS_PER_BLOCK": pairs}
    for name, size in sizes.items():
        monkeypatch.setattr(nearest, name, size)


def test_as_if_every_pair_were_sorted(monkeypatch):
    with_blocks(monkeypatch, 3, 50)
    repeated = np.repeat(vectors(4, seed=3), 60, axis=0)[np.random.default_rng(4).permutation(240)]
    rising = np.linspace(0, 1, 400, dtype=np.float32)[:, None] * np.ones(16, np.float32)
    for documents in (vectors(333, seed=2), repeated, rising):
        for k in (1, 5, 12, 13, 60, 333, 1000):
            queries = vectors(10, seed=1)
            (rows, scores), expected = top_k(queries, documents, k), naive(queries, documents, k)
            assert np.array_equal(rows, expected[0]), k
            assert np.array_equal(scores, expected[1]), k


def test_blocks_and_company_change_nothing(monkeypatch):
    queries, documents = vectors(40, 256, 6), vectors(1500, 256, 7)
    rows, scores = top_k(queries, documents, 20)
    for sizes in ((1, 1500), (7, 499), (128, 64)):
        with_blocks(monkeypatch, *sizes)
        again = top_k(queries, documents, 20)
        assert np.array_equal(again[0], rows), sizes
        assert np.array_equal(again[1], scores), sizes
    alone = top_k(queries[5:6], documents, 20)
    assert np.array_equal(alone[0][0], rows[5])
    assert np.array_equal(alone[1][0], scores[5])
