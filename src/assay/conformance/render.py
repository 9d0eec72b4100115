"""The report as text: the verdict, what is wrong, then the conventions."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from assay.conformance.check import Verdict, expected
from assay.conformance.report import Finding, Report
from assay.metrics import all_metrics, find_metric
from assay.text import counted, display_width, printable, some_of, wrapped

BOLD, RED, GREEN, PLAIN = "\x1b[1m", "\x1b[1;31m", "\x1b[1;32m", "\x1b[0m"
MARGIN = "  "
MIN_TEXT = 30
"""The smallest width of the text next to a label."""


def render_report(report: Report, width: int | None = None, *, colour: bool = False) -> str:
    """The report as text, the verdict first. Colour only repeats what the words say."""
    style = GREEN if report.passed else RED
    parts = [_styled(hanging("", verdict_line(report), width), style, colour)]
    explained = report.diagnosis.explains if report.diagnosis else frozenset()
    if report.diagnosis:
        parts.append(_styled(hanging("", report.diagnosis.says, width), BOLD, colour))
    unexplained = [verdict for verdict in report.wrong if verdict.case.name not in explained]
    parts += ["\n".join(_wrong_answer_lines(verdict, width, colour=colour)) for verdict in unexplained]
    if report.diagnosis:  # if so much is wrong, the conventions of the rest mean nothing
        return "\n\n".join(parts) + "\n"
    if report.findings:
        parts.append("\n".join([_styled("Conventions", BOLD, colour), *_conventions(report, width)]))
    parts += [hanging("", line, width) for line in _closing_lines(report)]
    return "\n\n".join(parts) + "\n"


def verdict_line(report: Report) -> str:
    """How many answers are right, how many are wrong, and how many cases have no answer."""
    n_answered = len(report.agreeing) + len(report.wrong)
    line = f"{len(report.agreeing)} of {counted(n_answered, 'answer')} {'is' if n_answered == 1 else 'are'} right"
    if n_wrong := len(report.wrong):
        line += f"; {n_wrong} {'is' if n_wrong == 1 else 'are'} wrong"
    if n_skipped := len(report.skipped):
        metrics = dict.fromkeys(verdict.case.title for verdict in report.skipped)
        line += f"; {counted(n_skipped, 'case')} {'has' if n_skipped == 1 else 'have'} no answer ({some_of(list(metrics))})"
    return f"{line}."


def hanging(label: str, text: str, width: int | None) -> str:
    """A label and its text; later lines are indented to the text."""
    room = max(MIN_TEXT, width - display_width(label)) if width else None
    lines = wrapped(text, room).split("\n") if room else [text]
    return f"\n{' ' * display_width(label)}".join([label + lines[0], *lines[1:]])


def _wrong_answer_lines(verdict: Verdict, width: int | None, *, colour: bool) -> Iterator[str]:
    """One wrong answer: the answer, the fault, the right answer, and the reason."""
    case = verdict.case
    yield _styled(hanging("", f"{case.name}: {case.metric} is {printable(str(verdict.answer))}", width), BOLD, colour)
    right, *other = expected(case)
    facts = [("wrong", f"{verdict.says}."), ("expected", right), *(("or", text) for text in other)]
    for name, text in (*facts, ("reason", case.reason), ("working", case.working)):
        yield hanging(f"{MARGIN}{name:<8}  ", text, width)


def _conventions(report: Report, width: int | None) -> Iterator[str]:
    widest = max(display_width(finding.topic) for finding in report.findings)
    for finding in report.findings:
        yield hanging(f"{MARGIN}{finding.topic:<{widest}}  ", _finding(finding), width)


def _finding(finding: Finding) -> str:
    """The convention, and the settings that make assay follow it."""
    if finding.is_mixed:
        cases: dict[str, list[str]] = {}
        for case, names in finding.seen.items():
            cases.setdefault(" or ".join(names), []).append(case)
        return "mixed: " + "; ".join(f"{names} in {', '.join(where)}" for names, where in cases.items())
    if len(finding.conventions) > 1:
        return f"{' or '.join(finding.conventions)} (the answered cases do not distinguish them)"
    return finding.conventions[0] + (f" → {finding.in_assay}" if finding.in_assay else "")


def _closing_lines(report: Report) -> Iterator[str]:
    """How to get the same numbers with assay, if that is known."""
    findings, ways = report.findings, list[str]()
    if findings and all(finding.is_in_assay and len(finding.conventions) == 1 for finding in findings):
        flags = [finding.flags for finding in findings if finding.flags]
        ways.append(" ".join(["assay score qrels.txt run.txt", *_metrics(findings), *flags]))
    if not ways or any(finding.in_assay for finding in findings):
        ways += [f"--profile {name} ({counted(number, 'case')})" for name, number in report.profiles.items()]
    if ways:
        says = "To get the same numbers" if report.passed else "To reproduce the right answers"
        yield f"{says} with assay: {'; or '.join(ways)}"


def _metrics(findings: Sequence[Finding]) -> list[str]:
    """Metrics that have another name in assay, with all their parameters, as arguments."""
    settings: dict[str, dict[str, Any]] = {}
    for finding in findings:
        if finding.metric:
            bound = find_metric(finding.metric.replace("@k", "@10"))
            settings.setdefault(bound.metric.name, {}).update({name: bound.params[name] for name in bound.given})
    names = [all_metrics()[name].bind(**params).name for name, params in settings.items()]
    return ["-m", *map(shlex.quote, names)] if names else []


def _styled(text: str, style: str, colour: bool) -> str:
    return f"{style}{text}{PLAIN}" if colour else text
