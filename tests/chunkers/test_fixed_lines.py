"""fixed_lines against a plain loop, and its overlap."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ._texts import chunks_of, solid, texts_of

LINES = st.lists(st.text("ab \té\u3000", max_size=8).map(lambda line: line + "\n"), max_size=40)


def packed(lines, size):
    """Whole lines, as many as fit: one after the other."""
    groups, current = [], ""
    for line in lines:
        if solid(current + line) > size:
            groups.append(current)
            current = ""
        current += line
    return [group for group in (*groups, current) if group.strip()]


def test_by_hand():
    assert texts_of("abc def\nghi\n\njk\n", "fixed_lines(size=6)") == ["abc def\n", "ghi\n\njk\n"]


def test_white_space_is_not_counted():
    assert texts_of("a b\n\n\tc\nd\n", "fixed_lines(size=3)") == ["a b\n\n\tc\n", "d\n"]


def test_a_line_that_is_too_large_is_cut_between_words_and_a_word_anywhere():
    assert texts_of("x\naa bb cc\nabcdefgh\n", "fixed_lines(size=4)") == ["x\n", "aa bb ", "cc\n", "abcd", "efgh\n"]


@given(LINES, st.integers(8, 30))
def test_as_a_plain_loop_does_it(lines, size):
    assert texts_of("".join(lines), f"fixed_lines(size={size})") == packed(lines, size)


def test_overlap_by_hand():
    text = "aa\nbb\ncc\ndd\nee\n"
    assert texts_of(text, "fixed_lines(size=6, overlap=2)") == ["aa\nbb\ncc\n", "cc\ndd\nee\n"]
    assert texts_of(text, "fixed_lines(size=6, overlap=4)") == ["aa\nbb\ncc\n", "bb\ncc\ndd\n", "cc\ndd\nee\n"]
    assert texts_of(text, "fixed_lines(size=6, overlap=1)") == ["aa\nbb\ncc\n", "dd\nee\n"]


def test_overlap_gives_way_to_a_line_that_is_new():
    assert texts_of("aa\nbb\ncccc\n", "fixed_lines(size=4, overlap=3)") == ["aa\nbb\n", "cccc\n"]


@given(LINES, st.integers(8, 30), st.data())
def test_overlap_is_as_large_as_it_may_be(lines, size, data):
    overlap = data.draw(st.integers(1, size - 1))
    text = "".join(lines)
    chunks = chunks_of(text, f"fixed_lines(size={size}, overlap={overlap})")
    for one, other in pairwise(chunks):
        assert one.start < other.start <= one.end < other.end
        assert solid(text[other.start : one.end]) <= overlap
        assert solid(other.text) <= size
        assert text[other.start - 1] == "\n"
        earlier = text.rfind("\n", 0, other.start - 1) + 1
        following = text[one.end :].lstrip()
        next_end = text.find("\n", len(text) - len(following)) + 1
        could_reach_back = earlier > one.start and solid(text[earlier : one.end]) <= overlap
        if could_reach_back and solid(text[earlier : other.start]):
            assert solid(text[earlier:next_end]) > size
