"""Scoring: views in, ScoreTable out."""

from typing import NamedTuple

import numpy as np
import pytest

from assay.errors import UsageError
from assay.evaluation.grader import score_views
from assay.metrics.definition import Metric
from assay.model.scores import RATIO_OF_SUMS, SUM, TEXT, Ratio, quantile


class Timings(NamedTuple):
    """A view that has nothing to do with rankings."""

    query_ids: tuple[str, ...]
    seconds: np.ndarray


class Words(NamedTuple):
    query_ids: tuple[str, ...]
    words: list[str]


TIMINGS = Timings(("q1", "q2", "q3"), np.array([1.0, 2.0, 6.0]))
WORDS = Words(("q1", "q2", "q3"), ["a", "", "ccc"])


def test_a_metric_of_any_view_fits_without_touching_the_engine():
    median = Metric("median_seconds", lambda view: view.seconds, view="timing", aggregation=quantile(0.5)).bind()
    longest = Metric("longest", lambda view: view.words, view="answers", aggregation=TEXT).bind()
    table = score_views({"timing": TIMINGS, "answers": WORDS}, [median, longest])
    assert table.query_ids == ("q1", "q2", "q3")
    assert table.summary() == {"median_seconds": 2.0}
    assert table.by_query()["q3"] == {"median_seconds": 6.0, "longest": "ccc"}


def test_each_metric_is_summed_up_its_own_way():
    total = Metric("total", lambda view: view.seconds, view="timing", aggregation=SUM).bind()
    share = Metric(
        "share", lambda view: Ratio(np.array([1.0, 0.0, 3.0]), view.seconds), view="timing", aggregation=RATIO_OF_SUMS
    ).bind()
    table = score_views({"timing": TIMINGS}, [total, share])
    assert table.summary() == {"total": 9.0, "share": pytest.approx(4 / 9, abs=1e-12)}
    assert table.columns["share"].score.tolist() == [1.0, 0.0, 0.5]


def test_a_view_that_is_not_there_is_named_with_those_that_are():
    routed = Metric("route_accuracy", lambda view: view.routes, view="routing").bind()
    with pytest.raises(UsageError, match="route_accuracy reads routing, but there is only timing, answers to read here"):
        score_views({"timing": TIMINGS, "answers": WORDS}, [routed])


def test_parameters_reach_the_function():
    from assay.metrics.definition import CUTOFF_NEEDED

    over = Metric("over", lambda view, k: (view.seconds > k).astype(float), params=(CUTOFF_NEEDED,), view="timing")
    table = score_views({"timing": TIMINGS}, [over.bind(k=1), over.bind(k=5)])
    assert table.summary() == {"over@1": pytest.approx(2 / 3), "over@5": pytest.approx(1 / 3)}


def test_views_of_different_queries_are_refused():
    other = Words(("q1", "q3", "q2"), ["a", "b", "c"])
    with pytest.raises(UsageError, match="timing, answers do not cover the same queries"):
        score_views({"timing": TIMINGS, "answers": other}, [])


def test_a_score_for_every_query_is_asked_of_a_metric():
    short = Metric("short", lambda view: view.seconds[:1], view="timing").bind()
    with pytest.raises(UsageError, match="short gave 1 scores for 3 queries"):
        score_views({"timing": TIMINGS}, [short])


def test_an_undefined_score_is_left_out_of_the_summary():
    gain = Metric("gain", lambda view: np.array([1.0, np.nan, 3.0]), view="timing").bind()
    never = Metric("never", lambda view: np.full(3, np.nan), view="timing").bind()
    table = score_views({"timing": TIMINGS}, [gain, never])
    assert table.summary()["gain"] == 2.0
    assert np.isnan(table.summary()["never"])
    assert table.by_query()["q2"] == {"gain": None, "never": None}
