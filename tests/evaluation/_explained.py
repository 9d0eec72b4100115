"""Explanations asked for, and what is read off them."""

from assay.reports import why

TIED = ({"1": {"d1": 1}}, {"1": {"d3": 5.0, "d4": 5.0, "d1": 5.0, "d2": 5.0}})
"""Four documents with one score, the relevant one third in the order given."""


def explained(qrels, run, metric, expected=None, **how):
    (found,) = why(qrels, run, metric, expected, **how)
    return found


def values(figures):
    return {figure.label: figure.value for figure in figures if not figure.fault}


TWO_QUERIES = ({"1": {"a": 1, "b": 2}, "2": {"c": 1}}, {"1": {"a": 2.0, "b": 1.0}})
"""The second query is missing, and the first has its documents the wrong way round."""
