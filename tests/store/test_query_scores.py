"""The scores of one metric in many results."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest
from tests._results import make_result

from assay.errors import StoreError
from assay.store import Store
from assay.store import query_scores as reading


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "store.db") as opened:
        yield opened


def save(store, day, scores, **more):
    provenance = {"started": f"2026-10-{day + 1:02}T02:00:00+00:00", "k": day}
    return store.save([make_result(scores, benchmark="rag", provenance=provenance, **more)])


def test_scores_in_the_requested_order_however_often_they_repeat(store):
    """Nights 0 and 2 have equal scores, which are stored once."""
    for day, scores in enumerate(([1.0, 0.5], [0.0, np.nan], [1.0, 0.5])):
        save(store, day, {"mrr": scores, "ndcg@10": [0.1, 0.2]})
    numbers = [point.result for point in store.history("mrr")]
    asked = [*numbers, *numbers[::-1]]
    scores = [one.scores.tolist() for one in store.query_scores("mrr", asked)]
    assert np.array_equal(scores, [[1, 0.5], [0, np.nan], [1, 0.5], [1, 0.5], [0, np.nan], [1, 0.5]], equal_nan=True)
    assert next(iter(store.query_scores("mrr", numbers))).query_ids == ("q1", "q2")
    assert {number: about["k"] for number, about in store.provenances(numbers).items()} == dict(
        zip(numbers, range(3), strict=True)
    )


def test_what_has_no_scores_is_none(store):
    name = save(store, 0, {"mrr": [1.0]})
    save(store, 1, {"recall@5": [1.0]})
    (first,), (second,) = store.history("mrr"), store.history("recall@5")
    assert [one is None for one in store.query_scores("mrr", [first.result, second.result, 99])] == [False, True, True]
    store.delete(name)
    assert list(store.query_scores("mrr", [first.result])) == [None]
    assert store.provenances([first.result]) == {}


def test_many_results_are_read_some_at_a_time(store, monkeypatch):
    monkeypatch.setattr(reading, "AT_ONCE", 2)
    for day in range(5):
        save(store, day, {"mrr": [day / 10]})
    numbers = [point.result for point in store.history("mrr")]
    assert [float(one.scores[0]) for one in store.query_scores("mrr", numbers)] == [0.0, 0.1, 0.2, 0.3, 0.4]
    assert list(store.provenances(numbers)) == numbers


def test_damage_is_named(store):
    save(store, 0, {"mrr": [1.0]})
    (point,) = store.history("mrr")
    with closing(sqlite3.connect(store.place.path)) as connection, connection:
        connection.execute("UPDATE assay_payloads SET data = x'00'")
    with pytest.raises(StoreError, match=r"rag/bm25: the stored part 'scores' is damaged"):
        list(store.query_scores("mrr", [point.result]))
