"""kept_words: what results keep of what providers say, as plain JSON values."""

import json
import math

import numpy as np

from assay import Query
from assay.execution import Response
from assay.execution.stages import reported_by_query

PLAIN = {"q": Query("q"), "r": Query("r")}
ROUTED = {"q": Query("q", metadata={"optimal_expert": "a"}), "r": Query("r")}


def test_answers_and_routes_are_kept_and_nothing_else():
    said = {"answer": "yes", "confidence": 0.5, "route": "a", "gated": False, "model": "large", "tokens": 7}
    found = reported_by_query(PLAIN, {"q": Response("q", said=said), "r": Response("r", said={"model": "large"})})
    assert found == {"q": {"answer": "yes", "confidence": 0.5, "route": "a", "gated": False}}


def test_a_query_that_failed_and_one_that_says_nothing_are_not_kept():
    assert reported_by_query(PLAIN, {"q": Response("q", error="no", said={"answer": "a"}), "r": Response("r")}) == {}


def test_an_answer_that_is_none_is_an_answer():
    assert reported_by_query(PLAIN, {"q": Response("q", said={"answer": None})}) == {"q": {"answer": None}}


def test_routes_of_the_best_hit_are_kept_where_the_benchmark_knows_routes():
    answer = Response("q", ["d"], [1.0], extra={"d": {"route": "a", "text": "long"}})
    assert reported_by_query(ROUTED, {"q": answer}) == {"q": {"route": "a"}}
    assert reported_by_query(PLAIN, {"q": answer}) == {}


def test_values_are_plain():
    said = {"route": {"a": np.float64(0.5), "b": math.nan}, "routes": ("a", np.str_("b")), "cost": np.int64(2), "gated": {1}}
    found = reported_by_query(PLAIN, {"q": Response("q", said=said)})
    assert json.loads(json.dumps(found, allow_nan=False)) == {
        "q": {"route": {"a": 0.5, "b": None}, "routes": ["a", "b"], "cost": 2, "gated": [1]}
    }
