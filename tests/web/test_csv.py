"""Downloads: every digit, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import re

from hypothesis import given
from hypothesis import strategies as st

from assay.reports import Column, number
from assay.reports.table import TEXT, Field, Grid
from assay.web.tables import csv_of_grid, with_values

FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


@given(st.text())
def test_no_cell_begins_as_a_formula(text):
    grid = Grid("t", (Column("=head", TEXT),), ((Field(text),),))
    cells = [cell for row in read(csv_of_grid(grid)) for cell in row]
    assert not [
        cell for cell in cells if cell.startswith(FORMULAS) and not re.fullmatch(r"[+-][\d.]+([eE][+-]?\d+)?|[+-]inf", cell)
    ]


def test_numbers_keep_every_digit_and_their_sign():
    grid = Grid("t", (Column("value"),), ((number("-0.123", -0.12345678901234),), (number("1,000", 1000),)))
    assert read(csv_of_grid(grid)) == [["value"], ["-0.12345678901234"], ["1000"]]


def test_what_stands_below_gets_a_column():
    grid = Grid("t", (Column("value"), Column("n")), ((Field("0.5", 0.5, beside="[0.4, 0.6]"), Field("3", 3)),))
    assert read(csv_of_grid(grid)) == [["value", "value low", "value high", "n"], ["0.5", "0.4", "0.6", "3"]]


def test_what_has_no_value_is_empty():
    grid = Grid(
        "t", (Column("value"), Column("b", TEXT)), ((Field("–", sort=""), Field("x")), (number("0.5", 0.5), Field("–")))
    )
    assert read(csv_of_grid(grid)) == [["value", "b"], ["", "x"], ["0.5", ""]]


def test_a_text_that_is_sorted_by_a_number_stays_a_text():
    grid = Grid("t", (Column("range", TEXT),), ((Field("0.1 – 0.2", sort=3),),))
    assert read(csv_of_grid(grid)) == [["range"], ["0.1 – 0.2"]]


def test_a_field_may_say_what_it_is_worth():
    field = with_values(number("13 / 24 / 11", 2.0), ("better", 13), ("same", 24), ("{} of all", "=x"))
    head, row = read(csv_of_grid(Grid("t", (Column("record"),), ((field,),))))
    assert dict(zip(head, row, strict=True)) == {"better": "13", "same": "24", "record of all": "'=x"}
