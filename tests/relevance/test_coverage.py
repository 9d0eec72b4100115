"""coverage: the share of the expected words that a text holds, however long it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.records import Query
from assay.relevance.resolution import resolve

from ._cases import EXPECTED, RETRIEVED, coverage, grades_by_text, ground, grounds


def grade(expected, text, relevance="coverage"):
    return resolve(ground(Query("q", expected=expected), ["d"], documents={"d": text}), relevance).qrels["q"]["d"]


def test_seed_003_the_long_chunk_case_f1_gets_wrong():
    long = f"{RETRIEVED} " + " ".join(f"word{number}" for number in range(100))
    assert grade(EXPECTED, long, "token") == 0.0
    assert grade(EXPECTED, long) == 1.0


@pytest.mark.parametrize(("held", "wanted"), [(6, 0.0), (7, 1.0), (10, 1.0)])
def test_seven_of_ten_words_are_enough(held, wanted):
    assert grade(" ".join(map(str, range(10))), " ".join(map(str, range(held)))) == wanted


def test_the_threshold_is_a_parameter():
    assert [grade("a b", "a", f"coverage(threshold={level})") for level in (0.5, 0.51)] == [1.0, 0.0]


@given(grounds(), st.sampled_from([0.1, 0.5, 0.7, 1.0]))
def test_against_plain_sets(made, threshold):
    resolved = resolve(made, f"coverage(threshold={threshold})")
    for query in made.queries.values():
        assert resolved.qrels[query.query_id] == grades_by_text(made, query, coverage, threshold)
