"""Conventions: the decisions that a score depends on, and that could have been made differently, one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

import numpy as np

from assay.errors import UsageError
from assay.evaluation.profile import Setting
from assay.grammar import REQUIRED, show
from assay.metrics import GAIN_LEVEL, BoundMetric, all_metrics
from assay.model import Policy, Qrels

MAX_LEVELS_TRIED = 4
"""The largest number of other relevance levels to try."""
CUTOFFS_TRIED = (1, 3, 5, 10, 20, 50, 100)
"""Cutoffs that are often reported."""
DESCRIPTIONS: Mapping[tuple[str, Any], str] = {
    ("ties", "docid_desc"): "ties are ordered by descending document id",
    ("ties", "docid_asc"): "ties are ordered by ascending document id",
    ("ties", "input_order"): "ties keep the order of the input",
    ("ties", "reverse_order"): "ties have the reverse order of the input (ranx with plain dicts)",
    ("ties", "rank_column"): "ties are ordered by the rank column",
    ("ties", "expected"): "ties count as the mean over all their orders",
    ("ties", "ranx"): "ties have the order of ranx's unstable sort",
    ("ties", "error"): "ties have no defined order",
    ("precision", "float32"): "scores are rounded to single precision, so close scores become equal",
    ("precision", "float64"): "scores are compared in double precision",
    ("missing", "zero"): "queries missing from the run score 0",
    ("missing", "skip"): "queries missing from the run are left out",
    ("missing", "error"): "queries missing from the run are an error",
    ("extra", "error"): "queries without judgments are an error",
    ("extra", "skip"): "queries without judgments are left out",
    ("no_relevant", "zero"): "queries without relevant documents score 0",
    ("no_relevant", "skip"): "queries without relevant documents are left out",
    ("no_relevant", "one"): "queries without relevant documents score 1",
    ("no_relevant", "error"): "queries without relevant documents are an error",
    ("judged_only", True): "unjudged documents are removed first",
    ("judged_only", False): "unjudged documents count as not relevant",
    ("drop_self", True): "documents with the id of their query are removed",
    ("drop_self", False): "documents with the id of their query are kept",
    ("negatives", "nonrelevant"): "negative grades count as judged and not relevant",
    ("negatives", "unjudged"): "negative grades count as unjudged",
    ("rel", None): "any grade above 0 is relevant",
    ("max_grade", None): "the maximum grade is the highest one in the judgments",
    ("depth", None): "whole rankings count",
    ("duplicates", "error"): "a document ranked twice is an error",
    ("duplicates", "keep_best"): "a document ranked twice keeps its better rank",
}
FORMS: Mapping[tuple[str, Any], str] = {
    ("gain", "linear"): "the gain is the grade",
    ("gain", "exp"): "the gain is 2^grade − 1",
    ("gain", "binary"): "the gain of every relevant document is 1",
    ("gain", "scale"): "the gain is the grade divided by the maximum grade",
    ("gain", "query"): "the gain is the grade divided by the highest grade of the query",
    ("gain", "grade"): "the gain is the grade, even above 1",
    ("discount", "jk2002"): "no discount at rank 1, then the logarithm of the rank",
    ("ideal", "retrieved"): "a known bug: the ideal ranking contains only retrieved documents",
    ("ideal", "uncut"): "a known bug: the ideal ranking is not cut at k",
    ("over", "retrieved"): "divided by the number of retrieved documents instead of k",
    ("norm", "min"): "divided by the smaller of k and the number of relevant documents",
    ("norm", "relevant"): "divided by the number of relevant documents",
    ("norm", "found"): "divided by the number of relevant documents found, not by all relevant documents",
    ("rounding", "nearest"): "recall points are rounded to the nearest document",
    ("complete", "zero"): "0 if all retrieved documents are judged",
    ("empty", "odds"): "an empty ranking scores like a ranking without relevant documents",
}
"""Parameter of a metric and its value → what it means."""
VALUES_TRIED = {
    "ties": ("docid_desc", "docid_asc", "input_order", "reverse_order", "ranx", "expected"),
    "precision": ("float64", "float32"),
    "missing": ("zero", "skip"),
    "no_relevant": ("zero", "skip", "one"),
    "judged_only": (False, True),
    "drop_self": (False, True),
    "negatives": ("unjudged", "nonrelevant"),
}
"""Policy field → the values that may give another number, not an error."""


class Weight(NamedTuple):
    """The weight of a query in a micro average: the score of another metric, and a constant added to it."""

    metric: BoundMetric
    added: float = 0.0


@dataclass(frozen=True)
class Convention:
    """One decision: a policy field, a parameter of the metric, or another metric under the same name."""

    words: str
    policy: Mapping[str, Any] = field(default_factory=dict)
    metric: BoundMetric | None = None
    """The metric with only this decision changed."""
    params: Mapping[str, Any] = field(default_factory=dict)
    """The parameters that are changed; empty if it is a different metric."""
    weight: Weight | None = None
    """How much each query counts in the mean; None: all queries count the same."""
    is_reversed: bool = False
    """Whether the lowest score ranks first."""

    @property
    def can_be_set(self) -> bool:
        """Whether an option or a parameter sets it."""
        return not self.weight and not self.is_reversed

    def goes_with(self, other: Convention) -> bool:
        """Whether both can apply together: they must not set the same thing, nor may one replace what the other sets."""
        if self.policy.keys() & other.policy.keys():
            return False
        if not (self.metric and other.metric):
            return True
        return bool(self.params and other.params) and not self.params.keys() & other.params.keys()

    def applied(self, setting: Setting) -> Setting:
        """The setting with this decision changed."""
        return replace(setting, metric=self.metric or setting.metric, policy=replace(setting.policy, **self.policy))

    @property
    def flags(self) -> str:
        """The command-line options that set it."""
        return " ".join(flag_of(name, value) for name, value in self.policy.items())


def flag_of(name: str, value: Any) -> str:
    """The command-line option that sets a policy field, or `without --option` if the value needs no option."""
    flag = f"--{name.replace('_', '-')}"
    if value is None or value is False:
        return f"without {flag}"
    return flag if value is True else f"{flag} {show(value)}"


def of_policy(name: str, value: Any) -> Convention:
    """The convention of a policy field with this value."""
    numbers = {
        "rel": "grades of {} and above are relevant",
        "max_grade": "the maximum grade is {}",
        "depth": "only the first {} documents of a ranking count",
    }
    words = DESCRIPTIONS.get((name, value)) or numbers[name].format(show(value))
    return Convention(words, {name: value})


def of_metric(metric: BoundMetric, base: BoundMetric) -> Convention:
    """The convention of another variant of the metric, or of another metric."""
    if metric.metric is not base.metric:
        return Convention(f"{metric.name} is reported as {base.name}", metric=metric)
    changed = [param for param in metric.metric.params if metric.params[param.name] != base.params[param.name]]
    params = {param.name: metric.params[param.name] for param in changed}
    if list(params) == ["k"]:
        words = f"{'no' if params['k'] is None else 'another'} cutoff: {metric.name}"
    else:
        words = "; ".join(_form(name, value) for name, value in params.items())
    return Convention(words, metric=metric, params=params)


def _form(name: str, value: Any) -> str:
    if name == "k":
        return "no cutoff" if value is None else f"the cutoff is {value}"
    if name == "rel":
        return "every grade has a gain" if value is None else f"grades below {value:g} have no gain"
    return FORMS.get((name, value)) or f"{name} is {show(value)}"


def all_conventions(setting: Setting, qrels: Qrels) -> list[Convention]:
    """Every single decision that could have been made differently, those about ties first."""
    policies = [
        of_policy(name, value)
        for name, values in VALUES_TRIED.items()
        for value in values
        if getattr(setting.policy, name) != value
    ]
    return [*policies, *_levels(setting, qrels), *_formulas(setting.metric)]


def _levels(setting: Setting, qrels: Qrels) -> Iterator[Convention]:
    """The relevance levels in the judgments: as the policy's level, and as the metric's own level for graded metrics."""
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
    """Other cutoffs, if the metric has a cutoff: those that are often reported, and the neighbours of its own."""
    if not metric.metric.at or metric.metric.at.name != "k":
        return []
    own = metric.params["k"]
    neighbours = [] if own is None else [k for k in (own - 1, own + 1) if k >= 1]
    cutoffs = [k for k in dict.fromkeys((*neighbours, *CUTOFFS_TRIED)) if k != own]
    return [of_metric(_with_params(metric, k=k), metric) for k in cutoffs]


DIVISORS = {
    **dict.fromkeys(("recall", "map", "rprec", "set_recall", "f"), "num_rel"),
    "set_precision": "num_ret",
    "ndcg": "ideal_dcg",
}
"""Metric that is a quotient → the metric that is its divisor."""
DISTANCES = Convention(
    "scores are read as distances, so that the document with the lowest score comes first", is_reversed=True
)


def micro_averages(metric: BoundMetric) -> list[Convention]:
    """The micro average: a quotient of two sums over all queries, which is a mean weighted by the divisors."""
    name, params = metric.metric.name, metric.params
    if name not in DIVISORS or params.get("norm", "relevant") != "relevant" or params.get("ideal", "judged") != "judged":
        return []
    divisor = all_metrics()[DIVISORS[name]]
    takes = {param.name for param in divisor.params} & ({"k", "gain", "discount", "rel"} if name == "ndcg" else {"rel"})
    bound = divisor.bind(**({} if name == "set_precision" else {shared: params[shared] for shared in takes}))
    added = params["k"] / params["beta"] ** 2 if name == "f" else 0.0
    return [Convention("sums over all queries are divided (micro average)", weight=Weight(bound, added))]


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
