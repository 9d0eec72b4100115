"""Results and comparisons with the grades by people: as if they had been evaluated with the merged judgments."""

import pytest

import assay
from assay.comparison import compare_results
from assay.metrics import find_metric
from assay.store import Judgment, QueryNote
from assay.web.page import PageRequest
from assay.web.people_grades import effect_sentence, layer_of, rejudged
from assay.web.query_notes import tagged_queries
from assay.web.state import AppState

from ._stores import METRICS
from .test_grading import NEW, OLD, QRELS, keys, store

__all__ = ["keys", "store"]


def test_a_comparison_with_grades_by_people(store, keys):
    """As if both had been evaluated with the merged judgments; the benchmark's own comparison stays as it is."""
    state = AppState(store)
    before = state.comparison(keys, keys[0])
    assert effect_sentence(state, keys, find_metric("ndcg@10")) == ""
    assert state.newer_judgments("wrong") == (0, (), "")
    for query in list(QRELS)[:3]:
        store.judgments.give(Judgment("wrong", query, "b", "Ana", 3))
    store.judgments.give(Judgment("wrong", "q5", "b", "gpt", 3, kind="model"))
    merged = {query: {**judged, **({"b": 3} if query in list(QRELS)[:3] else {})} for query, judged in QRELS.items()}
    fresh = [assay.evaluate(merged, run, METRICS, name=name) for run, name in ((OLD, "old"), (NEW, "new"))]
    whole = compare_results(fresh)
    people = state.comparison(keys, keys[0], judgments="people")
    for pair, expected in zip(people.pairs, whole.pairs, strict=True):
        assert (pair.metric, pair.value_a, pair.value_b) == (
            expected.metric,
            pytest.approx(expected.value_a, abs=1e-12),
            pytest.approx(expected.value_b, abs=1e-12),
        )
        assert pair.p == pytest.approx(expected.p)
    assert state.comparison(keys, keys[0]) is before
    assert state.comparison(keys, keys[0], judgments="people") is people, "it is cached"
    assert state.newer_judgments("wrong")[:2] == (3, ("Ana",))
    metric = find_metric("mrr")
    assert effect_sentence(state, keys, metric, ["old", "new"]) == (
        "With 3 new grades by people, mrr of new: 0.333 → 0.583; of old: 1.000, unchanged."
    )
    store.judgments.give(Judgment("wrong", "q0", "b", "Ana", 1))
    assert state.comparison(keys, keys[0], judgments="people") is not people, "other grades, another comparison"
    assert rejudged(state, keys[1]).result.provenance["judgments"]["n_overruled"] == 3


def test_the_layer_in_an_address():
    assert layer_of(PageRequest()) == ""
    assert layer_of(PageRequest(params=(("judgments", "people"),))) == "people"
    with pytest.raises(assay.errors.BadParameter, match="must be people or empty"):
        layer_of(PageRequest(params=(("judgments", "model"),)))


def test_the_queries_with_a_tag(store, keys):
    """Tags of the benchmark's queries, by the ids that the result has; notes are no tags."""
    for query, text, kind in (("q0", "hard", "tag"), ("q2", "hard", "tag"), ("q2", "old", "tag"), ("q3", "hard", "note")):
        store.query_notes.add(QueryNote("wrong", query, text, "Ana", kind))
    state = AppState(store)
    assert tagged_queries(state, state.result(keys[0])) == {"hard": {"q0", "q2"}, "old": {"q2"}}
