"""Payloads: numbers come back bit by bit, texts and rankings as they were, all in few bytes; damage is noticed."""

import json
import random
import string
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests._variants import for_each

import assay
from assay.errors import StoreError
from assay.store.packing import (
    PackedTexts,
    compress,
    decompress,
    digest_of,
    pack_counts,
    pack_json,
    pack_numbers,
    pack_pairs,
    pack_parts,
    pack_texts,
    unpack_counts,
    unpack_json,
    unpack_numbers,
    unpack_pairs,
    unpack_parts,
    unpack_texts,
)


def bits(values):
    return np.asarray(values, dtype=np.float64).view(np.uint64).tolist()


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True, allow_subnormal=True), max_size=40))
def test_any_numbers_come_back_bit_by_bit(values):
    assert bits(unpack_numbers(pack_numbers(np.array(values, dtype=float)))) == bits(values)


@given(st.lists(st.floats(width=32), min_size=1, max_size=40), st.integers(1, 40))
def test_single_precision_comes_back_bit_by_bit(values, times):
    many = np.array(values * times, dtype=float)
    assert bits(unpack_numbers(pack_numbers(many))) == bits(many)


@for_each(
    "values, kind",
    [
        (np.zeros(5), "u1"),
        (np.arange(1000) / 1000, "f8"),
        (np.arange(1000, dtype=np.float32).astype(float) / 2, "f4"),
        (np.tile(np.arange(300) / 7, 10), "u2"),
        (np.tile(np.arange(256) / 7, 2), "u1"),
        (np.array([]), "u1"),
        (np.array([1e300, *np.arange(999) / 3]), "f8"),
    ],
)
def test_the_layout_fits_the_numbers(values, kind):
    packed = pack_numbers(values)
    assert packed.kind == kind
    assert bits(unpack_numbers(packed)) == bits(values)


def test_rankings_of_single_precision_take_about_three_bytes_a_score():
    rng = np.random.default_rng(0)
    scores = -np.sort(-(rng.random((1000, 100)) * 20).astype(np.float32), axis=1).ravel().astype(float)
    assert len(compress(pack_parts(pack_numbers(scores)))) < 3.5 * scores.size


@given(st.lists(st.integers(0, 2**32 - 1), max_size=30))
def test_counts_come_back(counts):
    assert unpack_counts(pack_counts(np.array(counts, dtype=np.int64))).tolist() == counts


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


@for_each(
    "ids, precision, most",
    [
        (lambda rng: letters(rng, 12), np.float64, 400_000),
        (lambda rng: f"D{rng.randrange(10**8):08d}", np.float32, 200_000),
        (lambda rng: f"doc-{rng.randrange(20_000):05d}", np.float32, 200_000),
        (lambda rng: f"doc-{rng.randrange(20_000):05d}", np.float64, 200_000),
    ],
)
def test_two_hundred_queries_with_a_hundred_hits_stay_small(ids, precision, most):
    """20 bytes a hit are allowed for ids of twelve letters; usual ids and scores of single precision take less than 10."""
    rng = random.Random(0)
    numbers = np.random.default_rng(0)
    run = {}
    for query in range(200):
        docs = dict.fromkeys(ids(rng) for _ in range(120))
        scores = -np.sort(-numbers.random(100) * 20).astype(precision)
        run[f"q{query}"] = dict(zip(list(docs)[:100], scores.tolist(), strict=False))
    assert len(compress(pack_pairs(run))) <= most


def test_a_digest_tells_where_one_payload_ends():
    assert digest_of(b"ab", b"c") != digest_of(b"a", b"bc")
    assert digest_of(b"ab") == digest_of(b"ab")


def test_what_is_compressed_comes_back():
    payload = b"abc" * 1000
    assert len(compress(payload)) < 100
    assert decompress(compress(payload), "it", digest_of(payload)) == payload


@for_each("place", [0, 5, 20, -1])
def test_a_changed_byte_is_noticed(place):
    data = bytearray(compress(bytes(range(256)) * 3))
    data[place] ^= 0x55
    with pytest.raises(StoreError, match="night#b/p: scores"):
        decompress(bytes(data), "night#b/p: scores", digest_of(bytes(range(256)) * 3))


def test_another_payload_in_its_place_is_noticed():
    with pytest.raises(StoreError):
        decompress(compress(b"other"), "it", digest_of(b"this"))


def test_odd_values_are_written_as_text_and_numbers_as_numbers():
    odd = {"path": Path("a") / "b", "array": np.arange(3), "number": np.float32(0.5), "flag": np.bool_(True)}
    assert unpack_json(pack_json(odd)) == {"path": str(Path("a") / "b"), "array": [0, 1, 2], "number": 0.5, "flag": True}


@given(st.lists(st.text(st.characters(codec=None), max_size=6)))
def test_any_texts_come_back(texts):
    assert unpack_texts(unpack_parts(pack_parts(pack_texts(texts)), PackedTexts)) == texts


@for_each("texts", [[], [""], ["", "a", ""], ["\ud83d", "\ude00"], ["\ud83d\ude00", "😀", "é", "é"], ["\0"]])
def test_odd_texts_come_back_each_by_itself(texts):
    assert unpack_texts(pack_texts(texts)) == texts


def test_ids_take_no_more_than_their_letters():
    rng = random.Random(0)
    ids = ["".join(rng.choices(string.ascii_letters + string.digits + "-_", k=12)) for _ in range(5_000)]
    size = len(compress(pack_parts({"ids": pack_texts(ids)})))
    assert size <= 5_000 * 12 * 6 / 8 * 1.05  # 6 bits a letter
    wide = ["".join(chr(0x4E00 + rng.randrange(200)) for _ in range(12)) for _ in range(2000)]
    packed = pack_texts(wide)
    assert len(packed.lengths) + len(packed.text) == 2000 * (12 * 3 + 4)


def test_texts_of_the_first_stores_are_still_read():
    assert unpack_texts(json.dumps(["a", "\ud800", "病"]).encode()) == ["a", "\ud800", "病"]
