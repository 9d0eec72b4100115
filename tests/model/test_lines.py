"""Lines: characters to lines and back, against counting line feeds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.views.chunk_locations import Lines, count_lines

TEXTS = st.text("ab\n\r\u2028", max_size=12)


@pytest.mark.parametrize(
    ("text", "n"), [("", 0), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("\n", 1), ("a\r\nb", 2), ("a\u2028b", 1)]
)
def test_how_many_lines(text, n):
    assert count_lines(text) == Lines(text).n_lines == n


def test_by_hand():
    lines = Lines("ab\nc\n\nd")
    assert lines.characters(0, 1) == (0, 3)
    assert lines.characters(1, 3) == (3, 6)
    assert lines.characters(3, 4) == (6, 7)
    assert lines.characters(2, 99) == (5, 7)
    assert lines.characters(9, 99) == (7, 7)
    assert lines.lines(0, 3) == (0, 1)
    assert lines.lines(2, 4) == (0, 2)
    assert lines.lines(6, 99) == (3, 4)
    assert lines.lines(5, 5) == (2, 2)


@given(TEXTS, st.integers(0, 14), st.integers(0, 14))
def test_the_characters_of_lines_are_those_on_them(text, start, end):
    expected = {place for place in range(len(text)) if start <= text.count("\n", 0, place) < end}
    assert set(range(*Lines(text).characters(start, end))) == expected


@given(TEXTS, st.integers(0, 14), st.integers(0, 14))
def test_the_lines_of_characters_are_those_they_touch(text, start, end):
    expected = {text.count("\n", 0, place) for place in range(len(text)) if start <= place < end}
    assert set(range(*Lines(text).lines(start, end))) == expected
