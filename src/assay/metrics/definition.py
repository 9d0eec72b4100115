"""Metric: the record of one metric and its parameters. Parser, help, documentation and tests are derived from it."""

from __future__ import annotations

import ast
import math
import re
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.catalog import Described
from assay.errors import BadParameter
from assay.grammar import REQUIRED, Param, cutoff, days, depth, flag, number, one_of, positive, show, written
from assay.model import MEAN, Aggregation, Outcome, Scores
from assay.views import GradedRun, Hits

__all__ = ["BoundMetric", "GradedRun", "Metric", "Scores"]


class Worth(NamedTuple):
    """What documents are worth to a metric, and the parameters with which a grade is its worth."""

    of_grade: Callable[[GradedRun, Hits, Mapping[str, Any]], Floats]
    """Run, hits and parameters → the worth of each hit."""
    plain: Mapping[str, Any] = {}
    """The parameters with which the worth of a grade is the grade itself, or what `to_grade` returned."""
    to_grade: Callable[[Floats], Floats] | None = None
    """Worth → the grade that has this worth; None: they are equal."""
    top: Callable[[GradedRun, Mapping[str, Any]], float] | None = None
    """The grade of a document that is worth most; None: the highest grade stays."""


@dataclass(frozen=True, repr=False)
class Metric(Described):
    """The definition of a metric: its function, its parameters, and everything that describes it.

    The meaning is the first line of the function's docstring, the edge cases are the rest.
    """

    name: str
    function: Callable[..., Outcome]
    params: tuple[Param, ...] = ()
    aliases: tuple[str, ...] = ()
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Other names that also set parameters: `ndcg_burges` means ndcg(gain=exp)."""
    titles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Presets that are also the canonical name of their setting: `f1` means f(beta=1)."""
    expected: Callable[..., Scores | None] | None = None
    """The mean over all orders of tied documents, if there is a closed form."""
    is_monotone: bool = True
    """Whether moving a better document up one rank never lowers the score. If not, the extremes over ties are searched."""
    ignores_the_rest: bool = False
    """Whether the order below the last relevant document never changes the score. Then the search can leave it out."""
    range: tuple[float, float] = (0.0, 1.0)
    higher_is_better: bool = True
    aggregation: Aggregation = MEAN
    view: str = "ranking"
    formula: str = ""
    cite: str = ""
    check: Callable[[Mapping[str, Any]], None] | None = None
    """Raises BadParameter if parameters contradict each other."""
    mistaken_for: tuple[str, ...] = ()
    """Other metrics that are often reported under the name of this one."""
    trec: tuple[str, ...] = ()
    """The names of the metric in trec_eval, as templates with the parameters."""
    worth: Worth | None = None
    """What a document is worth to the metric, which decays with its age; None if the metric has no half-life."""
    reads: tuple[str, ...] = ()
    """What a metric of result lists reads about documents, such as `tags`; none if it may read everything."""

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name

    @property
    def spellings(self) -> tuple[str, ...]:
        """All other names of the metric."""
        return (*self.aliases, *self.titles, *self.presets)

    @property
    def is_share_of_ideal(self) -> bool:
        """Whether the best possible score is 1 and depends on relevant documents, so that none may mean a perfect score."""
        is_rate = self.range == (0.0, 1.0) and self.aggregation is MEAN and self.view == "ranking"
        return is_rate and any(param.name == "rel" for param in self.params)

    @property
    def is_own(self) -> bool:
        """Whether the metric comes from user code or a plug-in, which other people may not have."""
        return not getattr(self.function, "__module__", "").startswith("assay.metrics.")

    @cached_property
    def at(self) -> Param | None:
        """The parameter that `@` sets."""
        return next((param for param in self.params if param.at), None)

    @property
    def trec_names(self) -> tuple[str, ...]:
        """The names in trec_eval, without parameters."""
        bare = (re.split(r"_(?:[a-z]+=)?{", template)[0] for template in self.trec)
        return tuple(dict.fromkeys(bare))

    def bind(self, **given_params: Any) -> BoundMetric:
        """The metric with these parameters; all others keep their defaults. Values are used as given."""
        settings = {param.name: param.default for param in self.params}
        if unknown := given_params.keys() - settings.keys():
            known = ", ".join(settings) or "none"
            raise BadParameter(f"{self.name} has no parameter {', '.join(sorted(unknown))} (it has: {known})")
        settings |= given_params
        if self.check:
            self.check(settings)
        return BoundMetric(self, settings, frozenset(given_params))


@dataclass(frozen=True, repr=False)
class BoundMetric:
    """A metric with its parameters. It computes scores and is known by its canonical name."""

    metric: Metric
    params: Mapping[str, Any]
    given: frozenset[str] = field(default=frozenset(), compare=False)
    """Parameters that the user set explicitly; a profile does not change them."""
    texts: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """Parameters as the user wrote them after a dot, as in trec_eval."""

    @cached_property
    def name(self) -> str:
        """The canonical spelling, such as `ndcg@10` or `rbp(p=0.8)`. Parsing it returns the same metric."""
        return written(*self._label()) + self._cutoff()

    @cached_property
    def _cut_by(self) -> Param | None:
        """The parameter after `@`: the cutoff, or else a budget."""
        cuts = sorted((param for param in self.metric.params if param.at or param.budget), key=lambda param: param.budget)
        return next((param for param in cuts if self.params[param.name] is not None), None)

    def _cutoff(self) -> str:
        if (cut := self._cut_by) is None:
            return ""
        return f"@{cut.name}={show(self.params[cut.name])}" if cut.budget else f"@{show(self.params[cut.name])}"

    def _label(self) -> tuple[str, dict[str, Any]]:
        settings = {
            param.name: self.params[param.name]
            for param in self.metric.params
            if param is not self._cut_by and not param.at and (param.shown or self.params[param.name] != param.default)
        }
        for title, preset in self.metric.titles.items():
            if all(self.params[name] == value for name, value in preset.items()):
                return title, {name: value for name, value in settings.items() if name not in preset}
        return self.metric.name, settings

    @cached_property
    def trec_name(self) -> str:
        """The name that trec_eval prints; the canonical name if trec_eval does not have the metric."""
        set_by_user = {p.name for p in self.metric.params if self.params[p.name] != p.default or p.name in self.given}
        for template in self.metric.trec:
            fields = [(name, spec or "") for _, name, spec, _ in string.Formatter().parse(template) if name]
            texts = {name: self._trec_text(name, spec) for name, spec in fields}
            if set_by_user <= texts.keys() and all(texts.values()):
                return re.sub(r"{(\w+)[^}]*}", r"{\1}", template).format_map(texts)
        return self.name

    def _trec_text(self, name: str, spec: str) -> str:
        """A parameter as trec_eval prints it: a list or a map as the user wrote it; empty if trec_eval cannot have it."""
        value = self.params[name]
        if value is None or isinstance(value, str):
            return ""
        if spec or isinstance(value, int):
            return format(value, spec)
        if name in self.texts:
            return self.texts[name]
        values = value if isinstance(value, tuple) else (value,)
        return ",".join(f"{v[0]:g}={v[1]:g}" if isinstance(v, tuple) else f"{v:g}" for v in values)

    def score(self, view: Any) -> Outcome:
        """One score per query of the view. The tie rule of the view decides how ties are scored."""
        if getattr(view, "tie_rule", "settled") != "settled" and self.metric.aggregation.summarise:
            from assay.metrics.ties import scores_by_tie_rule

            return scores_by_tie_rule(self, view)
        return self._apply(self.metric.function, view)

    def expected(self, view: Any) -> Scores | None:
        """The mean of each score over all orders of ties; None if there is no closed form."""
        return self._apply(self.metric.expected, view) if self.metric.expected else None

    def _apply(self, function: Callable[..., Any], view: Any) -> Any:
        if self.half_life is not None:
            from assay.metrics.recency import by_age

            metric, (view,) = by_age(self, view)
            return metric._apply(function, view)
        scores = function(view.condensed() if self.params.get("judged_only") else view, **self._arguments)
        if not getattr(view, "empty_score", 0.0) or not self.metric.is_share_of_ideal or scores is None:
            return scores
        return np.where(view.n_relevant(self.params["rel"]) == 0, view.empty_score, scores)

    @property
    def half_life(self) -> float | None:
        """The days in which gains are halved; None if they do not depend on the age of documents."""
        return None if self.metric.worth is None else self.params.get("half_life")

    @cached_property
    def _arguments(self) -> dict[str, Any]:
        """The parameters that the function of the metric accepts."""
        applied_before = ("judged_only",) if self.metric.worth is None else ("judged_only", "half_life")
        return {name: value for name, value in self.params.items() if name not in applied_before}

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Callable[[str, bool], BoundMetric], tuple[str, bool]]:
        from assay.metrics.lookup import recorded_metric  # imported here because the parser imports this module

        return recorded_metric, (self.name, self.metric.higher_is_better)


ANSWER_TOKENS = Param(
    "tokens",
    one_of("words", "squad"),
    "words",
    "words: Unicode words, or single characters in scripts without spaces; squad: as in the SQuAD evaluation, which drops "
    "English articles",
)
ANSWER_COUNT = Param(
    "count",
    one_of("set", "bag"),
    "set",
    "set: each word counts once, as in relevance by tokens; bag: each word counts as often as it occurs, as in SQuAD",
)


GAINS = ("linear", "exp", "binary")
_GAIN_WORD = one_of(*GAINS, log2="linear", exp_log2="exp")


def gain(text: str) -> str | tuple[tuple[float, float], ...]:
    """`linear`, `exp`, `binary`, or a map from grade to gain: `{1: 3.5, 2: 9}` or `1=3.5,2=9`."""
    if "=" in text and "{" not in text:
        text = "{" + text.replace("=", ":") + "}"
    if not text.startswith("{"):
        try:
            return _GAIN_WORD(text)
        except ValueError as error:
            raise ValueError(f"{error}, or a map such as {{1: 3.5, 2: 9}}") from None
    try:
        table = ast.literal_eval(text)
        if table and all(math.isfinite(number) for pair in table.items() for number in pair):
            return tuple(sorted((float(grade), float(worth)) for grade, worth in table.items()))
    except (ValueError, SyntaxError, TypeError, AttributeError, OverflowError, RecursionError, MemoryError):
        pass
    raise ValueError("a map from grade to gain such as {1: 3.5, 2: 9}")


gain.choices = GAINS  # type: ignore[attr-defined]

CUTOFF = Param("k", cutoff, None, "only the first k documents count", aliases=("cutoff",), at=True)
CUTOFF_NEEDED = Param("k", cutoff, REQUIRED, "only the first k documents count", aliases=("cutoff",), at=True)
REL = Param(
    "rel",
    number,
    None,
    "lowest grade that counts as relevant. If not set: the relevance level of the policy (by default any grade above 0)",
)
JUDGED_ONLY = Param("judged_only", flag, False, "remove unjudged documents from the ranking before scoring")
HALF_LIFE = Param(
    "half_life",
    days,
    None,
    "the gain of a document is halved for every so many days of its age: 30, 12h, 2w. Queries and documents need times",
)
GAIN = Param(
    "gain",
    gain,
    "linear",
    "gain of a grade: linear (the grade itself), exp (2^grade − 1), binary (1 if the grade is above 0), "
    "or a map such as {1: 3.5, 2: 9}",
    ("gains", "dcg"),
    dot=True,
)
GAIN_LEVEL = Param(
    "rel", number, None, "documents with a lower grade have no gain. The relevance level of the policy has no effect here"
)
DISCOUNT = Param(
    "discount", one_of("log2", "jk2002"), "log2", "log2: 1/log₂(rank+1); jk2002: no discount at rank 1, then 1/log₂(rank)"
)
MAX_GRADE = Param(
    "max_grade", positive, None, "highest grade of the scale. If not set: the highest grade in the judgments", ("max_rel",)
)
MIN_GRADE = Param("min_grade", number, 0.0, "lowest grade of the scale", ("min_rel",))
TARGET = Param("t", positive, 1.0, "total gain that the user wants")
CUTOFF_VISITED = Param("k", depth, REQUIRED, "only the first k documents count", aliases=("cutoff",), at=True)
DEPTH = Param("depth", depth, 1000, "number of ranks that the user model sums over (cwl_eval: 1000)")


FIRST_CHUNKS = Param("k", cutoff, None, "only the first k chunks count", aliases=("cutoff",), at=True)
FIRST_FILES = Param("k", cutoff, None, "only the first k files count", aliases=("cutoff",), at=True)
SPAN_TOKENS = Param(
    "tokens",
    cutoff,
    None,
    "a budget in words: chunks count, in rank order, until one does not fit into the budget",
    aliases=("budget",),
    budget=True,
)
SPAN_UNIT = Param(
    "unit",
    one_of("gold", "lines", "characters", line="lines", chars="characters", character="characters"),
    "gold",
    "unit of length: lines, characters, or gold (the unit of the gold spans; characters if they use both)",
)
