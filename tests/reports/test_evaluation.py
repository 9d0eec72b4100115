"""What `assay eval` prints: a table for each benchmark."""

import json

import pytest

import assay
from assay.execution.plan_parts import Statistics
from assay.reports.sections.evaluation import EvaluationDisplay, render_evaluation, verdict_notes

HOSTILE = "\x1b[31m<script>\nq"


def result(name, benchmark, ranked=None, **more):
    scored = assay.evaluate({"q1": {"d1": 1}, "q2": {"d2": 1}}, ranked or {"q1": ["d1"]}, ["mrr"], name=name)
    return scored.with_fields(benchmark=benchmark, **more)


def shown(*results, form="table"):
    return render_evaluation(results, form, EvaluationDisplay())


def test_a_table_for_each_benchmark_its_providers_as_rows():
    text = shown(result("bm25", "one"), result("bm25", "two"), result("dense", "one"))
    first, second = text.split("\n\ntwo\n")
    assert first.startswith("one\n")
    assert first.count("  bm25 ") == 1
    assert "dense" in first
    assert "dense" not in second
    assert text.endswith("\n")


def test_failures_and_batches_are_told_of():
    one = result("bm25", "one", failures={"q2": "down"}, run={"q1": {}}, provenance={"latency_ms": {"mean": 1.0}})
    lines = render_evaluation([one], "table", EvaluationDisplay(again="ask again")).splitlines()
    assert "bm25: 1 of 2 queries failed and score 0: down (1×); ask again." in lines
    assert "failed" not in shown(result("bm25", "one"))


def test_the_title_is_the_benchmark_and_its_version():
    one = result("bm25", "one_two", provenance={"dataset": {"version": "1.0"}})
    assert shown(one).startswith("one_two 1.0\n2 judged queries")
    assert shown(one, form="markdown").startswith("### one\\_two 1.0\n\n2 judged")
    assert shown(one, form="latex").startswith("% one_two 1.0\n% 2 judged")
    assert render_evaluation([one], "table", EvaluationDisplay(80, True)).startswith("\x1b[1mone_two 1.0\x1b[0m\n")


def test_what_nobody_asked_for_is_never_best():
    better, worse = result("a", "one"), result("b", "one", {"q1": ["d1"], "q2": ["d2"]})
    assert "**" in shown(better, worse, form="markdown")
    both = [one.with_fields(beside=("mrr",)) for one in (better, worse)]
    assert "**" not in shown(*both, form="markdown")


@pytest.mark.parametrize("form", ["json", "csv", "trec"])
def test_programs_get_one_text_for_all(form):
    text = shown(result("bm25", "one"), result("dense", "two"), form=form)
    assert "bm25" in text
    assert "dense" in text
    if form == "json":
        assert [one["benchmark"] for one in json.loads(text)["results"]] == ["one", "two"]


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_hostile_text_does_no_harm(form):
    text = shown(result(HOSTILE, HOSTILE, failures={HOSTILE: HOSTILE}, provenance={"latency_ms": {"mean": 1}}), form=form)
    assert "\x1b" not in text
    assert "<script>" not in text or form != "markdown"
    if form == "latex":
        start = text.index("\\begin{tabular}")
        assert all(line.startswith("% ") for line in text[:start].splitlines())


def test_who_failed_on_everything_is_not_beaten():
    fine, other = result("bm25", "one"), result("dense", "one")
    failed = result("down", "one", failures={"q1": "down", "q2": "down"}, run={})
    assert "down" not in "".join(verdict_notes([fine, failed.with_fields(run={}), other], Statistics()))
    assert verdict_notes([fine, failed.with_fields(run={})], Statistics()) == []


def test_slices_of_several_systems_show_the_first_metric_and_say_where_the_rest_is():
    queries = {name: assay.Query(name, "text", difficulty=name) for name in ("q1", "q2")}
    judged = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    both = [
        assay.evaluate(judged, {"q1": ["d1"]}, ["mrr", "hit@1"], name=name).with_fields(benchmark="one", queries=queries)
        for name in ("bm25", "dense")
    ]
    text = render_evaluation(both, "table", EvaluationDisplay(by=["difficulty"]))
    assert "mrr by difficulty" in text
    assert "hit@1 by difficulty" not in text
    assert text.endswith("slices are of mrr alone: -o slices.md has those of all metrics.\n")
    assert "hit@1 by difficulty" in render_evaluation(both, "markdown", EvaluationDisplay(by=["difficulty"]))
    alone = render_evaluation(both[:1], "table", EvaluationDisplay(by=["difficulty"]))
    assert "slices are of" not in alone


def reranked(tmp_path, monkeypatch, metrics):
    """bm25, its hits turned round by a reranker."""
    (tmp_path / "turned.py").write_text("def score(text, texts):\n    return [-len(one) for one in texts]\n")
    monkeypatch.syspath_prepend(tmp_path)
    return assay.run("rag-template", "rerank(bm25, function=turned:score)", metrics)


def test_what_a_reranker_gained_comes_with_its_interval(tmp_path, monkeypatch):
    """One for each NDCG that was asked for; other intervals are shown where their method was named."""
    found = assay.with_intervals(reranked(tmp_path, monkeypatch, ["ndcg@5", "ndcg@10", "mrr"]))
    head = next(line for line in shown(found).splitlines() if "ndcg@5" in line).split("   ")
    heads = [one.strip() for one in head if one.strip()]
    for metric in ("ndcg@5", "reranking_improvement@5", "reranking_improvement@10"):
        assert heads[heads.index(metric) + 1] == "95 % CI"
    assert heads[heads.index("mrr") + 1] != "95 % CI"
    text = render_evaluation([found], "table", EvaluationDisplay(statistics=Statistics("bootstrap")))
    assert text.count("95 % CI") == 5
