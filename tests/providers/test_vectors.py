"""vectors: ready-made embeddings found exactly, whatever the order of rows, the kind of number and the similarity."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.datasets import BenchmarkDataset
from assay.errors import ProviderError
from assay.model.records import Document, Query
from assay.providers.catalog import vectors

from ._written import parse_provider

SCORES = {
    "cosine": lambda q, d: q @ d / np.sqrt((q @ q) * (d @ d)),
    "dot": lambda q, d: q @ d,
    "euclidean": lambda q, d: -np.sqrt((q - d) @ (q - d)),
}
NAME = "vectors(documents=docs.npy, queries=queries.npy, similarity={})"
WORDS = st.lists(st.integers(-3, 3).map(float), min_size=3, max_size=3)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def saved(documents, queries, dtype=np.float32):
    np.save("docs.npy", np.array(documents, dtype))
    np.save("queries.npy", np.array(queries, dtype))


def retriever(n_documents, n_queries, text="vectors(documents=docs.npy, queries=queries.npy)"):
    made = parse_provider(text).make()
    made.set_order([f"q{number}" for number in range(n_queries)], [f"d{number}" for number in range(n_documents)])
    made.index([Document(f"d{number}", "") for number in range(n_documents)])
    return made


def queries_of(n):
    return [Query(f"q{number}", "") for number in range(n)]


def brute_force(documents, query, similarity, k):
    """Every pair by itself in double precision; equal ones by descending id."""
    docs, query = np.array(documents, np.float64), np.array(query, np.float64)
    is_there = [similarity != "cosine" or (one.any() and query.any()) for one in docs]
    scored = [(SCORES[similarity](query, docs[n]), f"d{n}") for n in range(len(docs)) if is_there[n]]
    return sorted(scored, reverse=True)[:k]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(WORDS, min_size=1, max_size=14),
    st.lists(WORDS, min_size=1, max_size=4),
    st.sampled_from(list(SCORES)),
    st.sampled_from([np.float16, np.float32, np.float64]),
    st.integers(1, 16),
)
def test_brute_force_says_the_same(documents, queries, similarity, dtype, k):
    """Small whole numbers, so that ties are frequent and every sum is exact."""
    saved(documents, queries, dtype)
    made = retriever(len(documents), len(queries), NAME.format(similarity))
    for query, hits in zip(queries, made.search(queries_of(len(queries)), k), strict=True):
        wanted = brute_force(documents, query, similarity, k)
        assert [hit.score for hit in hits] == pytest.approx([score for score, _ in wanted], abs=1e-6)
        if similarity != "cosine":  # whose division rounds, so that equals may come apart in the oracle
            assert [hit.doc_id for hit in hits] == [doc for _, doc in wanted]


@pytest.mark.parametrize("similarity", SCORES)
def test_many_vectors_far_from_nought(similarity):
    rng = np.random.default_rng(7)
    documents, queries = rng.normal(100, 1, (3000, 24)), rng.normal(100, 1, (5, 24))
    saved(documents, queries)
    made = retriever(3000, 5, NAME.format(similarity))
    rounded = np.load("docs.npy"), np.load("queries.npy")
    for number, hits in enumerate(made.search(queries_of(5), 10)):
        wanted = brute_force(rounded[0], rounded[1][number], similarity, 10)
        if similarity == "euclidean":
            assert [hit.doc_id for hit in hits] == [doc for _, doc in wanted]
        assert [hit.score for hit in hits] == pytest.approx([score for score, _ in wanted], rel=1e-6)


def test_a_file_is_left_on_disk(monkeypatch):
    saved(np.eye(4), np.eye(4))
    assert isinstance(retriever(4, 4).retriever._documents.vectors, np.memmap)


@pytest.mark.parametrize("name", ["text", "archive", "archive with whole numbers", "archive with bytes"])
def test_rows_that_are_named_may_come_in_any_order(name):
    """The file has documents that are not asked for, too."""
    saved([[0, 1], [1, 0], [1, 1]], [[0, 1], [1, 0]])
    ids, named = ["7", "3", "5"], ["2", "1"]
    given = ("docs.npy", "queries.npy")
    more = ""
    if name == "text":
        (Path("d.txt")).write_text("7\n3\n5\n")
        (Path("q.txt")).write_text("2\n\n1\n")
        more = ", documents_ids=d.txt, queries_ids=q.txt"
    else:
        kind = {"archive": str, "archive with whole numbers": int, "archive with bytes": "S"}[name]
        np.savez("docs.npz", ids=np.array(ids, kind), vectors=np.load("docs.npy"))
        np.savez("queries.npz", ids=np.array(named, kind), vectors=np.load("queries.npy"))
        given = ("docs.npz", "queries.npz")
    made = parse_provider(f"vectors(documents={given[0]}, queries={given[1]}{more})").make()
    made.index([Document("3", ""), Document("7", "")])
    one, two, three = made.search([Query("1", ""), Query("2", ""), Query("none", "")], 1)
    assert [hit.doc_id for hit in one] == ["3"]
    assert [hit.doc_id for hit in two] == ["7"]
    assert str(three) == f"{given[1]} has no vector for query 'none'"


def test_scopes_and_selections_keep_their_rows():
    """Two groups, and rows in the order of the whole benchmark."""
    dataset = BenchmarkDataset("small")
    for number in range(4):
        dataset.add_document(Document(f"d{number}", "x", group="ab"[number % 2]))
        dataset.qrels[f"q{number}"] = {f"d{number}": 1.0}
    for number in range(4):
        dataset.add_query(Query(f"q{number}", "x", scope="ab"[number % 2]))
    saved(np.eye(4), np.eye(4))
    result = assay.run(dataset, "vectors(documents=docs.npy, queries=queries.npy)", metrics="mrr", k=10)
    assert {query: sorted(ranking) for query, ranking in result.run.items()} == {
        **{f"q{number}": ["d0", "d2"] for number in (0, 2)},
        **{f"q{number}": ["d1", "d3"] for number in (1, 3)},
    }
    assert result["mrr"] == 1.0


def test_as_a_part_of_another():
    dataset = BenchmarkDataset("small")
    for number in range(3):
        dataset.add_document(Document(f"d{number}", f"word{number}"))
        dataset.add_query(Query(f"q{number}", f"word{number}"))
        dataset.qrels[f"q{number}"] = {f"d{number}": 1.0}
    saved(np.eye(3), np.eye(3))
    assert assay.run(dataset, "hybrid(bm25, vectors(documents=docs.npy, queries=queries.npy))", metrics="mrr")["mrr"] == 1.0


FAULTS = {
    "rows": ((3, 2), (2, 2), "docs.npy has 3 rows, and there are 2 documents: one row each, in the order of the benchmark"),
    "rows of queries": ((2, 2), (1, 2), "queries.npy has 1 row, and there are 2 queries: one row each"),
    "width": ((2, 3), (2, 4), "docs.npy has 3 numbers in a row and queries.npy 4; documents and queries must be embedded"),
    "shape": ((2,), (2, 2), r"docs.npy needs a row of numbers per document, and has the shape \(2,\)"),
}


@pytest.mark.parametrize(("documents", "queries", "said"), FAULTS.values(), ids=list(FAULTS))
def test_what_does_not_fit_is_told_with_both_numbers(documents, queries, said):
    saved(np.ones(documents), np.ones(queries))
    with pytest.raises(ProviderError, match=said):
        retriever(2, 2).search(queries_of(2), 1)


@pytest.mark.parametrize(("value", "dtype"), [(np.nan, np.float32), (np.inf, np.float16), (1e300, np.float64)])
def test_numbers_that_are_not_finite_are_refused(value, dtype):
    saved([[1, 0], [0, value]], [[1, 0]], dtype)
    with pytest.raises(ProviderError, match=r"docs\.npy, row 2: a number that is not finite, or too large for float32"):
        retriever(2, 1)
    saved([[1, 0]], [[value, 0]], dtype)
    with pytest.raises(ProviderError, match=r"queries\.npy, row 1: a number that is not finite"):
        retriever(1, 1).search(queries_of(1), 1)


def checked(more="", documents="docs.npy"):
    parse_provider(f"vectors(documents={documents}, queries=queries.npy{more})").check()


def test_files_are_looked_at_before_anything_is_asked():
    with pytest.raises(ProviderError, match=r"^vectors: docs\.npy: no such file; give the path of an \.npy or \.npz file$"):
        checked()
    Path("docs.npy").write_text("no numbers")
    with pytest.raises(ProviderError, match=r"^vectors: docs\.npy cannot be read as \.npy or \.npz: "):
        checked()
    saved(np.eye(2), np.eye(2))
    np.save("docs.npy", np.eye(2, dtype=int))
    with pytest.raises(ProviderError, match="needs numbers in float16, float32 or float64, and has int64"):
        checked()
    saved(np.eye(2), np.eye(2))
    with pytest.raises(ProviderError, match=r"ids\.txt: no such file; give a text file with an id in each line"):
        checked(", documents_ids=ids.txt")
    Path("ids.txt").write_text("a\nb\nc\n")
    with pytest.raises(ProviderError, match=r"ids\.txt has 3 ids, and docs\.npy 2 rows"):
        checked(", documents_ids=ids.txt")
    Path("ids.txt").write_text("a\na\n")
    with pytest.raises(ProviderError, match=r"the id a comes twice in ids\.txt"):
        checked(", documents_ids=ids.txt")
    np.savez("docs.npz", a=np.eye(2), b=np.eye(2))
    with pytest.raises(ProviderError, match=r"docs\.npz needs an array called vectors, and ids beside it; it has a, b"):
        checked(documents="docs.npz")
    np.savez("docs.npz", vectors=np.eye(2), ids=np.array(["a", "b"], object))
    with pytest.raises(ProviderError, match="are Python objects; write them as text"):
        checked(documents="docs.npz")


def test_documents_without_a_vector_are_counted():
    np.savez("docs.npz", vectors=np.eye(2), ids=np.array(["a", "b"]))
    np.save("queries.npy", np.eye(2))
    made = parse_provider("vectors(documents=docs.npz, queries=queries.npy)").make()
    with pytest.raises(ProviderError, match=r"docs\.npz has no vector for 2 of 3 documents, such as 'd'"):
        made.index([Document("a", ""), Document("c", ""), Document("d", "")])


def test_without_ids_and_an_order_nobody_knows_whose_a_row_is():
    saved(np.eye(2), np.eye(2))
    made = parse_provider("vectors(documents=docs.npy, queries=queries.npy)").make()
    with pytest.raises(ProviderError, match="before it had its documents"):
        made.search(queries_of(1), 1)
    made.index([Document("a", ""), Document("b", "")])
    with pytest.raises(ProviderError, match="has no ids, and nobody told the order of the queries: name the rows with"):
        made.search(queries_of(1), 1)


def test_a_file_that_has_changed_is_read_again():
    saved([[1, 0], [0, 1]], [[1, 0]])
    assert retriever(2, 1).search(queries_of(1), 1)[0][0].doc_id == "d0"
    saved([[0, 1], [1, 0], [0, 0]], [[1, 0]])
    assert retriever(3, 1).search(queries_of(1), 1)[0][0].doc_id == "d1"


def test_the_files_are_its_sources():
    saved(np.eye(2), np.eye(2))
    bound = parse_provider("vectors(documents=docs.npy, queries=queries.npy)")
    assert set(bound.sources()) == {"docs.npy", "queries.npy"}
    assert not bound.is_repeatable
    assert vectors.PROVIDER.name == "vectors"


def test_dense_points_to_it():
    with pytest.raises(ProviderError, match=r"file holds vectors; vectors\(documents=docs\.npy, queries=queries\.npy\)"):
        parse_provider("dense(model=docs.npy)").check()
