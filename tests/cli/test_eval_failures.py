"""assay eval where providers, queries or files fail: what is left, what is told, and the exit code."""

import re
import shutil

from assay.datasets import BenchmarkDataset
from assay.evaluation import read_results
from assay.model import Query

from ._evaluations import SEARCH, N, asked, figures

ALL = ",".join(f"q{n}" for n in range(N))


def test_a_provider_that_never_answered_has_no_figures(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", ALL)
    flags = ("--providers", "python:mine:search", "bm25", "--quiet")
    for form in ("table", "markdown", "latex"):
        (row,) = re.findall(
            r"^(?:  |\| )?python:mine:search +[|&]? *\W.*", assay("eval", "plan.yaml", *flags, "-f", form).out, re.MULTILINE
        )
        assert re.findall(r"\d+", row) == ["24"]  # how many failed, and no figure
    assert "mine:search,24,0.0,0.0," in assay("eval", "plan.yaml", *flags, "-f", "csv").out


def test_where_asking_again_would_not_help_nobody_is_told_to(place, assay):
    (place / "mine.py").write_text(SEARCH + "\ndef bad(text: str, k: int):\n    return ['d1', 'd1']\n")
    done = assay("eval", "plan.yaml", "--providers", "python:mine:bad", "-o", "result.json")
    assert "all 24 queries failed: mine:bad: document d1 comes twice (24×)\n" in done.err
    assert read_results("result.json")[0].provenance["final"] == [f"q{n}" for n in range(N)]


def test_an_index_that_hangs_has_a_limit_of_its_own(place, assay):
    told = "python:mine:Hangs was not ready within 0.1 s; --index-timeout allows more"
    done = assay("eval", "plan.yaml", "--providers", "python:mine:Hangs", "--index-timeout", "0.1")
    assert (done.code, told in done.err) == (4, True)
    with (place / "plan.yaml").open("a") as plan:
        plan.write("index_timeout: 0.1\n")
    assert told in assay("eval", "plan.yaml", "--providers", "python:mine:Hangs").err


def test_what_must_index_a_benchmark_without_documents_is_told_first(place, assay):
    bare = BenchmarkDataset("bare")
    bare.add_query(Query("q0", "text"))
    bare.qrels["q0"] = {"d0": 1.0}
    bare.save_json(place / "bare.json")
    (place / "bare.yaml").write_text("benchmarks: bare.json\nproviders: [bm25, python:mine:search, hybrid]\n")
    told = "error: bare has no documents, and bm25, hybrid(bm25, dense) need some to search in; "
    for command in (("eval",), ("plan", "check")):
        done = assay(*command, "bare.yaml")
        assert (done.code, done.out) == (3, "")
        assert done.err.startswith(told)
    assert assay("eval", "bare.yaml", "--providers", "python:mine:search").code == 0


def test_failed_queries_score_0_and_are_listed(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", "q3,q5")
    done = assay("eval", "plan.yaml", "-o", "result.json")
    assert done.code == 0
    assert "python:mine:search: 2 of 24 queries failed and score 0: " in done.out
    assert "told to fail (mine.py:12) (2×); --resume or --retry-failed result.json asks them again.\n" in done.out
    assert "2 failed" in done.err
    assert "error" not in done.err
    (result,) = read_results("result.json")
    assert sorted(result.failures) == ["q3", "q5"]
    assert result.scores("ndcg@10")["q3"] == 0.0
    assert len(result.scores("ndcg@10")) == N
    assert "q3" not in result.run
    assert result.provenance["counts"] == {"asked": N, "answered": N - 2, "failed": 2, "cached": 0}


def test_strict_makes_a_failure_exit_4_after_all_is_written(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", "q3")
    done = assay("eval", "plan.yaml", "--strict", "-o", "result.json")
    assert done.code == 4
    assert (place / "result.json").exists()
    assert "ndcg@10" in done.out
    *_, written, error = done.err.splitlines()
    assert written == "wrote result.json"
    assert error.startswith("error: python:mine:search on small: 1 of 24 queries failed, and --strict allows none: ")
    assert error.endswith("told to fail (mine.py:12) (1×); --resume or --retry-failed result.json asks them again")
    assert "queries failed" not in done.out


def test_all_failed_exits_4_after_all_is_written(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", ALL)
    done = assay("eval", "plan.yaml", "-o", "result.json", "-o", "run.trec", "--quiet")
    assert done.code == 4
    assert done.err.startswith("error: python:mine:search on small: all 24 queries failed: mine:search raised ValueError: ")
    assert done.err.endswith("(24×); --resume or --retry-failed result.json asks them again\n")
    assert done.err.count("\n") == 1
    assert "queries failed" not in done.out  # it is told once
    assert len(read_results("result.json")[0].failures) == N
    assert (place / "run.trec").exists()


def test_one_provider_that_fails_does_not_take_the_others_along(place, assay):
    (place / "mine.py").write_text(SEARCH + "\ndef bad(text: str, k: int):\n    raise ValueError(text)\n")
    providers = ("--providers", "python:mine:bad", "python:mine:Stuck", "python:mine:search")
    done = assay("eval", "plan.yaml", *providers, "-o", "result.json")
    assert done.code == 4
    bad, stuck, good = read_results("result.json")
    assert len(bad.failures) == len(stuck.failures) == N
    assert "no room for an index" in stuck.failures["q0"]
    assert (bad["mrr"], stuck["mrr"]) == (0.0, 0.0)
    assert good["mrr"] > 0
    assert not good.failures
    told = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert [line.split(" queries")[0] for line in told] == [
        "error: python:mine:bad on small: all 24",
        "error: python:mine:Stuck on small: all 24",
    ]
    assert "(1×), 21 other errors (21×)" in told[0]
    assert "no room for an index" in told[1]


def test_one_file_that_cannot_be_written_does_not_take_the_others_along(place, assay):
    odd = (place / "small.json").read_text().replace('"d1"', '"d 1"')
    (place / "odd.json").write_text(odd)
    oracle = ("--benchmarks", "odd.json", "--providers", "oracle")
    done = assay("eval", "plan.yaml", *oracle, "-o", "run.trec", "-o", "result.json")
    assert done.code == 3
    assert "ndcg@10" in done.out
    *_, written, error = done.err.splitlines()
    assert written == "wrote result.json"
    assert error.startswith("error: run.trec: the id 'd 1' has a blank in it")


def test_what_failed_is_asked_again_and_the_result_is_whole(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", "q3,q5")
    assay("eval", "plan.yaml", "-o", "first.json")
    monkeypatch.setenv("FAIL", "")
    assert assay("eval", "plan.yaml", "--retry-failed", "first.json", "-o", "second.json").code == 0
    assert sorted(asked(place)[N:]) == ["q3", "q5"]
    (result,) = read_results("second.json")
    assert len(result.query_ids) == len(result.run) == N
    assert not result.failures
    shutil.rmtree(place / ".assay")
    assert assay("eval", "plan.yaml", "-o", "whole.json").code == 0
    assert figures(place, "second.json") == figures(place, "whole.json")


def test_what_failed_elsewhere_is_not_asked_again(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", "q3,q5")
    assay("eval", "plan.yaml", "-o", "first.json")
    done = assay("eval", "plan.yaml", "--providers", "python:mine:other", "--retry-failed", "first.json")
    assert done.code == 5
    assert "no query to ask again" in done.err
    assert "small/python:mine:search (2 failed)" in done.err
    monkeypatch.setenv("FAIL", "")
    assay("eval", "plan.yaml", "-o", "second.json")
    done = assay("eval", "plan.yaml", "--retry-failed", "second.json")
    assert done.code == 5
    assert "second.json: no query failed there" in done.err


def test_resumed_what_failed_is_asked_again(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", "q3")
    assay("eval", "plan.yaml")
    monkeypatch.setenv("FAIL", "")
    assay("eval", "plan.yaml", "--resume", "-o", "result.json")
    assert asked(place)[N:] == ["q3"]
    assert not read_results("result.json")[0].failures
