"""Tags, popularity and vectors of documents: in their table, in files of their own, and from Python."""

import json

import numpy as np
import pytest

import assay
from assay import BenchmarkDataset, Document, Query
from assay.cli import main
from assay.datasets import load_dataset
from assay.embeddings import register_model
from assay.errors import AssayError, DataError, NotComparable
from assay.evaluation import read_results

QUERIES = "query_id,question\nq1,red tent\nq2,blue jacket\n"
QRELS = "query_id,doc_id,relevance\nq1,d1,1\nq2,d2,1\n"
RUN = {"q1": ["d1", "d2"], "q2": ["d2", "d3"]}


def write_shop(folder, header, *rows):
    """A benchmark whose table of documents has these columns next to the id and the text."""
    lines = [f"doc_id,text,{header}", *(f"d{number},red tent {number},{row}" for number, row in enumerate(rows, 1))]
    for name, text in (("queries", QUERIES), ("qrels", QRELS), ("corpus", "\n".join(lines))):
        (folder / f"{name}.csv").write_text(text)
    return folder


def in_memory():
    documents = {name: Document(name, name) for name in ("d1", "d2", "d3")}
    queries = {name: Query(name, "?") for name in RUN}
    return BenchmarkDataset("memory", queries=queries, documents=documents, qrels={"q1": {"d1": 1}, "q2": {"d2": 1}})


@pytest.mark.parametrize("column", ["tags", "categories", "Category", "genres"])
@pytest.mark.parametrize(
    ("cell", "tags"),
    [("news|sport", ("news", "sport")), ("news; sport;news", ("news", "sport")), ('"[""a, b"", ""c""]"', ("a, b", "c")),
     ("\"['a', 'b']\"", ("a", "b")), ("['a' 'b']", ("a", "b")), ("[1 2]", ("1", "2")), ("news", ("news",)), ("", ())],
)  # fmt: skip
def test_tags_in_a_column(tmp_path, column, cell, tags):
    dataset = load_dataset(write_shop(tmp_path, column, cell, "x", "y"))
    assert [document.tags for document in dataset.documents.values()] == [tags, ("x",), ("y",)]


@pytest.mark.parametrize("column", ["popularity", "views", "click_count"])
def test_popularity_in_a_column(tmp_path, column):
    dataset = load_dataset(write_shop(tmp_path, column, "12", "", "0.5"))
    assert [document.popularity for document in dataset.documents.values()] == [12, None, 0.5]


def test_columns_stay_in_the_metadata_as_written_and_are_parsed_when_a_metric_needs_them(tmp_path):
    dataset = load_dataset(write_shop(tmp_path, "category,views", '"Arts, Crafts",n/a', "Tools,3", ",yes"))
    assert [document.metadata for document in dataset.documents.values()] == [
        {"category": "Arts, Crafts", "views": "n/a"}, {"category": "Tools", "views": "3"}, {"views": "yes"},
    ]  # fmt: skip
    result = assay.evaluate(dataset, RUN, ["ndcg@2", "tag_entropy@2"])
    assert result.table.columns["tag_entropy@2"].score.tolist() == [pytest.approx(np.log2(3)), 0.0]
    with pytest.raises(DataError, match=r"document d1: the field views: the popularity must be a number .* not 'n/a'"):
        assay.evaluate(dataset, RUN, ["novelty@2"])
    counts = {"d1": 1, "d2": 1, "d3": 2}  # other popularity: the column is not read
    assert assay.evaluate(dataset.with_document_data(popularity=counts), RUN, ["novelty@2"]).summary["novelty@2"] == 1.75


def test_a_wrong_popularity_is_an_error_before_any_query_is_sent(tmp_path):
    calls = []
    dataset = load_dataset(write_shop(tmp_path, "clicks", "yes", "no", "yes"))
    with pytest.raises(DataError, match="document d1: the field clicks"):
        assay.run(dataset, lambda _text, _k: calls.append(1) or ["d1"], ["novelty@2"])
    assert not calls
    assert assay.run(dataset, lambda _text, _k: ["d1"], ["ndcg@2"]).summary["ndcg@2"] == 0.5


def test_columns_that_the_user_names(tmp_path):
    folder = write_shop(tmp_path, "Shelf,category,sold,views", "x,a,2,9", "y,a,1,9", "y,a,1,9")
    dataset = load_dataset(folder, columns={"tags": "shelf", "popularity": "sold"})
    assert dataset.documents["d1"].metadata == {"Shelf": "x", "category": "a", "sold": "2", "views": "9"}
    result = assay.evaluate(dataset, RUN, ["tag_entropy@2", "novelty@2"])
    assert result.table.columns["tag_entropy@2"].score.tolist() == [1.0, 0.0]
    assert result.table.columns["novelty@2"].score.tolist() == [1.5, 2.0]
    assert not any("columns" in note for note in result.notes)


def test_the_likelier_column_counts_for_all_documents_and_a_note_names_the_other(tmp_path):
    dataset = load_dataset(write_shop(tmp_path, "category,tags", "a,x", "b,y", "c,"))
    result = assay.evaluate(dataset, RUN, ["tag_entropy@2"])
    assert result.table.columns["tag_entropy@2"].score.tolist() == [1.0, 0.0]  # d3 has no tags
    expected = (
        "documents have the columns tags category for tags; tags is used. To use another, add --columns tags=category."
    )
    assert expected in result.notes
    assert expected not in assay.evaluate(dataset, RUN, ["ndcg@2"]).notes


def test_both_are_saved_with_the_documents(tmp_path):
    dataset = load_dataset(write_shop(tmp_path, "category,views", "a|b,3", "c,1", ",2"))
    dataset.save_json(tmp_path / "saved.json")
    again = load_dataset(tmp_path / "saved.json").documents
    assert {name: (document.tags, document.popularity) for name, document in again.items()} == {
        "d1": (("a", "b"), 3), "d2": (("c",), 1), "d3": ((), 2),
    }  # fmt: skip


COUNTS = {"d1": 6.0, "d2": 2.0}


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "json", "list", "mapping", "records", "columns"])
def test_every_source_of_popularity_is_read_the_same(tmp_path, kind):
    rows = [{"doc_id": name, "views": count} for name, count in COUNTS.items()]
    separator = {"csv": ",", "tsv": "\t"}.get(kind, "")
    lines = [separator.join(("doc_id", "views")), *(separator.join((name, str(count))) for name, count in COUNTS.items())]
    content = {
        "csv": "\n".join(lines),
        "tsv": "\n".join(lines),
        "jsonl": "\n".join(map(json.dumps, rows)),
        "json": json.dumps(COUNTS),
        "list": json.dumps(rows),
    }
    source = {"mapping": COUNTS, "records": rows, "columns": {"doc_id": list(COUNTS), "views": list(COUNTS.values())}}.get(
        kind
    )
    if source is None:
        source = tmp_path / f"views.{'json' if kind == 'list' else kind}"
        source.write_text(content[kind])
    result = assay.evaluate(in_memory().with_document_data(popularity=source), RUN, ["novelty@2"])
    share = {"d1": 6 / 8, "d2": 2 / 8, "d3": 2 / 8}  # d3 is not listed, so it counts like the least popular document
    expected = np.mean([-np.log2([share[name] for name in ids]).mean() for ids in RUN.values()])
    assert result.summary["novelty@2"] == pytest.approx(expected)


VECTORS = np.array([[1.0, 0.0], [0.0, 2.0], [-3.0, 0.0]])


@pytest.mark.parametrize("kind", ["npz", "npy", "mapping", "other order"])
def test_every_source_of_vectors_is_read_the_same(tmp_path, kind):
    ids = np.array(["d1", "d2", "d3"])
    if kind == "mapping":
        source = dict(zip(ids.tolist(), VECTORS.tolist(), strict=True))
    elif kind == "npy":
        source = tmp_path / "vectors.npy"
        np.save(source, VECTORS)
    else:
        source = tmp_path / "vectors.npz"
        order = slice(None, None, -1 if kind == "other order" else 1)
        np.savez(source, ids=ids[order], vectors=VECTORS[order])
    result = assay.evaluate(in_memory().with_document_data(vectors=source), RUN, ["ild@2"])
    assert result.table.columns["ild@2"].score.tolist() == [1.0, 1.0]
    assert "document_vectors" in result.relevance


def test_a_model_gives_vectors_of_the_texts():
    register_model("lengths", lambda texts: [[len(text), 1.0] for text in texts])
    dataset = in_memory()
    dataset.add_document(Document("d2", "a longer text"))
    result = assay.evaluate(dataset.with_document_data(vectors="lengths"), RUN, ["ild@2"])
    a, b = np.array([2.0, 1.0]), np.array([13.0, 1.0])
    assert result.table.columns["ild@2"].score.tolist() == pytest.approx(
        [1 - a @ b / np.linalg.norm(a) / np.linalg.norm(b)] * 2
    )


@pytest.mark.parametrize(
    "data",
    [
        {"vectors": {"d1": [1.0], "d2": [1.0, 2.0]}},
        {"vectors": 3},
        {"vectors": {}},
        {"popularity": {"d1": -1}},
        {"popularity": {"d1": "many"}},
        {"popularity": {"x": 1}},
        {"popularity": {}},
        {"popularity": [{"doc_id": "d1"}]},
    ],
)
def test_wrong_data(data):
    with pytest.raises(AssayError):
        assay.evaluate(in_memory().with_document_data(**data), RUN, ["ild@2", "novelty@2"])


WRONG_VECTORS = [
    ({"d1": [1.0, 2.0], "d2": ["x", "y"]}, r"vectors: document d2: the vector must be a list of numbers, not \['x', 'y'\]"),
    ({"d1": ["1", "2"]}, "document d1: the vector must be a list of numbers"),
    ({"d1": [True, False]}, "document d1: the vector must be a list of numbers"),
    ({"d1": 3.0}, "document d1: the vector must be a list of numbers"),
    ({"d1": []}, "document d1: the vector must be a list of numbers"),
    ({"d1": [[1.0], [2.0, 3.0]]}, "document d1: the vector must be a list of numbers"),
    ({"d1": [1.0, 2.0], "d3": [1.0]}, "document d3: the vector has 1 number, but that of d1 has 2"),
    ({"d1": [1.0, 2.0], "d2": [1.0, np.inf]}, "document d2: a number of its vector is not finite"),
    ({"d1": [1.0, 2.0], "d2": [None, 1.0]}, "document d2: a number of its vector is not finite"),
    ({"x1": [1.0, 2.0]}, "vectors: none of its ids, such as 'x1', is a document of memory"),
]


@pytest.mark.parametrize(("vectors", "message"), WRONG_VECTORS)
def test_wrong_vectors_name_the_document_before_any_query_is_sent(vectors, message):
    calls = []
    with pytest.raises(DataError, match=message):
        assay.run(in_memory().with_document_data(vectors=vectors), lambda _text, _k: calls.append(1) or ["d1"], ["ild@2"])
    assert not calls


@pytest.mark.parametrize(
    ("ids", "vectors", "message"),
    [
        (["x1", "x2"], VECTORS[:2], "none of its ids, such as 'x1', is a document of memory"),
        (["d1", "d2"], [[1.0, 0.0], [1.0, np.nan]], "document d2: a number of its vector is not finite"),
    ],
)
def test_files_of_vectors_are_checked_in_the_same_way(tmp_path, ids, vectors, message):
    np.savez(tmp_path / "vectors.npz", ids=np.array(ids), vectors=np.array(vectors))
    with pytest.raises(DataError, match=message):
        assay.evaluate(in_memory().with_document_data(vectors=tmp_path / "vectors.npz"), RUN, ["ild@2"])


@pytest.mark.parametrize("name", ["short.npy", "missing.npz", "junk.npz"])
def test_wrong_files_of_vectors_are_wrong_data_with_advice_that_exists_here(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(write_shop(tmp_path, "note", "x", "y", "z"))
    np.save("short.npy", VECTORS[:2])
    (tmp_path / "junk.npz").write_text("no array")
    (tmp_path / "plain.run").write_text("q1 Q0 d1 1 2 x\nq1 Q0 d2 2 1 x\n")
    with pytest.raises(DataError, match=name) as raised:
        assay.evaluate(in_memory().with_document_data(vectors=name), RUN, ["ild@2"])
    assert "documents_ids" not in str(raised.value)
    assert main(["score", "--dataset", ".", "plain.run", "-m", "ild@2", "--vectors", name]) == 3
    error = capsys.readouterr().err
    assert name in error
    assert "plain.run" not in error  # the run is not what is wrong


def test_a_missing_model_is_named_as_the_user_writes_it():
    with pytest.raises(AssayError, match="the model 'no-such-model' of vectors") as raised:
        assay.evaluate(in_memory().with_document_data(vectors="no-such-model"), RUN, ["ild@2"])
    assert "model=" not in str(raised.value)  # ild has no such parameter


def test_vectors_may_have_large_numbers_and_ids_that_are_numbers():
    dataset = BenchmarkDataset("n", queries={"q": Query("q", "?")}, qrels={"q": {"1": 1}})
    dataset.documents = {name: Document(name, name) for name in "12"}
    known = dataset.with_document_data(vectors={1: [1e300, 0.0], 2: np.array([1e300, 1e300])})
    assert assay.evaluate(known, {"q": ["1", "2"]}, ["ild@2"]).summary["ild@2"] == pytest.approx(1 - 0.5**0.5)


@pytest.mark.parametrize("value", [True, np.True_, "1_0", "nan", np.inf, 1e308, -1, None])
def test_wrong_popularity(value):
    with pytest.raises(DataError, match="your values: document d1: the popularity must be"):
        in_memory().with_document_data(popularity={"d1": value, "d2": 1})


def test_the_extremes_of_popularity_have_a_finite_surprise():
    known = in_memory().with_document_data(popularity={"d1": 1e100, "d2": 5e-324, "d3": 1e100})
    assert np.isfinite(assay.evaluate(known, RUN, ["novelty@2"]).summary["novelty@2"])


def test_plan_and_python_read_the_same_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "shop"
    folder.mkdir()
    write_shop(folder, "note", "x", "y", "z")
    (tmp_path / "views.csv").write_text("doc_id,views\nd1,5\nd2,3\n")
    np.savez(tmp_path / "vectors.npz", ids=np.array(["d1", "d2", "d3"]), vectors=VECTORS)
    data = {"vectors": "vectors.npz", "popularity": "views.csv"}
    metrics = ["ild@2", "novelty@2", "exposure_entropy@2"]
    plan = {"benchmarks": ["shop"], "providers": ["bm25"], "metrics": metrics, "k": 3, **data}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    assert main(["eval", "plan.json", "-q", "--no-store", "-o", "result.json"]) == 0
    (saved,) = read_results("result.json")
    by_python = assay.run("shop", "bm25", metrics, k=3, **data)
    assert {name: saved.summary[name] for name in metrics} == {name: by_python.summary[name] for name in metrics}
    assert by_python.relevance["document_popularity"] == saved.relevance["document_popularity"]
    assert by_python.relevance["document_vectors"] == saved.relevance["document_vectors"]


def test_results_with_other_popularity_are_not_comparable():
    one, two = ({"d1": 3, "d2": 1}, {"d1": 1, "d2": 3})
    results = {
        name: assay.evaluate(in_memory().with_document_data(popularity=counts), RUN, ["novelty@2", "catalogue_coverage@2"])
        for name, counts in (("one", one), ("two", two))
    }
    with pytest.raises(NotComparable):
        assay.compare(None, results, ["novelty@2"])
    assert assay.compare(None, results, ["catalogue_coverage@2"]).pairs[0].is_same


def test_a_wrong_number_in_a_json_object_names_the_file_and_the_document(tmp_path):
    path = tmp_path / "views.json"
    path.write_text('{"d1": 3, "d2": "many"}')
    documents = {"d1": Document("d1", "a")}
    dataset = BenchmarkDataset("x", queries={"q": Query("q", "?")}, documents=documents, qrels={"q": {"d1": 1}})
    with pytest.raises(
        DataError, match=r"views\.json: document d2: the popularity must be a number of at least 0, not 'many'"
    ):
        dataset.with_document_data(popularity=path)


def test_data_that_no_metric_reads_is_noted():
    dataset = in_memory().with_document_data(vectors={"d1": [1.0, 0.0]}, popularity={"d1": 3})
    unused = "No metric reads the {} that you gave. {} would."
    for metric, expected in (
        ("ndcg@2", [unused.format("vectors", "ild@10"), unused.format("popularity", "novelty@10")]),
        ("novelty@2", [unused.format("vectors", "ild@10")]),
    ):
        notes = assay.evaluate(dataset, RUN, [metric]).notes
        assert [note for note in notes if "that you gave" in note] == expected
