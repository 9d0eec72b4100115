"""Rule: what must hold for a result; the shape that every kind of rule has."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from assay.errors import AssayError, BadParameter, UnknownName, near_matches
from assay.grammar import WrittenName
from assay.metrics import BoundMetric, parse_metric
from assay.monitoring.case import Case
from assay.monitoring.finding import SKIPPED, UNDECIDED, Finding
from assay.monitoring.rule_scope import Terms
from assay.text import some_of

RULE_WORDS: tuple[str, ...] = (
    "drops",
    "rises",
    "worsens",
    "ratchet",
    "within",
    "not",
    "worse",
    "than",
    "baseline",
    "by",
    "at",
    "most",
    "no",
)
RULE_WORDS += ("query", "queries", "drop", "from", "hit", "to", "miss", "where", "in", "on")
"""The words that rules are written in, besides metrics, tags and numbers."""
SHORTEST_MISSPELT = 4
"""Letters that a word has at least before a slip is looked for in it: `is` is like everything."""


TIMED_TOGETHER = "no query was timed alone; batch_size: 1 in the plan asks one by one"
"""Why quantiles of latency may be undefined, and what to do."""


@dataclass(frozen=True)
class Rule(ABC):
    """One rule. `text` is its canonical spelling, which reads back to the same rule."""

    terms: Terms = field(default_factory=Terms, kw_only=True)
    needs_baseline: ClassVar[bool] = False
    """Whether it says nothing without something to compare with."""

    @property
    @abstractmethod
    def body(self) -> str:
        """The rule without its terms."""

    @property
    def metric(self) -> BoundMetric | None:
        """What it looks at; None where it counts something else."""
        return None

    @property
    def text(self) -> str:
        """The canonical spelling."""
        return f"{self.body}{self.terms}"

    @abstractmethod
    def check(self, case: Case) -> Finding:
        """What holds for a result."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class MetricRule(Rule):
    """A rule about the figure of one metric."""

    bound: BoundMetric

    @property
    def metric(self) -> BoundMetric:
        """What it looks at."""
        return self.bound


@dataclass(frozen=True)
class ComparedRule(MetricRule):
    """A rule about the figure of one metric beside the baseline's."""

    needs_baseline: ClassVar[bool] = True

    def check(self, case: Case) -> Finding:
        """Skipped without a baseline, undecided without a figure; else as the figures compare."""
        if case.before is None:
            return without_baseline()
        before = case.value_before(self.bound.name)
        return without_figure(case, self.bound, before) or self.compared(case, before)

    @abstractmethod
    def compared(self, case: Case, before: float) -> Finding:
        """What holds where both figures are there."""


Recorded = Callable[[], Iterable[BoundMetric]]
"""Gives the metrics of the results that rules are about. It is called only where a metric is not in the catalog."""


class Kind(NamedTuple):
    """One kind of rule: the shape of its body, and what makes a rule of it."""

    shape: re.Pattern[str]
    parse: Callable[[re.Match[str], Terms, Recorded], Rule]
    example: str


def metric_of(text: str, recorded: Recorded = tuple) -> BoundMetric:
    """The metric a rule is about: one of the catalog, else a user's own metric as the results recorded it.

    A recorded metric is matched by its exact name, and nothing is imported for it.
    """
    try:
        return _written_metric(text)
    except (UnknownName, BadParameter) as error:
        own = {metric.name: metric for metric in recorded() if metric.metric.is_own}
        if text in own:
            return own[text]
        if own and isinstance(error, UnknownName) and error.kind == "metric":
            near = (*near_matches(text, own), *error.near)
            hint = f"{error.hint}; the results also have {some_of(list(own), 10)}"
            raise UnknownName("metric", text, near, hint) from None
        raise


def _written_metric(text: str) -> BoundMetric:
    """The metric that a rule names; words behind it that no rule has are another error than an unknown metric.

    Rules are always written by the user: no result, store or request holds one that would be parsed.
    """
    outside = re.sub(r"\([^()]*\)", "", text)
    for word in outside.split()[1:]:
        raise UnknownName("word of a rule", word, near_words(word), forms_hint())
    return parse_metric(WrittenName(text))


def near_words(word: str) -> list[str]:
    """The words that may have been meant by one that no rule has; none where it is a word of rules, or too short to tell."""
    if len(word) < SHORTEST_MISSPELT or word.lower() in RULE_WORDS:
        return []
    return near_matches(word, RULE_WORDS, most=2)


def forms_hint() -> str:
    """Where the grammar is written down."""
    return "rules look like ndcg@10 >= 0.42, recall@10 drops <= 0.01, mrr not worse by 0.02"


def at_place(error: AssayError, place: str) -> AssayError:
    """The error with the place of the rule in front of it."""
    if not place or error.source == place:
        return error
    return BadParameter(str(error), source=place) if isinstance(error, UnknownName) else error.at(place)


def without_figure(case: Case, metric: BoundMetric, before: float | None = None) -> Finding | None:
    """What can be said where a figure is undefined; nothing where all are there."""
    value = case.value(metric.name)
    who = "now" if math.isnan(value) else "in the baseline" if before is not None and math.isnan(before) else ""
    if not who:
        return None
    why = f": {TIMED_TOGETHER}" if metric.metric.view == "timing" and case.n_queries else ""
    earlier = math.nan if before is None else before
    return Finding(
        UNDECIDED, value, earlier, n=case.n_defined(metric.name), reason=f"{metric.name} has no figure {who}{why}"
    )


def without_baseline() -> Finding:
    """What a rule says that has nothing to compare with."""
    return Finding(SKIPPED, reason="no baseline to compare with")
