"""Benchmarks and formats as people read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.datasets import BenchmarkDataset, Format, Repair
from assay.reports._cells import Cell, Table
from assay.reports._layout import Style, with_prose
from assay.text import counted, printable

MOST_REPAIRS = 10
"""Repairs that are shown one by one."""


def render_datasets(named: Mapping[str, BenchmarkDataset], formats: Mapping[str, Format], style: Style) -> str:
    """What comes with the package, and what can be read."""
    rows = [
        [Cell(name), Cell(size_text(dataset)), Cell(printable(str(dataset.metadata.get("description", ""))))]
        for name, dataset in named.items()
    ]
    bundled = Table(["benchmark", "size", "about"], rows, frozenset({0, 1, 2}))
    rows = [[Cell(one.name), Cell("read, write" if one.write else "read"), Cell(one.meaning)] for one in formats.values()]
    known = Table(["format", "", "what it is"], rows, frozenset({0, 1, 2}))
    return f"{with_prose(bundled, style)}\n\n{with_prose(known, style)}\n"


def datasets_to_dict(named: Mapping[str, BenchmarkDataset], formats: Mapping[str, Format]) -> dict[str, Any]:
    """Plain JSON values."""
    return {
        "benchmarks": {
            name: {"version": dataset.version, "queries": len(dataset.queries), **_documents(dataset)}
            for name, dataset in named.items()
        },
        "formats": {one.name: {"meaning": one.meaning, "can_write": one.write is not None} for one in formats.values()},
    }


def _documents(dataset: BenchmarkDataset) -> dict[str, Any]:
    """How many documents there are; for cases, which find theirs in an ontology, the sizes they come in."""
    sizes = dataset.metadata.get("sizes")
    return {"sizes": sizes} if isinstance(sizes, Mapping) else {"documents": len(dataset.documents)}


def size_text(dataset: BenchmarkDataset) -> str:
    """How large a benchmark is, in words; of one that comes in sizes, each of them."""
    if isinstance(sizes := dataset.metadata.get("sizes"), Mapping):
        return f"{', '.join(f'{name} {n:,}' for name, n in sizes.items())}; terms of HPO"
    return f"{counted(len(dataset.queries), 'query')}, {counted(len(dataset.documents), 'document')}"


def render_statistics(content: Mapping[str, Any], repairs: Sequence[Repair], style: Style) -> str:
    """Sizes, grades, tags and fingerprints of one benchmark."""
    head = f"{printable(str(content['name']))} {printable(str(content['version']))} (format {content['format']})"
    rows = [[Cell(name), Cell(printable(text))] for name, text in statistics_lines(content)]
    parts = [head, with_prose(Table(["", ""], rows, frozenset({0, 1})), style).partition("\n")[2]]
    if repairs:
        shown = [
            f"  {printable(one.place)}: {printable(one.what)}{' (lost)' if one.is_loss else ''}"
            for one in repairs[:MOST_REPAIRS]
        ]
        more = [f"  … and {len(repairs) - MOST_REPAIRS:,} more"] if len(repairs) > MOST_REPAIRS else []
        parts.append("\n".join([f"{counted(len(repairs), 'repair')} while reading:", *map(style.wrapped, shown), *more]))
    return "\n".join(parts) + "\n"


def statistics_lines(content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What statistics say, as names and words; what a benchmark has none of is left out."""
    grades = ", ".join(f"{grade:g}: {count:,}" for grade, count in content["grade_distribution"].items())
    per_query = f"{content['judgments_per_query']:.1f} per judged query"
    lines = [
        ("queries", f"{content['num_queries']:,}, {content['num_judged_queries']:,} of them judged"),
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
    return [*lines, ("fingerprints", prints)]
