"""assay eval --repeats, what compare says about it, and a provider that answers otherwise the second time."""

import json
from pathlib import Path

import pytest

from assay.evaluation import read_results

from ._evaluations import FLAGS, N, asked

MOODY = """
from collections import Counter

turns = Counter()

def search(text, k):
    docs = [f"d{n}" for n in range(24)][:k]
    turns[text] += 1
    return docs[::-1] if text in ("q1", "q5") and turns[text] % 2 else docs
"""
QUIET = ("--no-store", "--quiet")


@pytest.fixture
def moody(place):
    """A provider that turns its ranking around for q1 and q5, every second time."""
    (place / "mood.py").write_text(MOODY)
    return ("--benchmarks", "small.json", "--providers", "python:mood:search", "-m", "mrr", "--k", "5", "--concurrency", "1")


def test_the_option_and_the_plan_say_the_same(place, assay):
    assert assay("eval", *FLAGS, "--repeats", "3", "-o", "flags.json", *QUIET).code == 0
    assert sorted(asked(place)) == sorted(f"q{n}" for n in range(N) for _ in range(3))
    with Path("plan.yaml").open("a") as plan:
        plan.write("repeats: 3\n")
    assert assay("eval", "plan.yaml", "-o", "plan.json", *QUIET).code == 0
    flags, plan = (read_results(f"{name}.json")[0] for name in ("flags", "plan"))
    assert (flags.n_repeats, plan.n_repeats) == (3, 3)
    assert flags.scores("mrr") == plan.scores("mrr")


def test_repeats_are_stored_and_compared(moody, assay):
    done = assay("eval", *moody, "--repeats", "2", "-o", "noisy.json")
    assert "Each query was sent 2 times." in done.out
    assert assay("eval", *FLAGS, *QUIET, "-m", "mrr", "-o", "other.json").code == 0
    compared = assay("compare", "latest", "other.json")
    assert "Run-to-run noise: at least" in compared.out
    plain = json.loads(assay("compare", "latest", "other.json", "--format", "json").out)["comparisons"][0]
    assert [some["repeats"] for some in plain["noise"]] == [[2, 1], [2]]


def test_other_rankings_than_last_time_are_noticed_without_another_query(moody, assay):
    first = assay("eval", *moody)
    assert "other rankings" not in first.err
    second = assay("eval", *moody)
    (note,) = [line for line in second.err.splitlines() if "other rankings" in line]
    assert "for 2 of 24 queries than in " in note
    assert "other rankings" not in assay("eval", *moody, "--repeats", "2").err, "the noise is measured"
    assert "other rankings" not in assay("eval", *moody, "--k", "4").err, "another configuration"
