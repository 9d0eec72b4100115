"""Words: plurals, lists, and text that cannot do harm."""

import pytest

from assay.text import counted, display_width, printable, some_of


def test_counted():
    assert [counted(count, "query") for count in (0, 1, 1000)] == ["0 queries", "1 query", "1,000 queries"]
    assert counted(2, "judged document") == "2 judged documents"


def test_some_of():
    assert some_of(["a", "b"]) == "a b"
    assert some_of([str(number) for number in range(9)]) == "0 1 2 3 4 …"


@pytest.mark.parametrize("text", ["plain", "Krampfanfälle", "検索 🔎", "", "[red]x[/red]"])
def test_harmless_text_stays(text):
    assert printable(text) == text


def test_harmful_text_is_written_out():
    assert printable("a\x1b[31mb\nc\u2028d\x85\ud800") == "a\\x1b[31mb\\nc\\u2028d\\x85\\ud800"


def test_display_width():
    assert [display_width(text) for text in ("abc", "検索", "e\u0301", "")] == [3, 4, 1, 0]
