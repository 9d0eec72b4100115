"""Check: asks code for the score of a case, and judges its answer."""

from __future__ import annotations

import copy
import math
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.conformance.cases import Accepted, Case
from assay.metrics import range_of
from assay.text import shortened

LONGEST = 200
"""Letters of an error that are shown."""
TOLERANCE = 1e-6
"""How far two numbers may lie apart and still be the same."""
AGREES, FAULT, IMPOSSIBLE, UNKNOWN, FAILED, SKIPPED = "agrees", "fault", "impossible", "unknown", "failed", "skipped"
"""What can be said about an answer."""
ERROR = "an error"
WRONG = (FAULT, IMPOSSIBLE, UNKNOWN, FAILED)

Score = Callable[[str, Mapping[str, Mapping[str, int]], Mapping[str, Any]], Any]
"""Code under test: metric, judgments and run in, a number out; None for a metric it does not have."""


@dataclass(frozen=True)
class Answer:
    """What the code under test said about a case: a value, or why it has none. Without either it has no such metric."""

    value: Any = None
    error: str = ""

    @property
    def is_given(self) -> bool:
        """Whether there is anything to judge."""
        return self.value is not None or bool(self.error)

    def __str__(self) -> str:
        if self.error:
            return f"an error ({self.error[:LONGEST]})"
        score = as_score(self.value)
        return shortened(self.value) if score is None else as_figure(score)


@dataclass(frozen=True)
class Verdict:
    """What is to be said about one answer."""

    case: Case
    answer: Answer
    kind: str
    """agrees, fault, impossible, unknown, failed or skipped."""
    says: str = ""
    """What is wrong, in words."""
    matched: tuple[Accepted, ...] = ()
    """The conventions that give this answer; several may."""

    @property
    def is_wrong(self) -> bool:
        """Whether no convention gives this answer."""
        return self.kind in WRONG

    @property
    def is_skipped(self) -> bool:
        """Whether there was no answer."""
        return self.kind == SKIPPED

    def __str__(self) -> str:
        if not self.is_wrong:
            return f"{self.case.name}: {self.kind}"
        return (
            f"{self.case.name}: {self.case.metric} is {self.answer}. {self.says}. Expected {'; '.join(expected(self.case))}."
        )


def ask(function: Score, case: Case) -> Answer:
    """The answer of a Python function, which may keep or change what it is given. NotImplementedError is no answer."""
    try:
        value = function(case.metric, copy.deepcopy(case.qrels), copy.deepcopy(case.run))
    except NotImplementedError:
        return Answer()
    except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever somebody's code raises is its answer)
        return Answer(error=f"{type(error).__name__}: {error}".rstrip(": "))
    return Answer(value)


def judge(case: Case, answer: Answer, tolerance: float = TOLERANCE) -> Verdict:
    """A known fault is named even where its number is impossible as well."""
    if not answer.is_given:
        return Verdict(case, answer, SKIPPED)
    matched = tuple(one for one in case.values if _is_same(answer, one.value, tolerance))
    if matched:
        return Verdict(case, answer, AGREES, matched=matched)
    if answer.error:
        return Verdict(case, answer, FAILED, "It fails where there is a score")
    impossible = _impossible(case, answer.value, tolerance)
    for one in case.wrong:
        if _is_same(answer, one.value, tolerance):
            says = one.fault[:1].upper() + one.fault[1:]
            return Verdict(case, answer, FAULT, f"{says}. {impossible}" if impossible else says)
    if impossible:
        return Verdict(case, answer, IMPOSSIBLE, impossible)
    return Verdict(case, answer, UNKNOWN, "No convention and no fault known to the kit gives this")


def expected(case: Case) -> list[str]:
    """Each right answer, with the conventions that give it."""
    return [
        ", ".join(names) if names and answer == ERROR else f"{answer}: {', '.join(names)}" if names else answer
        for answer, names in right_answers(case).items()
    ]


def right_answers(case: Case) -> dict[str, list[str]]:
    """Right answer → the conventions that give it, those of one topic as alternatives."""
    found: dict[str, dict[str, list[str]]] = {}
    for one in case.values:
        by_topic = found.setdefault(ERROR if one.value is None else as_figure(one.value), {})
        names = by_topic.setdefault(one.topic, [])
        if one.convention and one.convention not in names:
            names.append(one.convention)
    return {answer: [" or ".join(names) for names in by_topic.values() if names] for answer, by_topic in found.items()}


def as_score(value: Any) -> float | None:
    """The value as a float, infinite if it is too large for one; None if it is no real number. True and false are none."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool | np.bool_):
        return None
    try:
        return float(value)
    except OverflowError:
        return -math.inf if value < 0 else math.inf


def as_figure(value: float) -> str:
    """A number with as many digits as tell the values of a case apart."""
    return f"{value:.6g}"


def _is_same(answer: Answer, value: float | None, tolerance: float) -> bool:
    if value is None or answer.error:
        return value is None and bool(answer.error)
    score = as_score(answer.value)
    return score is not None and abs(score - value) <= tolerance


def _impossible(case: Case, value: Any, tolerance: float) -> str:
    """Why the value can be no score of this metric; empty if it can."""
    metric, score = case.bound.metric, as_score(value)
    if score is None or math.isnan(score):
        return f"This is not a number, and {metric.name} is one from {range_of(metric)}"
    low, high = metric.range
    if score < low - tolerance:
        return f"{metric.name} is never below {as_figure(low)}"
    if score > high + tolerance:
        return f"{metric.name} is never above {as_figure(high)}"
    return f"{metric.name} is never infinite" if math.isinf(score) else ""
