"""by_k: rankings scored again, or the cutoffs that are there."""

import pytest

from assay.charts import draw
from assay.errors import UsageError

from ._subjects import data, ranked, result_of


def figures(drawing, system="one"):
    return {row["k"]: row["value"] for row in data(drawing) if row["system"] == system}


def test_recall_by_hand():
    """Relevant are a and b: found at ranks 2 and 4 of one query, at 1 and 3 of the other."""
    drawing = draw("by_k", [ranked("one", "xayb", "axby")], cutoffs=(1, 2, 3, 4))
    assert figures(drawing) == {1: 0.25, 2: 0.5, 3: 0.75, 4: 1.0}
    assert "one 0.250 at 1, 0.500 at 2, 0.750 at 3, 1.000 at 4" in drawing.alt
    assert "Scored again at each cutoff, from the rankings that were kept" in drawing.alt
    assert drawing.spec["encoding"]["x"]["axis"]["values"] == [1, 2, 3, 4]


def test_usual_cutoffs_as_far_as_rankings_reach():
    assert list(figures(draw("by_k", [ranked("one", "xaybzw")]))) == [1, 3, 5]


def test_cutoffs_beyond_the_rankings_are_left_out_and_told():
    drawing = draw("by_k", [ranked("one", "xayb")], cutoffs=(1, 4, 50))
    assert list(figures(drawing)) == [1, 4]
    assert "Nothing reaches 50" in drawing.alt


def test_cutoffs_of_the_result_where_nothing_was_kept():
    result = result_of("one", **{"ndcg@10": [0.5, 0.5], "ndcg@1": [0, 0.5], "recall@3": [1, 1], "mrr": [1, 1]})
    drawing = draw("by_k", [result])
    assert figures(drawing) == {1: 0.25, 10: 0.5}
    assert "At the cutoffs that the results have; there are no rankings to score again" in drawing.alt
    assert draw("by_k", [result], metric="ndcg@1").title == "ndcg by cutoff"


def test_both_kinds_together():
    kept, other = ranked("one", "xayb", metrics=("recall@2",)), result_of("two", **{"recall@2": [0.5], "recall@4": [1]})
    drawing = draw("by_k", [kept, other], cutoffs=(1, 2, 4))
    assert figures(drawing) == {1: 0.0, 2: 0.5, 4: 1.0}
    assert figures(drawing, "two") == {2: 0.5, 4: 1.0}
    assert "two: at the cutoffs that the result has" in drawing.alt


def test_rankings_that_give_another_figure_are_not_trusted():
    """Somebody changed what is relevant after the result was made."""

    result = ranked("one", "xayb", metrics=("recall@2", "recall@4"))
    strange = result.with_fields(relevant={"q0": {"x": 1.0}})
    drawing = draw("by_k", [strange])
    assert figures(drawing) == {2: 0.5, 4: 1.0}
    assert "At the cutoffs that the results have" in drawing.alt


def test_metrics_without_a_cutoff():
    with pytest.raises(UsageError, match="by_k needs a metric with a cutoff, such as ndcg@10; of these: recall@2"):
        draw("by_k", [result_of("one", **{"latency": [1, 2], "recall@2": [1, 1]})], metric="latency")
    with pytest.raises(UsageError, match="none of them has one"):
        draw("by_k", [result_of("one", latency=[1, 2])])


def test_one_cutoff_makes_no_line():
    with pytest.raises(
        UsageError, match=r"known at 5 only: no rankings were kept .* have it at 5\. Evaluate with --metrics"
    ):
        draw("by_k", [result_of("one", **{"ndcg@5": [1, 1]})])
    with pytest.raises(UsageError, match="known at none of these: the rankings that were kept end at rank 4"):
        draw("by_k", [ranked("one", "xayb")], cutoffs=(50, 60))
