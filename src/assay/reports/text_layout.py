"""Tables as lines of text, and styles that only repeat what words and places say."""

from __future__ import annotations

from dataclasses import dataclass

from assay.reports.table import Cell, Table
from assay.text import display_width, wrapped

MARGIN, GAP = "  ", "   "
MIN_NAME, SHORTEST_NAME = 12, 6
MIN_PROSE = 24
DIM, BOLD, BEST, PLAIN = "\x1b[2m", "\x1b[1m", "\x1b[1;32m", "\x1b[0m"


@dataclass(frozen=True)
class Style:
    """Who reads: the columns of a terminal (None: nobody watches), and whether it shows colour."""

    width: int | None = None
    colour: bool = False

    def styled(self, text: str, code: str) -> str:
        """The text in a style, where there is colour."""
        return f"{code}{text}{PLAIN}" if self.colour else text

    def wrapped(self, text: str) -> str:
        """The text in lines that fit."""
        return wrapped(text, self.width) if self.width else text


def fit_table(table: Table, style: Style) -> list[str]:
    """The table, in as many pieces as the terminal's width asks for; no figure is ever cut, only long names are."""
    if not style.width or needed_width(table) <= style.width:
        return [_set(table, style)]
    longest = max(MIN_NAME, style.width // 3)
    head = _broken_all(table, longest)
    broken = Table(head, table.rows, table.left)
    if needed_width(broken) <= style.width:
        return [_set(broken, style)]
    widest = max(_widths(broken)[1:], default=0)
    room = max(SHORTEST_NAME, style.width - len(MARGIN) - len(GAP) - widest)
    names = _shortened_all([row[0].text for row in table.rows], min(longest, room))
    rows = [[Cell(name), *row[1:]] for name, row in zip(names, table.rows, strict=True)]
    widths = _widths(Table(head, rows))
    pieces: list[list[int]] = [[0]]
    for number in range(1, len(head)):
        taken = sum(widths[column] + len(GAP) for column in pieces[-1])
        if len(pieces[-1]) > 1 and len(MARGIN) + taken + widths[number] > style.width:
            pieces.append([0])
        pieces[-1].append(number)
    return [
        _set(Table([head[column] for column in piece], [[row[column] for column in piece] for row in rows]), style)
        for piece in pieces
    ]


def with_prose(table: Table, style: Style) -> str:
    """The table with its last column as running text, broken where the line ends and continued below itself."""
    if not style.width:
        return _set(table, style)
    room = style.width - needed_width(_without_last(table)) - len(GAP)
    if room < MIN_PROSE:
        return _stacked(table, style)
    rows = []
    for row in table.rows:
        first, *others = wrapped(row[-1].text, room).split("\n")
        rows.append([*row[:-1], Cell(first)])
        rows += [[*(Cell("") for _ in row[:-1]), Cell(line)] for line in others]
    return _set(Table(table.head, rows, table.left), style)


def _without_last(table: Table) -> Table:
    return Table(table.head[:-1], [row[:-1] for row in table.rows], table.left)


def _stacked(table: Table, style: Style) -> str:
    """The table with the last field of each row in lines of its own, for terminals too narrow to set it beside."""
    front = _without_last(table)
    lines = _set(front, style).split("\n")
    if style.width and needed_width(front) > style.width:
        rows = [front.head, *([cell.text for cell in row] for row in front.rows)]
        lines = ["\n".join(_indented(text, MARGIN, style) for text in row if text) for row in rows]
    prose = [table.head[-1], *(row[-1].text for row in table.rows)]
    indented = [_indented(text, 2 * MARGIN, style) for text in prose]
    return "\n".join(part for both in zip(lines, indented, strict=True) for part in both if part)


def _indented(text: str, margin: str, style: Style) -> str:
    fitting = wrapped(text, (style.width or len(text)) - len(margin))
    return "\n".join(margin + line for line in fitting.split("\n")) if text else ""


def _broken_all(table: Table, longest: int) -> list[str]:
    """Heads that are wider than their column in lines; of words that are too long the middle is left out."""
    cells = _widths(Table([""] * len(table.head), table.rows))
    broken = [_broken(name, max(MIN_NAME, width)) for name, width in zip(table.head, cells, strict=True)]
    short = [
        "\n".join(shorten_middle(line, max(longest, MIN_PROSE, width)) for line in name.split("\n"))
        for name, width in zip(broken, cells, strict=True)
    ]
    return short if len(set(short)) == len(set(table.head)) else broken


def _broken(name: str, width: int) -> str:
    """The name in lines: after a colon, if it has one, then at blanks. No word is broken."""
    if display_width(name) <= width:
        return name
    before, colon, after = name.rpartition(": ")
    parts = [f"{before}:", after] if colon else [name]
    return "\n".join(wrapped(part, max(width, *map(display_width, part.split(" ")))) for part in parts)


def _shortened_all(names: list[str], width: int) -> list[str]:
    """Names with their middle left out where they are too long, unless that makes two of them one."""
    short = [shorten_middle(name, width) for name in names]
    return short if len(set(short)) == len(set(names)) else names


def shorten_middle(text: str, width: int) -> str:
    """The text, its middle left out where it is too wide: both ends tell names apart."""
    if display_width(text) <= width:
        return text
    head, tail = text[: len(text) // 2], text[len(text) // 2 :]
    while display_width(head) + display_width(tail) >= width:
        head, tail = (head[:-1], tail) if len(head) > len(tail) else (head, tail[1:])
    return f"{head}…{tail}"


def _set(table: Table, style: Style) -> str:
    """The table as lines. A head of several lines stands on the first row."""
    widths = _widths(table)
    names = [name.split("\n") for name in table.head]
    tallest = max(map(len, names))
    heads = zip(*([""] * (tallest - len(lines)) + lines for lines in names), strict=True)
    lines = [style.styled(_row(list(map(Cell, head)), widths, table.left, style), DIM) for head in heads]
    return "\n".join([*lines, *(_row(row, widths, table.left, style) for row in table.rows)])


def _row(cells: list[Cell], widths: list[int], left: frozenset[int], style: Style) -> str:
    fields = []
    for number, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        padding = " " * (width - display_width(cell.text))
        text = style.styled(cell.text, BEST) if cell.is_best else cell.text
        fields.append(text + padding if number in left else padding + text)
    return (MARGIN + GAP.join(fields)).rstrip()


def _widths(table: Table) -> list[int]:
    columns = zip(table.head, *([cell.text for cell in row] for row in table.rows), strict=True)
    return [max(display_width(line) for text in column for line in text.split("\n")) for column in columns]


def needed_width(table: Table) -> int:
    """Columns of the terminal that the table needs."""
    widths = _widths(table)
    return len(MARGIN) + sum(widths) + len(GAP) * (len(widths) - 1)
