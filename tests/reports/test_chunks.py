"""The table of chunkers, and which metric several of them are judged by."""

import numpy as np
import pytest
from tests._results import make_result

from assay.comparison.comparison import compare_results, fair_metric
from assay.evaluation.scoring import with_intervals
from assay.execution.plan_parts import Statistics
from assay.reports.sections.evaluation import EvaluationDisplay, render_evaluation, verdict_notes
from assay.reports.sections.run_notes import chunk_sheets

RNG = np.random.default_rng(1)
SIZES = {"mean": 1505.0, "p5": 270.0, "median": 1785.0, "p95": 1977.0, "max": 2548.0}


def of_chunker(chunker, metrics=("ndcg@10", "span_iou@10"), **more):
    """A result of thirty queries, as one chunker has it."""
    about = {"chunker": chunker, "n": 731, "seconds": 0.5, "characters": SIZES, "tokens": {"mean": 211.0}}
    return make_result(
        {metric: RNG.uniform(0.2, 0.6, 30) for metric in metrics},
        f"{chunker} + bm25",
        benchmark="spans",
        queries={},
        relevance={"strategy_used": "span", "strategy_counts": {"span": 30}, "relevant": 212},
        provenance={"chunks": about, **more},
    )


def cells(result):
    (sheet,) = chunk_sheets([result])
    return dict(zip(sheet.table.head, (cell.text for cell in sheet.table.rows[0]), strict=True))


def test_sizes_in_one_row():
    found = cells(of_chunker("lines", seconds={"indexing": 1.25}))
    assert found["median"] == "1,785"
    assert found["5–95 %"] == "270–1,977"
    assert (found["cut"], found["indexed"]) == ("0.50 s", "1.25 s")


@pytest.mark.parametrize(
    ("seconds", "n_cached", "shown"), [(0.0, 30, "cached"), (0.0, 0, "–"), (0.5, 30, "0.50 s"), (0.5, 0, "0.50 s")]
)
def test_what_was_not_indexed_since_answers_were_cached(seconds, n_cached, shown):
    assert cells(of_chunker("a", seconds={"indexing": seconds}, counts={"cached": n_cached}))["indexed"] == shown


def test_no_chunks_have_no_sizes():
    nothing = of_chunker("a")
    nothing.provenance["chunks"]["characters"] = None
    assert cells(nothing)["5–95 %"] == "–"


def test_the_interval_is_that_of_the_verdict():
    """Of several chunkers the metric of spans, wherever it stands; of one chunker the first metric."""
    several = [with_intervals(of_chunker(name)) for name in ("a", "b")]
    for results, metric in ((several, "span_iou@10"), (several[:1], "ndcg@10")):
        text = render_evaluation(results, "table", EvaluationDisplay())
        head = next(line for line in text.splitlines() if line.startswith("  run")).split()
        assert head[head.index("95") - 1] == metric
    assert "span_iou@10" in verdict_notes(several, Statistics())[0]


def test_a_comparison_of_chunkers_is_by_spans_first():
    several = [of_chunker(name, ("ndcg@10", "map", "span_iou@10", "span_recall@10")) for name in ("a", "b")]
    compared = compare_results(several)
    assert [metric.name for metric in compared.metrics] == ["span_iou@10", "span_recall@10", "ndcg@10", "map"]
    assert "span_iou@10" in compared.verdict
    asked = compare_results(several, metrics=["map", "span_recall@10"])
    assert [metric.name for metric in asked.metrics] == ["span_recall@10", "map"]


def test_others_keep_their_order():
    """One chunker, judged documents, and times are all fair."""
    same = [of_chunker("a"), of_chunker("a").with_fields(name="other")]
    judged = [of_chunker(name).with_fields(relevance={"strategy_used": "qrels"}) for name in ("a", "b")]
    for results in (same, judged):
        assert fair_metric(results).name == "ndcg@10"
        assert compare_results(results).metrics[0].name == "ndcg@10"
    assert fair_metric([of_chunker(name, ("latency", "ndcg@10")) for name in ("a", "b")]).name == "latency"
    assert fair_metric([of_chunker(name, ("ndcg@10",)) for name in ("a", "b")]) is None
