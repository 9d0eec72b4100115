"""What `assay datasets check` says: how many errors and warnings, then each with its places and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.datasets import BenchmarkDataset, Case, Finding
from assay.errors import DataError
from assay.reports._layout import BOLD, DIM, MARGIN, Style
from assay.text import counted, printable

MOST_PLACES = 5
"""Places shown at a terminal; JSON has twenty."""
RED, YELLOW = "\x1b[1;31m", "\x1b[1;33m"
COLOURS = {"error": RED, "warning": YELLOW}


def render_findings(findings: Sequence[Finding], dataset: BenchmarkDataset, style: Style) -> str:
    """Answer first; then errors, then warnings."""
    parts = [style.styled(style.wrapped(_verdict(findings, dataset)), BOLD)]
    parts += [_part(finding, style) for finding in _by_severity(findings)]
    if any(finding.count > MOST_PLACES for finding in findings if finding.cases):
        parts.append(style.styled(style.wrapped("More places: --format json"), DIM))
    return "\n\n".join(parts) + "\n"


def findings_to_dict(findings: Sequence[Finding], dataset: BenchmarkDataset) -> dict[str, Any]:
    """Plain JSON values; the order is that of the text."""
    return {
        "dataset": dataset.name,
        "format": dataset.format,
        "num_queries": len(dataset.queries),
        "num_documents": _n_documents(dataset),
        "num_errors": _n_of(findings, "error"),
        "num_warnings": _n_of(findings, "warning"),
        "findings": [finding.to_dict() for finding in _by_severity(findings)],
    }


def _by_severity(findings: Sequence[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: finding.severity != "error")


def _n_of(findings: Sequence[Finding], severity: str) -> int:
    return sum(finding.severity == severity for finding in findings)


def _n_documents(dataset: BenchmarkDataset) -> int | None:
    """None where the documents cannot be read, which is one of the findings."""
    try:
        return len(dataset.documents)
    except DataError:
        return None


def _verdict(findings: Sequence[Finding], dataset: BenchmarkDataset) -> str:
    counts = [counted(count, kind) for kind in ("error", "warning") if (count := _n_of(findings, kind))]
    n_documents = _n_documents(dataset)
    documents = "unreadable documents" if n_documents is None else counted(n_documents, "document")
    size = f"{counted(len(dataset.queries), 'query')}, {documents}"
    return f"{', '.join(counts) or 'Nothing wrong'} in {printable(dataset.name)} ({size})."


def _part(finding: Finding, style: Style) -> str:
    """Code and message, places, advice."""
    label = style.styled(finding.severity, COLOURS[finding.severity])
    head = style.wrapped(f"{finding.severity}: {finding.code}: {printable(finding.message)}")
    lines = [head.replace(finding.severity, label, 1)]
    lines += [style.wrapped(f"{MARGIN}{_place(case)}") for case in finding.cases[:MOST_PLACES]]
    if finding.cases and (n_more := finding.count - len(finding.cases[:MOST_PLACES])) > 0:
        lines.append(style.styled(f"{MARGIN}… and {n_more:,} more", DIM))
    return "\n".join([*lines, style.wrapped(f"{MARGIN}→ {printable(finding.advice)}")])


def _place(case: Case) -> str:
    return printable(": ".join(filter(None, (case.place, case.found))))
