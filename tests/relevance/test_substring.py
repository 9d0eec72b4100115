"""substring: the expected words, whole and in order."""

import pytest
from hypothesis import given

from assay.model.records import Query
from assay.relevance.resolution import resolve

from ._cases import EXPECTED, RETRIEVED, grades_by_text, ground, grounds, substring


def grade(expected, text):
    return resolve(ground(Query("q", expected=expected), ["d"], documents={"d": text}), "substring").qrels["q"]["d"]


def test_seed_003_the_paris_sentence_is_no_substring():
    assert grade(EXPECTED, RETRIEVED) == 0.0


@pytest.mark.parametrize(
    ("expected", "text", "wanted"),
    [
        ("the capital", "Paris is THE CAPITAL!", 1.0),
        ("the capital", "the  (capital)", 1.0),
        ("capital the", "the capital", 0.0),
        ("cap", "the capital", 0.0),
        ("the capital", "the old capital", 0.0),
        ("to be to", "to be or not to be", 0.0),
        ("be to be", "to be to be", 1.0),
        ("京", "東京都", 1.0),
        ("12", "112", 0.0),
    ],
)
def test_words_are_found_whole_and_in_order(expected, text, wanted):
    assert grade(expected, text) == wanted


@given(grounds())
def test_against_a_plain_search(made):
    resolved = resolve(made, "substring")
    for query in made.queries.values():
        assert resolved.qrels[query.query_id] == grades_by_text(made, query, substring, 1.0)
