"""Every difference of a drop-in is a record, a row of its page, and a warning or an error at run time."""

from __future__ import annotations

from importlib import import_module

import pytest
from tests.compat._differences import PAGES, rows_of_page

TOOLS = ("ir_measures", "loop", "memorybench", "phentrieve", "pytrec_eval", "ragchat", "ranx")


def records(tool):
    return import_module(f"assay.compat.{tool}").DIFFERENCES


def test_every_page_belongs_to_a_drop_in():
    assert sorted(page.stem for page in PAGES.glob("*.md")) == list(TOOLS)


@pytest.mark.parametrize("tool", TOOLS)
def test_the_page_lists_exactly_the_records(tool):
    differences = records(tool)
    head, *rows = rows_of_page(tool)
    assert head == ("when", differences.tool, "assay")
    assert rows == [(each.when, each.original, each.here) for each in differences.values()]


@pytest.mark.parametrize("tool", TOOLS)
def test_a_record_says_what_happens(tool):
    """Each text is the predicate of a sentence, and an error is named in it."""
    for difference in records(tool).values():
        for text in (difference.when, difference.original, difference.here):
            assert text, difference.name
            assert not text.endswith("."), difference.name
        for error in difference.errors:
            assert f"`{error.__name__}`" in difference.here, difference.name


def test_what_has_no_record_cannot_be_warned_of():
    differences = records("loop")
    with pytest.raises(KeyError):
        differences.warn("no such difference")
    with pytest.raises(ValueError, match="is an error"):
        differences.warn("wrong type")
