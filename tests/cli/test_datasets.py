"""assay datasets: list, show, check, convert."""

import json
from pathlib import Path

import pytest

from assay import Document, Query, RelevanceJudgment
from assay.datasets import PARTS, BenchmarkDataset, all_formats, bundled, load_dataset

WRITTEN = ("json", "beir", "jsonl", "parquet", "trec")
"""Formats that hold every part of a benchmark."""


def made():
    dataset = BenchmarkDataset("Cats", "1.0")
    dataset.add_query(Query("q1", "How long do cats sleep?", "factual", expected="12 hours"))
    dataset.add_query(Query("q2", "Schlafen Hunde länger?"))
    dataset.add_document(Document("d1", "Cats sleep 12 hours", title="Cats"))
    dataset.add_document(Document("d2", "日本の猫"))
    dataset.add_judgment(RelevanceJudgment("q1", "d1", 3))
    dataset.add_judgment(RelevanceJudgment("q2", "d2", 0.5))
    return dataset


@pytest.fixture(autouse=True)
def cats(tmp_path, monkeypatch):
    """The working directory, with a benchmark in it, and some that are wrong."""
    monkeypatch.chdir(tmp_path)
    made().save_json(tmp_path / "cats.json")
    (tmp_path / "cats.data").write_bytes((tmp_path / "cats.json").read_bytes())
    wrong = made()
    wrong.add_judgment(RelevanceJudgment("nobody", "nothing", 1))
    wrong.save_json(tmp_path / "wrong.json")
    (tmp_path / "golden.jsonl").write_text('{"query": "x", "relevant_ids": ["d1", "d1"]}\n')
    (tmp_path / "bad.json").write_text('{"queries": {"q": {"text": 1}, "r": {"text": 2}}}')
    (tmp_path / "nonsense.json").write_text("nonsense")
    (tmp_path / "folder").mkdir()


def test_the_list_has_every_benchmark_and_format(assay):
    out = assay("datasets").out
    firsts = [line.split()[0] for line in out.splitlines() if line.strip()]
    assert firsts[: 1 + len(bundled())] == ["benchmark", *bundled()]
    assert firsts[firsts.index("format") + 1 :] == [*all_formats()]
    plain = json.loads(assay("datasets", "--format", "json").out)
    assert plain["benchmarks"]["rag-template"]["queries"] >= 40
    assert {name for name, one in plain["formats"].items() if one["can_write"]} >= set(WRITTEN)


def test_conversion_keeps_the_fingerprints_of_all_parts(assay):
    """From each format to the next, and round to the first."""
    source = "cats.json"
    for form in (*WRITTEN[1:], "json"):
        target = "last.json" if form == "json" else form
        done = assay("datasets", "convert", source, target, "--to", form)
        assert (done.code, done.err) == (0, ""), form
        found = load_dataset(target)
        assert found.format == form
        assert {part: found.fingerprint(part) for part in PARTS} == {part: made().fingerprint(part) for part in PARTS}, form
        source = target
    assert assay("datasets", "convert", "cats.json", "qrels.txt", "--to", "trec").code == 0
    assert Path("qrels.txt").read_text() == "q1 0 d1 3\nq2 0 d2 0.5\n"


def test_what_it_shows_converts_and_checks(transcript):
    transcript("datasets/shown")


def test_hostile_names_do_no_harm(assay):
    dataset = made()
    dataset.name = "\x1b[31mred"
    dataset.save_json(Path("cats.json"))
    for words in ("show cats.json", "show cats.json -f json", "convert cats.json out.json --to json"):
        assert "\x1b" not in assay("datasets", *words.split()).out, words


def test_misuse_says_how(transcript):
    transcript("datasets/misuse")
