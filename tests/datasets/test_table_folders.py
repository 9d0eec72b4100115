"""Folders of tables as people have them: any mix of CSV, TSV, JSON lines and Parquet, with columns found by their names."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay import AssayError, BenchmarkDataset, load_dataset

from ._cases import delimited
from ._files import put_all

DOCUMENTS = [("d1", "Cats", "Cats sleep 12 to 16 hours a day."), ("d2", "Lions", "Lions sleep up to 20 hours a day.")]
QUERIES = [("q1", "How long do cats sleep?", "12 to 16 hours"), ("q2", "How long do lions sleep?", "20 hours")]
QRELS = [("q1", "d1", 2), ("q2", "d2", 1)]
KINDS = ("csv", "tsv", "jsonl", "parquet")


def table(kind: str, header: tuple[str, ...], rows: list[tuple[Any, ...]]) -> Any:
    """The content of a file of this kind."""
    if kind in ("csv", "tsv"):
        return delimited(rows, header, "," if kind == "csv" else "\t")
    return [dict(zip(header, row, strict=True)) for row in rows]


def parts_of(dataset: BenchmarkDataset) -> dict[str, str]:
    return {part: dataset.fingerprint(part) for part in ("queries", "documents", "judgments")}


@pytest.mark.parametrize("kinds", [*itertools.product(KINDS, repeat=3)], ids="-".join)
def test_any_mix_of_kinds_is_the_same_benchmark(tmp_path: Path, kinds: tuple[str, str, str]) -> None:
    """Three tables of four kinds have one content."""
    corpus, queries, qrels = kinds
    files = {
        f"corpus.{corpus}": table(corpus, ("doc_id", "title", "text"), DOCUMENTS),
        f"queries.{queries}": table(queries, ("query_id", "question", "answer"), QUERIES),
        f"qrels.{qrels}": table(qrels, ("query_id", "doc_id", "relevance"), QRELS),
    }
    dataset = load_dataset(put_all(tmp_path / "data", files))
    assert {query.query_id: query.text for query in dataset.queries.values()} == {"q1": QUERIES[0][1], "q2": QUERIES[1][1]}
    assert {doc: (document.title, document.text) for doc, document in dataset.documents.items()} == {
        "d1": DOCUMENTS[0][1:],
        "d2": DOCUMENTS[1][1:],
    }
    assert dataset.qrels == {"q1": {"d1": 2}, "q2": {"d2": 1}}
    if queries != "jsonl" or corpus not in ("jsonl", "parquet"):  # BEIR keeps answers as metadata
        assert dataset.format in ("tables", "beir")


LAYOUTS: dict[str, dict[str, Any]] = {
    "golden beside a corpus": {
        "corpus.csv": delimited(DOCUMENTS, ("doc_id", "title", "text")),
        "golden.csv": delimited(
            [("How long do cats sleep?", "d1"), ("How long do lions sleep?", "d2")], ("question", "doc_id")
        ),
    },
    "questions and documents": {
        "documents.jsonl": table("jsonl", ("document_id", "title", "content"), DOCUMENTS),
        "questions.jsonl": [
            {"question": text, "relevant_ids": [doc]} for (_, text, _), (doc, *_) in zip(QUERIES, DOCUMENTS, strict=True)
        ],
    },
    "passages under other names": {
        "passages.tsv": delimited(DOCUMENTS, ("Chunk-ID", "Title", "Passage"), "\t"),
        "queries.csv": delimited(
            [("How long do cats sleep?", "d1"), ("How long do lions sleep?", "d2")], ("Question", "Chunk ID")
        ),
    },
    "judgments in TREC's columns": {
        "corpus.csv": delimited(DOCUMENTS, ("doc_id", "title", "text")),
        "queries.csv": delimited([("1", QUERIES[0][1]), ("2", QUERIES[1][1])], ("id", "query")),
        "qrels.txt": "1 0 d1 1\n2 0 d2 1\n",
    },
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_that_people_have(tmp_path: Path, name: str) -> None:
    """Every layout gives two queries with their relevant document."""
    dataset = load_dataset(put_all(tmp_path / "data", LAYOUTS[name]))
    assert dataset.format == "tables"
    assert [query.text for query in dataset.queries.values()] == [text for _, text, _ in QUERIES]
    assert [sorted(dataset.get_relevant_docs(query)) for query in dataset.queries] == [["d1"], ["d2"]]
    assert {doc: document.text for doc, document in dataset.documents.items()} == {doc: text for doc, _, text in DOCUMENTS}


RELEVANT_COLUMNS = (
    *("doc_id", "chunk_id", "source", "sources", "positive_ids", "relevant_ids", "expected_sources"),
    *("reference_context_ids", "context_ids", "Relevant Ids", "document_ids"),
)
VALUES = {
    "one id": ("d1", {"d1"}),
    "a JSON list": (json.dumps(["d1", "d2"]), {"d1", "d2"}),
    "a Python list": ("['d1', 'd2']", {"d1", "d2"}),
    "semicolons": ("d1; d2", {"d1", "d2"}),
    "bars": ("d1|d2", {"d1", "d2"}),
    "commas between documents": ("d1, d2", {"d1", "d2"}),
    "a comma in an id": ("d1, unknown", {"d1, unknown"}),
}


@pytest.mark.parametrize("column", RELEVANT_COLUMNS)
def test_relevant_ids_have_any_usual_name_and_form(tmp_path: Path, column: str) -> None:
    """One id, lists, and ids with marks between them; a comma separates only known documents."""
    for name, (value, expected) in VALUES.items():
        files = {
            "corpus.csv": delimited(DOCUMENTS, ("doc_id", "title", "text")),
            "golden.csv": delimited([("What do cats do?", value)], ("question", column)),
        }
        if column in ("source", "sources") and name == "a comma in an id":
            continue
        dataset = load_dataset(put_all(tmp_path / "data", files))
        assert dataset.get_relevant_docs("1") == expected, name


def test_rows_of_one_question_are_joined(tmp_path: Path) -> None:
    """A table with one document per row: the rows of a question are one query, with a grade for each document."""
    rows = [("What do cats do?", "d1", 2), ("What do cats do?", "d2", 1), ("What do lions do?", "d2", 1)]
    files = {
        "corpus.csv": delimited(DOCUMENTS, ("doc_id", "title", "text")),
        "golden.csv": delimited(rows, ("question", "doc_id", "relevance")),
    }
    dataset = load_dataset(put_all(tmp_path / "data", files))
    assert dataset.qrels == {"1": {"d1": 2, "d2": 1}, "2": {"d2": 1}}
    assert any("joined" in repair.what for repair in dataset.repairs)


def test_source_is_metadata_unless_it_names_documents(tmp_path: Path) -> None:
    """`source` may say where a question comes from."""
    files = {
        "corpus.csv": delimited(DOCUMENTS, ("doc_id", "title", "text")),
        "queries.csv": delimited([("1", "What do cats do?", "forum")], ("id", "question", "source")),
        "qrels.csv": delimited([("1", "d1", 1)], ("query_id", "doc_id", "relevance")),
    }
    dataset = load_dataset(put_all(tmp_path / "data", files))
    assert dataset.qrels == {"1": {"d1": 1}}
    assert dataset.queries["1"].metadata == {"source": "forum"}


def test_two_columns_for_one_role(tmp_path: Path) -> None:
    """The first accepted name wins and a note names the other; `id` beside `doc_id` is the row's own."""
    header = ("id", "question", "query", "doc_id")
    files = {"golden.csv": delimited([("7", "worse name", "better name", "d1")], header)}
    dataset = load_dataset(put_all(tmp_path / "data", files) / "golden.csv")
    assert dataset.queries["7"].text == "better name"
    assert dataset.qrels == {"7": {"d1": 1}}
    (note,) = [repair for repair in dataset.repairs if repair.code == "columns"]
    assert "'question'" in note.what
    other = load_dataset(tmp_path / "data" / "golden.csv", columns="query=question")
    assert other.queries["7"].text == "worse name"


def test_chunks_have_their_own_ids(tmp_path: Path) -> None:
    """If document ids repeat because rows are chunks, the chunk's id is the document's; a note says so."""
    rows = [("d1", "c1", "Cats sleep."), ("d1", "c2", "Cats purr."), ("d2", "c3", "Lions roar.")]
    for kind in KINDS:
        files = {
            f"corpus.{kind}": table(kind, ("doc_id", "chunk_id", "text"), rows),
            "golden.csv": delimited([("Who purrs?", "c2")], ("question", "chunk_id")),
        }
        dataset = load_dataset(put_all(tmp_path / "data", files))
        assert list(dataset.documents) == ["c1", "c2", "c3"], kind
        assert any("'chunk_id' is used" in repair.what for repair in dataset.repairs), kind


def test_a_column_of_ids_that_is_not_used_is_reported(tmp_path: Path) -> None:
    """By its values, or by its name if there are no documents."""
    rows = [("What do cats do?", "sleep", "d1"), ("What do lions do?", "roar", "d2")]
    files = {
        "corpus.csv": delimited(DOCUMENTS, ("doc_id", "title", "text")),
        "golden.csv": delimited(rows, ("question", "answer", "belegstelle")),
    }
    dataset = load_dataset(put_all(tmp_path / "data", files))
    (note,) = [repair for repair in dataset.repairs if repair.code == "unused-column"]
    assert "'belegstelle'" in note.what
    assert "--columns relevant=belegstelle" in note.what
    judged = load_dataset(tmp_path / "data", columns={"relevant": "belegstelle"})
    assert judged.qrels == {"1": {"d1": 1}, "2": {"d2": 1}}
    files = {"golden.csv": delimited([("What do cats do?", "sleep", "x")], ("question", "answer", "quellen_ids"))}
    alone = load_dataset(put_all(tmp_path / "other", files) / "golden.csv")
    assert [repair.code for repair in alone.repairs] == ["unused-column"]


def test_unused_files_are_reported(tmp_path: Path) -> None:
    """Also below the folder; files that describe the folder are not data."""
    files = {
        **LAYOUTS["golden beside a corpus"],
        "README.md": "About cats.",
        "old/golden.csv": "x\n",
        "extra.jsonl": "{}\n",
    }
    dataset = load_dataset(put_all(tmp_path / "data", files))
    (note,) = [repair for repair in dataset.repairs if repair.code == "unused-file"]
    assert "2 files" in note.what
    assert "extra.jsonl old/golden.csv" in note.what


WRONG: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "no text of queries": (
        {"queries.csv": "id,frage\n1,Was tun Katzen?\n", "corpus.csv": "id,text\nd1,Katzen schlafen.\n"},
        {},
    ),
    "no id of documents": ({"golden.csv": "question,doc_id\nWhat?,d1\n", "corpus.csv": "nummer,text\nd1,Cats.\n"}, {}),
    "two files of queries": ({"golden.csv": "question,doc_id\nWhat?,d1\n", "queries.csv": "id,query\n1,What?\n"}, {}),
    "a document twice": ({"golden.csv": "question,doc_id\nWhat?,d1\n", "corpus.csv": "doc_id,text\nd1,a\nd1,b\n"}, {}),
    "a grade that is a word": (
        {"golden.csv": "question,doc_id,grade\nWhat?,d1,high\n", "corpus.csv": "id,text\nd1,a\n"},
        {},
    ),
    "a role that does not exist": ({"golden.csv": "question,doc_id\nWhat?,d1\n"}, {"columns": "frage=question"}),
    "a column that does not exist": ({"golden.csv": "question,doc_id\nWhat?,d1\n"}, {"columns": "query=frage"}),
    "no pair": ({"golden.csv": "question,doc_id\nWhat?,d1\n"}, {"columns": "question"}),
    "documents that do not exist": ({"golden.csv": "question,doc_id\nWhat?,d1\n"}, {"documents": "nowhere.csv"}),
    "an empty share": ({"golden.csv": "question,doc_id\nWhat?,d1\n"}, {"lenient": 0.0}),
}


def test_faults_say_what_is_accepted(tmp_path: Path, snapshots: Any) -> None:
    """Errors about columns list the accepted names."""

    def loading(name: str) -> Callable[[], BenchmarkDataset]:
        files, options = WRONG[name]
        folder = put_all(tmp_path / name.replace(" ", "-"), files)
        path = folder if len(files) > 1 else folder / next(iter(files))
        return lambda: load_dataset(path, **options)

    snapshots.check_errors("datasets/faults_of_tables", {name: loading(name) for name in WRONG})
    for name in WRONG:
        with pytest.raises(AssayError):
            loading(name)()
