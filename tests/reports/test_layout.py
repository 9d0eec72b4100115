"""Tables at a terminal: whole figures whatever the width, prose that flows, names that stay apart."""

import re

from hypothesis import given
from hypothesis import strategies as st

from assay.reports import Cell, Column, Mark, Style, Table, cells, columns, render_sections, table_section
from assay.text import display_width

STYLE = re.compile(r"\x1b\[[0-9;]*m")
BAND = "0.1234 – 0.2345 – 0.3456"
PROSE = (Column("tool", kind="text"), Column("ndcg@10"), Column("what differs here", kind="prose"))


def table(heads, *rows, **more):
    heads = columns(*heads) if isinstance(heads[0], str) else heads
    return Table(heads, tuple(cells(*row) for row in rows), **more)


def shown(one, width=None, colour=False):
    return render_sections([table_section(one)], "table", Style(width, colour))


def test_the_look_of_tables(snapshots):
    names = ["same-start-x-same-end-and-more", "same-start-y-same-end-and-more"]
    two = table(["run", "map", "map ties: min – mean – max"], ["r", "0.1250", BAND])
    marked = Table(columns("run", Column("map", kind="verdict")), ((Cell("a"), Cell("0.5", sign="▲")), cells("b", "0.4")))
    lettered = Table(columns("run", "map"), ((Cell("a"), Cell("0.5", letters="a–c,f")), cells("b", "0.4")))
    prose = [["beir", "0.5", "one two three four five six seven"], ["--ties docid_asc, and more", "0.2500", ""]]
    ranks = table((Column("rank"), Column("a", kind="text"), Column("b", kind="text")), ["1", "x" * 40, "y" * 40])
    spare = (Column("slice", kind="text"), Column("n", spare=2), Column("first", spare=1), Column("Δ"))
    cases = {
        "words left, figures right": (table(["run", "map"], ["a", "0.5"], ["long", "0.1250"]), None),
        "a head in several lines": (two, 42),
        "names that would be one": (table(["run", "map"], *([name, "0.5"] for name in names)), 20),
        "signs below each other": (marked, None),
        "letters": (lettered, None),
        "prose": (table(PROSE, *prose), 60),
        "prose below its row": (table(PROSE, *prose), 40),
        "two names share the room": (ranks, 40),
        "columns to spare": (table(spare, ["slice=one", "1,000", "0.5", "0.25"]), 24),
        "no heads": (table((Column("", kind="text"), Column("", kind="prose")), ["name", "a text " * 9]), 40),
        "title and notes": (table(["run", "map"], ["a", "0.5"], title="a title", notes=("a note",)), None),
        "notes alone": (Table(notes=("a note",)), None),
    }
    snapshots.check("reports/layout", "".join(f"## {name}\n{shown(*case)}\n" for name, case in cases.items()))


def test_pieces_only_where_they_are_needed():
    wide = table(["run", *map(str, range(100))], ["r", *["0.1250"] * 100])
    whole = shown(wide)
    width = max(map(display_width, whole.splitlines()))
    assert shown(wide, width) == whole
    assert shown(wide, width - 1).count("\n\n") == 1


def test_of_several_shapes_the_first_that_fits():
    wide, narrow = table(["run", "a-long-name"], ["r", "0.5"]), table(["metric", "r"], ["m", "0.5"])
    either = Table(wide.columns, wide.rows, shapes=(wide, narrow))
    assert [shown(either, width) for width in (None, 80, 15, 5)] == [shown(wide), shown(wide), shown(narrow), shown(wide, 5)]


def test_colour_only_repeats_what_is_there():
    marked = Table(columns("run", "map"), ((Cell("a", mark=Mark.MUTED), Cell("0.5", mark=Mark.BEST)), cells("b", "0.4")))
    coloured = shown(marked, colour=True)
    assert "\x1b[1;32m0.5" in coloured
    assert STYLE.sub("", coloured) == shown(marked)


NAMES = st.text("abc xyz-=@'()", max_size=50).map(str.strip)
FIGURES = st.floats(0, 1).map("{:.4f}".format)


@given(st.lists(st.tuples(NAMES, FIGURES, NAMES), min_size=1, max_size=5), st.sampled_from([40, 60, 80, 120]))
def test_no_figure_is_cut_and_no_line_too_long(rows, width):
    for heads in (PROSE, columns("tool", "ndcg@10", Column("in words", kind="text"))):
        text = shown(table(heads, *rows), width)
        assert max(map(display_width, text.split("\n"))) <= max(width, 70 if heads is not PROSE else 0)
        assert re.findall(r"\d\.\d{4}", text) == [figure for _, figure, _ in rows] or heads is not PROSE


@given(
    st.lists(st.text("abcdefgh-", min_size=1, max_size=60), min_size=1, max_size=4, unique=True), st.sampled_from([40, 60])
)
def test_a_band_is_never_cut_not_even_beside_a_long_name(names, width):
    text = shown(table(["run", "map", "ties: min – mean – max"], *([name, "0.1250", BAND] for name in names)), width)
    assert sum(BAND in line for line in text.split("\n")) == len(names)
    assert text.count("0.1250") == len(names)
