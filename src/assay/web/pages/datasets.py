"""Datasets: the benchmarks of the store and the bundled ones, with their sizes and findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.datasets import PARTS, Finding, bundled, check_dataset, load_bundled
from assay.errors import UnknownName, near_matches
from assay.evaluation import Result
from assay.reports import (
    Cell,
    Column,
    Mark,
    Paragraph,
    Section,
    Table,
    number,
    size_text,
    statistics_lines,
    text_columns,
    words,
)
from assay.text import counted
from assay.web.page import Page, PageRequest, View, address
from assay.web.pages.results import cut
from assay.web.state import AppState, ListedResult
from assay.web.tables import lay_out

MAX_VALUES = 12
MAX_PLACES = 5


def show_datasets(state: AppState, request: PageRequest) -> View:
    """All benchmarks, or one by its name."""
    name = request.get("name")
    sections = _dataset_sections(state, name) if name else _overview_sections(state)
    layouts, tables = lay_out(sections)
    return View(
        "sections.html.j2",
        name or "Datasets",
        {"sections": layouts, "crumb": ("Datasets", "/datasets") if name else None},
        tables,
    )


def _overview_sections(state: AppState) -> list[Section]:
    """The evaluated benchmarks, then those given to the server, then the bundled ones."""
    by_benchmark: dict[str, list[ListedResult]] = {}
    for result in state.index.evaluated:
        by_benchmark.setdefault(result.entry.benchmark, []).append(result)
    rows = [_row(name, listed) for name, listed in sorted(by_benchmark.items())]
    heads = (
        Column("benchmark", kind="text"),
        Column("queries"),
        Column("results"),
        Column("providers"),
        Column("versions", help="different data under the same name"),
        Column("last evaluated (UTC)", kind="text"),
    )
    stored = Table(heads, tuple(rows), "Benchmarks in the store", filters="benchmarks" if len(rows) > 10 else "")
    sections = [Section("stored", "In the store", (stored,))]
    if state.datasets.names:
        served = _dataset_grid(state, state.datasets.names, "Benchmarks given to assay serve")
        sections.append(Section("given", "Given to assay serve", (served,)))
    return [*sections, Section("bundled", "Bundled with assay", (_dataset_grid(state, bundled(), "Bundled benchmarks"),))]


def _row(name: str, listed: Sequence[ListedResult]) -> tuple[Cell, ...]:
    newest = listed[0].entry
    counts = (newest.n_queries, len(listed), len({result.entry.provider for result in listed}))
    return (
        cut(name or "(no name)", link=address("/datasets", name=name) if name else ""),
        *(number(f"{n:,}", n) for n in counts),
        number(str(n := len({result.entry.dataset for result in listed})), n),
        Cell(newest.started[:16].replace("T", " ")),
    )


def _dataset_grid(state: AppState, names: Iterable[str], label: str) -> Table:
    """Benchmarks whose data can be read, with their sizes and descriptions."""
    rows = []
    for name in names:
        dataset = state.datasets.named(name)
        described = dataset if dataset is not None else load_bundled(name)
        about = str(described.metadata.get("description", ""))
        link = address("/datasets", name=name) if dataset is not None else ""
        rows.append((words(name, link=link), Cell(size_text(described)), words(about)))
    return Table(text_columns("benchmark", "size", "about"), tuple(rows), label)


def _dataset_sections(state: AppState, name: str) -> list[Section]:
    """The benchmark as the newest result saw it; if the data are available, also statistics and findings."""
    listed = [result for result in state.index.evaluated if result.entry.benchmark == name]
    dataset = state.datasets.named(name)
    if not listed and dataset is None:
        known = (*state.index.benchmarks, *state.datasets.names, *bundled())
        raise UnknownName("benchmark", name[:200], near_matches(name, known), "the page Datasets lists them")
    sections = []
    if dataset is not None:
        content = {**dataset.get_statistics(), "fingerprints": {part: dataset.fingerprint(part) for part in PARTS}}
        sections.append(Section("statistics", "Statistics", (_facts("Statistics", statistics_lines(content)),)))
        sections.append(_findings(state.cache.get(("check", name), lambda: (check_dataset(dataset),))[0]))
    if listed:
        sections.append(_last_evaluated(state.result(listed[0].key), listed))
    if dataset is None:
        advice = "Start assay serve with --datasets PATH to see findings and document texts."
        note = f"This server does not have the files of this benchmark. {advice}"
        sections.append(Section("findings", "Findings", (Paragraph(note, Mark.MUTED),)))
    return sections


def _facts(label: str, facts: Sequence[tuple[str, str]]) -> Table:
    rows = tuple((Cell(name), words(text)) for name, text in facts)
    return Table(text_columns("", ""), rows, label, is_sortable=False)


def _findings(findings: Sequence[Finding]) -> Section:
    """The findings, each with its first places and advice."""
    if not findings:
        return Section("findings", "Findings", (Paragraph("No problems found."),))
    rows = [
        (
            Cell(finding.severity, mark=Mark.FAILED if finding.severity == "error" else Mark.WARNED),
            Cell(finding.code),
            words(finding.message),
            number(f"{finding.count:,}", finding.count),
            words(", ".join(finding.places[:MAX_PLACES])),
            words(finding.advice),
        )
        for finding in findings
    ]
    names = ("severity", "code", "problem", "count", "first places", "advice")
    heads = tuple(Column(name) if name == "count" else Column(name, kind="text") for name in names)
    return Section("findings", "Findings", (Table(heads, tuple(rows), "Findings"),))


def _last_evaluated(result: Result, listed: Sequence[ListedResult]) -> Section:
    """The benchmark as its newest result saw it."""
    described: Mapping[str, Any] = result.provenance.get("dataset") or {}
    facts = [("version", str(described.get("version", ""))), ("format", str(described.get("format", "")))]
    facts.append(("queries", f"{len(result.query_ids):,}"))
    if result.relevant:
        relevant = sum(map(len, result.relevant.values()))
        facts.append(("relevant documents", f"{relevant:,}, {relevant / max(1, len(result.relevant)):.1f} per query"))
    facts += [(f"fingerprint of {part}", str(value)) for part, value in (described.get("fingerprints") or {}).items()]
    facts += [(f"tag {name}", text) for name, text in _tags(result)]
    link = Paragraph(f"{counted(len(listed), 'result')} on this benchmark in the store.", Mark.MUTED)
    return Section("seen", "Last evaluation", (_facts("Last evaluation", [fact for fact in facts if fact[1]]), link))


def _tags(result: Result) -> list[tuple[str, str]]:
    """Each tag with its values, the most frequent first."""
    counts: dict[str, Counter[str]] = {}
    for query in result.queries.values():
        for name, value in query.tags.items():
            counts.setdefault(str(name), Counter())[str(value)] += 1
    few = {name: values for name, values in counts.items() if len(values) <= max(MAX_VALUES, len(result.queries) // 4)}
    return [
        (name, ", ".join(f"{value} {n:,}" for value, n in values.most_common(MAX_VALUES))) for name, values in few.items()
    ]


PAGE = Page("/datasets", show_datasets, "Datasets", ("name",))
