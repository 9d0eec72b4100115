"""What changed between two results, and what could overturn the verdict about them."""

from __future__ import annotations

from assay.evaluation import Changed, Result, what_changed
from assay.reports.page.head import reasons_for_doubt
from assay.reports.page.subject import BenchmarkReport
from assay.reports.sections.changes import is_recorded
from assay.reports.table import Notes, Paragraph, Section, Table, anchor_of, text_columns, words
from assay.text import counted, printable

NO_CHANGE = (
    "No difference is recorded: code version, provider configuration, dataset, conventions, metrics and packages are the "
    "same. What is not recorded may differ, such as the data of a server or the weights of a model behind an API."
)
TITLE = "What changed"


def changes_section(report: BenchmarkReport) -> Section | None:
    """The recorded differences from the reference to the other of two results; None if there are not two."""
    pair = _pair(report)
    if pair is None or not any(is_recorded(result) for result in pair):
        return None
    names = [printable(result.name or "run") for result in pair]
    changed = what_changed(*(result.provenance for result in pair))
    key = anchor_of("changes", report.group)
    if not changed:
        return Section(key, TITLE, (Paragraph(NO_CHANGE),))
    rows = tuple((words(part.name), words(f"{part.old} → {part.new}", values=_sides(part))) for part in changed)
    table = Table(text_columns("recorded", "before → after"), rows, TITLE, is_sortable=False)
    return Section(key, TITLE, (table,), f"{counted(len(changed), 'recorded difference')} from {names[0]} to {names[1]}.")


def _sides(changed: Changed) -> tuple[tuple[str, str], ...]:
    """Both values, in a column each."""
    return (("before", changed.old), ("after", changed.new))


def doubts_section(report: BenchmarkReport) -> Section | None:
    """What could overturn the verdict: unjudged documents, few queries, noise; None if nothing is known."""
    if report.comparison is None or not (notes := reasons_for_doubt(report)):
        return None
    return Section(anchor_of("doubts", report.group), "What could overturn it", (Notes(notes),))


def _pair(report: BenchmarkReport) -> tuple[Result, Result] | None:
    """The two results, the reference first; if one of them failed on every query, the older one first."""
    every = (*report.results, *report.failed)
    if len(every) != 2:
        return None
    if report.pair is not None:
        first, second = (report.results[place] for place in report.pair)
        return first, second
    first, second = sorted(every, key=lambda result: str(result.provenance.get("started", "")))
    return first, second
