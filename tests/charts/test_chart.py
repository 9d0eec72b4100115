"""What a chart is drawn of, and what is refused."""

import assay
from assay.charts import Subject, all_charts, draw, find_chart

from ._subjects import ranked, result_of, system

ONE, OTHER = result_of("one", mrr=[1, 0.5], map=[1, 1]), result_of("other", mrr=[0.5, 0.5], ndcg=[1, 0])
NAN = float("nan")
TEXT = assay.evaluate({"q": {"a": 1}}, {"q": ["a"]}, ["relstring", "mrr"], name="x")
REFUSED = {
    "an unknown kind": ("bras", [ONE]),
    "bars of none": ("bars", []),
    "paired_scatter of one": ("paired_scatter", [ONE]),
    "difference_histogram of three": ("difference_histogram", [ONE, OTHER, ONE]),
    "critical_difference of two": ("critical_difference", [ONE, OTHER]),
    "history of nothing": ("history", []),
    "no metric in common": ("bars", [result_of("a", mrr=[1]), result_of("b", map=[1])]),
    "a metric that one lacks": ("bars", [ONE, OTHER], {"metric": "map"}),
    "an unknown metric": ("bars", [ONE, OTHER], {"metric": "mpa"}),
    "text": ("bars", [TEXT], {"metric": "relstring"}),
    "no figure": ("bars", [result_of("one", mrr=[NAN]), result_of("two", mrr=[NAN])], {"metric": "RR"}),
    "by_k of no cutoff": ("by_k", [result_of("one", **{"latency": [1, 2], "recall@2": [1, 1]})], {"metric": "latency"}),
    "by_k of one cutoff": ("by_k", [result_of("one", **{"ndcg@5": [1, 1]})]),
    "by_k beyond the rankings": ("by_k", [ranked("one", "xayb")], {"cutoffs": (50, 60)}),
    "critical_difference of one query": ("critical_difference", [result_of(name, mrr=[0.5]) for name in "abc"]),
    "heat_map without a figure": ("heat_map", [result_of("n", mrr=[NAN], map=[1])], {"metrics": ("mrr",)}),
    "no query has both scores": ("paired_scatter", [result_of("a", mrr=[NAN]), result_of("b", mrr=[0.5])]),
    "different benchmarks": ("paired_scatter", [result_of("a", "x", mrr=[1]), result_of("b", "y", mrr=[1])]),
    "pareto without a time": ("pareto", [result_of("a", mrr=[1])]),
    "pareto without a figure": ("pareto", [system("b", NAN, 0.5)]),
    "pareto of times": ("pareto", [system("a", 1, 0.5)], {"metric": "latency"}),
    "pareto of a time alone": ("pareto", [result_of("a", latency=[1])]),
    "precision_recall without rankings": ("precision_recall", [ranked("one", "axyb").with_fields(run={})]),
    "slices without a tag": ("slices", [ONE]),
    "slices by an unknown tag": ("slices", [result_of("a", tags=("hard",), mrr=[0])], {"by": "colour"}),
}
"""Kind, results and options."""


def test_what_is_refused(snapshots):
    def drawn(kind, results, how=None):
        return lambda: draw(kind, results, **(how or {}))

    snapshots.check_errors("charts/refused", {name: drawn(*case) for name, case in REFUSED.items()})


def test_what_it_is_drawn_of():
    assert find_chart(" Paired-Scatter ") is all_charts()["paired_scatter"]
    assert {chart.needs for chart in all_charts().values()} == {
        *("1 or more results", "2 results", "3 or more results", "values over time")
    }
    assert [metric.name for metric in Subject((ONE,)).shared] == ["mrr", "map"]
    assert [Subject(results).bound.name for results in ((ONE, OTHER), (TEXT,))] == ["mrr", "mrr"]
    assert Subject((ONE, OTHER), "RR").bound.name == "mrr"
    assert Subject((ONE, OTHER)).names == ["one", "other"]
    assert Subject((ONE, result_of("other", "hpo", mrr=[1]))).names == ["rag · one", "hpo · other"]
    assert Subject((result_of("", "", mrr=[1]), result_of("x", "hpo", mrr=[1]))).names == ["run", "x"]
