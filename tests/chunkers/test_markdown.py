"""markdown: headings, fences and paragraphs."""

import pytest

from ._texts import chunks_of


def sections(text, chunker="markdown"):
    return [(chunk.text, chunk.title) for chunk in chunks_of(text, chunker, "a.md")]


def test_sections_and_their_paths():
    text = "Intro.\n\n# A\na\n## B\nb\n### C ##\nc\n## D\nd\n# E #\ne\n"
    assert sections(text) == [
        ("Intro.\n\n", None),
        ("# A\na\n", "A"),
        ("## B\nb\n", "A > B"),
        ("### C ##\nc\n", "A > B > C"),
        ("## D\nd\n", "A > D"),
        ("# E #\ne\n", "E"),
    ]


def test_underlined_headings():
    assert sections("A title\n=======\ntext\n\nB\n---\nmore\n") == [
        ("A title\n=======\ntext\n\n", "A title"),
        ("B\n---\nmore\n", "A title > B"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```\n# no\n```\n",
        "~~~~ py\n# no\n~~~\n# no\n~~~~\n",
        "```\n# no, the fence is open\n",
        "#no\n####### no\n    # no\n",
        "---\ntitle: front matter\n---\ntext\n",
        "- item\n---\n| a | b |\n---\ntext\n\n---\n",
        "> quote\n---\n\n1. one\n---\n",
    ],
)
def test_what_is_no_heading(text):
    assert [title for _, title in sections(text)] == [None]


def test_a_fence_that_is_closed_is_closed():
    assert [title for _, title in sections("```\n# no\n```\n# Yes\nx\n")] == [None, "Yes"]
    assert [title for _, title in sections("``` a`b\n# Yes\nx\n")] == [None, "Yes"]


def test_a_heading_with_no_text_goes_with_the_next():
    assert sections("# A\n\n## B\ntext\n") == [("# A\n\n## B\ntext\n", "A > B")]
    assert sections("# A\n## B\n") == [("# A\n## B\n", "A > B")]


def test_how_deep_headings_count():
    text = "# A\na\n## B\nb\n### C\nc\n"
    assert [title for _, title in sections(text, "markdown(headings=2)")] == ["A", "A > B"]
    assert [title for _, title in sections(text, "markdown(headings=1)")] == ["A"]


def test_a_large_section_is_cut_between_paragraphs_each_with_the_title():
    assert sections("# A\naaa\n\nbbb\n\nccc\n", "markdown(size=7)") == [("# A\naaa\n\n", "A"), ("bbb\n\nccc\n", "A")]


def test_fenced_code_is_left_whole_where_it_fits():
    text = "# A\nword\n\n```\nx\n\ny\n```\n\nword\n"
    assert sections(text, "markdown(size=10)") == [
        ("# A\nword\n\n", "A"),
        ("```\nx\n\ny\n```\n\n", "A"),
        ("word\n", "A"),
    ]


def test_windows_line_ends():
    assert [title for _, title in sections("# A #\r\na\r\n\r\nB\r\n---\r\nb\r\n")] == ["A", "A > B"]
