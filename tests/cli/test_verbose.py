"""-v: timings and choices on standard error, by every command that computes; the output stays what it was."""

import re

import pytest

COMPUTING = {"answers", "compare", "drift", "eval", "fuse", "gate", "moe", "plot", "power", "report", "score", "why"}


def test_every_command_that_computes_has_it(assay):
    for name in COMPUTING:
        assert "--verbose" in assay(name, "--help").out, name


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", ["score", "compare"])
def test_formats_conventions_and_times_are_told(assay, command):
    arguments = (command, "qrels.txt", "good.run", "poor.run", "-m", "map", "--rel", "2")
    quiet, told = assay(*arguments), assay(*arguments, "-v")
    assert (quiet.out, quiet.err) == (told.out, "")
    lines = told.err.splitlines()
    assert lines[0].startswith("policy: assay, level grade ≥ 2, ties docid_desc,")
    assert re.fullmatch(r"qrels\.txt: trec, 4 judgments of 2 queries in \d\.\d\d s", lines[1])
    assert re.fullmatch(r"good\.run: trec, scored in \d+\.\d\d s", lines[2])
    assert re.fullmatch(r"all of it in \d+\.\d\d s", lines[-1])


@pytest.mark.usefixtures("files")
def test_the_method_that_was_chosen_for_an_interval_is_told(assay):
    lines = assay("score", "qrels.txt", "good.run", "-m", "map", "-v").err.splitlines()
    assert [line for line in lines if line.startswith("intervals: ")] == ["intervals: wilson for map; 95 %, 2 queries"]
    assert not any(
        line.startswith("intervals")
        for line in assay("score", "qrels.txt", "good.run", "-v", "--ci", "none").err.splitlines()
    )


def test_eval_tells_its_plan_and_what_took_long(assay, place):
    lines = assay("eval", "plan.yaml", "--no-store", "-v").err.splitlines()
    assert lines[0] == "metrics: mrr, ndcg@10"
    assert lines[2:5] == [
        "relevance: auto, unit as_retrieved",
        "asked: 5 documents a query, 8 at the same time, 60 s each, 0 retries",
        "statistics: intervals by auto, test randomization, seed 0",
    ]
    assert any(re.match(r"small \(\w+\)/python:mine:search: indexing \d", line) for line in lines)


@pytest.mark.usefixtures("files")
def test_fuse_tells_its_method(assay):
    assert "method: rrf; 2 runs: good, poor\n" in assay("fuse", "good.run", "poor.run", "-v").err


@pytest.mark.usefixtures("files")
def test_what_fails_has_no_time(assay):
    done = assay("score", "qrels.txt", "nowhere.run", "-v")
    assert done.code != 0
    assert "all of it" not in done.err
