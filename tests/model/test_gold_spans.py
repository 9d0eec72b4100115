"""Gold spans: both units, whatever unit they are written in."""

import pytest

from assay import DataError
from assay.model.records import Document, Span
from assay.views.chunk_locations import Places
from assay.views.spans import GoldSpans

PLACES = Places({"src/a.py": Document("src/a.py", "one\ntwo\nthree\n")})


def gold(*spans, places=PLACES):
    return GoldSpans.of({"q": spans}, ["q"], places)


@pytest.mark.parametrize(
    ("span", "bounds"),
    [
        (Span("src/a.py", 2, 3, "lines"), [4, 14, 1, 3]),
        (Span("a.py", 2, 2, "lines"), [4, 8, 1, 2]),
        (Span("a.py", 2, 99, "lines"), [4, 14, 1, 3]),
        (Span("a.py", 0, 1, "lines"), [0, 4, 0, 1]),
        (Span("a.py", 3, 2, "lines"), [8, 8, 2, 2]),
        (Span("a.py", 50, 60, "lines"), [14, 14, 3, 3]),
        (Span("a.py", 5, 9), [5, 9, 1, 3]),
        (Span("a.py", 5, 99), [5, 14, 1, 3]),
        (Span("a.py", 9, 5), [9, 9, 2, 2]),
        (Span("gone.py", 2, 3, "lines"), [-1, -1, 1, 3]),
        (Span("gone.py", 2, 3), [2, 3, -1, -1]),
    ],
)
def test_bounds(span, bounds):
    assert gold(span).bounds.tolist() == [bounds]


def test_the_unit_is_the_one_that_all_share():
    lines, letters = Span("a.py", 1, 1, "lines"), Span("a.py", 1, 2)
    assert [gold(*some).unit for some in ((lines,), (letters,), (lines, letters), ())] == [
        *("lines", "characters", "characters", "characters"),
    ]


def test_queries_stand_in_the_order_asked_for():
    spans = {"b": [Span("a.py", 1, 2)], "a": [Span("a.py", 3, 4), Span("gone.py", 5, 6)], "empty": []}
    made = GoldSpans.of(spans, ["a", "none", "b", "empty"], PLACES)
    assert made.query.tolist() == [0, 0, 2]
    assert made.file[0] == made.file[2] != made.file[1]
    assert made.is_given.tolist() == [True, False, True, True]
    assert made.n_spans.tolist() == [2, 0, 1, 0]


def test_a_unit_that_does_not_exist_is_refused():
    with pytest.raises(DataError, match="the unit of a span is characters or lines, not 'pages'"):
        gold(Span("a.py", 1, 2, "pages"))


def test_a_unit_that_is_not_known_is_refused():
    made = gold(Span("b.py", 1, 1, "lines"), Span("gone.py", 2, 3), places=Places({}))
    with pytest.raises(DataError, match=r"how many lines are characters 2 to 3 of gone.py is not known.*unit=characters"):
        made.within("lines")


def test_a_span_in_a_missing_file_is_measured_in_its_own_unit():
    made = gold(Span("a.py", 0, 3), Span("gone.py", 2, 3, "lines"))
    assert made.unit == "lines"
    assert [bound.tolist() for bound in made.within("lines")] == [[0, 1], [1, 3]]
    assert [bound.tolist() for bound in made.within("characters")] == [[0, 1], [3, 3]]
    assert gold(Span("gone.py", 0, 3), Span("gone.py", 2, 3, "lines")).unit == "characters"
