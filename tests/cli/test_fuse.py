"""assay fuse: list, explain, fuse and tune."""

import json

import pytest

import assay as library

ONE = "q1 Q0 a 1 9 one\nq1 Q0 b 2 5 one\nq2 Q0 a 1 1 one\n"
TWO = "q1 Q0 b 1 0.9 two\nq1 Q0 c 2 0.1 two\n"


@pytest.fixture(autouse=True)
def runs(files):
    (files / "one.run").write_text(ONE)
    (files / "two.run").write_text(TWO)
    return files


def test_lists_explains_and_fuses(transcript):
    transcript("fuse/fused")


def test_files_by_their_ending(assay, files):
    words = ("fuse", "one.run", "two.run", "--method", "comb_sum", "--depth", 2, "--tag", "mine")
    assert assay(*words, "-o", "fused.run", "-o", "fused.json") == (0, "", "")
    assert (files / "fused.run").read_text().splitlines()[0] == "q1 Q0 b 1 1.0 mine"
    assert json.loads((files / "fused.json").read_text()) == {"q1": {"b": 1.0, "a": 1.0}, "q2": {"a": 1.0}}


def test_rankings_of_results_are_fused_as_those_of_runs(assay, place):
    plan = ("eval", "plan.yaml", "--quiet", "--providers", "one=python:mine:search", "two=python:mine:other")
    assert assay(*plan, "-o", "both.json", "-o", "runs.trec").code == 0
    fused = assay("fuse", "latest#one", "latest#two").out
    assert fused
    assert fused == assay("fuse", "both.json").out == assay("fuse", "x=both.json#one", "latest#small/two").out


def test_tuning(assay, files, transcript):
    (files / "other.txt").write_text("x1 0 a 1\nx2 0 a 1\n")
    (files / "some.txt").write_text("x1 0 a 1\nq1 0 a 1\nq2 0 a 1\n")
    transcript("fuse/tuned")
    done = assay(
        "fuse", "good.run", "poor.run", "--tune", "map", "--qrels", "qrels.txt", "--method", "rrf", "-o", "fused.run"
    )
    assert (done.code, (files / "fused.run").exists()) == (0, True)


def test_judgments_of_a_benchmark_by_name_folder_or_file(assay, files, transcript):
    """Tuned by the benchmark's own judgments, however it is named, and by the same judgments in a file."""
    dataset = library.load_dataset("rag-template")
    for name in ("bm25", "tfidf_chars"):
        run = library.run(dataset, name, ["mrr"]).run
        lines = [f"{query} Q0 {doc} 1 {score!r} x\n" for query, docs in run.items() for doc, score in docs.items()]
        (files / f"{name}.run").write_text("".join(lines))
    lines = [f"{query} 0 {doc} {grade:g}\n" for query, docs in dataset.qrels.items() for doc, grade in docs.items()]
    (files / "judged.txt").write_text("".join(lines))
    dataset.save_json(files / "whole.json")
    tune = ("fuse", "bm25.run", "tfidf_chars.run", "--method", "rrf", "--tune", "mrr", "--folds", 2, "-f", "json")
    expected = json.loads(assay(*tune, "--qrels", "judged.txt").out)
    for words in (("--qrels", "rag-template"), ("--qrels", "whole.json"), ("--dataset", "rag-template")):
        done = assay(*tune, *words)
        assert (done.code, json.loads(done.out)) == (0, expected), words
    library.BenchmarkDataset("bare", queries={"q": library.Query("q", "x")}).save_json(files / "bare.json")
    transcript("fuse/no_judgments")


def test_requests_that_are_wrong(assay, transcript):
    transcript("fuse/refused")
