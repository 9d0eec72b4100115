"""What shows in no score: how many queries are worked on at once, how many gradings are tried, how many orders drawn."""

import numpy as np

import assay
from assay.metrics import parse_metric, residual_scores, residuals, tie_changes
from assay.metrics.residuals import BY_ENDS, BY_RELEVANCE
from assay.metrics.tie_changes import TieQuestion, changed_by_ties

from ._cases import CASES, Case
from ._ties import graded, graded_cases
from .test_laws import NUMBERS, of_cases, together


def test_how_many_queries_are_worked_on_at_once_does_not_matter(monkeypatch):
    monkeypatch.setattr("assay.arrays.BLOCK_CELLS", 40)
    monkeypatch.setattr("assay.metrics.catalog.user_models.BLOCK_CELLS", 3000)
    in_pieces = of_cases(CASES)
    for bound in NUMBERS:
        assert in_pieces.scores(bound.name) == together().scores(bound.name), bound.name


def test_more_gradings_than_can_be_tried_are_two_scenarios(monkeypatch):
    run = graded_cases([Case([1, None, None])])
    assert not residual_scores(parse_metric("bpref"), run).method
    monkeypatch.setattr(residuals, "MAX_ROWS", 8)
    assert residual_scores(parse_metric("bpref"), run).method == residuals.NOT_BOUNDS


def test_the_families_of_residuals_are_metrics_that_there_are():
    assert assay.metrics.all_metrics().keys() >= BY_ENDS | BY_RELEVANCE
    assert not BY_ENDS & BY_RELEVANCE


def test_orders_are_drawn_once_and_only_where_the_extreme_ones_leave_it_open(monkeypatch):
    """q1: the extremes differ. q2: nothing relevant. q3: what is tied stands below the last relevant document."""
    drawn = []
    monkeypatch.setattr(tie_changes, "random_orders", lambda run, *_: drawn.append(run.query_ids) or [])
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "z": 1}, "q3": {"a": 1, "b": 0}, "q4": {"a": 1, "b": 0}}
    run = {
        "q1": {"a": 1.0, "b": 1.0, "x": 1.0},
        "q2": {"a": 1.0, "x": 1.0},
        "q3": {"a": 2.0, "b": 1.0, "x": 1.0},
        "q4": {"b": 2.0, "x": 2.0, "a": 1.0},
    }
    metrics = [parse_metric(name) for name in ("mrr", "infap", "accuracy", "map", "bpref")]
    changed_by_ties([TieQuestion([metric], np.ones(4, dtype=bool)) for metric in metrics], graded(qrels, run))
    assert drawn == [("q4",)]
