"""Report: the verdicts on all cases, and which conventions they show."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from assay.conformance.cases import Accepted, Case, all_cases, all_topics
from assay.conformance.check import (
    AGREES,
    FAILED,
    TOLERANCE,
    Answer,
    Score,
    Verdict,
    as_score,
    ask,
    judge,
    right_answers,
)
from assay.conformance.diagnosis import Diagnosis, diagnose
from assay.evaluation import flag_of
from assay.metrics import find_metric
from assay.text import shortened

PLAIN = "plain"
"""The topic of cases in which all tools agree."""
SCHEMA = "assay.conformance/1"


@dataclass(frozen=True)
class Finding:
    """The convention that the code follows in one question."""

    topic: str
    conventions: tuple[str, ...]
    """What fits every case: one, or several that the cases answered do not tell apart; none where they are mixed."""
    seen: Mapping[str, tuple[str, ...]]
    """Case → the conventions that give its answer."""
    flags: str = ""
    """How assay is told to do the same, where it does not by default."""
    metric: str = ""
    """How the metric is spelled in assay, where that is what differs; k stands for any cutoff."""
    is_in_assay: bool = True

    @property
    def is_mixed(self) -> bool:
        """Whether one case follows a rule that another breaks."""
        return not self.conventions

    @property
    def in_assay(self) -> str:
        """How assay is told to do the same; empty where it does so by default."""
        if not self.is_in_assay:
            return "assay does not have this"
        return " ".join(filter(None, (f"write {self.metric}" if self.metric else "", self.flags)))


@dataclass(frozen=True)
class Report:
    """What the kit has to say about somebody's code."""

    verdicts: tuple[Verdict, ...]
    tolerance: float = TOLERANCE

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong. Other conventions than assay's are not wrong, nor is a metric that is not there."""
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
        """Answers that show a convention. A metric that is wrong where there is nothing to choose shows none by chance."""
        broken = {verdict.case.bound.metric.name for verdict in self.wrong if verdict.case.topic == PLAIN}
        return [verdict for verdict in self.agreeing if verdict.case.bound.metric.name not in broken]

    @cached_property
    def skipped(self) -> list[Verdict]:
        """Cases without an answer."""
        return [verdict for verdict in self.verdicts if verdict.is_skipped]

    @cached_property
    def findings(self) -> list[Finding]:
        """The conventions followed, one question after the other; only those in which tools differ."""
        asked = {topic: _choices(topic, self.verdicts) for topic in all_topics()}
        found = [_finding(topic, self) for topic, choices in asked.items() if len(choices) > 1]
        return [finding for finding in found if finding.seen]

    @cached_property
    def diagnosis(self) -> Diagnosis | None:
        """What explains many wrong answers at once; None if nothing does."""
        return diagnose(self.verdicts, self.tolerance) if self.wrong else None

    @cached_property
    def profiles(self) -> dict[str, int]:
        """Profile of assay → cases it has, for those that give the same numbers in all of these."""
        from assay.conformance.peers import matching_profiles

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
    """Judge answers that are there already. A case without one is skipped."""
    verdicts = [judge(case, answers.get(case.name, Answer()), tolerance) for case in cases]
    return Report(tuple(_without_accidents(verdicts)), tolerance)


def _without_accidents(verdicts: Sequence[Verdict]) -> Sequence[Verdict]:
    """Code that fails everywhere does not refuse where it should: there, too, it just fails."""
    has_answers = any(verdict.answer.is_given and not verdict.answer.error for verdict in verdicts)
    if has_answers or not any(verdict.kind == FAILED for verdict in verdicts):
        return verdicts
    says = "It fails in every case, so this is no refusal"
    return [
        replace(verdict, kind=FAILED, says=says, matched=()) if verdict.kind == AGREES else verdict for verdict in verdicts
    ]


def _choices(topic: str, verdicts: Iterable[Verdict]) -> set[str]:
    """The conventions that cases know for a topic."""
    return {one.convention for verdict in verdicts for one in verdict.case.values if one.topic == topic}


def _finding(topic: str, report: Report) -> Finding:
    """What all cases of a topic have in common. A case that was answered by another topic's choice says nothing."""
    matched = {verdict.case.name: [one for one in verdict.matched if one.topic == topic] for verdict in report.telling}
    seen = {case: tuple(dict.fromkeys(one.convention for one in some)) for case, some in matched.items() if some}
    every = dict.fromkeys(name for names in seen.values() for name in names)
    shared = tuple(name for name in every if all(name in names for names in seen.values()))
    if len(shared) != 1:
        return Finding(topic, shared, seen)
    known = ((verdict.case, one) for verdict in report.verdicts for one in verdict.case.values)
    first = next((case, one) for case, one in known if (one.topic, one.convention) == (topic, shared[0]))
    return Finding(topic, shared, seen, *_way(*first))


def _way(case: Case, one: Accepted) -> tuple[str, str, bool]:
    """How assay is told to follow a convention: flags, another spelling of the metric, and whether it can be."""
    if one.metric is None:
        return "", "", False
    flags = " ".join(flag_of(name, value) for name, value in one.policy.items()).replace("keep_best", "keep-best")
    spelled = find_metric(one.metric).name
    return flags, "" if spelled == case.bound.name else re.sub(r"@\d+$", "@k", spelled), True


def _verdict_to_dict(verdict: Verdict) -> dict[str, Any]:
    """One verdict as plain JSON values; what JSON cannot hold is written out."""
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
        "conventions": [{"topic": one.topic, "convention": one.convention} for one in verdict.matched],
        "expected": right_answers(case),
        "reason": case.reason,
        "working": case.working,
    }
