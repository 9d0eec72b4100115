"""Places in files: what a file has a line for is told with that line."""

import json

import pytest

from assay.datasets.format import load_dataset
from assay.datasets.preflight.check import check_dataset


def places(folder, code):
    found = check_dataset(load_dataset(folder))
    return next(finding.places for finding in found if finding.code == code)


@pytest.fixture
def beir(tmp_path):
    (tmp_path / "qrels").mkdir()
    docs = [{"_id": "d 1", "text": "a"}, {"_id": "d2", "text": "b"}]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(doc) + "\n" for doc in docs))
    queries = [{"_id": "q1", "text": "one"}, {"_id": "q2", "text": ""}, {"_id": "q3", "text": "three"}]
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(query) + "\n" for query in queries))
    rows = ("query-id\tcorpus-id\tscore", "q1\td 1\t1", "q1\td9\t1", "q2\td2\t1", "q7\td2\t1")
    (tmp_path / "qrels" / "test.tsv").write_text("\n".join(rows) + "\n")
    (tmp_path / "qrels" / "train.tsv").write_text("\n".join(rows[:1] + rows[3:]) + "\n")
    return tmp_path


def test_queries_have_the_line_of_the_file_of_queries(beir):
    assert places(beir, "empty-query") == (f"{beir / 'queries.jsonl'}:2, query q2",)
    assert places(beir, "query-without-judgments") == (f"{beir / 'queries.jsonl'}:3, query q3",)


def test_judgments_have_the_line_of_the_judgments_that_were_read(beir):
    file = beir / "qrels" / "test.tsv"
    assert places(beir, "relevant-not-in-corpus") == (f"{file}:3, judgment q1/d9",)
    assert places(beir, "unknown-query") == (f"{file}:5, query q7",)


def test_trec_judgments_have_lines(tmp_path):
    (tmp_path / "qrels.txt").write_text("# judged in May\nq1 0 d1 1\nq1 0 d2 -1\n")
    assert places(tmp_path / "qrels.txt", "negative-grades") == (f"{tmp_path / 'qrels.txt'}:3, judgment q1/d2",)


def test_tables_of_json_lines_have_lines(tmp_path):
    (tmp_path / "queries.jsonl").write_text('{"query_id": "q1", "text": "one"}\n{"query_id": "q2", "text": "Ã¤"}\n')
    rows = [{"query_id": query, "doc_id": "d1", "relevance_grade": grade} for query, grade in (("q1", 1), ("q2", 0.5))]
    (tmp_path / "judgments.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert places(tmp_path, "mojibake-query") == (f"{tmp_path / 'queries.jsonl'}:2, query q2",)
    assert places(tmp_path, "fractional-grades") == (f"{tmp_path / 'judgments.jsonl'}:2, judgment q2/d1",)


def test_other_files_are_told_in_words(tmp_path):
    load_dataset("rag-template").save_json(tmp_path / "d.json")
    dataset = load_dataset(tmp_path / "d.json")
    first = next(iter(dataset.queries))
    dataset.qrels[first] = {"nowhere": 1}
    [finding] = [one for one in check_dataset(dataset) if one.code == "relevant-not-in-corpus"]
    assert finding.places == (f"judgment {first}/nowhere",)


def test_a_path_that_is_gone_is_no_matter(beir, tmp_path):
    dataset = load_dataset(beir)
    dataset.path = tmp_path / "gone"
    assert "query q2" in next(one.places for one in check_dataset(dataset) if one.code == "empty-query")
