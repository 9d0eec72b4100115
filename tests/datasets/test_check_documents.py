"""Documents in the preflight: gone through once, never kept, and faults of their file are findings."""

import json

from assay.datasets.corpus import FileDocuments
from assay.datasets.formats.beir import read_beir
from assay.datasets.preflight.check import check_dataset
from assay.datasets.preflight.documents import survey_documents
from assay.files import FileSource
from assay.model.records import Document

from ._checks import clean, with_document


def beir(folder, documents, queries=("q1", "q2"), rows=(("q1", "d1", 1),)):
    """A BEIR folder; documents are texts by id, or whole lines."""
    lines = documents if isinstance(documents, list) else [_line(doc, text=text) for doc, text in documents.items()]
    (folder / "corpus.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "queries.jsonl").write_text("\n".join(_line(query, text=f"what is {query}") for query in queries) + "\n")
    (folder / "qrels").mkdir()
    rows = [("query-id", "corpus-id", "score"), *rows]
    (folder / "qrels" / "test.tsv").write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    dataset = read_beir(folder)
    dataset.format, dataset.path = "beir", folder
    return dataset


def _line(name, **fields):
    return json.dumps({"_id": name, **fields})


def test_a_file_that_repeats_an_id_is_a_finding_with_its_line(tmp_path):
    line = _line("d1", text="a")
    [finding, *_] = check_dataset(beir(tmp_path, [line, _line("d2", text="b"), line]))
    assert finding.code == "unreadable-documents"
    assert finding.places == (f"{tmp_path / 'corpus.jsonl'}:3",)
    assert finding.cases[0].found == "document d1 appears twice (first at line 1)"


def test_nothing_is_said_about_missing_documents_where_they_cannot_be_read(tmp_path):
    found = [finding.code for finding in check_dataset(beir(tmp_path, ["no JSON"], rows=[("q1", "d9", 1), ("q2", "d8", 1)]))]
    assert found == ["unreadable-documents"]


def test_documents_are_gone_through_once(tmp_path, monkeypatch):
    dataset = beir(tmp_path, {"d1": "a", "d2": "a", "D2": ""})
    passes = []
    whole = FileDocuments.stream
    monkeypatch.setattr(FileDocuments, "stream", lambda self: passes.append(1) or whole(self))
    codes = [finding.code for finding in check_dataset(dataset)]
    assert {"duplicate-documents", "similar-document-ids", "empty-document"} <= set(codes)
    assert len(passes) == 1


def test_documents_of_a_file_are_told_with_their_line(tmp_path):
    dataset = beir(tmp_path, {"d1": "a", "d2": ""})
    dataset.add_document(Document("d3", ""))
    finding = next(one for one in check_dataset(dataset) if one.code == "empty-document")
    assert finding.places == (f"{tmp_path / 'corpus.jsonl'}:2, document d2", "document d3")


def test_empty_documents_are_no_copies_of_each_other():
    dataset = with_document(Document("d13"))
    dataset.add_document(Document("d14"))
    assert [one.code for one in check_dataset(dataset)] == ["empty-document"]


def test_three_copies_are_two_too_many():
    dataset = with_document(Document("d13", "passage number 1"))
    dataset.add_document(Document("d14", "passage number 1"))
    [finding] = check_dataset(dataset)
    assert [case.found for case in finding.cases] == ["the same text as document d1"] * 2


def test_titles_tell_copies_apart():
    assert check_dataset(with_document(Document("d13", "passage number 1", title="Another"))) == []


def test_sizes_are_taken_of_files_with_spans_alone():
    corpus, _ = survey_documents(clean())
    assert corpus.sizes == {}
    assert corpus.may_find(None) == 12
    assert corpus.may_find("nowhere") == 0


def test_a_document_knows_its_line(tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_text('{"_id": "a"}\n\n{"_id": "b"}\n')
    documents = FileDocuments(FileSource(path), lambda line: json.loads(line)["_id"], lambda line: Document("a"))
    assert (documents.place_of("b"), documents.place_of("c")) == (f"{path}:3", None)
