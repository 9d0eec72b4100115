"""recursive: each separator in its turn."""

from ._texts import texts_of


def test_paragraphs_are_packed_and_large_ones_cut_into_lines():
    text = "aa\n\nbb\n\ncc\ncccc\ncc\n\ndd"
    assert texts_of(text, "recursive(size=5)") == ["aa\n\nbb\n\n", "cc\n", "cccc\n", "cc\n\n", "dd"]


def test_what_is_cut_is_not_packed_with_its_neighbours():
    """The paragraph c is cut, so its last line does not go with d, though both would fit."""
    assert texts_of("a\n\ncccc\nc\n\nd", "recursive(size=4)") == ["a\n\n", "cccc\n", "c\n\n", "d"]


def test_sentences_then_words_then_anywhere():
    assert texts_of("One. Two three", "recursive(size=6)") == ["One. ", "Two ", "three"]
    assert texts_of("abcdefgh", "recursive(size=3)") == ["abc", "def", "gh"]


def test_separators_of_your_own():
    assert texts_of("a|b|c d", 'recursive(size=2, separators=["|"])') == ["a|", "b|", "c d"]
    assert texts_of("a;b;c", "recursive(size=2, separators=[';'])") == ["a;", "b;", "c"]


def test_separators_are_taken_as_they_are():
    assert texts_of("a.b.c", 'recursive(size=2, separators=["."])') == ["a.", "b.", "c"]
