"""fixed_chars, fixed_lines, recursive, sentence and markdown: cases worked by hand, and laws of each."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ._texts import chunks_of, solid, texts_of

LINES = st.lists(st.text("ab \té\u3000", max_size=8).map(lambda line: line + "\n"), max_size=40)
FIVE = "aa\nbb\ncc\ndd\nee\n"
BY_HAND = [
    ("fixed_chars(size=3)", ["abc", "def", "g"]),
    ("fixed_lines(size=6)", ["abc def\n", "ghi\n\njk\n"]),
    ("fixed_lines(size=3)", ["a b\n\n\tc\n", "d\n"]),  # white space is not counted
    ("fixed_lines(size=4)", ["x\n", "aa bb ", "cc\n", "abcd", "efgh\n"]),  # between words, and a word anywhere
    ("recursive(size=5)", ["aa\n\nbb\n\n", "cc\n", "cccc\n", "cc\n\n", "dd"]),
    ("recursive(size=4)", ["a\n\n", "cccc\n", "c\n\n", "d"]),  # what is cut is not packed with its neighbours
    ('recursive(size=2, separators=["|"])', ["a|", "b|", "c d"]),
    ("sentence(size=6)", ["A b. C d. ", "E f."]),
    ("sentence(size=7)", ["Tiny. ", "This one ", "is long. ", "Tiny."]),
]
"""Chunkers without overlap, and the chunks that their text, all of them joined, is cut into."""
OVERLAPS = [
    ("abcdefg", "fixed_chars(size=3, overlap=1)", ["abc", "cde", "efg"]),
    ("ab", "fixed_chars(size=4, overlap=3)", ["ab"]),
    (FIVE, "fixed_lines(size=6, overlap=2)", ["aa\nbb\ncc\n", "cc\ndd\nee\n"]),
    (FIVE, "fixed_lines(size=6, overlap=4)", ["aa\nbb\ncc\n", "bb\ncc\ndd\n", "cc\ndd\nee\n"]),
    (FIVE, "fixed_lines(size=6, overlap=1)", ["aa\nbb\ncc\n", "dd\nee\n"]),
    ("aa\nbb\ncccc\n", "fixed_lines(size=4, overlap=3)", ["aa\nbb\n", "cccc\n"]),  # it gives way to a line that is new
]
SENTENCES = [
    ["One two. ", "Three! ", "Four? ", "Five"],
    ["He said “no.” ", "She left. "],
    ["(Well.) ", "Yes…  ", "No.\n", "So."],
    ["Use it, e.g. here. ", "Or not: 3.14 is pi. "],
    ["A heading without a mark\n\n", "Then text\n \n\n", "and more"],
    ["今日は。", "晴れ！」", "本当？ ", "はい"],
    ["Äpfel. ", "Über alles. ", "Éa."],
]
SECTIONS = [
    ("markdown", [("Intro.\n\n", None), ("# A\na\n", "A"), ("## B\nb\n", "A > B"), ("### C ##\nc\n", "A > B > C")]),
    ("markdown", [("# A\na\n", "A"), ("## B\nb\n", "A > B"), ("## D\nd\n", "A > D"), ("# E #\ne\n", "E")]),
    ("markdown", [("A title\n=======\ntext\n\n", "A title"), ("B\n---\nmore\n", "A title > B")]),
    ("markdown", [("# A #\r\na\r\n\r\n", "A"), ("B\r\n---\r\nb\r\n", "A > B")]),
    ("markdown", [("# A\n\n## B\ntext\n", "A > B")]),  # a heading with no text goes with the next
    ("markdown", [("```\n# no\n```\n", None), ("# Yes\nx\n", "Yes")]),
    ("markdown", [("``` a`b\n", None), ("# Yes\nx\n", "Yes")]),
    ("markdown(headings=2)", [("# A\na\n", "A"), ("## B\nb\n### C\nc\n", "A > B")]),
    ("markdown(size=7)", [("# A\naaa\n\n", "A"), ("bbb\n\nccc\n", "A")]),
    ("markdown(size=10)", [("# A\nword\n\n", "A"), ("```\nx\n\ny\n```\n\n", "A"), ("word\n", "A")]),
]
"""Chunkers, and the chunks with their titles."""
NO_HEADING = [
    "```\n# no\n```\n",
    "~~~~ py\n# no\n~~~\n# no\n~~~~\n",
    "```\n# no, the fence is open\n",
    "#no\n####### no\n    # no\n",
    "---\ntitle: front matter\n---\ntext\n",
    "- item\n---\n| a | b |\n---\ntext\n\n---\n",
    "> quote\n---\n\n1. one\n---\n",
]


def test_by_hand():
    for chunker, texts in BY_HAND:
        assert texts_of("".join(texts), chunker) == texts, chunker
    for text, chunker, texts in OVERLAPS:
        assert texts_of(text, chunker) == texts, chunker


@given(st.text("ab", min_size=1), st.integers(1, 9), st.data())
def test_neighbours_of_fixed_chars_share_exactly_the_overlap(text, size, data):
    overlap = data.draw(st.integers(0, size - 1))
    texts = texts_of(text, f"fixed_chars(size={size}, overlap={overlap})")
    assert texts[0] + "".join(later[overlap:] for later in texts[1:]) == text
    assert all(len(text) == size for text in texts[:-1])
    assert all(len(text) > overlap for text in texts[1:])


@given(LINES, st.integers(8, 30))
def test_fixed_lines_pack_as_a_plain_loop_does(lines, size):
    groups, current = [], ""
    for line in lines:
        if solid(current + line) > size:
            groups.append(current)
            current = ""
        current += line
    packed = [group for group in (*groups, current) if group.strip()]
    assert texts_of("".join(lines), f"fixed_lines(size={size})") == packed


@given(LINES, st.integers(8, 30), st.data())
def test_the_overlap_of_fixed_lines_is_as_large_as_it_may_be(lines, size, data):
    overlap = data.draw(st.integers(1, size - 1))
    text = "".join(lines)
    for chunk, following in pairwise(chunks_of(text, f"fixed_lines(size={size}, overlap={overlap})")):
        assert chunk.start < following.start <= chunk.end < following.end
        assert solid(text[following.start : chunk.end]) <= overlap
        assert solid(following.text) <= size
        assert text[following.start - 1] == "\n"
        earlier = text.rfind("\n", 0, following.start - 1) + 1
        rest = text[chunk.end :].lstrip()
        next_end = text.find("\n", len(text) - len(rest)) + 1
        could_reach_back = earlier > chunk.start and solid(text[earlier : chunk.end]) <= overlap
        if could_reach_back and solid(text[earlier : following.start]):
            assert solid(text[earlier:next_end]) > size


def test_where_sentences_end():
    for sentences in SENTENCES:
        texts = texts_of("".join(sentences), f"sentence(size={max(map(solid, sentences))})")
        ends = {len("".join(sentences[:number])) for number in range(len(sentences) + 1)}
        assert {len("".join(texts[:number])) for number in range(len(texts) + 1)} <= ends, sentences
        assert len(texts) > 1, sentences


def test_sections_and_their_titles():
    for chunker, sections in SECTIONS:
        text = "".join(text for text, _ in sections)
        assert [(chunk.text, chunk.title) for chunk in chunks_of(text, chunker, "a.md")] == sections
    for text in NO_HEADING:
        assert [chunk.title for chunk in chunks_of(text, "markdown", "a.md")] == [None], text
