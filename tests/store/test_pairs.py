"""Rankings and judgments come back as they were, in few bytes; and are read only when somebody looks."""

import pickle
import random
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.store.packing import LazyMapping, compress, pack_pairs, unpack_pairs

IDS = st.text(max_size=8)
RANKINGS = st.dictionaries(IDS, st.dictionaries(IDS, st.floats(allow_nan=False), max_size=6), max_size=6)


@given(RANKINGS)
def test_any_rankings_come_back_in_their_order(run):
    back = unpack_pairs(pack_pairs(run))
    assert back == run
    assert [(query, list(ranking)) for query, ranking in back.items()] == [(query, list(one)) for query, one in run.items()]


def test_text_that_is_no_text_comes_back():
    run = {"q\n\0\ud800": {"\udcff": 1.0, "a\nb": 0.5, "": 0.25}}
    assert unpack_pairs(pack_pairs(run)) == run


def test_a_document_is_written_where_it_occurs_first():
    run = {"q1": {"aaaaaa": 2.0, "bbbbbb": 1.0}, "q2": {"bbbbbb": 4.0, "cccccc": 3.0, "aaaaaa": 2.0}}
    payload = pack_pairs(run)
    assert [payload.count(doc) for doc in (b"aaaaaa", b"bbbbbb", b"cccccc")] == [1, 1, 1]
    assert unpack_pairs(payload) == run


def test_a_prepared_run_and_judgments_are_taken_as_they_are():
    run, qrels = {"q1": {"a": 2.0, "b": 1.0}}, {"q1": {"a": 2.0, "b": 0.0}, "q2": {}}
    assert unpack_pairs(pack_pairs(assay.Run(run))) == run
    assert unpack_pairs(pack_pairs(assay.Qrels(qrels))) == qrels


def letters(rng, n):
    return "".join(rng.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", k=n))


@pytest.mark.parametrize(
    ("ids", "precision", "most"),
    [
        (lambda rng: letters(rng, 12), np.float64, 2_000_000),
        (lambda rng: f"D{rng.randrange(10**8):08d}", np.float32, 1_000_000),
        (lambda rng: f"doc-{rng.randrange(20_000):05d}", np.float32, 1_000_000),
        (lambda rng: f"doc-{rng.randrange(20_000):05d}", np.float64, 1_000_000),
    ],
    ids=["random letters, doubles", "8 digits", "20,000 documents", "20,000 documents, doubles"],
)
def test_a_thousand_queries_with_a_hundred_hits_stay_small(ids, precision, most):
    """2 MB are allowed for ids of twelve letters; usual ids and scores of single precision take less than 1 MB."""
    rng = random.Random(0)
    numbers = np.random.default_rng(0)
    run = {}
    for query in range(1000):
        docs = dict.fromkeys(ids(rng) for _ in range(120))
        scores = -np.sort(-numbers.random(100) * 20).astype(precision)
        run[f"q{query}"] = dict(zip(list(docs)[:100], scores.tolist(), strict=False))
    assert len(compress(pack_pairs(run))) <= most


def test_nothing_is_read_before_somebody_looks():
    looked = []

    def read():
        looked.append(1)
        return {"a": 1.0}

    mapping = LazyMapping(read)
    assert looked == []
    assert mapping == {"a": 1.0}
    assert (dict(mapping), len(mapping), "a" in mapping, repr(mapping)) == ({"a": 1.0}, 1, True, "{'a': 1.0}")
    assert looked == [1]


def test_what_was_not_looked_at_can_be_sent_to_another_process():
    mapping = LazyMapping(partial(unpack_pairs, pack_pairs({"q": {"a": 1.0}})))
    assert pickle.loads(pickle.dumps(mapping)) == {"q": {"a": 1.0}}
