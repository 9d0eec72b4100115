"""What a chart is drawn of, and what is refused."""

import pytest

from assay.charts import Subject, all_charts, draw, find_chart
from assay.errors import UnknownName, UsageError

from ._subjects import result_of

ONE, OTHER = result_of("one", mrr=[1, 0.5], map=[1, 1]), result_of("other", mrr=[0.5, 0.5], ndcg=[1, 0])


def test_kinds_by_any_spelling():
    assert find_chart(" Paired-Scatter ") is all_charts()["paired_scatter"]
    with pytest.raises(UnknownName, match=r"no chart is called 'bras'\. Did you mean bars"):
        draw("bras", [ONE])


@pytest.mark.parametrize(
    ("kind", "n", "said"),
    [
        ("bars", 0, "bars is drawn of 1 result or more, and here is none"),
        ("paired_scatter", 1, r"paired_scatter is drawn of 2 results, and here is 1 result \(one\)$"),
        ("difference_histogram", 3, r"here are 3 results \(rag · one, rag · other, rag · one\); one is chosen by its name"),
        ("critical_difference", 2, "drawn of 3 results or more, and here are 2 results"),
        ("history", 0, "needs figures over time, and there are none"),
    ],
)
def test_too_few_and_too_many(kind, n, said):
    with pytest.raises(UsageError, match=said):
        draw(kind, [ONE, OTHER, ONE][:n])


def test_the_metric_is_the_first_that_all_have():
    assert Subject((ONE, OTHER)).bound.name == "mrr"
    assert [metric.name for metric in Subject((ONE,)).shared] == ["mrr", "map"]
    assert Subject((ONE, OTHER), "RR").bound.name == "mrr"
    with pytest.raises(UsageError, match="no metric with figures in common"):
        draw("bars", [result_of("a", mrr=[1]), result_of("b", map=[1])])


def test_a_metric_that_a_result_lacks():
    with pytest.raises(UnknownName, match=r"no metric of other is called 'map'\. +\(it has mrr, ndcg\)"):
        draw("bars", [ONE, OTHER], metric="map")
    with pytest.raises(UnknownName, match="no metric is called 'mpa'"):
        draw("bars", [ONE, OTHER], metric="mpa")


def test_text_is_nothing_to_draw():
    import assay

    result = assay.evaluate({"q": {"a": 1}}, {"q": ["a"]}, ["relstring", "mrr"], name="x")
    with pytest.raises(UsageError, match=r"relstring\S* is text, of which there is nothing to draw"):
        draw("bars", [result], metric="relstring")
    assert Subject((result,)).bound.name == "mrr"


def test_names_with_their_benchmarks_where_these_are_several():
    assert Subject((ONE, OTHER)).names == ["one", "other"]
    assert Subject((ONE, result_of("other", "hpo", mrr=[1]))).names == ["rag · one", "hpo · other"]
    assert Subject((result_of("", "", mrr=[1]), result_of("x", "hpo", mrr=[1]))).names == ["run", "x"]


def test_what_it_needs_in_words():
    assert {chart.needs for chart in all_charts().values()} == {
        *("1 result or more", "2 results", "3 results or more", "figures over time")
    }
