"""Layout of tables in a terminal: aligned columns, fewer columns if it is narrow, and wrapped text."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assay.reports.table import Cell, Column, Mark, Table
from assay.text import display_width, printable, short_names, shorten_middle, wrapped

MARGIN, GAP = "  ", "   "
MIN_NAME, SHORTEST_NAME = 12, 6
MIN_PROSE = 24
DIM, BOLD, BEST, PLAIN = "\x1b[2m", "\x1b[1m", "\x1b[1;32m", "\x1b[0m"
CODES = {Mark.BEST: BEST, Mark.MUTED: DIM}
RAISED = str.maketrans(
    "abcdefghijklmnopqrstuvwxyz–,",
    "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖᑫʳˢᵗᵘᵛʷˣʸᶻ⁻˒",
)
"""Superscript letters. Most fonts have no superscript q, so a character that looks the same replaces it."""


@dataclass(frozen=True)
class Style:
    """How to lay out text: the columns of the terminal (None: not a terminal), and whether it shows colour."""

    width: int | None = None
    colour: bool = False

    def styled(self, text: str, code: str) -> str:
        """The text in a style, if there is colour."""
        return f"{code}{text}{PLAIN}" if self.colour else text

    def wrapped(self, text: str) -> str:
        """The text wrapped to the width of the terminal."""
        return wrapped(text, self.width) if self.width else text


@dataclass(frozen=True)
class _Field:
    """A cell in its final form."""

    text: str
    code: str = ""
    """Its colour."""


@dataclass(frozen=True)
class _Grid:
    """A table in its final form: every text is printable, and signs are aligned."""

    head: list[str]
    rows: list[list[_Field]]
    left: frozenset[int]

    def of_columns(self, places: list[int]) -> _Grid:
        """Some of the columns; text stays left-aligned."""
        left = frozenset(number for number, place in enumerate(places) if place in self.left)
        return _Grid([self.head[place] for place in places], [[row[place] for place in places] for row in self.rows], left)


def raised(letters: str) -> str:
    """Letters as superscripts."""
    return letters.translate(RAISED)


def set_table(table: Table, style: Style) -> str:
    """The table, in as many pieces as the terminal's width requires. Long names are shortened; numbers never are."""
    shape = _fitting_shape(table, style)
    if shape.columns[-1].kind == "prose":
        return _with_prose(_grid(shape), style)
    return "\n\n".join(_fit(_grid(shape), style))


def needed_width(table: Table) -> int:
    """The width that the table needs, in columns of the terminal."""
    return _needed(_grid(table))


def _fitting_shape(table: Table, style: Style) -> Table:
    """The first shape that fits; otherwise columns that can be spared are left out one by one until it fits."""
    if not style.width:
        return table
    if table.shapes:
        return next((shape for shape in table.shapes if needed_width(shape) <= style.width), table.shapes[0])
    for spare in sorted({column.spare for column in table.columns} - {0}):
        if needed_width(table) <= style.width:
            break
        places = [place for place, column in enumerate(table.columns) if column.spare != spare]
        rows = tuple(tuple(row[place] for place in places) for row in table.rows)
        table = replace(table, columns=tuple(table.columns[place] for place in places), rows=rows)
    return table


def _grid(table: Table) -> _Grid:
    fields = [[_field(cell) for cell in column] for column in zip(*table.rows, strict=True)]
    heads = []
    for place, column in enumerate(table.columns):
        some = fields[place] if fields else []
        room = _room_behind(column, [row[place] for row in table.rows])
        heads.append(printable(column.head) + " " * room)
        if room:
            some[:] = [
                _Field(field.text + " " * (room - _behind(row[place])), field.code)
                for field, row in zip(some, table.rows, strict=True)
            ]
    rows = [list(row) for row in zip(*fields, strict=True)] if fields else []
    return _Grid(heads, rows, frozenset(place for place, column in enumerate(table.columns) if column.is_words))


def _field(cell: Cell) -> _Field:
    behind = "".join(f" {text}" for text in (cell.note, cell.sign) if text)
    return _Field(printable(cell.text + raised(cell.letters) + behind), CODES.get(cell.mark, ""))


def _behind(cell: Cell) -> int:
    """Columns that a sign or letters take after a value."""
    return display_width(raised(cell.letters)) + (2 if cell.sign else 0)


def _room_behind(column: Column, some: list[Cell]) -> int:
    """The width that the signs of a column need, so that values are aligned; a verdict column has room for one sign."""
    if any(cell.letters for cell in some):
        return max(map(_behind, some))
    return 2 if column.kind == "verdict" else 0


def _fit(table: _Grid, style: Style) -> list[str]:
    if not style.width or _needed(table) <= style.width:
        return [_set(table, style)]
    if table.left and 0 not in table.left:
        return [_set(_with_short_names(table, style.width), style)]
    longest = max(MIN_NAME, style.width // 3)
    head = _broken_all(table, longest)
    broken = _Grid(head, table.rows, table.left)
    if _needed(broken) <= style.width:
        return [_set(broken, style)]
    widest = max(_widths(broken)[1:], default=0)
    room = max(SHORTEST_NAME, style.width - len(MARGIN) - len(GAP) - widest)
    names = short_names([row[0].text for row in table.rows], min(longest, room))
    rows = [[_Field(name), *row[1:]] for name, row in zip(names, table.rows, strict=True)]
    short = _Grid(head, rows, frozenset({0}))
    widths = _widths(short)
    pieces: list[list[int]] = [[0]]
    for number in range(1, len(head)):
        taken = sum(widths[column] + len(GAP) for column in pieces[-1])
        if len(pieces[-1]) > 1 and len(MARGIN) + taken + widths[number] > style.width:
            pieces.append([0])
        pieces[-1].append(number)
    return [_set(short.of_columns(piece), style) for piece in pieces]


def _with_short_names(table: _Grid, width: int) -> _Grid:
    """The table with names that share the room that values leave; the middle of long names is left out."""
    widths = _widths(table)
    figures = [widths[place] for place in range(len(widths)) if place not in table.left]
    room = max(SHORTEST_NAME, (width - len(MARGIN) - sum(figures) - len(GAP) * (len(widths) - 1)) // len(table.left))

    def short(place: int, text: str) -> str:
        return shorten_middle(text, room) if place in table.left else text

    heads = [short(place, name) for place, name in enumerate(table.head)]
    rows = [[_Field(short(place, field.text), field.code) for place, field in enumerate(row)] for row in table.rows]
    return _Grid(heads, rows, table.left)


def _with_prose(table: _Grid, style: Style) -> str:
    """The table with its last column as wrapped text, continued in the same column."""
    if not style.width:
        return _set(table, style)
    room = style.width - _needed(_without_last(table)) - len(GAP)
    if room < MIN_PROSE:
        return _stacked(table, style)
    rows = []
    for row in table.rows:
        first, *others = wrapped(row[-1].text, room).split("\n")
        rows.append([*row[:-1], _Field(first)])
        rows += [[*(_Field("") for _ in row[:-1]), _Field(line)] for line in others]
    return _set(_Grid(table.head, rows, table.left), style)


def _without_last(table: _Grid) -> _Grid:
    return table.of_columns(list(range(len(table.head) - 1)))


def _stacked(table: _Grid, style: Style) -> str:
    """The table with the last field of each row on its own lines, for narrow terminals."""
    front = _without_last(table)
    lines = _set(front, style).split("\n")
    if style.width and _needed(front) > style.width:
        rows = [front.head, *([field.text for field in row] for row in front.rows)]
        lines = ["\n".join(_indented(text, MARGIN, style) for text in row if text) for row in rows]
    elif not any(front.head):
        lines.insert(0, "")
    prose = [table.head[-1], *(row[-1].text for row in table.rows)]
    indented = [_indented(text, 2 * MARGIN, style) for text in prose]
    return "\n".join(part for both in zip(lines, indented, strict=True) for part in both if part)


def _indented(text: str, margin: str, style: Style) -> str:
    fitting = wrapped(text, (style.width or len(text)) - len(margin))
    return "\n".join(margin + line for line in fitting.split("\n")) if text else ""


def _broken_all(table: _Grid, longest: int) -> list[str]:
    """Headings, wrapped if they are wider than their column; the middle of long words is left out."""
    fields = _widths(_Grid([""] * len(table.head), table.rows, table.left))
    broken = [_broken(name, max(MIN_NAME, width)) for name, width in zip(table.head, fields, strict=True)]
    short = [
        "\n".join(shorten_middle(line, max(longest, MIN_PROSE, width)) for line in name.split("\n"))
        for name, width in zip(broken, fields, strict=True)
    ]
    return short if len(set(short)) == len(set(table.head)) else broken


def _broken(name: str, width: int) -> str:
    """The name in lines, broken after a colon if it has one, then at spaces. No word is broken."""
    if display_width(name) <= width:
        return name
    before, colon, after = name.rpartition(": ")
    parts = [f"{before}:", after] if colon else [name]
    return "\n".join(wrapped(part, max(width, *map(display_width, part.split(" ")))) for part in parts)


def _set(table: _Grid, style: Style) -> str:
    """The table as lines, without headings if no column has one. All headings end just above the first row."""
    widths = _widths(table)
    names = [name.split("\n") for name in table.head]
    tallest = max(map(len, names)) if any(table.head) else 0
    heads = zip(*([""] * (tallest - len(lines)) + lines for lines in names), strict=True) if tallest else ()
    lines = [style.styled(_row(list(map(_Field, head)), widths, table.left, style), DIM) for head in heads]
    return "\n".join([*lines, *(_row(row, widths, table.left, style) for row in table.rows)])


def _row(fields: list[_Field], widths: list[int], left: frozenset[int], style: Style) -> str:
    texts = []
    for number, (field, width) in enumerate(zip(fields, widths, strict=True)):
        padding = " " * (width - display_width(field.text))
        text = style.styled(field.text, field.code) if field.code and field.text else field.text
        texts.append(text + padding if number in left else padding + text)
    return (MARGIN + GAP.join(texts)).rstrip()


def _widths(table: _Grid) -> list[int]:
    columns = zip(table.head, *([field.text for field in row] for row in table.rows), strict=True)
    return [max(display_width(line) for text in column for line in text.split("\n")) for column in columns]


def _needed(table: _Grid) -> int:
    widths = _widths(table)
    return len(MARGIN) + sum(widths) + len(GAP) * (len(widths) - 1)
