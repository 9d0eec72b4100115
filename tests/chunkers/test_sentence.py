"""sentence: where sentences end."""

import pytest

from ._texts import texts_of


@pytest.mark.parametrize(
    "sentences",
    [
        ["One two. ", "Three! ", "Four? ", "Five"],
        ["He said “no.” ", "She left. "],
        ["(Well.) ", "Yes…  ", "No.\n", "So."],
        ["Use it, e.g. here. ", "Or not: 3.14 is pi. "],
        ["A heading without a mark\n\n", "Then text\n \n\n", "and more"],
        ["今日は。", "晴れ！」", "本当？ ", "はい"],
        ["Äpfel. ", "Über alles. ", "Éa."],
    ],
)
def test_where_they_end(sentences):
    size = max(sum(not letter.isspace() for letter in one) for one in sentences)
    found = texts_of("".join(sentences), f"sentence(size={size})")
    ends = {len("".join(sentences[:number])) for number in range(len(sentences) + 1)}
    place = 0
    for text in found:
        place += len(text)
        assert place in ends
    assert len(found) > 1


def test_they_are_packed():
    assert texts_of("A b. C d. E f.", "sentence(size=6)") == ["A b. C d. ", "E f."]


def test_one_that_is_too_large_is_cut_between_words():
    assert texts_of("Tiny. This one is long. Tiny.", "sentence(size=7)") == ["Tiny. ", "This one ", "is long. ", "Tiny."]
