"""fixed_chars: by hand, and against slicing."""

from hypothesis import given
from hypothesis import strategies as st

from ._texts import texts_of


def test_by_hand():
    assert texts_of("abcdefg", "fixed_chars(size=3)") == ["abc", "def", "g"]
    assert texts_of("abcdefg", "fixed_chars(size=3, overlap=1)") == ["abc", "cde", "efg"]
    assert texts_of("abcdef", "fixed_chars(size=4, overlap=2)") == ["abcd", "cdef"]
    assert texts_of("ab", "fixed_chars(size=4, overlap=3)") == ["ab"]


@given(st.text("ab", min_size=1), st.integers(1, 9), st.data())
def test_neighbours_share_exactly_the_overlap(text, size, data):
    overlap = data.draw(st.integers(0, size - 1))
    texts = texts_of(text, f"fixed_chars(size={size}, overlap={overlap})")
    assert texts[0] + "".join(one[overlap:] for one in texts[1:]) == text
    assert all(len(one) == size for one in texts[:-1])
    assert all(len(one) > overlap for one in texts[1:])
