"""Popularity from a log: clicks of each document by hand, files that novelty reads, and what is wrong."""

from __future__ import annotations

import json

import pytest

import assay
from assay.cli import main
from assay.logs import count_document_clicks

from ._plain import Click, Search, lists, rows

START = 1_767_225_600
SEARCHES = [
    Search("ana", "cats", START, ["a", "b"], [Click("b", START + 9)]),
    Search("bob", "dogs", START + 5, ["b", "c"], [Click("b", START + 7), Click("b", START + 8)]),
    Search("eve", "dogs", START + 7, ["a"], [Click("a", START + 9), Click("z", START + 9)]),
    Search("eve", "fish", START + 8, []),
]


def test_clicks_by_hand():
    for log in (rows(SEARCHES), lists(SEARCHES)):
        counts = count_document_clicks(log)
        assert (counts.documents, counts.clicks, counts.shown) == (("b", "a", "c"), (2, 1, 0), (2, 2, 1))
        assert counts.popularity == {"b": 2, "a": 1, "c": 0}


def test_programs_can_be_left_out():
    robot = [Search("robot", "q", START + number, ["c"], [Click("c", START + number)]) for number in range(150)]
    assert count_document_clicks(rows([*SEARCHES, *robot])).documents[0] == "c"
    assert count_document_clicks(rows([*SEARCHES, *robot]), most_per_hour=100).popularity["c"] == 0


@pytest.mark.parametrize("name", ["popularity.csv", "popularity.tsv", "popularity.jsonl"])
def test_the_file_is_read_by_novelty(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(search) + "\n" for search in lists(SEARCHES)))
    assert main(["log", "popularity", "log.jsonl", "-o", name]) == 0
    out = capsys.readouterr().out
    assert "3 documents with 3 clicks." in out
    documents = {name: assay.Document(name, name) for name in "abc"}
    benchmark = assay.BenchmarkDataset("d", queries={"q": assay.Query("q", "q")}, documents=documents, qrels={"q": {"a": 1}})
    run = {"q": {"b": 2, "a": 1}}
    by_file, by_hand = (
        assay.evaluate(benchmark.with_document_data(popularity=popularity), run, ["novelty@2"])["novelty@2"]
        for popularity in (tmp_path / name, {"b": 2, "a": 1, "c": 0})
    )
    assert by_file == by_hand > 0
    assert main(["log", "popularity", "log.jsonl", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"b": 2, "a": 1, "c": 0}


def test_what_is_wrong_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(search) + "\n" for search in lists(SEARCHES)))
    for arguments, message in (
        (["-o", "popularity.xlsx"], "the file extension of counts of clicks must be one of .csv"),
        (["-f", "csv"], "assay log popularity prints text"),
        (["--model", "pbm"], "--model is for assay log judgments"),
    ):
        assert main(["log", "popularity", "log.jsonl", *arguments]) == 2
        assert message in capsys.readouterr().err
    with pytest.raises(assay.DataError, match="the log has no clicks on documents that were shown"):
        count_document_clicks(lists([SEARCHES[3], Search("bob", "x", START, ["a"])]))
