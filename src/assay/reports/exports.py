"""Exports: results, comparisons, benchmarks, runs and judgments as JSON text and as files; the extension sets the format."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.atomic_write import atomic_write
from assay.comparison import Comparison, Leaderboard
from assay.datasets import BenchmarkDataset
from assay.errors import DataError, UsageError
from assay.evaluation import Result
from assay.files import write_parquet_table, write_qrels, write_run
from assay.frames import Tabular, kinds_of
from assay.masking import mask
from assay.model import Qrels, Run
from assay.reports.outputs import ENDINGS
from assay.reports.rendering import render_sections
from assay.reports.report import Report
from assay.reports.sections.catalog import dataset_sections
from assay.reports.sections.comparison import ComparisonReport, render_comparisons
from assay.reports.sections.evaluation import EvaluationDisplay, render_evaluation
from assay.reports.sections.scores import render_scores
from assay.reports.table import table_from_rows, table_section
from assay.serialize import dumps
from assay.text import some_of, spreadsheet_cell

Render = Callable[[Any], str]
Write = Callable[[Any, Path], None]


@dataclass(frozen=True)
class Export:
    """How objects of one type are written: functions that return the text, or that write the file themselves."""

    json: Render
    texts: Mapping[str, Render]
    """File extension → the text for people."""
    writers: Mapping[str, Write]
    """File extension → the function that writes the file of another tool."""
    check: Write | None = None
    """Raises an error if rows cannot hold the object."""
    is_data: bool = False
    """Whether files are read again as data, so that every id must stay as it is."""

    @property
    def endings(self) -> tuple[str, ...]:
        """All file extensions."""
        return (".json", ".csv", ".parquet", *self.texts, *self.writers)


def saved_json(value: Tabular) -> str:
    """The JSON text of an object, without secrets."""
    return mask(_export_of(value).json(value))


def save_object(value: Tabular, path: str | Path) -> None:
    """Write an object; the file extension sets the format."""
    place = Path(path)
    export, ending = _export_of(value), place.suffix.lower()
    if ending not in export.endings:
        raise UsageError(f"{place}: the file extension must be one of {', '.join(export.endings)}")
    if export.check and ending != ".json":
        export.check(value, place)
    if export.is_data and ending == ".csv":
        _check_ids(value, place)
    if ending in export.writers:
        export.writers[ending](value, place)
    elif ending == ".parquet":
        columns = value.columns_of()
        write_parquet_table(place, kinds_of(columns), zip(*map(_plain_values, columns.values()), strict=True))
    else:
        text = {".json": export.json, ".csv": _csv, **export.texts}[ending](value)
        with atomic_write(place) as file:
            file.write(mask(text).encode("utf-8", "surrogatepass"))


def _export_of(value: Tabular) -> Export:
    return next(EXPORTS[kind] for kind in type(value).__mro__ if kind in EXPORTS)


def _csv(value: Tabular) -> str:
    """The first table; numbers have every digit, undefined values are empty, and a list is in JSON."""
    columns = value.columns_of()
    rows = zip(*map(_fields, columns.values()), strict=True)
    table = table_from_rows([dict(zip(columns, row, strict=True)) for row in rows], names=tuple(columns))
    return render_sections([table_section(table)], "csv")


def _check_ids(value: Tabular, path: Path) -> None:
    """Raise an error if an id would change in CSV, where a text that looks like a formula gets an apostrophe."""
    columns = [values for name, values in value.columns_of().items() if name.endswith("_id")]
    if example := next((text for values in columns for text in values if spreadsheet_cell(text) != text), None):
        reason = "looks like a formula" if example.isprintable() else "has control characters"
        raise DataError(f"the id {example!r} {reason} and would change in CSV. Save as .json or .parquet", source=path)


def _fields(values: Sequence[Any] | NDArray[Any]) -> list[Any]:
    return [json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value for value in _plain_values(values)]


def _plain_values(values: Sequence[Any] | NDArray[Any]) -> list[Any]:
    """The values as Python objects; None if a number is undefined."""
    plain = values.tolist() if isinstance(values, np.ndarray) else values
    return [None if value != value else value for value in plain]


def _result_json(result: Result) -> str:
    return render_scores(Report([result]), "json")


def _result_text(result: Result, form: str) -> str:
    return render_evaluation([result], form, EvaluationDisplay())


def _result_page(result: Result) -> str:
    return render_scores(Report([result]), "html")


def _comparison_text(comparison: Comparison, form: str) -> str:
    return render_comparisons(ComparisonReport([comparison]), form)


def _comparison_page(comparison: Comparison) -> str:
    """One page with charts, as `assay report` writes it."""
    from assay.reports.page.page import make_page
    from assay.reports.page.subject import BenchmarkReport
    from assay.reports.renderers.html import render_page

    return render_page(make_page([BenchmarkReport(comparison.results, comparison, failed=comparison.failed)]))


def _dataset_text(dataset: BenchmarkDataset, form: str) -> str:
    return render_sections(dataset_sections(dataset), form)


def _json_text(value: Any) -> str:
    return dumps(value.to_dict(), indent=2) + "\n"


def _qrels_json(qrels: Qrels) -> str:
    if qrels.subtopics is not None:
        raise DataError("JSON judgments have no subtopics. Save judgments per subtopic as .qrels, .csv or .parquet")
    return _json_text(qrels)


def _save_result_run(result: Result, path: Path) -> None:
    if not result.run:
        raise UsageError(f"{path}: this result has no rankings. A result of `assay.evaluate` has scores only: save the run")
    write_run(result.run, path, "".join(result.name.split()))


def _save_run(run: Run, path: Path) -> None:
    write_run(run, path, "".join(run.tag.split()))


def _check_judged(qrels: Qrels, path: Path) -> None:
    if empty := [query for query in qrels if not qrels[query]]:
        nothing = f"rows of judgments cannot contain queries for which nothing is relevant (query {some_of(empty)})"
        raise DataError(f"{nothing}. Save as .json", source=path)


def _save_qrels(qrels: Qrels, path: Path) -> None:
    write_qrels(qrels, path, qrels.judgments().subtopics)


def _save_dataset_qrels(dataset: BenchmarkDataset, path: Path) -> None:
    dataset.save_trec_qrels(path)


def _texts(render: Callable[..., str], page: Render) -> dict[str, Render]:
    forms = {ending: form for ending, form in ENDINGS.items() if form not in ("json", "csv")}
    return {ending: partial(render, form=form) for ending, form in forms.items()} | {".html": page}


EXPORTS: Mapping[type, Export] = {
    Result: Export(_result_json, _texts(_result_text, _result_page), dict.fromkeys((".trec", ".run"), _save_result_run)),
    Comparison: Export(partial(_comparison_text, form="json"), _texts(_comparison_text, _comparison_page), {}),
    BenchmarkDataset: Export(
        _json_text,
        _texts(_dataset_text, partial(_dataset_text, form="html")),
        dict.fromkeys((".trec", ".qrels"), _save_dataset_qrels),
        is_data=True,
    ),
    Leaderboard: Export(_json_text, {}, {}),
    Run: Export(_json_text, {}, dict.fromkeys((".trec", ".run"), _save_run), is_data=True),
    Qrels: Export(_qrels_json, {}, dict.fromkeys((".trec", ".qrels"), _save_qrels), _check_judged, is_data=True),
}
"""Type → how its objects are written."""
