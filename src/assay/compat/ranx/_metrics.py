"""Metrics as ranx writes them: `ndcg@10`, `map@100-l2`, `rbp.95`; any other name of assay's is read as well."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from assay.errors import BadParameter
from assay.evaluation import RANX
from assay.grammar import WrittenName
from assay.metrics import BoundMetric, all_metrics, parse_metric
from assay.model import MEAN, Policy


@dataclass(frozen=True)
class Known:
    """One of ranx's metrics: which of ours it is, with which settings, and which it is without a cutoff."""

    metric: str
    label: str
    settings: tuple[tuple[str, Any], ...] = ()
    uncut: str = ""
    takes_cutoff: bool = True


KNOWN = {
    "hits": Known("num_rel_ret", "Hits"),
    "hit_rate": Known("hit", "Hit Rate"),
    "precision": Known("precision", "P", uncut="set_precision"),
    "recall": Known("recall", "Recall"),
    "f1": Known("f", "F1", (("beta", 1.0),), uncut="set_f"),
    "r-precision": Known("rprec", "R-Prec", takes_cutoff=False),
    "mrr": Known("mrr", "MRR"),
    "map": Known("map", "MAP"),
    "dcg": Known("dcg", "DCG"),
    "dcg_burges": Known("dcg", "DCG Burges", (("gain", "exp"),)),
    "ndcg": Known("ndcg", "NDCG"),
    "ndcg_burges": Known("ndcg", "NDCG Burges", (("gain", "exp"),)),
    "bpref": Known("bpref", "BPref", takes_cutoff=False),
}
_PLAIN = re.compile(rf"(?P<name>{'|'.join(map(re.escape, KNOWN))})(?:@(?P<k>\d+))?(?:-l(?P<level>\d+))?", re.ASCII)
_LEVEL_FIRST = re.compile(rf"(?P<name>{'|'.join(map(re.escape, KNOWN))})-l(?P<level>\d+)@(?P<k>\d+)", re.ASCII)
_RBP = re.compile(r"rbp[.@](?P<p>\d+)(?:-l(?P<level>\d+))?", re.ASCII)


def parse_ranx_metric(text: str) -> BoundMetric:
    """The metric that ranx means. A cutoff of 0 is none; `rbp` without a persistence is refused, as there."""
    if not isinstance(text, str):
        raise BadParameter(f"a metric is given by its name, such as 'ndcg@10', not by {text!r}")
    if shape := _RBP.fullmatch(text):
        return all_metrics()["rbp"].bind(p=float(f"0.{shape['p']}"), gain="grade", **_level(shape["level"]))
    if text.partition("-l")[0] == "rbp":
        raise BadParameter(f"{text}: rbp needs a persistence, as in rbp.95")
    if shape := _LEVEL_FIRST.fullmatch(text):
        raise BadParameter(f"{text}: the level stands last, as in {shape['name']}@{shape['k']}-l{shape['level']}")
    if not (shape := _PLAIN.fullmatch(text)):
        return _other(text)
    known, k = KNOWN[shape["name"]], int(shape["k"] or 0)
    if k and not known.takes_cutoff:
        raise BadParameter(f"{text}: {shape['name']} takes no cutoff")
    metric = all_metrics()[known.uncut if known.uncut and not k else known.metric]
    settings = {**dict(known.settings), **({"k": k} if k else {}), **_level(shape["level"])}
    return metric.bind(**settings)


def _other(text: str) -> BoundMetric:
    """A metric that ranx lacks; its figure must be the mean of scores of rankings, as all of ranx's are."""
    metric = parse_metric(WrittenName(text))
    if metric.metric.view != "ranking":
        raise BadParameter(f"{text} is no metric of a ranking; ranx's evaluate knows no others")
    if metric.metric.aggregation is not MEAN:
        raise BadParameter(f"{text} is no mean over queries; assay.evaluate(qrels, run, {metric.name!r}) works it out")
    return metric


def _level(text: str | None) -> dict[str, float]:
    """`-l1` is ranx's way to say nothing: it is the level that holds by default."""
    return {"rel": float(text)} if text and int(text) != 1 else {}


def policy_for(metric: BoundMetric, policy: Policy) -> Policy:
    """The policy with what ranx does otherwise for a metric."""
    variant = RANX.variant(metric.metric.name, metric.params)
    return replace(policy, **variant.policy) if variant else policy


def label_of(text: str) -> str:
    """A metric as the head of a table has it: `NDCG@10`, `MAP@100-l2`, `RBP.95`."""
    if text.startswith("rbp"):
        return f"RBP{text[3:]}"
    name = re.split(r"@|-l(?=\d)", text)[0]
    return f"{KNOWN[name].label}{text[len(name) :]}" if name in KNOWN else text
