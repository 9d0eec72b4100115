"""Mojibake is found where letters really are UTF-8 read as cp1252 or Latin-1, and real text is left in peace."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.datasets.preflight.queries import REPLACEMENT_CHARACTER, find_mojibake

WRONG = {
    "schÃ¶n": ("Ã¶", "ö"),
    "cafÃ©": ("Ã©", "é"),
    "Ã–sterreich": ("Ã–", "Ö"),
    "Ãœber": ("Ãœ", "Ü"),
    "voilÃ\xa0 tout": ("Ã\xa0", "à"),
    "Ã\xa0 la carte": ("Ã\xa0", "à"),
    "donâ€™t": ("â€™", "’"),
    "20Â°C": ("Â°", "°"),
    "5â‚¬": ("â‚¬", "€"),
    "Å¡koda": ("Å¡", "š"),
    "ï»¿id": ("ï»¿", "\ufeff"),
    "ðŸ˜€": ("ðŸ˜€", "😀"),
    "ÐŸÑ€Ð¸Ð²ÐµÑ‚": ("ÐŸÑ€Ð¸Ð²ÐµÑ‚", "Привет"),
    "æˆ‘ä»¬": ("æˆ‘ä»¬", "我们"),
    "ã\x81\x82ã\x81\x84": ("ã\x81\x82ã\x81\x84", "あい"),
    f"a{REPLACEMENT_CHARACTER}b": (REPLACEMENT_CHARACTER, ""),
}
RIGHT = (
    *("", "plain", "Ângela", "CORAÇÃO", "SÃO PAULO", "IRMÃ…", "IRMÃ\xa0MAIS", "“CAFÉ”", "BEYONCÉ’S", "«CLICHÉ»", "É®"),
    *("Voilà…", "fiancé»…", "FRÅ…", "ÄÖÜ", "naïve", "10 €", "à la «carte»", "Đặng Â", "我们今天", "Привет, мир", "ελληνικά"),
)


@pytest.mark.parametrize("text", WRONG)
def test_wrong_letters_are_found_and_mended(text):
    assert find_mojibake(text) == WRONG[text]


@pytest.mark.parametrize("text", RIGHT)
def test_real_text_is_left_in_peace(text):
    assert find_mojibake(text) is None


@given(st.text("äöüßéèàçñáíóúâêîôûåøæ", min_size=2, max_size=8))
def test_words_with_accents_are_found_once_misread(word):
    misread = word.encode().decode("latin-1")
    assert find_mojibake(word) is None
    found = find_mojibake(misread)
    assert found is not None
    assert found[1] in word


@given(st.text())
def test_what_is_found_is_utf8_that_was_misread(text):
    assume(REPLACEMENT_CHARACTER not in text)
    found = find_mojibake(text)
    if found:
        assert found[0] in text
        assert len(found[0].encode("cp1252", "ignore")) <= len(found[1].encode())
