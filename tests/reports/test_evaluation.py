"""What `assay eval` prints: a table for each benchmark."""

import json
from dataclasses import replace

import pytest

import assay
from assay.reports._evaluation import render_evaluation

HOSTILE = "\x1b[31m<script>\nq"


def result(name, benchmark, run=None, **more):
    scored = assay.evaluate({"q1": {"d1": 1}, "q2": {"d2": 1}}, run or {"q1": ["d1"]}, ["mrr"], name=name)
    return replace(scored, benchmark=benchmark, **more)


def shown(*results, form="table"):
    return render_evaluation(results, form, None, colour=False)


def test_a_table_for_each_benchmark_its_providers_as_rows():
    text = shown(result("bm25", "one"), result("bm25", "two"), result("dense", "one"))
    first, second = text.split("\n\ntwo\n")
    assert first.startswith("one\n")
    assert first.count("bm25") == 1
    assert "dense" in first
    assert "dense" not in second
    assert text.endswith("\n")


def test_failures_are_listed_with_the_first_reason():
    text = shown(result("bm25", "one", failures={"q2": "it was down", "q1": "other"}))
    assert "bm25 failed on 2 queries, which score 0; q2: it was down\n" in text
    assert "failed" not in shown(result("bm25", "one"))


@pytest.mark.parametrize("form", ["json", "csv", "trec"])
def test_programs_get_one_text_for_all(form):
    text = shown(result("bm25", "one"), result("dense", "two"), form=form)
    assert "bm25" in text
    assert "dense" in text
    if form == "json":
        assert [one["benchmark"] for one in json.loads(text)["results"]] == ["one", "two"]


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_hostile_text_does_no_harm(form):
    text = shown(result(HOSTILE, HOSTILE, failures={HOSTILE: HOSTILE}), form=form)
    assert "\x1b" not in text
