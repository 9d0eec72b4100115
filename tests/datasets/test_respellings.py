"""Respellings: why ids of two sides may not match."""

import pytest

from assay.datasets._respellings import RESPELLINGS, respelled


@pytest.mark.parametrize(
    ("strange", "known", "what"),
    [
        ("doc7#3", "doc7", "they are chunks of documents"),
        (" doc7", "doc7", "blanks are around them"),
        ("7.0", "7", "they are numbers with .0 behind"),
        ("007", "7", "zeros are in front"),
        ("DOC7", "doc7", "they are in capitals"),
        ("doc7", "DOC7", "they are in small letters"),
        ("data/doc7", "doc7", "folders are in front"),
        ("doc7.txt", "doc7", "an ending is behind"),
    ],
)
def test_the_way_is_found(strange, known, what):
    assert respelled(["other", strange], {known}) == f"{what}: {strange!r} is {known!r} there"


def test_every_way_is_tried_and_none_is_made_up():
    assert len(RESPELLINGS) == 8
    assert respelled(["a", "b"], {"c"}) == ""
    assert respelled([], {"c"}) == ""
