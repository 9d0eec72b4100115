"""Numbers come back bit by bit, and take few bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.store.packing import compress, pack_counts, pack_numbers, pack_parts, unpack_counts, unpack_numbers


def bits(values):
    return np.asarray(values, dtype=np.float64).view(np.uint64).tolist()


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True, allow_subnormal=True), max_size=40))
def test_any_numbers_come_back_bit_by_bit(values):
    assert bits(unpack_numbers(pack_numbers(np.array(values, dtype=float)))) == bits(values)


@given(st.lists(st.floats(width=32), min_size=1, max_size=40), st.integers(1, 40))
def test_single_precision_comes_back_bit_by_bit(values, times):
    many = np.array(values * times, dtype=float)
    assert bits(unpack_numbers(pack_numbers(many))) == bits(many)


@pytest.mark.parametrize(
    ("values", "kind"),
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


def test_minus_zero_and_nan_are_told_apart_from_zero():
    values = np.array([0.0, -0.0, np.nan, np.inf, -np.inf])
    assert bits(unpack_numbers(pack_numbers(values))) == bits(values)


def test_rankings_of_single_precision_take_about_three_bytes_a_score():
    rng = np.random.default_rng(0)
    scores = -np.sort(-(rng.random((1000, 100)) * 20).astype(np.float32), axis=1).ravel().astype(float)
    assert len(compress(pack_parts(pack_numbers(scores)))) < 3.5 * scores.size


@given(st.lists(st.integers(0, 2**32 - 1), max_size=30))
def test_counts_come_back(counts):
    assert unpack_counts(pack_counts(np.array(counts, dtype=np.int64))).tolist() == counts
