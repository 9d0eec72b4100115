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
    assert dataset.qrels == {"1": {"d1": 2, "d2": 1}, "3": {"d2": 1}}
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


def test_an_empty_cell_is_no_reason_to_read_another_column(tmp_path: Path) -> None:
    """The columns are chosen once for a table."""
    rows = [("What do cats do?", "sleep", "cats sleep", "d1", "d2"), ("What do lions do?", "roar", "", "", "d2")]
    header = ("question", "answer", "ground_truth", "relevant_ids", "source")
    files = {"corpus.csv": delimited(DOCUMENTS, ("doc_id", "title", "text")), "golden.csv": delimited(rows, header)}
    dataset = load_dataset(put_all(tmp_path / "data", files))
    assert dataset.qrels == {"1": {"d1": 1}}
    assert [query.expected for query in dataset.queries.values()] == ["cats sleep", None]


def test_the_column_whose_ids_are_documents_is_used(tmp_path: Path) -> None:
    """A golden list with ids of documents and of chunks, beside a table of chunks."""
    files = {
        "chunks.csv": delimited(
            [("a.pdf", "c1", "Cats sleep."), ("a.pdf", "c2", "Cats purr.")], ("doc_id", "chunk_id", "text")
        ),
        "golden.csv": delimited([("Who purrs?", "a.pdf", "c2")], ("question", "doc_id", "chunk_id")),
    }
    dataset = load_dataset(put_all(tmp_path / "data", files))
    assert dataset.qrels == {"1": {"c2": 1}}
    assert any("'chunk_id' is read as the relevant documents" in repair.what for repair in dataset.repairs)
    named = load_dataset(tmp_path / "data", columns="relevant=doc_id")
    assert named.qrels == {"1": {"a.pdf": 1}}


def test_ids_with_separators_in_them(tmp_path: Path) -> None:
    """A text that is a document is not split; a list with an unknown part is noted."""
    documents = [("x|1", "a"), ("x;2", "b"), ("x,3", "c"), ("d1", "d")]
    rows = [("one?", "x|1"), ("two?", "x;2"), ("three?", "x,3"), ("four?", "d1, d9"), ("five?", "['d1' 'x|1']")]
    files = {"corpus.csv": delimited(documents, ("id", "text")), "golden.csv": delimited(rows, ("question", "doc_ids"))}
    dataset = load_dataset(put_all(tmp_path / "data", files))
    assert [set(dataset.qrels[query]) for query in dataset.queries] == [{"x|1"}, {"x;2"}, {"x,3"}, {"d1, d9"}, {"d1", "x|1"}]
    assert any("'d1, d9' is read as one id: 'd1' is a document, 'd9' is not" in repair.what for repair in dataset.repairs)


def test_a_grade_is_that_of_all_ids_in_its_row(tmp_path: Path) -> None:
    """Also if there are several."""
    files = {"golden.csv": delimited([("What do cats do?", "d1;d2", 2)], ("query", "doc_id", "relevance"))}
    assert load_dataset(put_all(tmp_path / "data", files) / "golden.csv").qrels == {"1": {"d1": 2, "d2": 2}}


def test_a_corpus_is_not_a_benchmark(tmp_path: Path) -> None:
    """Documents have texts and ids too; the error leads to --documents."""
    for kind in KINDS:
        path = (
            put_all(tmp_path / "data", {f"chunks.{kind}": table(kind, ("doc_id", "source", "text"), DOCUMENTS)})
            / f"chunks.{kind}"
        )
        with pytest.raises(AssayError, match="--documents"):
            load_dataset(path)


def test_documents_without_a_known_column_for_their_text(tmp_path: Path) -> None:
    """An error names the columns; with titles alone, a note does."""
    golden = "question,doc_id\nWhat?,d1\n"
    for kind in KINDS:
        files = {
            "golden.csv": golden,
            f"corpus.{kind}": table(kind, ("doc_id", "summary"), [("d1", "Cats."), ("d2", "Dogs.")]),
        }
        with pytest.raises(AssayError, match="found no column with the text of documents among 'doc_id', 'summary'"):
            load_dataset(put_all(tmp_path / "data", files))
        files = {"golden.csv": golden, f"corpus.{kind}": table(kind, ("doc_id", "title", "contnt"), [("d1", "Cats", "x")])}
        dataset = load_dataset(put_all(tmp_path / "data", files))
        assert any("Only the titles are searched" in repair.what for repair in dataset.repairs), kind


def test_names_of_files_in_any_case_and_judgments_in_splits(tmp_path: Path) -> None:
    """Golden.CSV, CORPUS.csv, and qrels/test.tsv beside tables."""
    files = {
        "Queries.CSV": delimited([("q1", "What do cats do?")], ("id", "question")),
        "CORPUS.csv": delimited(DOCUMENTS, ("doc_id", "title", "text")),
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    }
    dataset = load_dataset(put_all(tmp_path / "data", files))
    assert (dataset.format, dataset.qrels, len(dataset.documents)) == ("tables", {"q1": {"d1": 1}}, 2)


def test_files_of_programs_are_named(tmp_path: Path) -> None:
    """Excel, UTF-16 and PDF are called what they are, as benchmark and as documents."""
    contents = {"golden.xlsx": b"PK\x03\x04x", "golden.csv": "question,doc_id\n".encode("utf-16"), "golden.pdf": b"%PDF-1.7"}
    for name, content in contents.items():
        path = put_all(tmp_path / "data", {name: content}) / name
        with pytest.raises(AssayError, match="the file is"):
            load_dataset(path)
        with pytest.raises(AssayError, match="the file is"):
            load_dataset([{"question": "?", "doc_id": "d"}], documents=path)
