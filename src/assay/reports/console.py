"""The table people read at the terminal: coverage, figures, then what to know about them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from assay.reports._report import Renderer, Report
from assay.reports._table import Table, coverage, notes, query_table, summary_table

if TYPE_CHECKING:
    from rich.console import Console

UNWATCHED_WIDTH = 100_000
"""A pipe has no width: nothing is wrapped or cut."""


def render_console(report: Report) -> str:
    """Plain when nobody watches; colour only repeats what position and words say."""
    from rich.console import Console

    console = Console(
        file=io.StringIO(),
        width=report.width or UNWATCHED_WIDTH,
        force_terminal=report.colour,
        no_color=not report.colour,
        highlight=False,
        emoji=False,
        markup=False,
    )
    console.print(coverage(report), style="dim")
    for result in report.results if report.per_query else ():
        console.print(f"\n{result.name}", style="bold")
        _print_table(console, query_table(report, result))
    if report.shown:
        console.print()
        table = summary_table(report)
        if _width(table) > console.width:
            table = summary_table(report, one_metric_per_row=True)
        _print_table(console, table)
    said = notes(report)
    if said:
        console.print()
    for note in said:
        console.print(note, soft_wrap=not report.width)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in lines) + "\n"


GAP = 3
"""Blanks between columns."""


def _width(table: Table) -> int:
    """Columns of the terminal that the table needs."""
    from rich.cells import cell_len

    columns = zip(table.head, *([cell.text for cell in row] for row in table.rows), strict=True)
    return sum(max(map(cell_len, column)) + GAP for column in columns)


def _print_table(console: Console, table: Table) -> None:
    """A figure is never cut: a table that does not fit runs over the edge."""
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(box=None, pad_edge=True, padding=(0, GAP - 2, 0, 2), header_style="dim")
    for number, name in enumerate(table.head):
        grid.add_column(Text(name), justify="left" if number == 0 else "right", no_wrap=True)
    for row in table.rows:
        grid.add_row(*(Text(cell.text, style="bold green" if cell.is_best else "") for cell in row))
    console.print(grid, width=max(_width(table), console.width), crop=False)


RENDERER = Renderer("table", render_console, "aligned columns for the terminal")
