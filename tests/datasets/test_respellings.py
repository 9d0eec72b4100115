"""Respellings: why ids of two sides may not match."""

import pytest

from assay.datasets.preflight.judgments import RESPELLINGS, describe_respelling, find_prefix_difference


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
    assert describe_respelling(["other", strange], {known}) == f"{what}: {strange!r} is {known!r} there"


def test_every_way_is_tried_and_none_is_made_up():
    assert len(RESPELLINGS) == 8
    assert describe_respelling(["a", "b"], {"c"}) == ""
    assert describe_respelling([], {"c"}) == ""


@pytest.mark.parametrize(
    ("strange", "known", "said"),
    [
        (["topic1", "topic2"], {"q1", "q2", "q3"}, "they begin with 'topic' instead of 'q': 'topic1' is 'q1' there"),
        (["1", "12", "20"], {"q12", "q20"}, "they begin with '' instead of 'q': '12' is 'q12' there"),
        (["doc:a7", "doc:b8"], {"a7", "b8"}, "they begin with 'doc:' instead of '': 'doc:a7' is 'a7' there"),
    ],
)
def test_another_beginning_is_found(strange, known, said):
    assert find_prefix_difference(strange, known).description == said


@pytest.mark.parametrize(
    ("strange", "known"), [(["x1"], {"q1", "q2"}), (["q8", "q9"], {"q1", "q2"}), ([], {"q1"}), (["x1", "x2"], set())]
)
def test_one_that_fits_may_do_so_by_chance(strange, known):
    assert find_prefix_difference(strange, known) is None
