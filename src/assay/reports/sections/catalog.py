"""Catalogs: providers, benchmarks and formats as tables, and the findings of a benchmark's check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.datasets import BenchmarkDataset, Case, Finding, Format, Repair, known_format
from assay.errors import DataError
from assay.execution import Part, Response
from assay.grammar import REQUIRED, show
from assay.model import grade_word
from assay.providers import Provider
from assay.reports.layout import MARGIN, Style, set_table
from assay.reports.table import Column, Mark, Notes, Paragraph, Section, Table, cells, table_section, text_columns
from assay.text import counted, display_width, milliseconds, printable, shorten_middle, some_of

MAX_HITS = 5
"""Hits per query that a check shows."""
LONGEST_QUERY = 32
"""Columns for a query in a check."""
WIDEST_TIME = 8
"""Columns for a time in a check: `1,234 ms`."""


def describe_provider(provider: Provider) -> dict[str, Any]:
    """Plain JSON values."""
    return {
        "name": provider.name,
        "meaning": provider.meaning,
        "made_of_providers": provider.takes_parts,
        "indexes_documents": provider.indexes is not False,
        "parameters": [
            {
                "name": param.name,
                "default": None if param.default is REQUIRED else param.default,
                "needed": param.default is REQUIRED,
                "meaning": param.meaning,
            }
            for param in provider.params
        ],
    }


def provider_list_sections(providers: Mapping[str, Provider]) -> tuple[Section, ...]:
    """All providers, one line each."""
    rows = tuple(cells(provider.name, provider.meaning) for provider in providers.values())
    return (table_section(Table(text_columns("provider", "what it is", prose=True), rows)),)


def provider_sections(provider: Provider) -> tuple[Section, ...]:
    """One provider with its parameters."""
    parts: list[Any] = [Paragraph(f"{provider.name}: {provider.meaning}")]
    rows = tuple(cells(param.name, _default(param.default), param.meaning) for param in provider.params)
    if rows:
        parts.append(Table(text_columns("parameter", "default", "meaning", prose=True), rows))
    if provider.takes_parts:
        inside = ", ".join(provider.default_parts) or "bm25"
        parts.append(Paragraph(f"built from other providers: {provider.name}({inside})"))
    return (Section(parts=tuple(parts)),)


def _default(value: Any) -> str:
    return "required" if value is REQUIRED else "" if value in (None, "") else show(value)


def describe_check(part: Part, answers: Mapping[str, Response]) -> dict[str, Any]:
    """Plain JSON values of a check: query → what the provider returned."""
    return {
        query: {
            "docs": answer.docs,
            "scores": answer.scores,
            "ms": answer.ms,
            "error": answer.error,
            "unknown": [doc for doc in answer.docs if doc not in part.dataset.documents],
        }
        for query, answer in answers.items()
    }


@dataclass(frozen=True)
class CheckReport:
    """What a provider returns for a few queries, printed line by line; column widths are fixed in advance."""

    part: Part
    style: Style

    def head(self) -> str:
        """The title and the column headings."""
        title = f"{printable(self.part.provider.name)} on {printable(self.part.dataset.name)}, k = {self.part.k}"
        return f"{self.style.wrapped(title)}\n\n{self._set()}\n"

    def row(self, answer: Response) -> str:
        """What the provider returned for a query."""
        text = self._query(answer.query)
        if answer.error is not None:
            texts = [text, "–", "–", f"failed: {answer.error}"]
        else:
            first = " ".join(answer.docs[:MAX_HITS]) + (" …" if len(answer.docs) > MAX_HITS else "")
            texts = [text, f"{len(answer.docs):,}", milliseconds(answer.ms), first]
        return self._set(texts).removeprefix(self._set() + "\n")

    def verdict(self, answers: Mapping[str, Response]) -> str:
        """Whether the provider works."""
        return f"\n{self.style.wrapped(_check_verdict(self.part, answers))}\n"

    def _query(self, query: str) -> str:
        return shorten_middle(printable(self.part.queries[query].text or query), LONGEST_QUERY)

    def _set(self, *rows: Sequence[str]) -> str:
        """The headings, and these rows below them."""
        longest = max(display_width(self._query(query)) for query in self.part.queries)
        heads = (
            Column("query".ljust(longest), kind="text"),
            Column("hits".rjust(len(f"{self.part.k:,}"))),
            Column("time".rjust(WIDEST_TIME)),
            Column("first hits", kind="prose"),
        )
        return set_table(Table(heads, tuple(cells(*row) for row in rows)), self.style)


def _check_verdict(part: Part, answers: Mapping[str, Response]) -> str:
    """Whether the provider works, and what looks wrong although it works."""
    name, n_failed = printable(part.provider.name), sum(answer.error is not None for answer in answers.values())
    if n_failed:
        return f"{name} fails on {n_failed:,} of {counted(len(answers), 'query')}."
    ids = [doc for answer in answers.values() for doc in answer.docs]
    if not ids:
        return f"{name} works, but found nothing for any query."
    unknown = [doc for doc in ids if doc not in part.dataset.documents] if part.dataset.documents else []
    if len(unknown) == len(ids):
        ours, theirs = printable(ids[0]), printable(next(iter(part.dataset.documents)))
        ids_text = f"it returns ids like {ours}, the benchmark has ids like {theirs}."
        return f"{name} works, but none of its ids is a document of the benchmark: {ids_text}"
    if unknown:
        share = f"{len(unknown):,} of {len(ids):,} ids"
        return f"{name} works, but {share} are not documents of the benchmark: {printable(some_of(unknown))}."
    return f"{name} works."


REPAIRED = ("", "left-out")
"""Codes of repairs that change or leave out a record. All others say how files and columns were read."""
MAX_REPAIRS = 10
"""Repairs that are listed."""


def dataset_list_sections(named: Mapping[str, BenchmarkDataset], formats: Mapping[str, Format]) -> tuple[Section, ...]:
    """The bundled benchmarks, and the formats that can be read."""
    bundled = tuple(
        cells(name, size_text(dataset), str(dataset.metadata.get("description", ""))) for name, dataset in named.items()
    )
    known = tuple(cells(form.name, "read, write" if form.write else "read", form.meaning) for form in formats.values())
    return (
        table_section(Table(text_columns("benchmark", "size", "about", prose=True), bundled)),
        table_section(Table(text_columns("format", "", "what it is", prose=True), known)),
    )


Columns = Mapping[str, Mapping[str, Sequence[str]]]
"""Kind of table → role → accepted names."""


def format_sections(formats: Mapping[str, Format], columns: Columns) -> tuple[Section, ...]:
    """What a benchmark can be, and the accepted names of columns in tables."""
    known = tuple(cells(form.name, "read, write" if form.write else "read", form.meaning) for form in formats.values())
    tables = (
        table_section(
            Table(
                text_columns("role", "accepted names, the likeliest first", prose=True),
                tuple(cells(role, ", ".join(names)) for role, names in roles.items()),
                title=f"columns of {table}",
            )
        )
        for table, roles in columns.items()
    )
    advice = Paragraph("If a column has another name, add --columns ROLE=NAME, such as --columns query=q,text=body.")
    return (
        table_section(Table(text_columns("format", "", "what it is", prose=True), known)),
        *tables,
        Section(parts=(advice,)),
    )


def formats_to_dict(formats: Mapping[str, Format], columns: Columns) -> dict[str, Any]:
    """Plain JSON values."""
    return {
        "formats": {form.name: {"meaning": form.meaning, "can_write": form.write is not None} for form in formats.values()},
        "columns": {table: {role: list(names) for role, names in roles.items()} for table, roles in columns.items()},
    }


def datasets_to_dict(named: Mapping[str, BenchmarkDataset], formats: Mapping[str, Format]) -> dict[str, Any]:
    """Plain JSON values."""
    return {
        "benchmarks": {
            name: {"version": dataset.version, "queries": len(dataset.queries), **_documents(dataset)}
            for name, dataset in named.items()
        },
        "formats": {form.name: {"meaning": form.meaning, "can_write": form.write is not None} for form in formats.values()},
    }


def _documents(dataset: BenchmarkDataset) -> dict[str, Any]:
    """The number of documents; for a benchmark that comes in sizes, the sizes."""
    sizes = dataset.metadata.get("sizes")
    return {"sizes": sizes} if isinstance(sizes, Mapping) else {"documents": len(dataset.documents)}


def size_text(dataset: BenchmarkDataset) -> str:
    """The size of a benchmark as text; if it comes in sizes, all of them."""
    if isinstance(sizes := dataset.metadata.get("sizes"), Mapping):
        format_ = known_format(dataset.format)
        documents = f"; {format_.documents}" if format_ is not None and format_.documents else ""
        return f"{', '.join(f'{name} {n:,}' for name, n in sizes.items())}{documents}"
    return f"{counted(len(dataset.queries), 'query')}, {counted(len(dataset.documents), 'document')}"


def dataset_sections(dataset: BenchmarkDataset) -> tuple[Section, ...]:
    """The sizes, grades and tags of a benchmark. Fingerprints are left out, because they read every document."""
    return statistics_sections({**dataset.get_statistics(), "fingerprints": {}}, dataset.repairs)


def statistics_sections(content: Mapping[str, Any], repairs: Sequence[Repair]) -> tuple[Section, ...]:
    """The sizes, grades, tags and fingerprints of one benchmark."""
    form = f" (format {content['format']})" if content["format"] else ""
    head = f"{content['name']} {content['version']}{form}"
    rows = tuple(cells(name, text) for name, text in statistics_lines(content))
    parts: list[Any] = [Table(text_columns("", "", prose=True), rows, title=head)]
    if repairs:
        lines = [
            f"{MARGIN}{repair.place}: {repair.what}{' (lost)' if repair.is_loss else ''}" for repair in repairs[:MAX_REPAIRS]
        ]
        more = [f"{MARGIN}… and {len(repairs) - MAX_REPAIRS:,} more"] if len(repairs) > MAX_REPAIRS else []
        parts.append(Notes((f"{describe_repairs(repairs)}:", *lines, *more)))
    return (Section(parts=tuple(parts)),)


def describe_repairs(repairs: Sequence[Repair]) -> str:
    """`2 repairs while reading`; `2 notes on reading` if one of them is not a repair, such as a choice of a column."""
    if any(repair.code not in REPAIRED for repair in repairs):
        return f"{counted(len(repairs), 'note')} on reading"
    return f"{counted(len(repairs), 'repair')} while reading"


def statistics_lines(content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The statistics as names and texts; what a benchmark does not have is left out."""
    grades = ", ".join(f"{grade_word(grade)}: {count:,}" for grade, count in content["grade_distribution"].items())
    per_query = f"{content['judgments_per_query']:.1f} per judged query"
    lines = [
        ("queries", f"{content['num_queries']:,} ({content['num_judged_queries']:,} judged)"),
        ("documents", f"{content['num_documents']:,}"),
        ("judgments", f"{content['num_judgments']:,} ({per_query}), {content['num_relevant']:,} relevant"),
        ("grades", grades or "none"),
        *(
            (f"tag {name}", ", ".join(f"{value} {count:,}" for value, count in values.items()))
            for name, values in content["tags"].items()
        ),
    ]
    others = {
        "num_scopes": "scopes",
        "num_expected": "expected answers",
        "num_evidence": "queries with evidence",
        "num_spans": "spans",
    }
    lines += [(words, f"{content[name]:,}") for name, words in others.items() if content[name]]
    prints = " · ".join(f"{part} {value}" for part, value in content["fingerprints"].items())
    return [*lines, ("fingerprints", prints)] if prints else lines


MAX_PLACES = 5
"""Places shown in a terminal; JSON has twenty."""
MARKS = {"error": Mark.FAILED, "warning": Mark.WARNED}


def finding_sections(findings: Sequence[Finding], dataset: BenchmarkDataset) -> tuple[Section, ...]:
    """The verdict, then errors, then warnings."""
    parts: list[Any] = [Paragraph(_findings_verdict(findings, dataset), Mark.BEST)]
    parts += map(_finding_notes, _by_severity(findings))
    if any(finding.count > MAX_PLACES for finding in findings if finding.cases):
        parts.append(Paragraph("Add --format json to see more places.", Mark.MUTED))
    return (Section(parts=tuple(parts)),)


def findings_to_dict(findings: Sequence[Finding], dataset: BenchmarkDataset) -> dict[str, Any]:
    """Plain JSON values, in the order of the text."""
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
    """The number of documents; None if they cannot be read, which is one of the findings."""
    try:
        return len(dataset.documents)
    except DataError:
        return None


def _findings_verdict(findings: Sequence[Finding], dataset: BenchmarkDataset) -> str:
    counts = [counted(count, kind) for kind in ("error", "warning") if (count := _n_of(findings, kind))]
    n_documents = _n_documents(dataset)
    documents = "unreadable documents" if n_documents is None else counted(n_documents, "document")
    size = f"{counted(len(dataset.queries), 'query')}, {documents}"
    return f"{', '.join(counts) or 'No problems found'} in {dataset.name} ({size})."


def _finding_notes(finding: Finding) -> Notes:
    """Code and message, places, advice."""
    lines = [f"{finding.severity}: {finding.code}: {finding.message}"]
    lines += [f"{MARGIN}{_place(case)}" for case in finding.cases[:MAX_PLACES]]
    if finding.cases and (n_more := finding.count - len(finding.cases[:MAX_PLACES])) > 0:
        lines.append(f"{MARGIN}… and {n_more:,} more")
    lines.append(f"{MARGIN}→ {finding.advice}")
    return Notes(tuple(lines), label=finding.severity, mark=MARKS[finding.severity])


def _place(case: Case) -> str:
    return ": ".join(filter(None, (case.place, case.found)))
