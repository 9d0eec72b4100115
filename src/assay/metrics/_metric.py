"""Metric: the record every metric file ends in. Parser, help, documentation and tests are derived from it."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from assay.catalog import Described
from assay.errors import BadParameter
from assay.grammar import Param, show, written
from assay.model import MEAN, Aggregation, GradedRun, Outcome, Scores

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

    def bind(self, **given: Any) -> BoundMetric:
        """The metric with these parameters, the rest at their defaults. Values are taken as they are."""
        settings = {param.name: param.default for param in self.params}
        if unknown := given.keys() - settings.keys():
            raise BadParameter(f"{self.name} has no parameter {', '.join(sorted(unknown))}")
        settings |= given
        if self.check:
            self.check(settings)
        return BoundMetric(self, settings, frozenset(given))


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
            from assay.metrics._bands import scores_by_tie_rule

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
        from assay.metrics._lookup import recorded_metric  # the parser knows metrics, so metrics cannot know it sooner

        return recorded_metric, (self.name, self.metric.higher_is_better)
