"""-v: timings and choices on standard error, by every command that computes; the output stays what it was."""

import re

import pytest

COMPUTING = {"answers", "compare", "drift", "eval", "fuse", "gate", "moe", "plot", "power", "report", "score", "why"}


def test_every_command_that_computes_has_it(assay):
    for name in COMPUTING:
        assert "--verbose" in assay(name, "--help").out, name


@pytest.mark.usefixtures("files")
def test_formats_conventions_methods_and_times_are_told(assay):
    for command, intervals in (("score", ["intervals: wilson for map; t for map; 95 %, 2 queries"]), ("compare", [])):
        arguments = (command, "qrels.txt", "good.run", "poor.run", "-m", "map", "--rel", "2")
        quiet, told = assay(*arguments), assay(*arguments, "-v")
        assert (quiet.out, quiet.err) == (told.out, ""), command
        lines = told.err.splitlines()
        assert lines[0].startswith("policy: assay, level grade ≥ 2, ties docid_desc,"), command
        assert re.fullmatch(r"qrels\.txt: trec, 4 judgments of 2 queries in \d+\.\d\d s", lines[1]), command
        assert re.fullmatch(r"good\.run: trec, scored in \d+\.\d\d s", lines[2]), command
        assert re.fullmatch(r"all of it in \d+\.\d\d s", lines[-1]), command
        assert [line for line in lines if line.startswith("intervals: ")] == intervals, command
    assert "intervals" not in assay("score", "qrels.txt", "good.run", "-v", "--ci", "none").err
    assert "method: rrf; 2 runs: good, poor\n" in assay("fuse", "good.run", "poor.run", "-v").err
    failed = assay("score", "qrels.txt", "nowhere.run", "-v")
    assert (failed.code, "all of it" in failed.err) == (3, False)


def test_eval_tells_its_plan_and_what_took_long(assay, place):
    lines = assay("eval", "plan.yaml", "--no-store", "-v").err.splitlines()
    assert lines[0] == "metrics: mrr, ndcg@10"
    assert lines[2:5] == [
        "relevance: auto, unit as_retrieved",
        "asked: 5 documents a query, 8 at the same time, 60 s each, 0 retries",
        "statistics: intervals by auto, test randomization, seed 0",
    ]
    assert any(re.match(r"small \(\w+\)/python:mine:search: indexing \d", line) for line in lines)
