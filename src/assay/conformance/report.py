"""Report: the verdicts on all cases, and the conventions that they show.

A diagnosis is one fault that explains many wrong answers, such as percentages. The report also names the profiles of assay
that give the same numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from assay.conformance.cases import Accepted, Case, all_cases, all_topics
from assay.conformance.check import (
    AGREES,
    FAILED,
    MAX_ERROR_LENGTH,
    TOLERANCE,
    Answer,
    Score,
    Verdict,
    as_score,
    ask,
    judge,
    right_answers,
)
from assay.errors import DataError
from assay.evaluation import PROFILES, Profile, evaluate_metrics, flag_of
from assay.metrics import find_metric
from assay.text import counted, printable, shortened

PLAIN = "plain"
"""The topic of cases in which all tools agree."""
SCHEMA = "assay.conformance/1"


@dataclass(frozen=True)
class Finding:
    """The convention that the code follows in one topic."""

    topic: str
    conventions: tuple[str, ...]
    """The conventions that fit every case: one, or several that the answered cases do not distinguish; empty if mixed."""
    seen: Mapping[str, tuple[str, ...]]
    """Case → the conventions that give its answer."""
    flags: str = ""
    """The flags that make assay do the same, if it does not by default."""
    metric: str = ""
    """The name of the metric in assay, if that differs; k means any cutoff."""
    is_in_assay: bool = True

    @property
    def is_mixed(self) -> bool:
        """Whether one case follows a rule that another breaks."""
        return not self.conventions

    @property
    def in_assay(self) -> str:
        """The settings that make assay do the same; empty if it does so by default."""
        if not self.is_in_assay:
            return "assay does not have this"
        return " ".join(filter(None, (f"write {self.metric}" if self.metric else "", self.flags)))


@dataclass(frozen=True)
class Report:
    """The verdicts on the code under test, and what follows from them."""

    verdicts: tuple[Verdict, ...]
    tolerance: float = TOLERANCE

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong. Conventions other than assay's and missing metrics are not wrong."""
        return not self.wrong

    @cached_property
    def wrong(self) -> list[Verdict]:
        """Answers that no convention gives."""
        return [verdict for verdict in self.verdicts if verdict.is_wrong]

    @cached_property
    def agreeing(self) -> list[Verdict]:
        """Answers that some convention gives."""
        return [verdict for verdict in self.verdicts if verdict.kind == AGREES]

    @cached_property
    def telling(self) -> list[Verdict]:
        """Answers that show a convention. A metric that is wrong in a plain case is left out: it agrees only by chance."""
        broken = {verdict.case.bound.metric.name for verdict in self.wrong if verdict.case.topic == PLAIN}
        return [verdict for verdict in self.agreeing if verdict.case.bound.metric.name not in broken]

    @cached_property
    def skipped(self) -> list[Verdict]:
        """Cases without an answer."""
        return [verdict for verdict in self.verdicts if verdict.is_skipped]

    @cached_property
    def findings(self) -> list[Finding]:
        """The conventions that the code follows, for each topic in which tools differ."""
        asked = {topic: _choices(topic, self.verdicts) for topic in all_topics()}
        findings = [_finding(topic, self) for topic, choices in asked.items() if len(choices) > 1]
        return [finding for finding in findings if finding.seen]

    @cached_property
    def diagnosis(self) -> Diagnosis | None:
        """One fault that explains many wrong answers; None if there is none."""
        return diagnose(self.verdicts, self.tolerance) if self.wrong else None

    @cached_property
    def profiles(self) -> dict[str, int]:
        """Profile of assay → number of compared cases, for profiles that give the same numbers in all of them."""
        return matching_profiles(self.telling, self.tolerance)

    def table(self, width: int | None = None) -> str:
        """The report as people read it."""
        from assay.conformance.render import render_report

        return render_report(self, width)

    def __str__(self) -> str:
        return self.table()

    def to_dict(self) -> dict[str, Any]:
        """The report as plain JSON values."""
        return {
            "schema": SCHEMA,
            "passed": self.passed,
            "counts": {"agree": len(self.agreeing), "wrong": len(self.wrong), "skipped": len(self.skipped)},
            "tolerance": self.tolerance,
            "diagnosis": self.diagnosis.says if self.diagnosis else "",
            "cases": [_verdict_to_dict(verdict) for verdict in self.verdicts],
            "conventions": [
                {
                    "topic": finding.topic,
                    "conventions": list(finding.conventions),
                    "mixed": finding.is_mixed,
                    "seen": {case: list(conventions) for case, conventions in finding.seen.items()},
                    "in_assay": finding.in_assay,
                }
                for finding in self.findings
            ],
            "profiles": self.profiles,
        }


def check_function(function: Score, cases: Iterable[Case] | None = None, *, tolerance: float = TOLERANCE) -> Report:
    """Check `function(metric, qrels, run) -> float`. An exception is the answer "error"; None means: no such metric."""
    chosen = all_cases() if cases is None else list(cases)
    return check_answers(chosen, {case.name: ask(function, case) for case in chosen}, tolerance=tolerance)


def check_answers(cases: Iterable[Case], answers: Mapping[str, Answer], *, tolerance: float = TOLERANCE) -> Report:
    """Judge answers that were collected before. A case without an answer is skipped."""
    verdicts = [judge(case, answers.get(case.name, Answer()), tolerance) for case in cases]
    return Report(tuple(_without_accidental_agreement(verdicts)), tolerance)


def _without_accidental_agreement(verdicts: Sequence[Verdict]) -> Sequence[Verdict]:
    """If the code fails in every case, an expected error does not count as a right answer."""
    has_answers = any(verdict.answer.is_given and not verdict.answer.error for verdict in verdicts)
    if has_answers or not any(verdict.kind == FAILED for verdict in verdicts):
        return verdicts
    says = "Your code fails in every case, so this error is not deliberate"
    return [
        replace(verdict, kind=FAILED, says=says, matched=()) if verdict.kind == AGREES else verdict for verdict in verdicts
    ]


def _choices(topic: str, verdicts: Iterable[Verdict]) -> set[str]:
    """The conventions that cases know for a topic."""
    return {accepted.convention for verdict in verdicts for accepted in verdict.case.values if accepted.topic == topic}


def _finding(topic: str, report: Report) -> Finding:
    """The conventions that all cases of a topic share. A case that shows a convention of another topic is left out."""
    matched = {
        verdict.case.name: [accepted for accepted in verdict.matched if accepted.topic == topic]
        for verdict in report.telling
    }
    seen = {case: tuple(dict.fromkeys(accepted.convention for accepted in some)) for case, some in matched.items() if some}
    every = dict.fromkeys(name for names in seen.values() for name in names)
    shared = tuple(name for name in every if all(name in names for names in seen.values()))
    if len(shared) != 1:
        return Finding(topic, shared, seen)
    known = ((verdict.case, accepted) for verdict in report.verdicts for accepted in verdict.case.values)
    first = next((case, accepted) for case, accepted in known if (accepted.topic, accepted.convention) == (topic, shared[0]))
    return Finding(topic, shared, seen, *_assay_settings(*first))


def _assay_settings(case: Case, accepted: Accepted) -> tuple[str, str, bool]:
    """How to make assay follow a convention: flags, another name of the metric, and whether it is possible."""
    if accepted.metric is None:
        return "", "", False
    flags = " ".join(flag_of(name, value) for name, value in accepted.policy.items()).replace("keep_best", "keep-best")
    spelled = find_metric(accepted.metric).name
    return flags, "" if spelled == case.bound.name else re.sub(r"@\d+$", "@k", spelled), True


def _verdict_to_dict(verdict: Verdict) -> dict[str, Any]:
    """One verdict as plain JSON values; values that JSON cannot hold become text."""
    value, case = verdict.answer.value, verdict.case
    score = as_score(value)
    return {
        "id": case.name,
        "topic": case.topic,
        "metric": case.metric,
        "verdict": verdict.kind,
        "value": score if score is not None and math.isfinite(score) else None if value is None else shortened(value),
        "error": verdict.answer.error,
        "says": verdict.says,
        "conventions": [{"topic": accepted.topic, "convention": accepted.convention} for accepted in verdict.matched],
        "expected": right_answers(case),
        "reason": case.reason,
        "working": case.working,
    }


MIN_EXPLAINED_SHARE = 0.75
"""The share of wrong answers that a diagnosis must explain."""
PERCENT = 100.0
FINEST, COARSEST = 6, 2
"""The most and fewest decimals that rounding is checked for."""


@dataclass(frozen=True)
class Diagnosis:
    """One fault that explains many wrong answers, and which answers."""

    says: str
    explains: frozenset[str]
    """Names of cases."""


def diagnose(verdicts: Sequence[Verdict], tolerance: float) -> Diagnosis | None:
    """The diagnosis; None if the wrong answers have no common explanation."""
    return _diagnose_failure(verdicts) or _diagnose_scale(verdicts, tolerance)


def _diagnose_failure(verdicts: Sequence[Verdict]) -> Diagnosis | None:
    """The same exception in every case."""
    answered = [verdict for verdict in verdicts if not verdict.is_skipped]
    kinds = {verdict.answer.error.partition(":")[0] for verdict in answered}
    if len(answered) < 2 or len(kinds) > 1 or kinds == {""} or not all(verdict.is_wrong for verdict in answered):
        return None
    first = printable(answered[0].answer.error[:MAX_ERROR_LENGTH])
    call = " The function must accept (metric, qrels, run)." if kinds == {"TypeError"} and "argument" in first else ""
    says = f"Your code fails in every case. First error: {first.rstrip('.')}.{call}"
    return Diagnosis(says, frozenset(verdict.case.name for verdict in answered))


@dataclass(frozen=True)
class _Guess:
    """A guess about the numbers: they are too large by a factor, or differ by rounding."""

    says: str
    factor: float
    slack: float

    def explains(self, verdict: Verdict, score: float) -> bool:
        """Whether the guess makes the answer right."""
        return judge(verdict.case, Answer(score / self.factor), self.slack).kind == AGREES


def _diagnose_scale(verdicts: Sequence[Verdict], tolerance: float) -> Diagnosis | None:
    """Percentages, rounded numbers, or both."""
    numbers = [(verdict, score) for verdict in verdicts if (score := _number(verdict)) is not None]
    wrong = [(verdict, score) for verdict, score in numbers if verdict.is_wrong]
    n_wrong = sum(verdict.is_wrong for verdict in verdicts)
    may_be_percent = not any(score for verdict, score in numbers if not verdict.is_wrong)
    for guess in _guesses([score for _, score in numbers], tolerance):
        explained = [verdict.case.name for verdict, score in wrong if guess.explains(verdict, score)]
        if len(explained) < max(2, MIN_EXPLAINED_SHARE * len(wrong)) or (guess.factor == PERCENT and not may_be_percent):
            continue
        rest = f" This explains {len(explained)} of {n_wrong} wrong answers." if len(explained) < n_wrong else ""
        return Diagnosis(guess.says + rest, frozenset(explained))
    return None


def _number(verdict: Verdict) -> float | None:
    score = as_score(verdict.answer.value)
    return score if score is not None and math.isfinite(score) else None


def _guesses(scores: Sequence[float], tolerance: float) -> Iterator[_Guess]:
    """Percentages first, then rounding, the finest first."""
    yield _Guess("Your numbers are percentages. Divide them by 100.", PERCENT, tolerance)
    for digits in range(FINEST, COARSEST - 1, -1):
        slack = 0.5 * 10.0**-digits
        flag = f"--tolerance {slack:.{digits + 1}f}"
        if slack > tolerance and _are_rounded(scores, digits):
            yield _Guess(f"Your numbers are rounded to {digits} digits. Add {flag} to accept them.", 1.0, slack)
        if slack > tolerance and _are_rounded(scores, digits - 2):
            rounded = f"rounded to {counted(digits - 2, 'digit')}"
            says = f"Your numbers are percentages, {rounded}. Divide them by 100, and add {flag} to accept them."
            yield _Guess(says, PERCENT, slack)


def _are_rounded(scores: Sequence[float], digits: int) -> bool:
    return all(score == round(score, digits) for score in scores)


UNTESTED_TOPIC = "duplicates"
"""The topic that is not used for profiles, because rankings in these tools cannot contain duplicates."""
MIN_CASE_SHARE = 0.75
"""The share of cases that a profile must be able to answer to be named."""
MIN_CASES = 20
"""Fewer cases than this do not distinguish tools."""


def matching_profiles(verdicts: Sequence[Verdict], tolerance: float, *, at_least: int = MIN_CASES) -> dict[str, int]:
    """Profile → number of compared cases, for profiles that give the same numbers in all of them."""
    n_cases: dict[str, int] = {}
    for name, profile in PROFILES.items():
        compared = [_agrees(profile, verdict, tolerance) for verdict in verdicts]
        known = [agrees for agrees in compared if agrees is not None]
        if known and all(known) and len(known) >= max(at_least, MIN_CASE_SHARE * len(verdicts)):
            n_cases[name] = len(known)
    return n_cases


def _agrees(profile: Profile, verdict: Verdict, tolerance: float) -> bool | None:
    """Whether the tool gives the same answer; None if it does not have the metric or its answer is undefined.

    An error counts as an answer if it is a convention of the case. Otherwise the tool crashes or its result is arbitrary.
    """
    case, answer = verdict.case, verdict.answer
    if case.topic == UNTESTED_TOPIC or (profile.has and case.bound.metric.name not in profile.has):
        return None
    value = _score(profile, case)
    if value is None:
        return bool(answer.error) if any(accepted.value is None for accepted in case.values) else None
    return not answer.error and abs(value - float(answer.value)) <= tolerance


def _score(profile: Profile, case: Case) -> float | None:
    """The number of a tool; None if it raises an error."""
    try:
        return evaluate_metrics(case.qrels, case.run, [case.bound], profile=profile)[case.metric]
    except DataError:
        return None
