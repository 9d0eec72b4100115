"""Resamples in blocks: how often each query is drawn, or on which queries the scores are swapped.

Each block has its own random generator, made from the seed and the number of the block. The size of a block depends only
on the number of queries. So the same seed means the same resamples, in whatever order they are processed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.errors import BadParameter
from assay.grammar import Param, depth
from assay.stats.numeric import exact

CELLS = 2**20
"""Queries × resamples of one block (8 MB): a few large matrix products are fast even on a busy machine.

The resamples of a seed depend on this number."""
MAX_ROWS = 2**14
"""Largest number of resamples in one block. The resamples of a seed depend on this number."""
COUNTED_AT_ONCE = 2**14
SMALL_PRODUCT = 2**18
"""Multiplications up to which BLAS uses one thread; on a busy machine, waiting for a second thread costs more."""
FEWEST_ROWS = 8
"""Fewest resamples of such a product; for fewer, the call would cost more than it saves."""
MAX_FIGURES_AT_ONCE = 2**23
"""Values stored or compared at once (64 MB)."""


def resamples_param(default: int | None) -> Param:
    """The parameter for the number of resamples of a test; None if the test needs none."""
    return Param("resamples", depth, default, "number of random resamples", aliases=("n_resamples", "permutations"))


def block_rows(n: int) -> int:
    """How many resamples of n queries are in one block."""
    return max(1, min(MAX_ROWS, CELLS // n))


def index_blocks(n: int, resamples: int, seed: int) -> Iterator[NDArray[Any]]:
    """Resamples × n: which queries are drawn, with replacement."""
    dtype = np.uint16 if n <= 2**16 else np.uint32
    for rows, rng in _blocks(n, resamples, seed):
        yield rng.integers(0, n, (rows, n), dtype=dtype)


def count_blocks(n: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Resamples × n: how often each query is drawn."""
    for index in index_blocks(n, resamples, seed):
        yield _counts(index)


def keep_blocks(n: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Resamples × n: 0 if the scores of a and b are swapped on a query, 1 if not; each with probability 0.5."""
    width = -(-n // 8)
    for rows, rng in _blocks(n, resamples, seed):
        coins = np.frombuffer(rng.bytes(rows * width), dtype=np.uint8).reshape(rows, width)
        yield np.unpackbits(coins, axis=1, count=n).astype(float)


def resampled_means(values: Floats, resamples: int, seed: int) -> Floats:
    """Columns × resamples: the mean of each column in each bootstrap resample of the queries."""
    lowest = values.min(axis=0)
    units, exponent = exact(values - lowest)
    means = np.empty((values.shape[1], resamples))
    start = 0
    for counts in count_blocks(len(values), resamples, seed):
        means[:, start : start + len(counts)] = weighted_sums(counts, units).T
        start += len(counts)
    means /= len(values)
    np.ldexp(means, exponent[:, np.newaxis], out=means)
    means += lowest[:, np.newaxis]
    return np.minimum(means, values.max(axis=0)[:, np.newaxis], out=means)  # rounding must not exceed the largest score


def weighted_sums(block: Floats, units: Floats) -> Floats:
    """Resamples × columns: sums of units, weighted by the block. For few columns, the product is computed in small pieces.

    Sums of units are exact, so the pieces do not change the result.
    """
    n, n_columns = units.shape
    if n_columns * FEWEST_ROWS * FEWEST_ROWS > SMALL_PRODUCT or n * n_columns * len(block) <= SMALL_PRODUCT:
        return np.asarray(block @ units)
    width = max(1, min(n, SMALL_PRODUCT // (n_columns * FEWEST_ROWS)))
    rows = max(FEWEST_ROWS, SMALL_PRODUCT // (width * n_columns))
    sums = np.zeros((len(block), n_columns))
    for first in range(0, n, width):
        some = units[first : first + width]
        for start in range(0, len(block), rows):
            sums[start : start + rows] += block[start : start + rows, first : first + width] @ some
    return sums


def tally(blocks: Iterable[Floats], units: Floats, is_extreme: Callable[[Floats], NDArray[np.bool_]]) -> NDArray[np.int64]:
    """For each column: the number of resamples whose weighted sum is extreme."""
    return np.asarray(sum(is_extreme(weighted_sums(block, units)).sum(axis=0) for block in blocks), dtype=np.int64)


def is_beyond(drawn: Floats, observed: Floats, slack: Floats, alternative: str) -> NDArray[np.bool_]:
    """Which of the values drawn around 0 are at least as extreme as the observed one; values within the slack are equal."""
    if alternative == "greater":
        return np.asarray(drawn >= observed - slack)
    if alternative == "less":
        return np.asarray(drawn <= observed + slack)
    return np.asarray(np.abs(drawn) >= np.abs(observed) - slack)


def column_groups(n_columns: int, *cells_per_column: int) -> Iterator[slice]:
    """Groups of columns that are processed together, small enough to bound the memory. They do not change the result."""
    width = max(1, MAX_FIGURES_AT_ONCE // max(cells_per_column))
    return (slice(start, start + width) for start in range(0, n_columns, width))


def checked_seed(seed: Any) -> int:
    """The seed, if it is valid."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise BadParameter(f"the seed must be a whole number of at least 0, not {seed!r}")
    return int(seed)


def checked_resamples(resamples: Any) -> int:
    """The number of resamples, if it is valid."""
    if isinstance(resamples, bool) or not isinstance(resamples, int | np.integer) or not 1 <= resamples <= 10**7:
        raise BadParameter(f"the number of resamples must be a whole number from 1 to 10,000,000, not {resamples!r}")
    return int(resamples)


def _blocks(n: int, resamples: int, seed: int) -> Iterator[tuple[int, np.random.Generator]]:
    size = block_rows(n)
    for number, start in enumerate(range(0, resamples, size)):
        sequence = np.random.SeedSequence(seed, spawn_key=(number,))
        yield min(size, resamples - start), np.random.Generator(np.random.PCG64(sequence))


def _counts(index: NDArray[Any]) -> Floats:
    rows, n = index.shape
    counts = np.empty((rows, n))
    step = max(1, COUNTED_AT_ONCE // n)
    shift = n * np.arange(step)[:, np.newaxis]
    for start in range(0, rows, step):
        some = index[start : start + step]
        counts[start : start + step] = np.bincount((some + shift[: len(some)]).ravel(), minlength=some.size).reshape(-1, n)
    return counts
