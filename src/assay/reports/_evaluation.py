"""What `assay eval` prints: a table for each benchmark, its providers as rows."""

from __future__ import annotations

from collections.abc import Sequence

from assay.evaluation.result import Result
from assay.reports._report import Report, find_renderer
from assay.text import counted, printable


def render_evaluation(results: Sequence[Result], form: str, width: int | None, *, colour: bool) -> str:
    """One format for all results; tables come one per benchmark, each under its name."""
    renderer = find_renderer(form)
    if form in ("json", "csv", "trec"):
        return renderer.render(Report(results, width=width, colour=colour))
    by_benchmark: dict[str, list[Result]] = {}
    for result in results:
        by_benchmark.setdefault(result.benchmark, []).append(result)
    parts = []
    for some in by_benchmark.values():
        report = Report(some, width=width, colour=colour, beside=frozenset({"judged@10", "latency_p95"}), points_on=False)
        parts.append("\n".join([_title(some[0]), renderer.render(report).rstrip("\n"), *_failures(some)]))
    return "\n\n".join(parts) + "\n"


def _title(result: Result) -> str:
    """The benchmark, its version, and where the time went."""
    about = result.provenance.get("dataset", {})
    return printable(f"{result.benchmark} {about.get('version', '')}".strip())


def _failures(results: Sequence[Result]) -> list[str]:
    """Queries that providers failed on, the first with its reason."""
    lines = []
    for result in results:
        if result.failures:
            query, reason = next(iter(result.failures.items()))
            count = counted(len(result.failures), "query")
            lines.append(
                f"{printable(result.name)} failed on {count}, which score 0; {printable(query)}: {printable(reason)}"
            )
    return lines
