"""What may stand beside a comparison: slices, the slices that are worst, and how alike systems rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.atomic_write import atomic_write
from assay.comparison import Figures, RankAgreement, SliceComparison, WorstSlices
from assay.errors import UsageError
from assay.masking import mask
from assay.reports._agreement import agreement_sheets
from assay.reports._comparison import render_comparison
from assay.reports._comparison_data import SCHEMA, rounded, whole
from assay.reports._comparison_report import ComparisonReport
from assay.reports._layout import Style
from assay.reports._outputs import form_of
from assay.reports._sheets import Sheet, render_sheets
from assay.reports._slices import slice_comparison_sheets, worst_slices_sheets
from assay.reports.json import written


@dataclass(frozen=True)
class Beside:
    """More about one comparison, as far as somebody asked for it."""

    slices: SliceComparison | None = None
    worst: WorstSlices | None = None
    agreement: tuple[RankAgreement, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        plain: dict[str, Any] = {}
        if self.slices is not None:
            plain["slices"] = self.slices.to_dict()
        if self.worst is not None:
            plain["worst_slices"] = self.worst.to_dict()
        if self.agreement:
            plain["agreement"] = [one.to_dict() for one in self.agreement]
        return plain


def render_with_beside(report: ComparisonReport, beside: Sequence[Beside], form: str) -> str:
    """Each comparison with what stands beside it. In CSV, slices are rows like those of the whole."""
    if form == "csv":
        parts = [
            part
            for one, more in zip(report.comparisons, beside, strict=True)
            for part in (one, *(more.slices.parts if more.slices else ()))
        ]
        return render_comparison(replace(report, comparisons=parts), form)
    if form == "json":
        everything = [
            {**whole(one, report), **rounded(more.to_dict(), report.digits)}
            for one, more in zip(report.comparisons, beside, strict=True)
        ]
        return written({"schema": SCHEMA, "comparisons": everything})
    style = Style(report.width if form == "table" else None, report.colour and form == "table")
    texts = []
    for one, more in zip(report.comparisons, beside, strict=True):
        text = render_comparison(replace(report, comparisons=[one]), form)
        sheets = list(_sheets(more, Figures(report.digits), style))
        texts.append(f"{text}\n{render_sheets(sheets, form, style)}" if sheets else text)
    return "\n".join(texts)


def write_with_beside(path: Path, report: ComparisonReport, beside: Sequence[Beside], form: str = "") -> None:
    """Write the same to a file, in the format that the ending tells; without one, in the given form."""
    plain = replace(report, width=None, colour=False)
    text = render_with_beside(plain, beside, form_of(path, form))
    with atomic_write(path) as file:
        file.write(mask(text).encode("utf-8", "surrogatepass"))


def refuse_csv(forms: Sequence[str], flags: Sequence[str]) -> None:
    """CSV is one table with a row for each pair, in which some things have no place."""
    if "csv" in forms and flags:
        raise UsageError(f"{' and '.join(flags)} has no place in csv, which is one table; use json, markdown or table")


def _sheets(beside: Beside, figures: Figures, style: Style) -> Iterator[Sheet]:
    if beside.slices is not None:
        yield from slice_comparison_sheets(beside.slices, figures, style.width)
    if beside.worst is not None:
        yield from worst_slices_sheets(beside.worst, figures, style.width)
    yield from agreement_sheets(beside.agreement, figures.digits)
