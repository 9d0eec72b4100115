"""The table people read at the terminal: coverage, figures, then what to know about them."""

from __future__ import annotations

from assay.reports._report import Renderer, Report
from assay.reports._table import Cell, Table, coverage, notes, query_table, summary_table
from assay.text import display_width, wrapped

MARGIN, GAP = "  ", "   "
MIN_NAME = 12
DIM, BOLD, BEST, PLAIN = "\x1b[2m", "\x1b[1m", "\x1b[1;32m", "\x1b[0m"


def render_console(report: Report) -> str:
    """Plain when nobody watches; colour only repeats what position and words say."""
    parts = [_styled(_wrapped(coverage(report), report.width), DIM, report)]
    for result in report.results if report.per_query else ():
        title = _styled(_wrapped(report.label(result), report.width), BOLD, report)
        parts.append("\n".join([title, *_fitted(query_table(report, result), report)]))
    if report.shown:
        parts.append("\n\n".join(_fitted(_summary(report), report)))
    said = notes(report)
    if said:
        parts.append("\n".join(_wrapped(note, report.width) for note in said))
    return "\n\n".join(parts) + "\n"


def _summary(report: Report) -> Table:
    """One run per row where that fits, else one metric per row."""
    if not report.width:
        return summary_table(report)
    table = summary_table(report, one_metric_per_row=False)
    other_way = summary_table(report, one_metric_per_row=True)
    return other_way if _needs(table) > report.width >= _needs(other_way) else table


def _fitted(table: Table, report: Report) -> list[str]:
    """The table, in as many pieces as the terminal's width asks for; no figure is ever cut, only long names are."""
    if not report.width or _needs(table) <= report.width:
        return [_set(table, report)]
    longest = max(MIN_NAME, report.width // 3)
    head = _shortened_all(table.head, longest)
    names = _shortened_all([row[0].text for row in table.rows], longest)
    rows = [[Cell(name), *row[1:]] for name, row in zip(names, table.rows, strict=True)]
    widths = _widths(Table(head, rows))
    pieces: list[list[int]] = [[0]]
    for number in range(1, len(head)):
        taken = sum(widths[column] + len(GAP) for column in pieces[-1])
        if len(pieces[-1]) > 1 and len(MARGIN) + taken + widths[number] > report.width:
            pieces.append([0])
        pieces[-1].append(number)
    return [
        _set(Table([head[column] for column in piece], [[row[column] for column in piece] for row in rows]), report)
        for piece in pieces
    ]


def _shortened_all(names: list[str], width: int) -> list[str]:
    """Names with their middle left out where they are too long, unless that makes two of them one."""
    short = [_shortened(name, width) for name in names]
    return short if len(set(short)) == len(set(names)) else names


def _shortened(text: str, width: int) -> str:
    if display_width(text) <= width:
        return text
    head, tail = text[: len(text) // 2], text[len(text) // 2 :]
    while display_width(head) + display_width(tail) >= width:
        head, tail = (head[:-1], tail) if len(head) > len(tail) else (head, tail[1:])
    return f"{head}…{tail}"


def _set(table: Table, report: Report) -> str:
    """The table as lines."""
    widths = _widths(table)
    head = _row([Cell(name) for name in table.head], widths, report)
    return "\n".join([_styled(head, DIM, report), *(_row(row, widths, report) for row in table.rows)])


def _row(cells: list[Cell], widths: list[int], report: Report) -> str:
    fields = []
    for number, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        padding = " " * (width - display_width(cell.text))
        text = _styled(cell.text, BEST, report) if cell.is_best else cell.text
        fields.append(text + padding if number == 0 else padding + text)
    return (MARGIN + GAP.join(fields)).rstrip()


def _widths(table: Table) -> list[int]:
    columns = zip(table.head, *([cell.text for cell in row] for row in table.rows), strict=True)
    return [max(map(display_width, column)) for column in columns]


def _needs(table: Table) -> int:
    """Columns of the terminal that the table needs."""
    widths = _widths(table)
    return len(MARGIN) + sum(widths) + len(GAP) * (len(widths) - 1)


def _styled(text: str, style: str, report: Report) -> str:
    return f"{style}{text}{PLAIN}" if report.colour else text


def _wrapped(text: str, width: int | None) -> str:
    return wrapped(text, width) if width else text


RENDERER = Renderer("table", render_console, "aligned columns for the terminal")
