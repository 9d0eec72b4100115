"""Tables as lines of text: whole figures whatever the width, prose that flows, names that stay apart."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from assay.reports.table import Cell, Table
from assay.reports.text_layout import BEST, Style, fit_table, needed_width, with_prose

STYLE = re.compile(r"\x1b\[[0-9;]*m")
LEFT = frozenset({0, 2})


def table(head, *rows, left=frozenset({0})):
    return Table(head, [[Cell(text) for text in row] for row in rows], left)


def test_words_to_the_left_and_figures_to_the_right():
    (text,) = fit_table(table(["run", "map"], ["a", "0.5"], ["long", "0.1250"]), Style())
    assert text == "  run       map\n  a         0.5\n  long   0.1250"


def test_nobody_watching_means_one_piece():
    wide = table(["run", *map(str, range(100))], ["r", *["0.1250"] * 100])
    assert len(fit_table(wide, Style())) == 1
    assert len(fit_table(wide, Style(needed_width(wide)))) == 1
    assert len(fit_table(wide, Style(needed_width(wide) - 1))) == 2


BAND = "0.1234 – 0.2345 – 0.3456"


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_band_is_never_cut_not_even_beside_a_long_name(width):
    names = [f"a-run-with-a-very-long-name-{number}" for number in range(3)]
    pieces = fit_table(
        table(["run", "map", "ties: min – mean – max"], *([name, "0.1250", BAND] for name in names)), Style(width)
    )
    lines = "\n".join(pieces).split("\n")
    assert max(map(cell_len, lines)) <= width
    assert sum(BAND in line for line in lines) == 3
    assert "\n".join(pieces).count("0.1250") == 3


def test_a_head_wider_than_its_column_takes_several_lines():
    two = table(["run", "map", "map ties: min – mean – max"], ["r", "0.1250", BAND])
    assert fit_table(two, Style(42))[0].split("\n") == [
        "                                map ties:",
        "  run      map           min – mean – max",
        "  r     0.1250   0.1234 – 0.2345 – 0.3456",
    ]
    assert STYLE.sub("", fit_table(two, Style(42, colour=True))[0]) == fit_table(two, Style(42))[0]


def test_a_head_without_a_blank_is_shortened_and_one_with_blanks_is_not():
    wide = table(["run", "a-metric-with-a-long-name-of-its-own", "ndcg(gain=exp, discount=jk2002)@10"], ["r", "0.5", "0.5"])
    text = "\n".join(fit_table(wide, Style(40)))
    assert "…" in text
    assert "ndcg(gain=exp,\n" in text
    assert " discount=jk2002)@10\n" in text


def test_names_are_not_shortened_into_one():
    names = ["same-start-x-same-end-and-more", "same-start-y-same-end-and-more"]
    text = "\n".join(fit_table(table(["run", "map"], *([name, "0.5"] for name in names)), Style(20)))
    assert all(name in text for name in names)


def test_the_best_is_coloured_and_nothing_else_changes():
    marked = Table(["run", "map"], [[Cell("a"), Cell("0.5", is_best=True)], [Cell("b"), Cell("0.4")]])
    (coloured,) = fit_table(marked, Style(colour=True))
    assert f"{BEST}0.5" in coloured
    assert STYLE.sub("", coloured) == fit_table(marked, Style())[0]


def test_prose_goes_on_below_itself():
    prose = table(["tool", "map", "what differs"], ["beir", "0.5", "one two three four five six seven"], left=LEFT)
    assert with_prose(prose, Style()).split("\n")[1] == "  beir   0.5   one two three four five six seven"
    assert with_prose(prose, Style(40)).split("\n") == [
        "  tool   map   what differs",
        "  beir   0.5   one two three four five",
        "               six seven",
    ]


def test_prose_stands_below_its_row_where_there_is_no_room_beside():
    rows = ["-m 'ndcg(gain=exp)@10'", "0.5000", "a grade is worth more"], ["--ties docid_asc", "0.2500", ""]
    assert with_prose(table(["one convention", "ndcg@10", "meaning"], *rows, left=LEFT), Style(40)).split("\n") == [
        "  one convention           ndcg@10",
        "    meaning",
        "  -m 'ndcg(gain=exp)@10'    0.5000",
        "    a grade is worth more",
        "  --ties docid_asc          0.2500",
    ]


def test_and_figures_below_names_that_leave_none():
    rows = (["-m 'ndcg(ideal=retrieved, gain=exp)@10'", "0.5000", "two things"],)
    assert with_prose(table(["one convention", "ndcg@10", "meaning"], *rows, left=LEFT), Style(40)).split("\n")[3:] == [
        "  -m 'ndcg(ideal=retrieved,",
        "  gain=exp)@10'",
        "  0.5000",
        "    two things",
    ]


WORDS = st.text("abc xyz-=@'()", max_size=50).map(str.strip)
FIGURES = st.floats(0, 1).map("{:.4f}".format)


@given(st.lists(st.tuples(WORDS, FIGURES, WORDS), min_size=1, max_size=5), st.sampled_from([40, 60, 80, 120]))
def test_no_figure_is_cut_and_no_line_too_long(rows, width):
    text = with_prose(table(["tool", "ndcg@10", "what differs here"], *rows, left=LEFT), Style(width))
    assert max(map(cell_len, text.split("\n"))) <= width
    found = re.findall(r"\d\.\d+", text)
    assert found == [figure for _, figure, _ in rows]
    for name, _, prose in rows:
        squeezed = "".join(text.split())
        assert "".join(name.split()) in squeezed or prose
