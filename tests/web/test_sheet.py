"""Sheets: pages of a long table, in any order, with everything in the address."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.reports import Column
from assay.reports.table import Field
from assay.web.page import PageRequest
from assay.web.tables import Plan, SheetColumn, in_order

PLAN = Plan(
    "Numbers",
    "numbers",
    (SheetColumn("n", Column("n"), lambda n: Field(str(n), n), lambda n: n),),
    tuple(range(120)),
    "here",
)


def shown(**params):
    return PLAN.sheet(PageRequest("/x", {}, tuple(params.items())))


def test_pages():
    first, last = shown(), shown(page="3")
    assert (first.first, first.last, first.total, first.previous, first.next) == (1, 50, 120, "", "/x?page=2#here")
    assert (last.first, last.last, last.previous, last.next) == (101, 120, "/x?page=2#here", "")
    assert shown(page="2").previous == "/x#here"


def test_beyond_the_last_page_is_told():
    with pytest.raises(BadParameter, match="from 1 to 3, not '99'"):
        shown(page="99")


def test_an_empty_table_has_no_rows_and_no_pages():
    sheet = Plan("None", "none", PLAN.columns, ()).sheet(PageRequest())
    assert (sheet.first, sheet.last, sheet.total, sheet.next) == (0, 0, 0, "")


def test_sorting_keeps_what_else_is_asked_and_begins_again():
    sheet = shown(words="a", page="2", sort="n", order="desc")
    assert sheet.rows[0][0].text == "69"
    assert sheet.heads[0].sorted == "descending"
    assert sheet.heads[0].url == "/x?words=a&sort=n&order=asc#here"


@pytest.mark.parametrize(
    "params", [{"page": "0"}, {"page": "-1"}, {"page": "x"}, {"page": "٣"}, {"page": "9" * 50}, {"sort": "nothing"}]
)
def test_nonsense_is_refused(params):
    with pytest.raises(BadParameter):
        shown(**params)


@given(st.lists(st.one_of(st.none(), st.floats(), st.integers(-5, 5))), st.booleans())
def test_what_has_no_value_comes_last_either_way(values, is_down):
    found = in_order(values, lambda value: value, is_down=is_down)
    known = [value for value in found if value is not None and not math.isnan(value)]
    assert known == sorted(known, reverse=is_down)
    assert found[: len(known)] == known
    assert len(found) == len(values)
