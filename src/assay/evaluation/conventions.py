"""Conventions: everything about a score that could have been decided otherwise, one decision at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.evaluation.profile import Setting
from assay.grammar import REQUIRED, show
from assay.metrics import GAIN_LEVEL, BoundMetric, all_metrics
from assay.model import Policy, Qrels

MAX_LEVELS_TRIED = 4
"""Relevance levels tried besides the one in use."""
CUTOFFS_TRIED = (1, 3, 5, 10, 20, 50, 100)
"""Cutoffs people report."""
DESCRIPTIONS: Mapping[tuple[str, Any], str] = {
    ("ties", "docid_desc"): "equal scores by descending id",
    ("ties", "docid_asc"): "equal scores by ascending id",
    ("ties", "input_order"): "equal scores in the order given",
    ("ties", "reverse_order"): "equal scores in the reverse of the order given (ranx with plain dicts)",
    ("ties", "rank_column"): "equal scores by the ranks beside them",
    ("ties", "expected"): "the mean over all orders of equal scores",
    ("ties", "ranx"): "equal scores as ranx's unstable sort leaves them",
    ("ties", "error"): "equal scores in no defined order",
    ("precision", "float32"): "scores cut to single precision, where near ones become equal",
    ("precision", "float64"): "scores compared in double precision",
    ("missing", "zero"): "queries missing from the run score 0",
    ("missing", "skip"): "queries missing from the run are left out",
    ("missing", "error"): "queries missing from the run are an error",
    ("extra", "error"): "queries without judgments are an error",
    ("extra", "skip"): "queries without judgments are left out",
    ("no_relevant", "zero"): "queries without relevant documents score 0",
    ("no_relevant", "skip"): "queries without relevant documents are left out",
    ("no_relevant", "error"): "queries without relevant documents are an error",
    ("judged_only", True): "unjudged documents are dropped first",
    ("judged_only", False): "unjudged documents count as not relevant",
    ("drop_self", True): "documents named like their query are dropped",
    ("drop_self", False): "documents named like their query are kept",
    ("negatives", "nonrelevant"): "negative grades count as judged and not relevant",
    ("negatives", "unjudged"): "negative grades count as unjudged",
    ("rel", None): "any grade above 0 is relevant",
    ("max_grade", None): "the top grade is the largest judged",
    ("duplicates", "error"): "a document ranked twice is an error",
    ("duplicates", "keep_best"): "a document ranked twice stands at its better place",
}
FORMS: Mapping[tuple[str, Any], str] = {
    ("gain", "linear"): "a grade is worth itself",
    ("gain", "exp"): "a grade is worth 2^grade − 1",
    ("gain", "binary"): "every relevant document is worth 1",
    ("gain", "scale"): "a grade is worth its share of the largest grade",
    ("gain", "query"): "a grade is worth its share of the query's largest",
    ("gain", "grade"): "a grade is worth itself, even above 1",
    ("discount", "jk2002"): "no discount at rank 1, then the logarithm of the rank",
    ("ideal", "retrieved"): "a known fault: the ideal ranking holds only what was found",
    ("ideal", "uncut"): "a known fault: the ideal ranking is not cut at k",
    ("over", "retrieved"): "divided by the documents retrieved instead of k",
    ("norm", "min"): "divided by the smaller of k and R",
    ("norm", "relevant"): "divided by R",
    ("rounding", "nearest"): "recall points rounded to the nearest document",
    ("complete", "zero"): "0 where everything retrieved is judged",
    ("empty", "odds"): "an empty ranking has the odds of one without hits",
}
"""Parameter of a metric and its value → what that means."""
VALUES_TRIED = {
    "ties": ("docid_desc", "docid_asc", "input_order", "reverse_order", "ranx", "expected"),
    "precision": ("float64", "float32"),
    "missing": ("zero", "skip"),
    "no_relevant": ("zero", "skip"),
    "judged_only": (False, True),
    "drop_self": (False, True),
    "negatives": ("unjudged", "nonrelevant"),
}
"""Field → the values that may lead to another number rather than to an error."""


@dataclass(frozen=True)
class Convention:
    """One decision: a field of the policy, a parameter of the metric, or another metric under the same name."""

    words: str
    policy: Mapping[str, Any] = field(default_factory=dict)
    metric: BoundMetric | None = None
    """The metric with this decided otherwise, and nothing else."""
    params: Mapping[str, Any] = field(default_factory=dict)
    """Its parameters that are decided otherwise; none where it is another metric altogether."""

    def goes_with(self, other: Convention) -> bool:
        """Whether both can be decided at once: not if they are about one thing, nor if one replaces what the other sets."""
        if self.policy.keys() & other.policy.keys():
            return False
        if not (self.metric and other.metric):
            return True
        return bool(self.params and other.params) and not self.params.keys() & other.params.keys()

    def applied(self, setting: Setting) -> Setting:
        """The setting with this decided otherwise."""
        return replace(setting, metric=self.metric or setting.metric, policy=replace(setting.policy, **self.policy))

    @property
    def flags(self) -> str:
        """How it is asked for on the command line, beside the metric."""
        return " ".join(flag_of(name, value) for name, value in self.policy.items())


def flag_of(name: str, value: Any) -> str:
    """A field of the policy as it is set on the command line; what no flag sets is what there is without one."""
    flag = f"--{name.replace('_', '-')}"
    if value is None or value is False:
        return f"without {flag}"
    return flag if value is True else f"{flag} {show(value)}"


def of_policy(name: str, value: Any) -> Convention:
    """A field of the policy."""
    numbers = {"rel": "grades from {} on are relevant", "max_grade": "the top grade is {}"}
    words = DESCRIPTIONS.get((name, value)) or numbers[name].format(show(value))
    return Convention(words, {name: value})


def of_metric(metric: BoundMetric, base: BoundMetric) -> Convention:
    """Another form of the metric, or another metric."""
    if metric.metric is not base.metric:
        return Convention(f"{metric.name} under the name of {base.name}", metric=metric)
    changed = [param for param in metric.metric.params if metric.params[param.name] != base.params[param.name]]
    params = {param.name: metric.params[param.name] for param in changed}
    if list(params) == ["k"]:
        words = f"{'no' if params['k'] is None else 'another'} cutoff: {metric.name}"
    else:
        words = "; ".join(_form(name, value) for name, value in params.items())
    return Convention(words, metric=metric, params=params)


def _form(name: str, value: Any) -> str:
    if name == "k":
        return "no cutoff" if value is None else f"cut at {value}"
    if name == "rel":
        return "every grade gains" if value is None else f"grades below {value:g} gain nothing"
    return FORMS.get((name, value)) or f"{name} is {show(value)}"


def all_conventions(setting: Setting, qrels: Qrels) -> list[Convention]:
    """Every single decision that could have been taken otherwise, those about ties first."""
    policies = [
        of_policy(name, value)
        for name, values in VALUES_TRIED.items()
        for value in values
        if getattr(setting.policy, name) != value
    ]
    return [*policies, *_levels(setting, qrels), *_formulas(setting.metric)]


def _levels(setting: Setting, qrels: Qrels) -> Iterator[Convention]:
    """Levels that the judgments know, where the metric has one: the policy's for binary metrics, its own for graded ones."""
    levels = [float(grade) for grade in np.unique(qrels.grades[qrels.grades > 0])[1 : MAX_LEVELS_TRIED + 1]]
    for level in (None, *levels):
        if level != setting.policy.rel:
            yield of_policy("rel", level)
    if GAIN_LEVEL in setting.metric.metric.params and setting.metric.params["rel"] is None:
        for level in levels:
            yield of_metric(_with_params(setting.metric, rel=level), setting.metric)


def _formulas(metric: BoundMetric) -> Iterator[Convention]:
    for param in metric.metric.params:
        for choice in param.choices:
            if metric.params[param.name] != choice:
                yield of_metric(_with_params(metric, **{param.name: choice}), metric)
    if metric.params.get("k") is not None and _default(metric, "k") is None:
        yield of_metric(_with_params(metric, k=None), metric)
    for name in metric.metric.mistaken_for:
        other = all_metrics()[name]
        both = {param.name for param in other.params} & metric.params.keys() & {"k", "rel"}
        shared = {name: metric.params[name] for name in both if metric.params[name] is not None}
        try:
            bound = other.bind(**shared)
        except UsageError:
            continue
        if REQUIRED not in bound.params.values():
            yield of_metric(bound, metric)


def all_cutoffs(metric: BoundMetric) -> list[Convention]:
    """Other cutoffs, where the metric has one."""
    if not metric.metric.at or metric.metric.at.name != "k":
        return []
    return [of_metric(_with_params(metric, k=k), metric) for k in CUTOFFS_TRIED if metric.params["k"] != k]


def _default(metric: BoundMetric, name: str) -> Any:
    """The default of a parameter."""
    return next(param.default for param in metric.metric.params if param.name == name)


def _with_params(metric: BoundMetric, **settings: Any) -> BoundMetric:
    return metric.metric.bind(**{**metric.params, **settings})


def differences(setting: Setting, base: Setting) -> list[Convention]:
    """The single decisions in which one setting differs from another."""
    policies = [
        of_policy(field.name, getattr(setting.policy, field.name))
        for field in fields(Policy)
        if getattr(setting.policy, field.name) != getattr(base.policy, field.name)
    ]
    return [*policies, *([of_metric(setting.metric, base.metric)] if setting.metric != base.metric else [])]
