"""Probe: a result that is not stored, as the point that it would be in the history of a metric."""

from __future__ import annotations

from dataclasses import replace

from assay.evaluation import Result
from assay.store.entries import Point
from assay.store.moments import now
from assay.store.parcel import to_stored
from assay.store.writing import comparability_of
from assay.text import printable


def point_of(result: Result, metric: str) -> Point:
    """Its figure, with what it may be compared with; it belongs to no evaluation yet."""
    parcel = to_stored(replace(result, run={}))
    name = result.own_name(metric)
    figure = next((one for one in parcel.figures if one.metric == name), None)
    value, n = (figure.value, figure.n) if figure else (None, 0)
    where = (printable(result.benchmark), printable(result.name))
    return Point("", now(), *where, value, None, None, n, comparability_of(parcel))
