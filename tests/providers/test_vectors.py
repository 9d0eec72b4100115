"""vectors: ready-made embeddings found exactly, whatever the order of rows, the kind of number and the similarity."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import assay
from assay import BenchmarkDataset, Document, Query
from assay.errors import ProviderError
from assay.files import write_parquet_table

from ._asking import ids, provider

SCORES = {
    "cosine": lambda q, d: q @ d / np.sqrt((q @ q) * (d @ d)),
    "dot": lambda q, d: q @ d,
    "euclidean": lambda q, d: -np.sqrt((q - d) @ (q - d)),
}
NAME = "vectors(documents=docs.npy, queries=queries.npy{})"
WORDS = st.lists(st.integers(-3, 3).map(float), min_size=3, max_size=3)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def saved(documents, queries, dtype=np.float32):
    np.save("docs.npy", np.array(documents, dtype))
    np.save("queries.npy", np.array(queries, dtype))


def retriever(n_documents, n_queries, more=""):
    made = provider(NAME.format(more)).make()
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


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(WORDS, min_size=1, max_size=14),
    st.lists(WORDS, min_size=1, max_size=4),
    st.sampled_from([np.float16, np.float32, np.float64]),
    st.integers(1, 16),
)
def test_brute_force_says_the_same(documents, queries, dtype, k):
    """Small whole numbers, so that ties are frequent and every sum is exact."""
    saved(documents, queries, dtype)
    for similarity in SCORES:
        made = retriever(len(documents), len(queries), f", similarity={similarity}")
        for query, hits in zip(queries, made.search(queries_of(len(queries)), k), strict=True):
            wanted = brute_force(documents, query, similarity, k)
            assert [hit.score for hit in hits] == pytest.approx([score for score, _ in wanted], abs=1e-6), similarity
            if similarity != "cosine":  # whose division rounds, so that equals may come apart in the oracle
                assert ids(hits) == [doc for _, doc in wanted], similarity


def test_rows_that_are_named_may_come_in_any_order():
    """The file has documents that are not asked for, too."""
    saved([[0, 1], [1, 0], [1, 1]], [[0, 1], [1, 0]])
    Path("d.txt").write_text("7\n3\n5\n")
    Path("q.txt").write_text("2\n\n1\n")
    names = [NAME.format(", documents_ids=d.txt, queries_ids=q.txt")]
    for kind in ("str", "int", "S"):
        np.savez(f"d{kind}.npz", ids=np.array(["7", "3", "5"], kind), vectors=np.load("docs.npy"))
        np.savez(f"q{kind}.npz", ids=np.array(["2", "1"], kind), vectors=np.load("queries.npy"))
        names.append(f"vectors(documents=d{kind}.npz, queries=q{kind}.npz)")
    for name in names:
        made = provider(name).make()
        made.index([Document("3", ""), Document("7", "")])
        one, two, three = made.search([Query("1", ""), Query("2", ""), Query("none", "")], 1)
        assert (ids(one), ids(two)) == (["3"], ["7"]), name
        assert isinstance(three, ProviderError), name


def test_scopes_keep_their_rows_and_it_may_be_a_part():
    saved(np.eye(4), np.eye(4))
    dataset = BenchmarkDataset("small")
    for number in range(4):
        dataset.add_document(Document(f"d{number}", f"word{number}", group="ab"[number % 2]))
        dataset.add_query(Query(f"q{number}", f"word{number}", scope="ab"[number % 2]))
        dataset.qrels[f"q{number}"] = {f"d{number}": 1.0}
    expected = {f"q{n}": ["d0", "d2"] if n % 2 == 0 else ["d1", "d3"] for n in range(4)}
    result = assay.run(dataset, NAME.format(""), metrics="mrr", k=10)
    assert {query: sorted(ranking) for query, ranking in result.run.items()} == expected
    assert result["mrr"] == assay.run(dataset, f"hybrid(bm25, {NAME.format('')})", metrics="mrr")["mrr"] == 1.0


def shaped(documents, queries):
    saved(np.ones(documents), np.ones(queries))
    retriever(2, 2).search(queries_of(2), 1)


def with_value(value, dtype, in_queries):
    saved([[1, 0], [0, 0 if in_queries else value]], [[value if in_queries else 1, 0]], dtype)
    retriever(2, 1).search(queries_of(1), 1)


def checked(more="", documents="docs.npy", **files):
    """Look at the files, some of which are made for it."""
    saved(np.eye(2), np.eye(2))
    for name, content in files.items():
        Path(f"{name}.txt").write_text(content)
    provider(f"vectors(documents={documents}, queries=queries.npy{more})").check()


def written(name, content):
    Path(name).write_bytes(content)
    return name


def parquet(columns, rows):
    write_parquet_table(Path("docs.parquet"), columns, rows)
    return "docs.parquet"


def archived(**arrays):
    np.savez("docs.npz", **arrays)
    checked(documents="docs.npz")


def test_files_that_people_have_are_read_alike():
    """Arrays called vectors or embeddings, one array for each id, Parquet, tables, JSON: the same results."""
    rows = np.array([[1, 0], [1, 1], [0, 1]], np.float32)
    ids = ["a.png", "b.png", "c.png"]
    np.savez("vectors.npz", ids=np.array(ids), vectors=rows)
    np.savez("embeddings.npz", ids=np.array(ids), embeddings=rows)
    np.savez("single.npz", **dict(zip(ids, rows, strict=True)))
    with_ids = [(name, row.tolist()) for name, row in zip(ids, rows, strict=True)]
    write_parquet_table(Path("rows.parquet"), {"image_id": "VARCHAR", "embedding": "FLOAT[]"}, with_ids)
    np.savez("queries.npz", ids=np.array(["q0"]), vectors=np.array([[0.1, 1.0]], np.float32))
    tables = {
        "lists.csv": 'id,text,embedding\na.png,x,"[1, 0]"\nb.png,y,"[1.0, 1.0]"\nc.png,z,"[0, 1e0]"\n',
        "numpy.csv": 'doc_id;Vector\r\na.png;"[1.\n 0.]"\r\nb.png;[1. 1.]\r\nc.png;[0.  1.]\r\n',
        "wide.tsv": "v0\timage_id\tv1\n1\ta.png\t0\n1\tb.png\t1\n0\tc.png\t1\n",
        "lines.jsonl": "".join(json.dumps({"id": name, "vector": row}) + "\n" for name, row in with_ids),
        "list.json": json.dumps([{"id": name, "vectors": row} for name, row in with_ids]),
        "object.json": json.dumps(dict(with_ids)),
    }
    for name, text in tables.items():
        Path(name).write_text(text, newline="")
    Path("packed.csv.gz").write_bytes(gzip.compress(tables["lists.csv"].encode()))
    found = {}
    for name in ("vectors.npz", "embeddings.npz", "single.npz", "rows.parquet", "packed.csv.gz", *tables):
        made = provider(f"vectors(documents={name}, queries=queries.npz)").make()
        made.index([Document(doc, "") for doc in reversed(ids)])
        (hits,) = made.search([Query("q0", "")], 3)
        found[name] = [(hit.doc_id, hit.score) for hit in hits]
    assert [doc for doc, _ in found["vectors.npz"]] == ["c.png", "b.png", "a.png"]
    assert all(hits == found["vectors.npz"] for hits in found.values())


def unordered(*documents):
    made = provider(NAME.format("")).make()
    if documents:
        made.index([Document(doc, "") for doc in documents])
    made.search(queries_of(1), 1)


def test_what_does_not_fit(snapshots):
    cases = {
        "rows": lambda: shaped((3, 2), (2, 2)),
        "width": lambda: shaped((2, 3), (2, 4)),
        "nan": lambda: with_value(np.nan, np.float32, in_queries=False),
        "infinite": lambda: with_value(np.inf, np.float16, in_queries=True),
        "too large": lambda: with_value(1e300, np.float64, in_queries=False),
        "no such file": lambda: checked(documents="gone.npy"),
        "too many ids": lambda: checked(", documents_ids=many.txt", many="a\nb\nc\n"),
        "an id twice": lambda: checked(", documents_ids=twice.txt", twice="a\na\n"),
        "no documents": unordered,
        "no order": lambda: unordered("a", "b"),
        "arrays without a name": lambda: archived(a=np.eye(2), b=np.zeros(3)),
        "ids that are objects": lambda: archived(ids=np.array(["a", None], object), vectors=np.eye(2)),
        "no arrays": archived,
        "a pickle": lambda: checked(documents=written("model.pt", b"\x80\x02junk")),
        "not Parquet": lambda: checked(documents=written("docs.parquet", b"junk")),
        "no column of vectors": lambda: checked(
            documents=parquet({"doc_id": "VARCHAR", "e": "FLOAT[]"}, [("a", [1.0, 0.0])])
        ),
        "rows of two lengths": lambda: checked(documents=parquet({"vectors": "FLOAT[]"}, [([1.0, 0.0],), ([1.0],)])),
        "numbers, not lists": lambda: checked(documents=parquet({"vectors": "FLOAT"}, [(1.0,)])),
        "a table without names": lambda: checked(documents=written("docs.csv", b"1,2,3\n4,5,6\n")),
        "a table without vectors": lambda: checked(documents=written("docs.csv", b"id,text\na,b\n")),
        "a table without ids": lambda: checked(documents=written("docs.csv", b"v0,v1\n1,2\n")),
        "an unnamed column": lambda: checked(documents=written("docs.csv", b",id,v0,v1\n0,a,1,2\n")),
        "an empty table": lambda: checked(documents=written("docs.csv", b"id,v0,v1\n")),
        "bad numbers": lambda: checked(documents=written("docs.csv", b"id,v0,v1\na,1,2\nb,x,2\nc,1,\n,1,2\n")),
        "a list that was cut": lambda: checked(documents=written("docs.csv", b"id,vector\na,[0.1 0.2 ... 0.9]\n")),
        "lists of two lengths": lambda: checked(
            documents=written("docs.jsonl", b'{"id": "a", "vector": [1, 2]}\n{"id": "b", "vector": [1]}\n{"id": "c"}\n')
        ),
        "an object of two lengths": lambda: checked(documents=written("docs.json", b'{"a": [1, 2], "b": [1]}')),
        "an object without lists": lambda: checked(documents=written("docs.json", b'{"a": 1}')),
        "dense": lambda: provider("dense(model=docs.npy)").check(),
    }
    snapshots.check_errors("providers/vectors", cases)


def test_many_vectors_far_from_nought():
    rng = np.random.default_rng(7)
    saved(rng.normal(100, 1, (500, 24)), rng.normal(100, 1, (5, 24)))
    documents, queries = np.load("docs.npy"), np.load("queries.npy")
    for similarity in SCORES:
        for number, hits in enumerate(retriever(500, 5, f", similarity={similarity}").search(queries_of(5), 10)):
            wanted = brute_force(documents, queries[number], similarity, 10)
            if similarity == "euclidean":
                assert ids(hits) == [doc for _, doc in wanted]
            assert [hit.score for hit in hits] == pytest.approx([score for score, _ in wanted], rel=1e-6), similarity
