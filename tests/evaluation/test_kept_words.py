"""kept_words: what results keep of what providers say, as plain JSON values."""

import json
import math

import numpy as np

from assay.execution.responses import Answer
from assay.execution.stages import kept_words
from assay.model.records import Query

PLAIN = {"q": Query("q"), "r": Query("r")}
ROUTED = {"q": Query("q", metadata={"optimal_expert": "a"}), "r": Query("r")}


def test_answers_and_routes_are_kept_and_nothing_else():
    said = {"answer": "yes", "confidence": 0.5, "route": "a", "gated": False, "model": "large", "tokens": 7}
    found = kept_words(PLAIN, {"q": Answer("q", said=said), "r": Answer("r", said={"model": "large"})})
    assert found == {"q": {"answer": "yes", "confidence": 0.5, "route": "a", "gated": False}}


def test_a_query_that_failed_and_one_that_says_nothing_are_not_kept():
    assert kept_words(PLAIN, {"q": Answer("q", error="no", said={"answer": "a"}), "r": Answer("r")}) == {}


def test_an_answer_that_is_none_is_an_answer():
    assert kept_words(PLAIN, {"q": Answer("q", said={"answer": None})}) == {"q": {"answer": None}}


def test_routes_of_the_best_hit_are_kept_where_the_benchmark_knows_routes():
    answer = Answer("q", ["d"], [1.0], extra={"d": {"route": "a", "text": "long"}})
    assert kept_words(ROUTED, {"q": answer}) == {"q": {"route": "a"}}
    assert kept_words(PLAIN, {"q": answer}) == {}


def test_values_are_plain():
    said = {"route": {"a": np.float64(0.5), "b": math.nan}, "routes": ("a", np.str_("b")), "cost": np.int64(2), "gated": {1}}
    found = kept_words(PLAIN, {"q": Answer("q", said=said)})
    assert json.loads(json.dumps(found, allow_nan=False)) == {
        "q": {"route": {"a": 0.5, "b": None}, "routes": ["a", "b"], "cost": 2, "gated": "{1}"}
    }
