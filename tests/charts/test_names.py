"""Names on axes: short, and no two alike."""

from hypothesis import given
from hypothesis import strategies as st

from assay.charts.spec import LONGEST_NAME, label, labels, listed
from assay.text import display_width


def test_the_middle_of_a_long_name_is_left_out():
    assert label("bm25") == "bm25"
    assert label("abcdefghijklmnopqrstuvwxyz", 10) == "abcdef…xyz"
    assert label("\x1b[0m") == "\\x1b[0m"
    assert label("混合検索混合検索", 8) == "混合…索"


def test_those_that_look_alike_get_numbers():
    long = "a" * 100 + "{}" + "b" * 100
    assert labels(["x", long.format(1), long.format(2)])[0] == "x"
    assert [one[-4:] for one in labels(["x", long.format(1), long.format(2)])[1:]] == [" (2)", " (3)"]


@given(st.lists(st.text(max_size=80), max_size=8))
def test_short_and_unlike(names):
    short = labels(names)
    assert all(display_width(one) <= LONGEST_NAME for one in short)
    assert len(set(short)) == len(names)


def test_a_long_list_is_cut():
    assert listed(["a", "b"]) == "a; b"
    assert listed(["a", "b", "c"], 1) == "a; and 2 more"
