"""The registry: every metric by its name and by every other spelling of it, read from the catalog once."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from functools import cache
from typing import Any

from assay.catalog import load_entries
from assay.errors import UsageError
from assay.metrics._metric import Metric

_own: dict[str, tuple[Metric, Mapping[str, Any]]] = {}
"""Metrics that somebody made while the program runs, by name, as spellings are."""


@cache
def all_metrics() -> dict[str, Metric]:
    """Canonical name → metric of the catalog, sorted by name."""
    return load_entries("assay.metrics", Metric, "assay.metrics")


@cache
def all_spellings() -> dict[str, tuple[Metric, Mapping[str, Any]]]:
    """Every spelling of the catalog, folded → the metric and the parameters that spelling sets."""
    spellings: dict[str, tuple[Metric, Mapping[str, Any]]] = {}
    for metric in all_metrics().values():
        for name in (metric.name, *metric.aliases, *metric.trec_names):
            spellings.setdefault(fold(name), (metric, {}))
        for name, preset in {**metric.titles, **metric.presets}.items():
            spellings[fold(name)] = (metric, preset)
    return spellings


def known_spellings() -> Mapping[str, tuple[Metric, Mapping[str, Any]]]:
    """The same, and the metrics that were made since."""
    return ChainMap(all_spellings(), _own)


def register(metric: Metric) -> None:
    """Make a metric known by its name, here and now. One of the same name that was registered before is replaced."""
    known = all_spellings().get(fold(metric.name))
    if known and known[0] is not metric:
        raise UsageError(f"a metric of your own needs a name of its own: {metric.name} is {known[0].name} already")
    if not known:
        _own[fold(metric.name)] = (metric, {})


def fold(name: str) -> str:
    """How spellings are compared: case and hyphens do not matter."""
    return name.lower().replace("-", "_")
