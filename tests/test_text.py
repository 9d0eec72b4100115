"""Words: plurals, lists, text that cannot do harm, and the words of a text."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text import _any_word, counted, display_width, printable, some_of, words_of


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


WORDS = {
    "case and punctuation": ("Paris, the CAPITAL... (of France)!", "paris the capital of france"),
    "repetitions stay": ("to be or not to be", "to be or not to be"),
    "digits": ("v2.10 costs 3,5 €", "v2 10 costs 3 5"),
    "underscores separate": ("snake_case_name", "snake case name"),
    "an umlaut is a letter": ("Anfälle", "anfälle"),
    "composed or not": ("Krampfanfa\u0308lle", "krampfanfälle"),
    "case folding, not lower case": ("STRASSE Straße ΣΊΣΥΦΟΣ", "strasse strasse σίσυφοσ"),
    "compatibility forms": ("ﬁne ＡＢＣ１ x² ①", "fine abc1 x2 1"),
    "Chinese per letter": ("北京大学。", "北 京 大 学"),
    "Japanese per letter": ("東京タワー", "東 京 タ ワ ー"),
    "half-width kana": ("ﾀﾜｰ", "タ ワ ー"),
    "beyond the first plane": ("𠮷野", "𠮷 野"),
    "Chinese beside Latin": ("GPT4模型v2", "gpt4 模 型 v2"),
    "Thai per letter, with its marks": ("ที่นี่", "ที่ นี่"),
    "punctuation of those scripts is none": ("カ・タ、日。 ๏ ក។ မ။", "カ タ 日 ក မ"),
    "Devanagari words stay whole": ("किताब में", "किताब में"),
    "Arabic words stay whole": ("مُدَرِّسَة جديدة", "مُدَرِّسَة جديدة"),
    "Korean words stay whole": ("서울은 수도이다", "서울은 수도이다"),
    "emoji": ("go 🔎 now", "go now"),
    "nothing": ("", ""),
    "blanks": (" \t\n", ""),
    "punctuation alone": ("…!?", ""),
}


@pytest.mark.parametrize(("text", "wanted"), WORDS.values(), ids=WORDS)
def test_words_are_unicode_words(text, wanted):
    assert words_of(text) == [unicodedata.normalize("NFKC", word) for word in wanted.split()]


def test_seed_003_anfaelle_is_one_token_and_cjk_text_does_not_vanish():
    assert words_of("Anfälle") == ["anfälle"]
    assert len(words_of("癫痫发作")) == 4


@given(st.text(st.characters(codec="ascii")))
def test_the_quick_way_for_ascii_gives_what_the_general_one_does(text):
    assert words_of(text) == _any_word().findall(text.casefold()) == re.findall("[a-z0-9]+", text.lower())


@given(st.text())
def test_words_hold_every_letter_and_digit_and_nothing_else_but_marks(text):
    folded = unicodedata.normalize("NFKC", text).casefold()
    letters = [letter for letter in folded if letter.isalnum()]
    assert [letter for word in words_of(text) for letter in word if letter.isalnum()] == letters
    assert all(letter.isalnum() or unicodedata.category(letter)[0] == "M" for word in words_of(text) for letter in word)
    assert all(word[0].isalnum() for word in words_of(text))


@given(st.text(), st.text())
def test_a_blank_separates_words(left, right):
    assert words_of(f"{left} {right}") == words_of(left) + words_of(right)


@given(st.text())
def test_decomposed_text_has_the_same_words(text):
    assert words_of(unicodedata.normalize("NFD", text)) == words_of(text)
