"""assay eval where providers, queries or files fail: what is left, what is told, and the exit code."""

import re
import sys

from assay.evaluation import read_results

from ._evaluations import SEARCH, N, asked

ALL = ",".join(f"q{n}" for n in range(N))
BAD = """
def bad(text: str, k: int):
    raise ValueError(text)

def twice(text: str, k: int):
    return ["d1", "d1"]
"""


def test_failed_queries_score_0_are_listed_and_fail_the_command_where_told(place, assay, monkeypatch):
    advice = "To retry these queries, add --resume or --retry-failed result.json"
    monkeypatch.setenv("FAIL", "q3,q5")
    done = assay("eval", "plan.yaml", "-o", "result.json")
    assert (done.code, "2 failed" in done.err, "error" in done.err) == (0, True, False)
    assert "python:mine:search: 2 of 24 queries failed and scored 0: " in done.out
    assert re.search(rf"told to fail \(mine\.py:\d+\) \(2×\)\. {advice}\.\n", done.out)
    (result,) = read_results("result.json")
    assert (sorted(result.failures), "q3" in result.run) == (["q3", "q5"], False)
    assert (result.scores("ndcg@10")["q3"], len(result.scores("ndcg@10"))) == (0.0, N)
    assert result.provenance["counts"] == {"asked": N, "answered": N - 2, "failed": 2, "cached": 0}
    for failing, flags, told in (
        ("q3", ("--strict",), "1 of 24 queries failed, but --strict allows no failures: "),
        (ALL, (), "all 24 queries failed: mine:search raised ValueError: "),
    ):
        monkeypatch.setenv("FAIL", failing)
        (place / "result.json").unlink()
        done = assay("eval", "plan.yaml", *flags, "-o", "result.json", "-o", "run.trec")
        assert (done.code, "ndcg@10" in done.out, "queries failed" in done.out) == (4, True, False), failing
        *_, written, error = done.err.splitlines()
        assert (written, (place / "run.trec").exists()) == ("wrote result.json, run.trec", True), failing
        assert error.startswith(f"error: python:mine:search on small: {told}"), failing
        assert error.endswith(f"({len(failing.split(','))}×). {advice}"), failing
    assert len(read_results("result.json")[0].failures) == N


def test_a_provider_that_never_answered_has_no_figures(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", ALL)
    words = ("eval", "plan.yaml", "--providers", "python:mine:search", "bm25", "--quiet", "--no-store")
    (row,) = re.findall(r"^  python:mine:search .*", assay(*words).out, re.MULTILINE)
    assert re.findall(r"\d+", row) == ["24"], "how many failed"
    assert "python:mine:search: the run has no rankings" not in assay(*words).out, "which would look like an empty index"
    assert "mine:search,24,0.0,0.0," in assay(*words, "-f", "csv").out


def test_one_provider_that_fails_does_not_take_the_others_along(place, assay):
    (place / "mine.py").write_text(SEARCH + BAD)
    names = ["python:mine:bad", "python:mine:Stuck", "python:mine:twice"]
    done = assay("eval", "plan.yaml", "--providers", *names, "python:mine:search", "-o", "result.json")
    *failed, good = read_results("result.json")
    assert [(len(result.failures), result["mrr"]) for result in failed] == [(N, 0.0)] * 3
    assert (done.code, good["mrr"] > 0, dict(good.failures)) == (4, True, {})
    told = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert [line.split(" queries")[0] for line in told] == [f"error: {name} on small: all 24" for name in names]
    assert "(1×), 21 other errors (21×)" in told[0]
    assert "no room for an index" in told[1]
    assert "mine:twice: document d1 occurs twice" in told[2], "a retry would not help"
    assert failed[2].provenance["final"] == [f"q{n}" for n in range(N)]
    done = assay("eval", "plan.yaml", "--providers", "python:mine:Hangs", "--index-timeout", "0.1")
    assert (done.code, "python:mine:Hangs was not ready within 0.1 s. Increase --index-timeout" in done.err) == (4, True)


def test_one_file_that_cannot_be_written_does_not_take_the_others_along(place, assay):
    (place / "odd.json").write_text((place / "small.json").read_text().replace('"d1"', '"d 1"'))
    oracle = ("--benchmarks", "odd.json", "--providers", "oracle")
    done = assay("eval", "plan.yaml", *oracle, "-o", "run.trec", "-o", "result.json")
    *_, written, error = done.err.splitlines()
    assert (done.code, "ndcg@10" in done.out, written) == (3, True, "wrote result.json")
    assert error.startswith("error: run.trec: the id 'd 1' contains white space")


def test_what_failed_is_asked_again_and_nothing_else(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", "q3,q5")
    assay("eval", "plan.yaml", "-o", "first.json")
    done = assay("eval", "plan.yaml", "--providers", "python:mine:other", "--retry-failed", "first.json")
    assert (done.code, "small/python:mine:search (2 failed)" in done.err) == (5, True)
    monkeypatch.setenv("FAIL", "")
    assert assay("eval", "plan.yaml", "--retry-failed", "first.json", "-o", "second.json").code == 0
    assert sorted(asked(place)[N:]) == ["q3", "q5"]
    done = assay("eval", "plan.yaml", "--retry-failed", "second.json")
    assert (done.code, "second.json: no query failed in this result" in done.err) == (5, True)


def test_a_program_that_buffers_its_output_is_told_of_at_once_and_in_its_error(place, assay, monkeypatch):
    """Also on standard error only once, and by a check of the provider."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    (place / "buffers.py").write_text("import sys\nfor line in sys.stdin: print(line)\n")
    name = f"command(command='{sys.executable} -S buffers.py', index=false)"
    monkeypatch.setattr("assay.providers.catalog.command.SECONDS_UNTIL_HINT", 0.05)
    limits = ("--timeout", "0.6")
    done = assay("eval", "plan.yaml", "--providers", name, "--limit", "2", "--retries", "0", *limits, "--no-store", "-q")
    told = "no response for 0.05 s. Its output is probably buffered: "
    assert (done.code, done.err.count(told)) == (4, 1)
    warning, _ = done.err.splitlines()
    assert (warning.startswith("warning: "), told in warning) == (True, True), "also with --quiet"
    assert "TimeoutError: no response within 0.6 s. Its output is probably buffered: " in done.err.splitlines()[-1]
    check = assay("providers", "check", name, "--queries", "1", *limits)
    assert (check.code, check.err.count(told), check.out.count("probably buffered")) == (4, 1, 1)
