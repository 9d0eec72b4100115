"""Rule: what must be true for a result; the base of all kinds of rules."""

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
"""The keywords of rules; the rest of a rule are metrics, tags and numbers."""
SHORTEST_MISSPELT = 4
"""Shorter words are not checked for typos, because they are similar to too many others."""


TIMED_TOGETHER = "queries were sent in batches. To time single queries, set batch_size: 1 in the plan"
"""Why quantiles of latency may be undefined, and what to do."""


@dataclass(frozen=True)
class Rule(ABC):
    """One rule. `text` is its canonical spelling, which reads back to the same rule."""

    terms: Terms = field(default_factory=Terms, kw_only=True)
    needs_baseline: ClassVar[bool] = False
    """Whether it is skipped without a baseline."""

    @property
    @abstractmethod
    def body(self) -> str:
        """The rule without its terms."""

    @property
    def metric(self) -> BoundMetric | None:
        """The metric it checks; None if it checks something else."""
        return None

    @property
    def text(self) -> str:
        """The canonical spelling."""
        return f"{self.body}{self.terms}"

    @abstractmethod
    def check(self, case: Case) -> Finding:
        """Check a result."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class MetricRule(Rule):
    """A rule about the value of one metric."""

    bound: BoundMetric

    @property
    def metric(self) -> BoundMetric:
        """The metric it checks."""
        return self.bound


@dataclass(frozen=True)
class ComparedRule(MetricRule):
    """A rule about the value of one metric compared with the baseline."""

    needs_baseline: ClassVar[bool] = True

    def check(self, case: Case) -> Finding:
        """Skipped without a baseline, undecided without a value; else the outcome of the comparison."""
        if case.before is None:
            return without_baseline()
        before, _ = case.compared_values(self.bound)
        if case.has_difference_alone(self.bound) and not self.needs_values:
            return self.compared(case, before)
        return without_figure(case, self.bound, before) or self.compared(case, before)

    @property
    def needs_values(self) -> bool:
        """Whether the difference alone is not enough, for example because the rule is about per cent of the baseline."""
        return True

    @abstractmethod
    def compared(self, case: Case, before: float) -> Finding:
        """The finding if both values exist."""


Recorded = Callable[[], Iterable[BoundMetric]]
"""Returns the metrics of the results that rules are about. It is called only if a metric is not in the catalog."""


class Kind(NamedTuple):
    """One kind of rule: the pattern of its body, and the function that creates the rule."""

    shape: re.Pattern[str]
    parse: Callable[[re.Match[str], Terms, Recorded], Rule]
    example: str


def metric_of(text: str, recorded: Recorded = tuple) -> BoundMetric:
    """The metric of a rule: one of the catalog, else a custom metric as recorded in the results.

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
    """The metric that a rule names. An unknown word after it is a different error than an unknown metric.

    Rules are always written by the user: no result, store or request contains a rule that would be parsed.
    """
    outside = re.sub(r"\([^()]*\)", "", text)
    for word in outside.split()[1:]:
        raise UnknownName("keyword of a rule", word, near_words(word), forms_hint())
    return parse_metric(WrittenName(text))


def near_words(word: str) -> list[str]:
    """Similar keywords for an unknown word; none if it is a keyword, or too short to compare."""
    if len(word) < SHORTEST_MISSPELT or word.lower() in RULE_WORDS:
        return []
    return near_matches(word, RULE_WORDS, most=2)


def forms_hint() -> str:
    """Examples of rules."""
    return "examples: ndcg@10 >= 0.42, recall@10 drops <= 0.01, mrr not worse by 0.02"


def at_place(error: AssayError, place: str) -> AssayError:
    """The error with the place of the rule before it."""
    if not place or error.source == place:
        return error
    return BadParameter(str(error), source=place) if isinstance(error, UnknownName) else error.at(place)


def without_figure(case: Case, metric: BoundMetric, before: float | None = None) -> Finding | None:
    """The finding if a value is undefined; None if all values exist."""
    value = case.value(metric.name)
    who = "now" if math.isnan(value) else "in the baseline" if before is not None and math.isnan(before) else ""
    if not who:
        return None
    why = f": {TIMED_TOGETHER}" if metric.metric.view == "timing" and case.n_queries else ""
    earlier = math.nan if before is None else before
    return Finding(UNDECIDED, value, earlier, n=case.n_defined(metric.name), reason=f"{metric.name} has no value {who}{why}")


def without_baseline() -> Finding:
    """The finding of a rule without a baseline."""
    return Finding(SKIPPED, reason="no baseline to compare with")
