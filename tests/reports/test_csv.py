"""CSV of tables: every digit, one cell as several columns, and nothing that a spreadsheet would run."""

import csv
import io
import re

from hypothesis import given
from hypothesis import strategies as st

from assay.reports import (
    Cell,
    Column,
    Paragraph,
    Section,
    Table,
    figure,
    number,
    render_sections,
    table_from_rows,
    text_columns,
)

FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def rows(*tables):
    text = render_sections([Section(parts=(Paragraph("words have no place"), *tables))], "csv")
    return list(csv.reader(io.StringIO(text)))


@given(st.text())
def test_no_cell_begins_as_a_formula(text):
    for row in rows(Table((Column(text, kind="text"),), ((Cell(text),),))):
        for cell in row:
            assert not cell.startswith(FORMULAS) or re.fullmatch(r"[+-][\d.]+([eE][+-]?\d+)?|[+-]inf", cell), cell


def test_one_cell_may_be_several_columns_and_none():
    table = Table(
        (Column("value"), Column("record"), Column("range", kind="text"), Column("b", kind="text")),
        (
            (
                figure("−0.123", -0.12345678901234, -0.2, 0.1, note="[…]"),
                number("1 / 2", 2.0, values=(("better", 1), ("{} of all", "=x"))),
                Cell("0.1 – 0.2", value=3),
                Cell("x", note="beside"),
            ),
            (Cell("–", value=""), Cell("–", values=()), Cell("–"), Cell("–", value="–")),
        ),
    )
    head, first, second = rows(table)
    assert head == ["value", "value low", "value high", "better", "record of all", "range", "b", "b, more"]
    assert first == ["-0.12345678901234", "-0.2", "0.1", "1", "'=x", "0.1 – 0.2", "x", "beside"]
    assert second == ["", "", "", "", "", "", "–", ""]


def test_rows_of_values_and_several_tables():
    made = table_from_rows([{"a": 0.1234, "b": True}, {"c": ["x", "y"], "a": None}], digits=2)
    assert rows(made, Table(text_columns("d"), ((Cell("e"),),))) == [
        ["a", "b", "c"],
        ["0.12", "true", ""],
        ["", "", "x y"],
        [],
        ["d"],
        ["e"],
    ]
    assert rows(table_from_rows([])) == []
