"""gate_words: the sentences that every form of a gate report shares."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from assay.monitoring._gate import GateReport
from assay.monitoring.finding import FAILED, SKIPPED, UNDECIDED, WARNED, Moved
from assay.monitoring.verdict import Verdict
from assay.text import counted, printable

LONGEST_TEXT = 60
MOST_NAMED = 5


def grouped(report: GateReport) -> list[tuple[str, list[Verdict]]]:
    """The verdicts of each result under its name; without one where there is only one result."""
    groups = [(key, list(some)) for key, some in groupby(report.verdicts, key=_about)]
    return [("", some) for _, some in groups] if len(groups) == 1 else [(key, some) for key, some in groups]


def _about(verdict: Verdict) -> str:
    who = " · ".join(filter(None, (verdict.benchmark, verdict.provider)))
    return f"{who} against {verdict.against}" if verdict.against not in ("", verdict.provider) else who


def conclusion(report: GateReport) -> str:
    """How many rules failed, and what the results were held against; verdicts where rules are about several results."""
    if report.broken:
        return "The gate is broken: no verdict."
    parts: list[str] = []
    n_rules = len({verdict.rule.text for verdict in report.verdicts})
    noun = "rule" if n_rules == len(report.verdicts) else "verdict"
    for status, word in ((FAILED, "failed"), (WARNED, "warned"), (UNDECIDED, "undecided"), (SKIPPED, "skipped")):
        if n := report.count(status):
            parts.append(f"{counted(n, noun)} {word}" if not parts else f"{n} {word}")
    n = len(report.verdicts)
    said = ", ".join(parts) if parts else f"{'All ' if n > 1 else ''}{counted(n, noun)} passed"
    if parts and not report.failed:
        said = f"Passed: {said}"
    baseline = f" Baseline {report.baseline}." if report.baseline else " No baseline."
    return f"{said}.{baseline}"


def worst_moved(verdicts: Sequence[Verdict], most: int = MOST_NAMED) -> list[Moved]:
    """The queries behind rules that failed, each once; where none failed, behind those that warned or are undecided."""
    for status in (FAILED, WARNED, UNDECIDED):
        found: dict[str, Moved] = {}
        for verdict in verdicts:
            for moved in verdict.finding.moved if verdict.status == status else ():
                found.setdefault(moved.query, moved)
        if found:
            return list(found.values())[:most]
    return []


def moved_text(moved: Moved) -> str:
    """`q17 hit → miss ("how long do cats sleep")`."""
    text = printable(moved.text)
    short = text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"
    return f"{printable(moved.query)} {printable(moved.change)}" + (f' ("{short}")' if short else "")


def moved_head(moved: Sequence[Moved]) -> str:
    """What the list of queries is a list of."""
    return "Moved most" if any(one.before == one.before for one in moved) else "Worst"
