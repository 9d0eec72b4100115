"""first_stage: what a reranker was given, out of its answers, and noted in answers that were read back."""

import math

import pytest

from assay.execution import Response
from assay.execution.stages import first_stage_responses, with_first_ranking

RERANKED = Response(
    "q",
    ["c", "a"],
    [9.0, 8.0],
    5.0,
    extra={
        "c": {"first_rank": 3, "first_score": 0.5, "first": [["b", 1.0]]},
        "a": {"first_rank": 1, "first_score": 2.0, "text": "its text"},
    },
)


def test_the_first_ranking_is_as_long_as_the_new_one_and_nobody_timed_it():
    first = first_stage_responses({"q": RERANKED}, 10)["q"]
    assert first.ranking == {"a": 2.0, "b": 1.0}
    assert math.isnan(first.ms)
    assert first_stage_responses({"q": RERANKED}, 1)["q"].ranking == {"a": 2.0}


def test_a_query_that_failed_has_failed_there_too():
    failed = Response("q", error="no")
    assert first_stage_responses({"q": failed}, 10) == {"q": failed}


def test_nothing_found_is_nothing_ranked():
    assert first_stage_responses({"q": Response("q")}, 10)["q"].ranking == {}


@pytest.mark.parametrize(
    "first",
    [{"a": 2.0, "b": 1.0}, {"c": 2.0, "a": 1.0}, {"x": 2.0, "y": 1.0}, {"x": 2.0, "a": 1.0}],
    ids=["one cut off", "turned round", "all cut off", "first cut off"],
)
def test_what_is_noted_is_found_again(first):
    noted = with_first_ranking(Response("q", ["c", "a"], [9.0, 8.0]), first)
    assert noted.ranking == {"c": 9.0, "a": 8.0}
    assert list(first_stage_responses({"q": noted}, 10)["q"].ranking.items()) == list(first.items())


def test_of_no_documents_nothing_is_noted():
    assert first_stage_responses({"q": with_first_ranking(Response("q"), {})}, 10)["q"].ranking == {}
