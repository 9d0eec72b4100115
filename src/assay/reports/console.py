"""The table people read at the terminal: coverage, figures, then what to know about them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from assay.reports._report import Renderer, Report
from assay.reports._table import Table, coverage, notes, query_table, summary_table

if TYPE_CHECKING:
    import rich.table

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
        console.print(_as_rich(query_table(report, result)))
    if report.shown:
        console.print()
        console.print(_as_rich(summary_table(report)))
    said = notes(report)
    if said:
        console.print()
    for note in said:
        console.print(note, soft_wrap=not report.width)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _as_rich(table: Table) -> rich.table.Table:
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(box=None, pad_edge=True, padding=(0, 1, 0, 2), header_style="dim")
    for number, name in enumerate(table.head):
        grid.add_column(Text(name), justify="left" if number == 0 else "right", overflow="fold", no_wrap=number > 0)
    for row in table.rows:
        grid.add_row(*(Text(cell.text, style="bold green" if cell.is_best else "") for cell in row))
    return grid


RENDERER = Renderer("table", render_console, "aligned columns for the terminal")
