"""Evaluations: a table for each benchmark, who is better, what failed, and what chunkers made of it."""

import json
import re

import numpy as np
from tests._results import make_result

import assay
from assay.comparison import compare_results, fair_metric
from assay.evaluation import with_intervals
from assay.execution import Statistics
from assay.reports import BenchmarkReport, EvaluationDisplay, failure_errors, failure_notes, render_evaluation

from ._pages import section

SIZES = {"mean": 1505.0, "p5": 270.0, "median": 1785.0, "p95": 1977.0, "max": 2548.0}
FORMS = ("table", "markdown", "latex", "csv")


def result(name, benchmark, ranked=None, metrics=("mrr",), **more):
    scored = assay.evaluate({"q1": {"d1": 1}, "q2": {"d2": 1}}, ranked or {"q1": ["d1"]}, metrics, name=name)
    return scored.with_fields(benchmark=benchmark, **more)


def of_chunker(chunker, metrics=("ndcg@10", "span_iou@10"), **more):
    about = {"chunker": chunker, "n": 731, "seconds": 0.5, "characters": SIZES, "tokens": {"mean": 211.0}}
    relevance = {"strategy_used": "span", "strategy_counts": {"span": 30}, "relevant": 212}
    rng = np.random.default_rng(list(chunker.encode()))
    scores = {metric: rng.uniform(0.2, 0.6, 30) for metric in metrics}
    result = make_result(scores, f"{chunker} + bm25", benchmark="spans", queries={})
    return result.with_fields(relevance=relevance, provenance={"chunks": about, **more})


def shown(*results, form="table", **how):
    return render_evaluation(results, form, EvaluationDisplay(**how))


def test_evaluations_in_every_format(snapshots):
    failed = {"failures": {"q2": "down"}, "run": {"q1": {}}, "provenance": {"latency_ms": {"mean": 1.0}}}
    sized = {"dataset": {"version": "1.0", "num_queries": 2, "num_documents": 3}}
    queries = {name: assay.Query(name, "text", difficulty=name) for name in ("q1", "q2")}
    sliced = [result(name, "one", metrics=("mrr", "hit@1"), queries=queries) for name in ("bm25", "dense")]
    cases = {
        "two_benchmarks": (result("bm25", "one_two", provenance=sized), result("bm25", "two"), result("dense", "one_two")),
        "failures": (result("bm25", "one", **failed), result("down", "one", failures={"q1": "a", "q2": "b"}, run={})),
        "slices": tuple(sliced),
        "chunkers": tuple(of_chunker(name, seconds={"indexing": 1.25}) for name in ("lines", "recursive")),
    }
    for name, results in cases.items():
        by = ["difficulty"] if name == "slices" else []
        text = "".join(f"## {form}\n{shown(*results, form=form, by=by, again='Retry')}\n" for form in FORMS)
        snapshots.check(f"reports/evaluation_{name}", text)


def test_programs_get_one_text_for_all():
    for form in ("csv", "trec"):
        text = shown(result("bm25", "one"), result("dense", "two"), form=form)
        assert ("bm25" in text, "dense" in text) == (True, True), form
    content = json.loads(shown(result("bm25", "one"), result("dense", "two"), form="json"))
    assert [(one["name"], one["benchmark"]) for one in content["results"]] == [("bm25", "one"), ("dense", "two")]


def test_what_nobody_asked_for_is_never_best():
    better, worse = result("a", "one"), result("b", "one", {"q1": ["d1"], "q2": ["d2"]})
    assert "**" in shown(better, worse, form="markdown")
    assert "**" not in shown(*(one.with_fields(beside=("mrr",)) for one in (better, worse)), form="markdown")


def provider(name, scores, metric="mrr"):
    return make_result({metric: scores}, name, queries={}).with_fields(run={"q": {}})


def test_who_is_better_is_said_first(snapshots):
    a, b = [0.2, 0.5, 0.25, 0.5, 0.2, 1.0, 0.5, 0.0], [1.0, 1.0, 0.5, 1.0, 1.0, 0.5, 1.0, 0.25]
    untested = Statistics(significance_testing=None)
    cases = {
        "two": shown(provider("a", a), provider("b", b)),
        "few queries": shown(provider("a", a[:4]), provider("b", b[:4])),
        "the same": shown(provider("a", a), provider("b", a)),
        "times": shown(provider("a", [1.0] * 8, "latency"), provider("b", [2.0] * 7 + [3.0], "latency")),
        "no test": shown(provider("a", a), provider("b", b), statistics=untested),
        "one": shown(provider("a", a)),
        "chunks are not fair": shown(*(of_chunker(name, ("ndcg@10",)) for name in ("a", "b"))),
    }
    snapshots.check("reports/verdicts", "".join(f"## {name}\n{text}\n" for name, text in cases.items()))


def test_which_difference_could_be_detected():
    """The chance is said; nothing if the two differ, or with few queries; no estimate if few queries changed."""
    rng = np.random.default_rng(0)
    a = rng.uniform(0.3, 0.6, 48).round(2).tolist()
    cases = {
        "open": [score + change for score, change in zip(a, rng.normal(0, 0.2, 48).tolist(), strict=True)],
        "apart": [score + 0.3 for score in a],
        "few changed": [*(score + 0.1 for score in a[:2]), *(score - 0.1 for score in a[2:5]), *a[5:]],
    }
    said = {name: " ".join(shown(provider("a", a), provider("b", b)).split()) for name, b in cases.items()}
    assert re.search(r"the test detects a difference of about 0\.\d+ between \w and \w in 8 of 10 cases\.", said["open"])
    assert "detect" not in said["apart"]
    assert "Only 5 of 48 queries differ between a and b, too few to estimate" in said["few changed"]


def test_failures_are_told_with_what_can_be_done(snapshots):
    def failing(name, n_answered=0, provenance=None, benchmark="small", **counts):
        errors = [error.replace("_", " ") for error, count in counts.items() for _ in range(count)]
        run = {f"a{n}": {"d1": 1.0} for n in range(n_answered)}
        failures = {f"q{n}": error for n, error in enumerate(errors)}
        return result(name, benchmark).with_fields(failures=failures, run=run, provenance=provenance or {})

    some = [
        failing("bm25", 2, timeout=1),
        failing("dense", 3),
        failing("mine", a=3),
        failing("many", 9, HTTP_500=7, timeout=30, c=3, d=2, e=1),
        failing("final", 1, {"final": ["q0", "q1"]}, a=2),
        failing("long", 1, **{"x" * 500: 1}),
        failing("rerank(bm25) before", a=2),
        failing("rerank(bm25)", a=2),
    ]
    again = "To retry these queries, add --resume"
    cases = {
        "notes": failure_notes(some, again),
        "notes where errors follow": failure_notes(some, "", strict=False),
        "nothing where all are errors": failure_notes(some, "", strict=True),
        "errors": failure_errors(some, again, strict=False),
        "strict errors": failure_errors(some, strict=True),
    }
    text = "".join(f"## {name}\n" + "\n".join(lines) + "\n\n" for name, lines in cases.items())
    snapshots.check("reports/failures", text)


def test_times_of_batches_are_told_of_where_quantiles_were_asked_for():
    class Same:
        def search(self, queries, k):
            return [["p001"] for _ in queries]

    asked = assay.run("rag-template", Same(), ["mrr", "latency_p50"], selection={"limit": 5})
    sentence = "only the mean time per query is known: Same."
    assert sentence in shown(asked)
    assert sentence not in shown(asked.with_fields(provenance={"latency_ms": {"mean": 1.0, "p50": 1.0}}))
    assert sentence not in shown(asked.with_fields(beside=("latency_p50",)))


def test_the_interval_is_that_of_the_verdict():
    """Of several chunkers the metric of spans, wherever it stands; of one chunker the first metric."""
    several = [with_intervals(of_chunker(name)) for name in ("a", "b")]
    for results, metric in ((several, "span_iou@10"), (several[:1], "ndcg@10")):
        head = next(line for line in shown(*results).splitlines() if line.startswith("  run")).split()
        assert head[head.index("95") - 1] == metric


def test_chunkers_are_compared_by_spans_first():
    several = [of_chunker(name, ("ndcg@10", "map", "span_iou@10", "span_recall@10")) for name in ("a", "b")]
    compared = compare_results(several)
    assert [metric.name for metric in compared.metrics] == ["span_iou@10", "span_recall@10", "ndcg@10", "map"]
    same = [of_chunker("a"), of_chunker("a").renamed("other")]
    judged = [of_chunker(name).with_fields(relevance={"strategy_used": "qrels"}) for name in ("a", "b")]
    assert [fair_metric(results).name for results in (same, judged)] == ["ndcg@10", "ndcg@10"]
    assert fair_metric([of_chunker(name, ("ndcg@10",)) for name in ("a", "b")]) is None


def test_a_page_has_the_table_of_chunkers_that_text_has():
    results = (of_chunker("a", counts={"cached": 30}), of_chunker("b"))
    (table,) = section(BenchmarkReport(results, compare_results(results)), "chunks").parts
    assert [cell.text for cell in table.rows[0]] == [
        "a + bm25", "731", "212", "1,505", "1,785", "270–1,977", "2,548", "211", "0.50 s", "cached"
    ]  # fmt: skip
    results[0].provenance["chunks"]["characters"] = None
    (table,) = section(BenchmarkReport(results[:1]), "chunks").parts
    assert table.rows[0][5].text == "–"


def test_what_a_reranker_gained_comes_with_its_interval(tmp_path, monkeypatch):
    (tmp_path / "turned.py").write_text("def score(text, texts):\n    return [-len(one) for one in texts]\n")
    monkeypatch.syspath_prepend(tmp_path)
    metrics = ["ndcg@5", "ndcg@10", "mrr"]
    found = with_intervals(assay.run("rag-template", "rerank(bm25, function=turned:score)", metrics, selection={"limit": 9}))
    heads = [one.strip() for one in shown(found).splitlines()[3].split("   ") if one.strip()]
    for metric in ("ndcg@5", "reranking_improvement@5", "reranking_improvement@10"):
        assert heads[heads.index(metric) + 1] == "95 % CI"
    assert shown(found, statistics=Statistics("bootstrap")).count("95 % CI") == 5
