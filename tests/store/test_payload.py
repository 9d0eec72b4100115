"""Payloads: known by what they say, and damage is noticed."""

import random
import string
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import StoreError
from assay.store.packing import (
    PackedTexts,
    compress,
    decompress,
    digest_of,
    pack_json,
    pack_parts,
    pack_texts,
    unpack_json,
    unpack_parts,
    unpack_texts,
)


def test_a_digest_tells_where_one_payload_ends():
    assert digest_of(b"ab", b"c") != digest_of(b"a", b"bc")
    assert digest_of(b"ab") == digest_of(b"ab")


def test_what_is_compressed_comes_back():
    payload = b"abc" * 1000
    assert len(compress(payload)) < 100
    assert decompress(compress(payload), "it", digest_of(payload)) == payload


@pytest.mark.parametrize("place", [0, 5, 20, -1])
def test_a_changed_byte_is_noticed(place):
    data = bytearray(compress(bytes(range(256)) * 3))
    data[place] ^= 0x55
    with pytest.raises(StoreError, match=r"night#b/p: scores is damaged.*assay store check"):
        decompress(bytes(data), "night#b/p: scores", digest_of(bytes(range(256)) * 3))


def test_another_payload_in_its_place_is_noticed():
    with pytest.raises(StoreError, match="does not say what it said"):
        decompress(compress(b"other"), "it", digest_of(b"this"))


def test_odd_values_are_written_as_text_and_numbers_as_numbers():
    odd = {"path": Path("a") / "b", "array": np.arange(3), "number": np.float32(0.5), "flag": np.bool_(True)}
    assert unpack_json(pack_json(odd)) == {"path": str(Path("a") / "b"), "array": [0, 1, 2], "number": 0.5, "flag": True}


@given(st.lists(st.text(st.characters(codec=None), max_size=6)))
@settings(max_examples=200, deadline=None)
def test_any_texts_come_back(texts):
    assert unpack_texts(unpack_parts(pack_parts(pack_texts(texts)), PackedTexts)) == texts


@pytest.mark.parametrize("texts", [[], [""], ["", "a", ""], ["\ud83d", "\ude00"], ["\ud83d\ude00", "😀", "é", "é"], ["\0"]])
def test_odd_texts_come_back_each_by_itself(texts):
    assert unpack_texts(pack_texts(texts)) == texts


def test_ids_take_no_more_than_their_letters():
    rng = random.Random(0)
    ids = ["".join(rng.choices(string.ascii_letters + string.digits + "-_", k=12)) for _ in range(20_000)]
    size = len(compress(pack_parts({"ids": pack_texts(ids)})))
    assert size <= 20_000 * 12 * 6 / 8 * 1.02  # 6 bits a letter
    wide = ["".join(chr(0x4E00 + rng.randrange(200)) for _ in range(12)) for _ in range(2000)]
    packed = pack_texts(wide)
    assert len(packed.lengths) + len(packed.text) == 2000 * (12 * 3 + 4)
