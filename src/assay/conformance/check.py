"""Check: runs code on a case and judges its answer.

A function is called. A program reads one line of JSON for each case, and writes one line of JSON for each answer.
"""

from __future__ import annotations

import copy
import json
import math
import numbers
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.conformance.cases import Accepted, Case
from assay.errors import DataError
from assay.metrics import range_of
from assay.text import counted, shortened

MAX_ERROR_LENGTH = 200
"""Characters of an error that are shown."""
TOLERANCE = 1e-6
"""The largest difference between two numbers that count as equal."""
AGREES, FAULT, IMPOSSIBLE, UNKNOWN, FAILED, SKIPPED = "agrees", "fault", "impossible", "unknown", "failed", "skipped"
"""The kinds of verdicts."""
ERROR = "an error"
WRONG_KINDS = (FAULT, IMPOSSIBLE, UNKNOWN, FAILED)

Score = Callable[[str, Mapping[str, Mapping[str, int]], Mapping[str, Any]], Any]
"""Code under test: it takes a metric, judgments and a run, and returns a number; None for a metric that it does not have."""


@dataclass(frozen=True)
class Answer:
    """The answer of the code under test to a case: a value or an error. It has neither if the metric is not implemented."""

    value: Any = None
    error: str = ""

    @property
    def is_given(self) -> bool:
        """Whether there is an answer to judge."""
        return self.value is not None or bool(self.error)

    def __str__(self) -> str:
        if self.error:
            return f"an error ({self.error[:MAX_ERROR_LENGTH]})"
        score = as_score(self.value)
        return shortened(self.value) if score is None else as_figure(score)


@dataclass(frozen=True)
class Verdict:
    """The verdict on one answer."""

    case: Case
    answer: Answer
    kind: str
    """agrees, fault, impossible, unknown, failed or skipped."""
    says: str = ""
    """What is wrong, in words."""
    matched: tuple[Accepted, ...] = ()
    """The conventions that give this answer."""

    @property
    def is_wrong(self) -> bool:
        """Whether no convention gives this answer."""
        return self.kind in WRONG_KINDS

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
    """The answer of a Python function, which gets its own copy of the data. NotImplementedError means no answer."""
    try:
        value = function(case.metric, copy.deepcopy(case.qrels), copy.deepcopy(case.run))
    except NotImplementedError:
        return Answer()
    except (Exception, SystemExit) as error:  # noqa: BLE001 (any exception of the code under test is its answer)
        return Answer(error=f"{type(error).__name__}: {error}".rstrip(": "))
    return Answer(value)


def judge(case: Case, answer: Answer, tolerance: float = TOLERANCE) -> Verdict:
    """The verdict on an answer. A known fault is named even if its number is impossible as well."""
    if not answer.is_given:
        return Verdict(case, answer, SKIPPED)
    matched = tuple(accepted for accepted in case.values if _is_same(answer, accepted.value, tolerance))
    if matched:
        return Verdict(case, answer, AGREES, matched=matched)
    if answer.error:
        return Verdict(case, answer, FAILED, "Your code fails on a case that has a score")
    impossible = _impossible(case, answer.value, tolerance)
    for mistake in case.wrong:
        if _is_same(answer, mistake.value, tolerance):
            says = mistake.fault[:1].upper() + mistake.fault[1:]
            return Verdict(case, answer, FAULT, f"{says}. {impossible}" if impossible else says)
    if impossible:
        return Verdict(case, answer, IMPOSSIBLE, impossible)
    return Verdict(case, answer, UNKNOWN, "No known convention and no known fault gives this number")


def expected(case: Case) -> list[str]:
    """Each right answer, with the conventions that give it."""
    return [
        ", ".join(names) if names and answer == ERROR else f"{answer}: {', '.join(names)}" if names else answer
        for answer, names in right_answers(case).items()
    ]


def right_answers(case: Case) -> dict[str, list[str]]:
    """Right answer → the conventions that give it; conventions of the same topic are joined with `or`."""
    answers: dict[str, dict[str, list[str]]] = {}
    for accepted in case.values:
        by_topic = answers.setdefault(ERROR if accepted.value is None else as_figure(accepted.value), {})
        names = by_topic.setdefault(accepted.topic, [])
        if accepted.convention and accepted.convention not in names:
            names.append(accepted.convention)
    return {answer: [" or ".join(names) for names in by_topic.values() if names] for answer, by_topic in answers.items()}


def as_score(value: Any) -> float | None:
    """The value as a float, infinite if it is too large; None if it is not a real number. True and false are not numbers."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool | np.bool_):
        return None
    try:
        return float(value)
    except OverflowError:
        return -math.inf if value < 0 else math.inf


def as_figure(value: float) -> str:
    """A number with enough digits to distinguish the values of a case."""
    return f"{value:.6g}"


def _is_same(answer: Answer, value: float | None, tolerance: float) -> bool:
    if value is None or answer.error:
        return value is None and bool(answer.error)
    score = as_score(answer.value)
    return score is not None and abs(score - value) <= tolerance


def _impossible(case: Case, value: Any, tolerance: float) -> str:
    """Why the value cannot be a score of this metric; empty if it can."""
    metric, score = case.bound.metric, as_score(value)
    if score is None or math.isnan(score):
        return f"This is not a number. {metric.name} is a number in the range {range_of(metric)}"
    low, high = metric.range
    if score < low - tolerance:
        return f"{metric.name} is never below {as_figure(low)}"
    if score > high + tolerance:
        return f"{metric.name} is never above {as_figure(high)}"
    return f"{metric.name} is never infinite" if math.isinf(score) else ""


ANSWER_FORMAT = '{"id": "…", "value": 0.5} or {"id": "…", "error": "…"}'


def render_requests(cases: Iterable[Case]) -> str:
    """The input of a program: one line for each case."""
    return "".join(f"{json.dumps(case.request, ensure_ascii=False)}\n" for case in cases)


def render_cases(cases: Iterable[Case]) -> str:
    """The same lines with everything that is known about each case. A program can read these as well."""
    return "".join(f"{json.dumps(case.to_dict(), ensure_ascii=False)}\n" for case in cases)


def parse_answers(text: str, cases: Iterable[Case], source: str = "answers") -> dict[str, Answer]:
    """Case → its answer, in any order. The error for bad lines names the first line of each kind of fault."""
    known = {case.name for case in cases}
    answers: dict[str, Answer] = {}
    faults: dict[str, list[str]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        record, (kind, what) = _parse_line(line, known, answers)
        if kind:
            faults.setdefault(kind, []).append(f"{source}:{number}: {what}")
        else:
            answers[record["id"]] = Answer(record.get("value"), _error_text(record))
    if faults:
        total = sum(map(len, faults.values()))
        raise DataError(f"{source}: {counted(total, 'fault')}", [_with_count(lines) for lines in faults.values()])
    return answers


def _with_count(lines: list[str]) -> str:
    """The first fault of a kind, and the number of the others."""
    return lines[0] if len(lines) == 1 else f"{lines[0]} (and {counted(len(lines) - 1, 'more line')} like it)"


def _parse_line(line: str, known: Container[str], answered: Container[str]) -> tuple[Any, tuple[str, str]]:
    """The record in a line, the kind of its fault, and the fault in words."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None, ("no JSON", f"expected JSON such as {ANSWER_FORMAT}, found {shortened(line)}")
    return record, _fault(record, known, answered)


def _error_text(record: dict[str, Any]) -> str:
    """The error of a record without a value. An empty text counts as an error too."""
    error = record.get("error")
    return "" if error is None or record.get("value") is not None else str(error) or "no reason given"


def _fault(record: Any, known: Container[str], answered: Container[str]) -> tuple[str, str]:
    """The kind of fault, and what is wrong; both empty if nothing is wrong."""
    if not isinstance(record, dict) or not isinstance(record.get("id"), str):
        return "no id", f"expected {ANSWER_FORMAT}, found {shortened(record)}"
    name = record["id"]
    if name not in known:
        return "unknown id", f"no requested case has the id {shortened(name)}"
    if name in answered:
        return "twice", f"case {name} is answered twice"
    if "value" not in record and "error" not in record:
        return "no answer", f"case {name}: expected a value or an error, found {shortened(sorted(record))}"
    return "", ""
