"""Metric: the record of one metric and its parameters, from which parser, help, documentation and tests are derived."""

from __future__ import annotations

import ast
import math
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from assay.catalog import Described
from assay.errors import BadParameter
from assay.grammar import REQUIRED, Param, cutoff, depth, flag, number, one_of, positive, show, written
from assay.model import MEAN, Aggregation, Outcome, Scores
from assay.views import GradedRun

__all__ = ["BoundMetric", "GradedRun", "Metric", "Scores"]


@dataclass(frozen=True)
class Metric(Described):
    """A definition: its function, what parameterises it, and everything people ask about it.

    The meaning is the first line of the function's docstring, the edge cases are the rest.
    """

    name: str
    function: Callable[..., Outcome]
    params: tuple[Param, ...] = ()
    aliases: tuple[str, ...] = ()
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Other names that also set parameters: `ndcg_burges` is ndcg(gain=exp)."""
    titles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Presets that are also the canonical name of that setting: `f1` is f(beta=1)."""
    expected: Callable[..., Scores | None] | None = None
    """The mean over all orders of tied documents, where a closed form exists."""
    is_monotone: bool = True
    """Whether a better document one place up never lowers the score; if not, the extremes over ties are searched."""
    ignores_the_rest: bool = False
    """Whether the order below the last relevant document never changes the score, so that none needs to be searched."""
    range: tuple[float, float] = (0.0, 1.0)
    higher_is_better: bool = True
    aggregation: Aggregation = MEAN
    view: str = "ranking"
    formula: str = ""
    cite: str = ""
    check: Callable[[Mapping[str, Any]], None] | None = None
    """Raises BadParameter where parameters that are fine by themselves do not go together."""
    mistaken_for: tuple[str, ...] = ()
    """Metrics that people report under its name."""
    trec: tuple[str, ...] = ()
    """trec_eval's names for it, as templates over the parameters."""

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every name it answers to, besides its own."""
        return (*self.aliases, *self.titles, *self.presets)

    @property
    def is_own(self) -> bool:
        """Whether it comes from outside: from somebody's own code or a plug-in, which others may not have."""
        return not getattr(self.function, "__module__", "").startswith("assay.metrics.")

    @cached_property
    def at(self) -> Param | None:
        """The parameter that `@` sets."""
        return next((param for param in self.params if param.at), None)

    @property
    def trec_names(self) -> tuple[str, ...]:
        """trec_eval's names without parameters."""
        bare = (template.partition("{")[0].rstrip("_") for template in self.trec)
        return tuple(dict.fromkeys(bare))

    def bind(self, **given_params: Any) -> BoundMetric:
        """The metric with these parameters, the rest at their defaults. Values are taken as they are."""
        settings = {param.name: param.default for param in self.params}
        if unknown := given_params.keys() - settings.keys():
            raise BadParameter(f"{self.name} has no parameter {', '.join(sorted(unknown))}")
        settings |= given_params
        if self.check:
            self.check(settings)
        return BoundMetric(self, settings, frozenset(given_params))


@dataclass(frozen=True)
class BoundMetric:
    """A metric with its parameters: the thing that scores, known by its canonical name."""

    metric: Metric
    params: Mapping[str, Any]
    given: frozenset[str] = field(default=frozenset(), compare=False)
    """Parameters that were spelled out; a profile leaves them alone."""

    @cached_property
    def name(self) -> str:
        """The canonical spelling: `ndcg@10`, `rbp(p=0.8)`. It reads back to the same metric."""
        return written(*self._label()) + self._cutoff()

    @cached_property
    def _cut_by(self) -> Param | None:
        """The parameter that stands behind `@`: the cutoff, or else a budget."""
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
        """What trec_eval prints for it; the canonical name where trec_eval has no such metric."""
        set_by_user = {p.name for p in self.metric.params if self.params[p.name] != p.default}
        for template in self.metric.trec:
            used = {name for _, name, _, _ in string.Formatter().parse(template) if name}
            if set_by_user <= used and all(self.params[name] is not None for name in used):
                return template.format(**self.params)
        return self.name

    def score(self, view: Any) -> Outcome:
        """One score per query of the view; the view says what is done where ties leave that open."""
        if getattr(view, "tie_rule", "settled") != "settled" and self.metric.aggregation.summarise:
            from assay.metrics.ties import scores_by_tie_rule

            return scores_by_tie_rule(self, view)
        return self._apply(self.metric.function, view)

    def expected(self, view: Any) -> Scores | None:
        """The mean of each score over all orders of ties; None where no closed form exists."""
        return self._apply(self.metric.expected, view) if self.metric.expected else None

    def _apply(self, function: Callable[..., Any], view: Any) -> Any:
        params = dict(self.params)
        if params.pop("judged_only", False):
            view = view.condensed()
        return function(view, **params)

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Callable[[str, bool], BoundMetric], tuple[str, bool]]:
        from assay.metrics.lookup import recorded_metric  # the parser knows metrics, so metrics cannot know it sooner

        return recorded_metric, (self.name, self.metric.higher_is_better)


ANSWER_TOKENS = Param(
    "tokens",
    one_of("words", "squad"),
    "words",
    "words: Unicode words, or letters in scripts without blanks; squad: as in SQuAD's evaluation, without English articles",
)
ANSWER_COUNT = Param(
    "count",
    one_of("set", "bag"),
    "set",
    "set: each word counts once, as in relevance by tokens; bag: as often as it occurs, as in SQuAD",
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

CUTOFF = Param("k", cutoff, None, "only the first k ranks count", aliases=("cutoff",), at=True)
CUTOFF_NEEDED = Param("k", cutoff, REQUIRED, "only the first k ranks count", aliases=("cutoff",), at=True)
REL = Param("rel", number, None, "lowest grade that is relevant; by default the policy's (any grade above 0)")
JUDGED_ONLY = Param("judged_only", flag, False, "drop unjudged documents from the ranking first")
GAIN = Param(
    "gain", gain, "linear", "what a grade is worth: linear, exp (2^grade − 1), binary, or a map", ("gains", "dcg"), dot=True
)
GAIN_LEVEL = Param("rel", number, None, "grades below it gain nothing; the policy's level does not matter here")
DISCOUNT = Param(
    "discount", one_of("log2", "jk2002"), "log2", "log2: 1/log₂(rank+1); jk2002: none at rank 1, then 1/log₂(rank)"
)
MAX_GRADE = Param("max_grade", positive, None, "top of the grading scale; by default the largest grade judged", ("max_rel",))
MIN_GRADE = Param("min_grade", number, 0.0, "bottom of the grading scale", ("min_rel",))
TARGET = Param("t", positive, 1.0, "gain the user wants before stopping")
CUTOFF_VISITED = Param("k", depth, REQUIRED, "only the first k ranks count", aliases=("cutoff",), at=True)
DEPTH = Param("depth", depth, 1000, "ranks the user model is summed over (cwl_eval: 1000)")


FIRST_CHUNKS = Param("k", cutoff, None, "only the first k chunks count", aliases=("cutoff",), at=True)
FIRST_FILES = Param("k", cutoff, None, "only the first k files count", aliases=("cutoff",), at=True)
SPAN_TOKENS = Param(
    "tokens",
    cutoff,
    None,
    "only the chunks that a budget of so many words pays for; the first that does not fit ends the list",
    aliases=("budget",),
    budget=True,
)
SPAN_UNIT = Param(
    "unit",
    one_of("gold", "lines", "characters", line="lines", chars="characters", character="characters"),
    "gold",
    "what is counted: lines, characters, or gold: what the gold spans are written in, characters where they differ",
)
