"""Tables as CSV: numbers with every digit, and no cell that a spreadsheet would take for a formula."""

from __future__ import annotations

from collections.abc import Iterator

from assay.reports._csv_rows import as_csv
from assay.reports._page_parts import Field, Grid
from assay.text import printable

FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""What a formula may begin with in one spreadsheet or another."""


def csv_of_grid(grid: Grid) -> str:
    """The table; what stands below figures, such as intervals, gets a column of its own."""
    has_beside = [any(row[place].beside for row in grid.rows) for place in range(len(grid.columns))]
    head = [
        name
        for column, more in zip(grid.columns, has_beside, strict=True)
        for name in (neutral(column.head), *([neutral(f"{column.head} beside")] if more else []))
    ]
    return as_csv([head, *(list(_cells(row, has_beside)) for row in grid.rows)])


def _cells(row: tuple[Field, ...], has_beside: list[bool]) -> Iterator[str]:
    for one, more in zip(row, has_beside, strict=True):
        yield repr(one.sort) if isinstance(one.sort, float | int) else neutral(one.text)
        if more:
            yield neutral(one.beside)


def neutral(text: str) -> str:
    """A text on one line that no spreadsheet runs: an apostrophe stands before what looks like a formula."""
    is_formula = text.startswith(FORMULAS) or text.lstrip().startswith(FORMULAS)
    return printable(f"'{text}" if is_formula else text)
