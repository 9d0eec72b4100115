"""Golden lists whose documents are somewhere else: a table, a folder of text files, a frame or a mapping."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from assay import Document, load_dataset
from assay.files import FileSource

from ._cases import delimited
from ._files import put, put_all

GOLDEN = delimited([("How long do cats sleep?", "cats"), ("Who roars?", "lions")], ("question", "doc_id"))
TEXTS = {"cats": "Cats sleep 12 to 16 hours a day.", "lions": "Lions roar."}
ROWS = list(TEXTS.items())


def sources(folder: Path) -> dict[str, Any]:
    """The same two documents in every form."""
    header = ("id", "content")
    frame = pd.DataFrame(ROWS, columns=header)
    return {
        "CSV": put(folder / "any_name.csv", delimited(ROWS, header)),
        "TSV": put(folder / "any_name.tsv", delimited(ROWS, header, "\t")),
        "JSON lines": put(folder / "any.jsonl", [dict(zip(header, row, strict=True)) for row in ROWS]),
        "JSON list": put(folder / "list.json", [dict(zip(header, row, strict=True)) for row in ROWS]),
        "JSON mapping": put(folder / "map.json", TEXTS),
        "Parquet": put(folder / "any.parquet", [dict(zip(header, row, strict=True)) for row in ROWS]),
        "a folder with a table": put_all(folder / "tables", {"corpus.csv": delimited(ROWS, header)}),
        "pandas": frame,
        "polars": pl.from_pandas(frame),
        "Arrow": pl.from_pandas(frame).to_arrow(),
        "records": [dict(zip(header, row, strict=True)) for row in ROWS],
        "mapping": TEXTS,
        "documents": {name: Document(name, text) for name, text in TEXTS.items()},
    }


def test_documents_come_in_every_form(tmp_path: Path) -> None:
    """Each gives the same two documents, and judgments that name them."""
    golden = put(tmp_path / "golden.csv", GOLDEN)
    for name, documents in sources(tmp_path).items():
        dataset = load_dataset(golden, documents=documents)
        assert {doc: document.text for doc, document in dataset.documents.items()} == TEXTS, name
        assert dataset.qrels == {"1": {"cats": 1}, "2": {"lions": 1}}, name


@pytest.mark.parametrize("spelling", ["cats.md", "animals/cats.md", "cats", "./animals/cats.md", "kb/animals/cats.md"])
def test_text_files_are_documents(tmp_path: Path, spelling: str) -> None:
    """A document per file. Judgments may name a file without its folder or extension if only one file fits."""
    files = {"animals/cats.md": "# Cats\nThey sleep.", "lions.txt": "Lions roar.", "scan.pdf": "x", ".hidden.md": "x"}
    folder = put_all(tmp_path / "docs", files)
    golden = put(tmp_path / "golden.csv", delimited([("Who sleeps?", spelling)], ("question", "source")))
    dataset = load_dataset(golden, documents=folder)
    assert list(dataset.documents) == ["lions.txt", "animals/cats.md"]
    assert dataset.documents["animals/cats.md"].text == "# Cats\nThey sleep."
    assert dataset.qrels == {"1": {"animals/cats.md": 1}}
    assert any("1 file in the folder of documents is not read: scan.pdf" in repair.what for repair in dataset.repairs)


def test_a_file_in_another_folder_is_another_file(tmp_path: Path) -> None:
    """de/intro.md is not en/intro.md."""
    folder = put_all(tmp_path / "docs", {"en/intro.md": "Hello."})
    golden = put(tmp_path / "golden.csv", delimited([("What?", "de/intro.md")], ("question", "source")))
    assert load_dataset(golden, documents=folder).qrels != {"1": {"en/intro.md": 1}}


def test_a_file_name_that_two_files_have_is_not_guessed(tmp_path: Path) -> None:
    """The judgment stays as it is, and so is counted as missing."""
    folder = put_all(tmp_path / "docs", {"a/cats.md": "one", "b/cats.md": "two"})
    golden = put(tmp_path / "golden.csv", delimited([("Who sleeps?", "cats.md")], ("question", "doc_id")))
    dataset = load_dataset(golden, documents=folder)
    assert dataset.qrels == {"1": {"cats.md": 1}}
    assert any("fits 2 files: a/cats.md b/cats.md" in repair.what for repair in dataset.repairs)


def test_judgments_in_a_table_of_their_own_name_files_too(tmp_path: Path) -> None:
    """As the column of a golden list does."""
    files = {
        "queries.csv": delimited([("q1", "Who sleeps?")], ("id", "question")),
        "qrels.csv": delimited([("q1", "cats", 1)], ("query_id", "doc_id", "relevance")),
        "docs/cats.md": "Cats sleep.",
    }
    assert load_dataset(put_all(tmp_path / "data", files)).qrels == {"q1": {"cats.md": 1}}


def test_files_of_the_benchmark_are_not_documents(tmp_path: Path) -> None:
    """Beside the tables, files that are called like parts of a benchmark are none; a note says what the documents are."""
    files = {
        "queries.csv": delimited([("q1", "Who sleeps?")], ("id", "question")),
        "qrels.txt": "q1 0 cats.md 1\n",
        "cats.md": "Cats sleep.",
        "README.md": "About.",
        "corpus.txt": "d1\tx\n",
    }
    dataset = load_dataset(put_all(tmp_path / "data", files))
    assert list(dataset.documents) == ["cats.md"]
    assert any("the text files of the folder are the documents (1 file)" in repair.what for repair in dataset.repairs)


def test_a_folder_of_text_files_beside_the_questions(tmp_path: Path) -> None:
    """In one folder: the questions, and the documents beside them or in `docs`."""
    questions = delimited([("Who sleeps?", "cats.md")], ("question", "source"))
    for place in ("", "docs/"):
        files = {"questions.csv": questions, f"{place}cats.md": "Cats sleep.", f"{place}lions.md": "Lions roar."}
        dataset = load_dataset(put_all(tmp_path / "data", files))
        assert dataset.qrels == {"1": {"cats.md": 1}}
        assert sorted(dataset.documents) == ["cats.md", "lions.md"]
        assert [repair for repair in dataset.repairs if repair.code == "unused-file"] == []


def test_all_unused_files_of_a_folder_are_counted(tmp_path: Path) -> None:
    """Also those in folders of folders and links that lead nowhere; hidden folders and files that describe are not data."""
    tables = {
        "queries.jsonl": [{"query_id": "q", "text": "Who?"}],
        "judgments.jsonl": [{"query_id": "q", "doc_id": "d", "grade": 1}],
    }
    others = {f"old/parts/{i}.csv": "x\n" for i in range(1200)}
    skipped = {".git/objects/x.csv": "x\n", "old/README.md": "x", "old/build.py": "x"}
    folder = put_all(tmp_path / "data", {**tables, **others, **skipped})
    (folder / "corpus.jsonl").symlink_to(tmp_path / "nowhere.jsonl")
    dataset = load_dataset(folder, "jsonl")
    (repair,) = [repair for repair in dataset.repairs if repair.code == "unused-file"]
    assert repair.what.startswith("1,201 files are not part of the benchmark")
    assert "corpus.jsonl" in repair.what
    assert len(repair.what) < 200


def test_a_json_corpus_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of records and an object of texts; a column of ids is chosen from the same content."""
    reads: list[Path] = []
    content = FileSource.content
    monkeypatch.setattr(FileSource, "content", lambda source: (reads.append(source.path), content(source))[1])
    chunks = [{"doc_id": "d", "chunk_id": f"c{i}", "text": f"text {i}"} for i in range(3)]
    for stored, ids in ((chunks, ["c0", "c1", "c2"]), ({"a": "one", "b": "two"}, ["a", "b"])):
        path = put(tmp_path / "corpus.json", stored)
        reads.clear()
        dataset = load_dataset([{"question": "Who?", "doc_id": ids[0]}], documents=path)
        assert list(dataset.documents) == ids
        assert reads.count(path) == 1


def test_other_documents_replace_those_of_the_benchmark() -> None:
    """A note says so, and the benchmark itself is unchanged."""
    original = load_dataset("rag-template")
    dataset = load_dataset(original, documents=TEXTS)
    assert list(dataset.documents) == ["cats", "lions"]
    assert [repair.code for repair in dataset.repairs] == ["documents"]
    assert len(original.documents) > 2
    assert dataset.fingerprint("documents") != original.fingerprint("documents")


def test_a_binary_file_is_not_a_document(tmp_path: Path) -> None:
    """Its name is in the error."""
    folder = put_all(tmp_path / "docs", {"cats.md": "Cats.", "picture.txt": b"\x00\x01\x02"})
    with pytest.raises(ValueError, match=r"picture\.txt is not text"):
        load_dataset([{"question": "Who?", "doc_id": "cats.md"}], documents=folder)
