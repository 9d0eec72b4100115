"""The kernel of the nearest vectors: exact, whatever the blocks, threads and company."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay.providers import nearest
from assay.providers.nearest import top_k
from assay.providers.vector_files import open_vectors


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


GRID = st.integers(-2, 2).map(float)
"""Few different numbers, so that many documents tie."""


@settings(max_examples=60, deadline=None)
@given(data=st.data(), width=st.integers(1, 4), k=st.integers(1, 30))
def test_a_search_in_blocks_is_the_search_of_all_pairs_with_ties(data, width, k):
    """Whatever the sizes of the blocks; repeated rows, zeros and more documents than a block may have candidates."""
    queries = data.draw(arrays(np.float32, (data.draw(st.integers(1, 6)), width), elements=GRID))
    documents = data.draw(arrays(np.float32, (data.draw(st.integers(1, 60)), width), elements=GRID))
    sizes = [data.draw(st.integers(1, 20)) for _ in range(3)]
    with pytest.MonkeyPatch.context() as patch:
        with_blocks(patch, *sizes)
        rows, scores = top_k(queries, documents, k)
    expected = naive(queries, documents, k)
    assert np.array_equal(rows, expected[0])
    assert np.array_equal(scores, expected[1])


def test_no_block_has_all_documents_and_all_queries(tmp_path, monkeypatch):
    """Documents in a file are read in blocks: none of them is larger than a block, and scores never have all pairs."""
    with_blocks(monkeypatch, 128, 3_000, 512)
    n, seen = 7_000, []
    np.save(tmp_path / "d.npy", vectors(n, 8))

    class Watched:
        """Rows of a file that notes how many are read at once."""

        def __init__(self):
            self.rows = np.load(tmp_path / "d.npy", mmap_mode="r")

        def __len__(self):
            return len(self.rows)

        def __getitem__(self, some):
            block = np.asarray(self.rows[some])
            seen.append(len(block))
            return block

    queries = vectors(300, 8, 5)
    rows, scores = top_k(queries, Watched(), 7)
    assert max(seen) <= nearest.DOCUMENTS_PER_BLOCK < n
    expected = top_k(queries, vectors(n, 8), 7)
    assert np.array_equal(rows, expected[0])
    assert np.array_equal(scores, expected[1])


@pytest.mark.parametrize("kind", ["in memory", "in a file"])
def test_a_search_needs_no_more_memory_for_ten_times_the_documents(tmp_path, monkeypatch, kind):
    """Beyond the vectors, and a few numbers for each of them if they are in a file."""
    with_blocks(monkeypatch, 16, 500, 100)
    queries, peaks = vectors(40, 64, 5), []
    for n in (2_000, 20_000):
        documents = vectors(n, 64)
        if kind == "in a file":
            np.save(tmp_path / f"{n}.npy", documents)
            file = open_vectors(str(tmp_path / f"{n}.npy"), "", "document")
            documents = nearest.FileRows(file, np.arange(n), "cosine")
        tracemalloc.start()
        top_k(queries, documents, 10)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0] < 0.5 * 20_000 * 64 * 4
