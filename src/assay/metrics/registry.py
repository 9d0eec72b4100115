"""The registry: every metric by its name and its other spellings, read once from the catalog; and named groups."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from assay.catalog import Entries, load_entries
from assay.errors import UsageError
from assay.metrics.definition import Metric
from assay.plug_ins import plug_in_points

Spellings = dict[str, tuple[Metric, Mapping[str, Any]]]
"""Folded spelling → the metric, and the parameters that this spelling sets."""
_own: Spellings = {}
"""Metrics that were made while the program runs, by folded name."""
_registered: list[str] = []
"""Their names, in the order in which they were registered."""


@cache
def all_metrics() -> Entries[Metric]:
    """Canonical name → metric of the catalog, sorted by name."""
    return load_entries("assay.metrics.catalog", Metric, "assay.metrics")


@cache
def own_spellings() -> Spellings:
    """Spellings of the built-in metrics."""
    return _spellings(all_metrics().own.values())


@cache
def all_spellings() -> Spellings:
    """Spellings of the whole catalog, plug-ins included."""
    return _spellings(all_metrics().values())


def _spellings(metrics: Iterable[Metric]) -> Spellings:
    spellings: Spellings = {}
    for metric in metrics:
        for name in (metric.name, *metric.aliases, *metric.trec_names):
            spellings.setdefault(fold(name), (metric, {}))
        for name, preset in {**metric.titles, **metric.presets}.items():
            spellings[fold(name)] = (metric, preset)
    return spellings


def known_spellings() -> Mapping[str, tuple[Metric, Mapping[str, Any]]]:
    """Spellings of the whole catalog, and of the metrics that were made since."""
    return ChainMap(all_spellings(), _own)


def spellings_without_plug_ins() -> Mapping[str, tuple[Metric, Mapping[str, Any]]]:
    """Spellings of the built-in metrics, and of the metrics that were made since."""
    return ChainMap(own_spellings(), _own)


@cache
def plug_in_names() -> frozenset[str]:
    """The names that plug-ins announce, folded. No plug-in is loaded."""
    return frozenset(fold(point.name) for point in plug_in_points("assay.metrics"))


def register(metric: Metric) -> None:
    """Register a metric under its name. It replaces a metric that was registered under the same name before."""
    known = all_spellings().get(fold(metric.name))
    if known and known[0] is not metric:
        raise UsageError(
            f"your metric cannot be called {metric.name}: this name already means {known[0].name}. Choose another name"
        )
    if not known and _own.get(fold(metric.name), (None,))[0] is not metric:
        _own[fold(metric.name)] = (metric, {})
        _registered.append(metric.name)


def n_registered() -> int:
    """How often a metric was registered: another number means that a spelling may mean another metric."""
    return len(_registered)


def fold(name: str) -> str:
    """The form in which spellings are compared: lower case, with _ for -."""
    return name.lower().replace("-", "_")


CUTS = "5,10,15,20,30,100,200,500,1000"
POINTS = "0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1"
COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret")

OFFICIAL = (
    *("runid", *COUNTS, "map", "gm_map", "rprec", "bpref", "mrr"),
    *(f"iprec@{POINTS}", f"precision@{CUTS}"),
)
SETS = ("set_precision", "set_relative_precision", "set_recall", "set_map", "set_f")

GROUPS: dict[str, tuple[str, ...]] = {
    "rag": ("ndcg@10", "recall@10", "precision@5", "mrr", "hit@5", "map"),
    "beir": ("ndcg@1,3,5,10,100,1000", "map@1,3,5,10,100,1000", "recall@1,3,5,10,100,1000", "precision@1,3,5,10,100,1000"),
    "mteb": tuple(f"{name}@1,3,5,10,20,100,1000" for name in ("ndcg", "map", "recall", "precision", "mrr", "hit")),
    "official": OFFICIAL,
    "set": ("runid", *COUNTS, "utility", *SETS),
    "all_trec": (
        *OFFICIAL,
        *("relstring", f"recall@{CUTS}", "infap", "gm_bpref", "rprec_mult@0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2"),
        *("utility", "11pt_avg", "bing", "g", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "rndcg"),
        *(f"ndcg@{CUTS}", f"map@{CUTS}", f"capped_recall@{CUTS}", "hit@1,5,10", *SETS),
        *("num_nonrel_judged_ret", "yaap", "rbp(p=0.9, gain=query)", "rbp_residual(p=0.9)", "unjudged@5,10,20"),
    ),
}
DEFAULT_GROUP = "rag"
