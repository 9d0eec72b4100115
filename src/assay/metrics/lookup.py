"""Lookup: known metrics by the names in our own code, in results, in stores and in addresses.

Looking up a name never imports anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from assay.errors import BadParameter, UnknownName
from assay.metrics.custom import OwnMetric, unknown_function
from assay.metrics.definition import BoundMetric, Metric
from assay.metrics.parsing import bound_metrics, only_one


def find_metrics(names: str | Iterable[str], profile: str = "") -> list[BoundMetric]:
    """Metrics of the catalog and metrics made in this program, by spellings and groups; each once, in order.

    A name such as `python:module:name` is unknown here. Names are read as the tool of the profile reads them.
    """
    return bound_metrics(_unmarked(names), profile)


def find_metric(name: str, profile: str = "") -> BoundMetric:
    """The one metric of that name."""
    return only_one(name, find_metrics(name, profile))


def recorded_metric(name: str, higher_is_better: bool = True) -> BoundMetric:
    """The metric that a result has under a name.

    A metric that is unknown here, or whose name cannot be parsed here, keeps its recorded name and direction. Its scores can
    be shown, but no new ones can be computed.
    """
    try:
        metric = find_metric(name)
    except (UnknownName, BadParameter):
        return _by_name_alone(name, higher_is_better)
    return metric if metric.name == name else _by_name_alone(name, metric.metric.higher_is_better)


def _by_name_alone(name: str, higher_is_better: bool) -> BoundMetric:
    anything = (-math.inf, math.inf)
    unknown = OwnMetric(name, unknown_function, is_monotone=False, range=anything, higher_is_better=higher_is_better)
    return BoundMetric(unknown, {})


def _unmarked(names: Any) -> Any:
    """The names as plain text. Measures of ir_measures and metric objects stay as they are."""
    if isinstance(names, str):
        return str(names)
    is_list = isinstance(names, Iterable) and not isinstance(names, BoundMetric | Metric)
    return [_unmarked(name) for name in names] if is_list else names
