"""Sign flips: p of the randomisation test, computed without random draws.

The test asks how often the sum of the differences is this large if a coin decides the sign of each of them. Up to 24
differences, all ways to choose the signs are counted. With more, the distribution of that sum is built on a grid, one
difference at a time: half of it moves up by the difference, half of it down. On a grid that fits all differences (hits,
precision@10 …), p is exact. Otherwise differences are rounded to the grid, and p is accurate to about 0.0002; if they have
few sizes that no grid fits, it is at most about 0.001 too large. Nothing is random, so p has no seed, and the order of the
queries does not matter.
"""

from __future__ import annotations

import math

import numpy as np

from assay.arrays import Floats
from assay.stats.numeric import ROUNDING

MAX_COUNTED = 24
"""Up to so many differences, all ways to choose their signs are counted: two lists of 2^12 sums."""
WORK = 2**22
"""Cells times differences: about three milliseconds."""
MAX_CELLS = 2**17
FINE_WORK = 2**22
"""Cells times different sizes of the grid for differences of few sizes: up to about 0.1 seconds."""
MAX_SIZES = 24
TINY = 1e-6
N_LARGEST = 10
MAX_DIFFERENCES = 2048
"""The larger differences are added one by one. The sum of all others is normal: each is a small part of it, and their
distribution is symmetric, so the error is of fourth order."""
REACH = 9.0
"""The grid covers this many standard deviations on both sides; the probability beyond it is below 1e-17."""
MAX_DENOMINATOR = 64
COMPOSITE = (1, 2, 4, 6, 12, 24, 60, 120, 180, 360, 840, 1260, 2520)
"""Denominators that fit most reciprocal ranks, so that equal sums fall on the same cell."""
WHOLE = 1e-7
"""A number of cells this close to a whole number is whole."""


def sign_flip_p(differences: Floats, alternative: str = "two_sided") -> float:
    """How often random signs give a sum as extreme as the observed one; 1 if all differences are 0."""
    sizes = np.sort(np.abs(differences[differences != 0]))[::-1]
    if not len(sizes):
        return 1.0
    total, is_two_sided = math.fsum(differences), alternative == "two_sided"
    observed = abs(total) if is_two_sided else total if alternative == "greater" else -total
    p = _AllSums(sizes).chance_of(observed) if len(sizes) <= MAX_COUNTED else _chance_of_many(sizes, observed)
    return min(1.0, (1 + is_two_sided) * max(p, 0.5 ** len(sizes)))  # the observed signs are one of the possible outcomes


class _AllSums:
    """All sums of a few differences with both signs: every sum of one half of them with every sum of the other half."""

    def __init__(self, sizes: Floats) -> None:
        self.first, self.second = _signed_sums(sizes[::2]), np.sort(_signed_sums(sizes[1::2]))
        self.slack = ROUNDING * float(sizes.sum())

    def chance_of(self, total: float) -> float:
        """The share of sums of at least this."""
        too_low = np.searchsorted(self.second, total - self.slack - self.first, side="left")
        return 1.0 - int(too_low.sum(dtype=np.int64)) / (len(self.first) * len(self.second))


def _signed_sums(sizes: Floats) -> Floats:
    """The sums of all ways to choose signs."""
    sums = np.zeros(1)
    for size in sizes.tolist():
        sums = np.concatenate([sums - size, sums + size])
    return sums


def _chance_of_many(sizes: Floats, observed: float) -> float:
    """The probability of a sum of at least this. A tiny one comes from the grid, because a transform rounds."""
    if _has_few_sizes(sizes) and not _lattice(sizes):
        p = _chance_by_sizes(sizes, observed)
        if p > TINY:
            return p
    return _SpreadOfSums(sizes).chance_of(observed)


def _has_few_sizes(sizes: Floats) -> bool:
    """Whether many differences have the same size, as for nDCG with one relevant document, so that many sums are equal."""
    return len(sizes) <= MAX_DIFFERENCES and len(set(sizes.tolist())) <= min(MAX_SIZES, len(sizes) / 2)


def _chance_by_sizes(sizes: Floats, observed: float) -> float:
    """The probability of a sum of at least this, on a fine grid: the Fourier transform of a sign is a cosine.

    Equal sums may be a few cells apart, because sizes are rounded to cells, so sums up to √n cells below count as equal.
    """
    different, counts = np.unique(sizes, return_counts=True)
    cells = 2 ** int(math.log2(FINE_WORK / len(different)))
    cell = 2 * REACH * float(np.sqrt(np.square(sizes).sum())) / cells
    steps = np.rint(different / cell).astype(np.int64)
    frequency = np.arange(cells // 2 + 1)
    transform = np.ones(len(frequency))
    for step, count in zip(steps.tolist(), counts.tolist(), strict=True):
        transform *= np.cos(2 * np.pi / cells * (frequency * step % cells)) ** count
    chances = np.fft.irfft(transform, cells)
    place = math.floor(observed / cell) - math.ceil(math.sqrt(len(sizes)))
    if place <= -(cells // 2):
        return 1.0
    above = chances[max(place, 0) : cells // 2].sum() + (chances[place:].sum() if place < 0 else 0.0)
    return float(min(1.0, max(above, 0.0)))


class _SpreadOfSums:
    """The distribution of the sum of many differences with random signs.

    All signs of the largest differences are counted, because a few outliers would make the grid of all others too coarse.
    """

    def __init__(self, sizes: Floats) -> None:
        per_unit = _lattice(sizes)
        self.is_exact = per_unit > 0
        n_largest = 0 if self.is_exact else N_LARGEST
        self.largest, others = _signed_sums(sizes[:n_largest]), sizes[n_largest:]
        added = others if self.is_exact else others[:MAX_DIFFERENCES]
        deviation = float(np.sqrt(np.square(others).sum()))
        self.cell = 1 / per_unit if self.is_exact else _cell(deviation, len(added))
        steps = np.rint(added / self.cell).astype(np.int64)
        self.half = int(min(math.ceil(REACH * deviation / self.cell), steps.sum() + 1 + len(others) - len(added)))
        rest = float(np.square(others[len(added) :]).sum())
        self.scale = math.sqrt(float(np.square(steps * self.cell).sum()) + rest) / deviation
        """Rounding changes the standard deviation; sums are scaled so that this does not matter."""
        chances = self._normal(rest)
        for step in steps[steps > 0].tolist():
            chances = _moved(chances, step)
        self.tail = np.append(np.cumsum(chances[::-1])[::-1], 0.0)
        """For each cell: the probability of this cell or a higher one."""

    def _normal(self, variance: float) -> Floats:
        place = np.arange(-self.half, self.half + 1)
        if not variance:
            return (place == 0).astype(float)
        density = np.exp(-((place * self.cell) ** 2) / (2 * variance))
        return np.asarray(density / density.sum())

    def chance_of(self, total: float) -> float:
        """The probability of a sum of at least this."""
        places = (total - self.largest) * self.scale / self.cell + self.half
        if self.is_exact:
            return float(self.tail[np.clip(np.ceil(places - WHOLE).astype(np.int64), 0, len(self.tail) - 1)].mean())
        if self._resolves_ties:
            return self._tail_at(places - 0.5)  # the whole cell of the observed sum counts, because it holds the equal sums
        # A sum of odd or even steps falls on every second cell only, so the average over two cells is taken.
        return (self._tail_at(places - 0.5) + self._tail_at(places + 0.5)) / 2

    def _tail_at(self, places: Floats) -> float:
        """The mean of the tails, with the probability of each cell spread evenly over it."""
        return float(np.interp(places + 0.5, np.arange(len(self.tail)), self.tail, left=1.0, right=0.0).mean())

    @property
    def _resolves_ties(self) -> bool:
        cells = 1 / self.cell / COMPOSITE[-1]
        return cells > 1 - WHOLE and abs(cells - round(cells)) < WHOLE


def _moved(chances: Floats, step: int) -> Floats:
    """The distribution after one more difference, which is positive or negative with equal probability."""
    moved = np.zeros_like(chances)
    if step < len(chances):
        moved[step:] = chances[:-step]
        moved[:-step] += chances[step:]
    moved *= 0.5
    return moved


def _lattice(sizes: Floats) -> int:
    """The smallest denominator of which all differences are multiples, if a grid of it is small enough; else 0."""
    deviation = float(np.sqrt(np.square(sizes).sum()))
    for denominator in range(1, MAX_DENOMINATOR + 1):
        cells = sizes * denominator
        if np.abs(cells - np.rint(cells)).max() < WHOLE < cells[-1]:
            is_small = 2 * REACH * deviation * denominator * len(sizes) <= 16 * WORK
            return denominator if is_small else 0
    return 0


def _cell(deviation: float, n: int) -> float:
    """The width of a cell: as small as the work allows, and a fraction that fits most reciprocal ranks."""
    per_unit = min(MAX_CELLS, WORK // n) / (2 * REACH * deviation)
    if per_unit < 1:
        return 1 / per_unit
    if per_unit >= COMPOSITE[-1]:
        return 1 / (COMPOSITE[-1] * math.floor(per_unit / COMPOSITE[-1]))
    return 1 / max(number for number in COMPOSITE if number <= per_unit)
