"""Words: plurals, lists, text that cannot do harm, and the words of a text."""

import re
import unicodedata
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from assay.text import (
    counted,
    display_width,
    percent,
    printable,
    rounded_up,
    some_of,
    spreadsheet_cell,
    two_digits,
    with_minus,
    words_of,
)

ROOT = Path(__file__).parent.parent


def test_estimates_have_two_digits():
    assert [rounded_up(count) for count in (7, 57, 100, 241, 1234, 9812)] == [7, 57, 100, 250, 1300, 9900]
    assert [two_digits(value) for value in (0.1, 0.0993, 0.0996, 0.00994, 1.26, 12.4, 0)] == [
        *("0.10", "0.099", "0.10", "0.0099", "1.3", "12", "0.0")
    ]


def test_counts_shares_and_lists():
    assert [counted(count, "query") for count in (0, 1, 1000)] == ["0 queries", "1 query", "1,000 queries"]
    assert counted(2, "judged document") == "2 judged documents"
    assert (percent(0.664), percent(0.9999, 1), percent(0)) == ("66 %", "100.0 %", "0 %")
    assert [with_minus(text) for text in ("-0.06", "+0.06", "-1e-07", "–", "")] == ["−0.06", "+0.06", "−1e-07", "–", ""]
    assert (some_of(["a", "b"]), some_of(list("abcdefg"))) == ("a b", "a b c d e …")


def test_harmful_text_is_written_out():
    for text in ("plain", "Krampfanfälle", "検索 🔎", "", "[red]x[/red]"):
        assert printable(text) == text
    assert printable("a\u202egnp.exe\u2066") == "a\\u202egnp.exe\\u2066"
    assert printable("a\x1b[31mb\nc\u2028d\x85\ud800") == "a\\x1b[31mb\\nc\\u2028d\\x85\\ud800"
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


def test_words_are_unicode_words():
    for case, (text, wanted) in WORDS.items():
        assert words_of(text) == [unicodedata.normalize("NFKC", word) for word in wanted.split()], case


@given(st.text(st.characters(codec="ascii")))
def test_words_of_ascii_are_letters_and_digits(text):
    assert words_of(text) == re.findall("[a-z0-9]+", text.lower())


@given(st.text())
def test_words_hold_every_letter_and_digit_and_nothing_else_but_marks(text):
    folded = unicodedata.normalize("NFKC", text).casefold()
    letters = [letter for letter in folded if letter.isalnum()]
    assert [letter for word in words_of(text) for letter in word if letter.isalnum()] == letters
    assert all(letter.isalnum() or unicodedata.category(letter)[0] == "M" for word in words_of(text) for letter in word)
    assert all(word[0].isalnum() for word in words_of(text))


@given(st.text(), st.text())
def test_a_blank_separates_words_and_decomposed_text_has_the_same(left, right):
    assert words_of(f"{left} {right}") == words_of(left) + words_of(right)
    assert words_of(unicodedata.normalize("NFD", left)) == words_of(left)


FORMULAS = (
    "=1+1",
    "+1+1",
    "-1+cmd",
    "@SUM(A1)",
    "\tx",
    "\r=1",
    "  =1",
    '"=1',
    "' =1",
    "\ufeff=1",
    "＝1",
    "-",
    "+a",
    "-1 %",
    "-1e",
)
HARMLESS = ("", "a=b", "d-1", "-1", "-0.5", "+1", "-1e-9", "-1.5E+10", ".5", "-.5", "-inf", "0", "it's")


def test_formulas_stand_behind_an_apostrophe_and_others_stay():
    assert [spreadsheet_cell(text) for text in FORMULAS] == ["'" + printable(text) for text in FORMULAS]
    assert [spreadsheet_cell(text) for text in HARMLESS] == list(HARMLESS)


@given(st.text(alphabet="=+-@\t\r \"'a1.eﬀ＝＠"))
def test_a_cell_is_a_number_or_begins_harmlessly(text):
    cell = spreadsheet_cell(text)
    if cell.lstrip(' "').startswith(("=", "+", "-", "@", "\t", "\r", "＝", "＠")):
        float(cell)
