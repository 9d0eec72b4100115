"""Rows of a table: the best system first, by the first metric of which one can be best."""

from assay.metrics.parsing import parse_metric
from assay.reports.sections.scores import best_first, deciding_metric

from ._results import result


def results_of(metrics, **runs):
    return [result(name, run, metrics) for name, run in runs.items()]


def names(results):
    return [result.name for result in results]


def test_the_best_comes_first_and_equals_keep_their_order():
    results = results_of(["map"], poor={"q1": {"d2": 9.0, "d1": 8.0}}, one={"q1": {"d1": 1.0}}, two={"q1": {"d1": 2.0}})
    assert names(results) == ["poor", "one", "two"]
    assert names(best_first(results, parse_metric("map"))) == ["one", "two", "poor"]


def test_of_what_is_better_when_it_is_less_the_least_comes_first():
    results = results_of(["rbp_residual(p=0.5)"], poor={"q1": {"x": 9.0}}, good={"q1": {"d1": 9.0, "d2": 8.0, "d3": 7.0}})
    metric = deciding_metric(results)
    assert not metric.metric.higher_is_better
    assert names(best_first(results, metric)) == ["good", "poor"]


def test_without_a_metric_the_order_is_the_one_that_was_given():
    results = results_of(["map"], poor={"q1": {"d2": 9.0}}, good={"q1": {"d1": 1.0}})
    assert names(best_first(results, None)) == ["poor", "good"]


def test_text_totals_and_what_stands_beside_decide_nothing():
    results = results_of(["runid", "num_q", "judged@10", "map"], run={"q1": {"d1": 1.0}})
    assert deciding_metric(results, {"judged@10"}).name == "map"
    assert deciding_metric(results_of(["num_q"], run={"q1": {"d1": 1.0}})) is None
    assert deciding_metric([]) is None


def test_a_run_without_a_figure_comes_last():
    results = results_of(["map"], poor={"q1": {"d2": 9.0}}, good={"q1": {"d1": 1.0}})
    other = results_of(["mrr"], other={"q1": {"d1": 1.0}})
    assert names(best_first([*other, *results], parse_metric("map"))) == ["good", "poor", "other"]
