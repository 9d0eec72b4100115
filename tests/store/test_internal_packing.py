"""Payloads: numbers come back bit by bit, texts and rankings as they were, all in few bytes; damage is noticed."""

import json
import random
import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import StoreError
from assay.store.packing import (
    compress,
    decompress,
    digest_of,
    pack_numbers,
    pack_pairs,
    unpack_numbers,
    unpack_pairs,
    unpack_texts,
)


def bits(values):
    return np.asarray(values, dtype=np.float64).view(np.uint64).tolist()


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True, allow_subnormal=True), max_size=40))
def test_any_numbers_come_back_bit_by_bit(values):
    assert bits(unpack_numbers(pack_numbers(np.array(values, dtype=float)))) == bits(values)


def test_the_layout_fits_the_numbers():
    for values, kind in (
        (np.array([]), "u1"),
        (np.tile(np.arange(256) / 7, 2), "u1"),
        (np.tile(np.arange(300) / 7, 10), "u2"),
        (np.arange(1000, dtype=np.float32).astype(float) / 2, "f4"),
        (np.arange(1000) / 1000, "f8"),
        (np.array([1e300, *np.arange(999) / 3]), "f8"),
    ):
        packed = pack_numbers(values)
        assert (packed.kind, bits(unpack_numbers(packed))) == (kind, bits(values))


IDS = st.text(st.characters(codec=None), max_size=8)
RANKINGS = st.dictionaries(IDS, st.dictionaries(IDS, st.floats(allow_nan=False), max_size=6), max_size=6)


@given(RANKINGS)
def test_any_rankings_come_back_in_their_order(run):
    back = unpack_pairs(pack_pairs(run))
    assert back == run
    assert [(query, list(ranking)) for query, ranking in back.items()] == [(query, list(one)) for query, one in run.items()]


def test_two_hundred_queries_with_a_hundred_hits_stay_small():
    """20 bytes a hit are allowed for ids of twelve letters; usual ids and scores of single precision take less than 10."""
    rng, numbers = random.Random(0), np.random.default_rng(0)
    for ids, precision, most in (
        (lambda: "".join(rng.choices(string.ascii_letters + string.digits, k=12)), np.float64, 400_000),
        (lambda: f"D{rng.randrange(10**8):08d}", np.float32, 200_000),
    ):
        run = {}
        for query in range(200):
            docs = dict.fromkeys(ids() for _ in range(120))
            scores = -np.sort(-numbers.random(100) * 20).astype(precision)
            run[f"q{query}"] = dict(zip(list(docs)[:100], scores.tolist(), strict=False))
        assert len(compress(pack_pairs(run))) <= most, precision


def test_a_changed_byte_is_noticed_and_texts_of_the_first_stores_are_still_read():
    content = bytes(range(256)) * 3
    for place in (0, 5, 20, -1):
        data = bytearray(compress(content))
        data[place] ^= 0x55
        with pytest.raises(StoreError, match="night#b/p: scores"):
            decompress(bytes(data), "night#b/p: scores", digest_of(content))
    assert unpack_texts(json.dumps(["a", "\ud800", "病"]).encode()) == ["a", "\ud800", "病"]
