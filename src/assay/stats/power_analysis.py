"""Power: how small a difference a set of queries can detect, and how many queries a difference needs.

A difference is detected if the paired t-test is significant and has the right sign. The probability of that is found by
simulation: queries are drawn repeatedly from the given differences, shifted so that their mean is the difference in
question. So skewed differences and many zeros need no special treatment. Above `MAX_SIMULATED` queries, where nearly every
mean is normal, the closed form (noncentral t) is used instead.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.errors import BadParameter, DataError
from assay.stats.numeric import ROUNDING, checked_fraction
from assay.text import counted, rounded_up

SIMULATIONS = 10_000
"""Repetitions of one experiment; a power of 0.8 is then accurate to 0.008."""
MAX_SIMULATED = 5_000
"""Largest number of queries for which experiments are simulated."""
BLOCK_CELLS = 1_000_000
"""Draws in memory at once; the result does not depend on it."""
STEPS_PER_DOUBLING = 4
"""Steps per doubling of the number of queries in the search of `queries_needed`, which interpolates between them."""

Differences = Sequence[float] | NDArray[Any]


class Thresholds(NamedTuple):
    """For each simulated experiment: the smallest increase and the smallest decrease that it detects."""

    up: Floats
    down: Floats


@dataclass(frozen=True)
class Study:
    """Differences without their mean, in units of their standard deviation (or of 1 if they have no spread)."""

    shape: Floats
    mean: float
    sd: float
    alpha: float
    seed: int

    @property
    def n(self) -> int:
        """Queries."""
        return len(self.shape)

    @property
    def n_without_spread(self) -> int:
        """Fewest queries at which equal differences are significant: p is 2 ÷ 2^n, as in `paired_t`."""
        return n_without_spread(self.alpha)

    def thresholds(self, n: int) -> Thresholds:
        """Draw n queries repeatedly. A mean with standard error s is significant if it is at least critical · s."""
        rng = np.random.default_rng(self.seed)
        rows = max(1, BLOCK_CELLS // n)
        blocks = [_moments(self.shape, rng, min(rows, SIMULATIONS - done), n) for done in range(0, SIMULATIONS, rows)]
        mean, error = np.concatenate(blocks, axis=1)
        critical = _critical(n, self.alpha)
        return Thresholds(critical * error - mean, critical * error + mean)

    @property
    def unit(self) -> float:
        """The unit of sizes."""
        return self.sd or 1.0

    def chance(self, size: float, n: int) -> float:
        """Share of experiments with n queries that detect a difference of `size` standard deviations.

        Without spread it is 1 or 0, whatever the size.
        """
        if self.sd == 0:
            return float(size != 0 and n >= self.n_without_spread)
        if n > MAX_SIMULATED:
            return normal_power(n, 1.0, size, self.alpha)
        up, down = self.thresholds(n)
        if size == 0:
            return float(np.mean((up <= 0) | (down <= 0)))
        reached = abs(size) * (1 + ROUNDING)  # many experiments can share one threshold, and rounding must not lose them
        return float(np.mean((up if size > 0 else down) <= reached))

    def least(self, n: int, power: float) -> float:
        """Smallest size, up or down, that n queries detect with this power.

        Without spread it is 0, because any size is detected, or infinite, because none is.
        """
        if self.sd == 0:
            return 0.0 if n >= self.n_without_spread else math.inf
        if n > MAX_SIMULATED:
            return _least_normal(n, power, self.alpha)
        place = min(SIMULATIONS, math.ceil(power * SIMULATIONS)) - 1
        return max(0.0, *(float(np.partition(each, place)[place]) for each in self.thresholds(n)))


def n_without_spread(alpha: float) -> int:
    """Fewest queries at which equal differences are significant: p is 2 ÷ 2^n, as in `paired_t`."""
    return 1 + math.ceil(-math.log2(alpha) - ROUNDING)


def normal_power(n: int, sd: float, effect: float, alpha: float = 0.05) -> float:
    """Power by the closed form for normal differences: it needs no scores, only an estimate of their spread.

    Detected means significant (p up to alpha) and of the right sign. For an effect of 0 it is the probability of a false
    positive, alpha. Without spread, any other effect is certain to be detected with 6 queries or more (at alpha = 0.05), and
    never with fewer.
    """
    from scipy.special import nctdtr, ndtr

    critical = _critical(whole_queries(n), checked_fraction("alpha", alpha))
    if not (math.isfinite(sd) and sd >= 0):
        raise BadParameter(f"sd (the standard deviation of the differences) must be a number of at least 0, not {sd!r}")
    if sd == 0:
        return float(finite(effect) != 0 and n >= n_without_spread(alpha))
    if finite(effect) == 0:
        return alpha
    shift = abs(effect) / sd * math.sqrt(n)
    if n <= 1000 and shift < 30:
        return float(1 - nctdtr(n - 1, shift, critical))
    # Johnson and Welch's approximation: accurate to many digits here, and unlike the series it never fails.
    return float(ndtr((shift - critical * (1 - 1 / (4 * (n - 1)))) / math.sqrt(1 + critical**2 / (2 * (n - 1)))))


def study_of(differences: Differences, alpha: float, seed: int) -> Study:
    """Check the differences, and separate their mean and their scale."""
    try:
        values = np.asarray(differences, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("differences must be one number per query, but not all of these are numbers") from None
    if values.ndim != 1:
        raise DataError(f"differences must be one number per query, not an array of {values.ndim} dimensions")
    if len(values) < 2:
        raise DataError(f"power needs the differences of at least 2 queries; found {len(values)}")
    if not np.isfinite(values).all():
        place = int(np.flatnonzero(~np.isfinite(values))[0])
        raise DataError(f"difference {place + 1} of {len(values)} must be a finite number, not {values[place]}")
    checked_fraction("alpha", alpha)
    largest = float(np.max(np.abs(values))) or 1.0
    scaled = values / largest
    centred = scaled - scaled.mean()
    if np.max(np.abs(centred)) <= ROUNDING:
        return Study(np.zeros(len(values)), float(values[0]), 0.0, alpha, seed)
    sd = math.sqrt(float(np.sum(centred**2)) / (len(values) - 1))
    # Drawing from n values has the variance with divisor n; the factor corrects this, so that the simulated sd is sd.
    shape = centred / sd * math.sqrt(len(values) / (len(values) - 1))
    return Study(shape, float(scaled.mean()) * largest, sd * largest, alpha, seed)


def _moments(shape: Floats, rng: np.random.Generator, n_experiments: int, n: int) -> Floats:
    """Mean and standard error of each of several experiments with n queries."""
    drawn = shape[rng.integers(len(shape), size=(n_experiments, n), dtype=np.uint32)]
    mean = drawn.mean(axis=1)
    squares = np.einsum("ij,ij->i", drawn, drawn) - n * mean**2
    return np.stack((mean, np.sqrt(np.maximum(squares, 0) / (n - 1) / n)))


def _critical(n: int, alpha: float) -> float:
    """The smallest significant |t|."""
    from scipy.special import stdtrit

    return float(stdtrit(n - 1, 1 - alpha / 2))


def _least_normal(n: int, power: float, alpha: float) -> float:
    """The smallest effect by the closed form, in standard deviations, found by bisection."""
    low, high = 0.0, 1.0
    while normal_power(n, 1.0, high, alpha) < power:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if normal_power(n, 1.0, middle, alpha) >= power else (middle, high)
    return high


def n_needed(study: Study, effect: float, power: float) -> int:
    """Queries needed for an effect; consistent with `least` on whether the given number of queries is enough."""
    if study.sd == 0:
        return study.n_without_spread
    size = effect / study.sd
    answer = _search(study, size, power)
    is_enough = study.least(study.n, power) <= size * (1 + ROUNDING)
    return min(answer, study.n) if is_enough else max(answer, study.n + 1)


def _search(study: Study, size: float, power: float) -> int:
    """Find two neighbours on a fixed grid of numbers of queries, one too small and one large enough, and interpolate."""
    from scipy.special import ndtri

    roughly = ((float(ndtri(1 - study.alpha / 2)) + float(ndtri(power))) / size) ** 2 if size > 1e-150 else math.inf
    if not roughly < 1e15:
        raise BadParameter(f"a difference of {size * study.sd:g} is too small: it needs 10^15 queries or more")
    if roughly > MAX_SIMULATED:
        return math.ceil(roughly)
    least = cache(lambda place: study.least(_grid(place), power))
    place = max(0, round(STEPS_PER_DOUBLING * math.log2(max(2.0, roughly) / 2)))
    while least(place) > size:
        place += 1
    while place > 0 and least(place - 1) <= size:
        place -= 1
    if place == 0:
        return 2
    low, high = _grid(place - 1), _grid(place)
    share = math.log(least(place - 1) / size) / math.log(least(place - 1) / max(least(place), size * 1e-9))
    return min(high, math.ceil(low * (high / low) ** share))


def _grid(place: int) -> int:
    """2, 3, 4 …, then a few steps per doubling."""
    return max(place + 2, round(2 ** (1 + place / STEPS_PER_DOUBLING)))


def check_power(power: float, alpha: float) -> float:
    """The power, if it is above alpha and below 1."""
    if checked_fraction("power", power, 0.8) <= alpha:
        raise BadParameter(f"power must be above alpha ({alpha:g}), not {power!r}: chance alone reaches alpha")
    return power


def finite(effect: float) -> float:
    """The difference, if it is a finite number."""
    if not math.isfinite(effect):
        raise BadParameter(f"the difference to detect must be a finite number, not {effect!r}")
    return float(effect)


def whole_queries(n: int) -> int:
    """The number of queries, if it is enough for a test."""
    if operator.index(n) < 2:
        raise BadParameter(f"n (the number of queries) must be at least 2, not {n!r}")
    return operator.index(n)


@dataclass(frozen=True)
class Power:
    """What a set of queries can detect. `sentence` says it in words.

    If all differences are equal, `detectable` is 0, because any difference would be detected. With fewer than 6 queries it
    is infinite, because they are too few for significance (at alpha = 0.05).
    """

    n: int
    """Queries."""
    sd: float
    """Standard deviation of the differences."""
    effect: float
    """The observed mean difference."""
    achieved: float
    """Probability that as many other queries detect a difference of that size. It says no more than the p-value does."""
    detectable: float
    """The smallest difference, up or down, that is detected with the power `wanted`."""
    target: float
    """The difference for which `needed` is computed."""
    needed: int | None
    """Queries that detect `target` with the power `wanted`; None for a target of 0, which cannot be detected."""
    wanted: float
    alpha: float

    @property
    def sentence(self) -> str:
        """The result in words."""
        return self.told()

    def told(self, show: Callable[[float], str] | None = None, others: Mapping[float, int] | None = None) -> str:
        """The same with another number format, and with the numbers of queries that other differences need."""
        format_size = show or _shown
        sentence = f"With these {counted(self.n, 'query')}, "
        if math.isinf(self.detectable):
            sentence += "the test cannot detect any difference, because there are too few queries"
        elif self.detectable == 0:
            sentence += "the difference is the same on every query, so the test would detect any difference"
        else:
            size = format_size(self.detectable)
            sentence += f"the test detects a difference of {size} or more in {100 * self.wanted:g} % of cases"
        needed = {} if self.needed is None else {abs(self.target): self.needed}
        needs = [
            f"To detect {format_size(size)}, you need about {counted(rounded_up(n), 'query')}"
            for size, n in (needed | dict(others or {})).items()
        ]
        return f"{'. '.join([sentence, *needs])}."


def power(
    differences: Differences, effect: float | None = None, n: int | None = None, alpha: float = 0.05, seed: int = 0
) -> float:
    """Probability that n queries like these detect a mean difference of `effect`: significant, with the right sign.

    The default of `effect` is the observed mean difference, and the default of `n` the number of given differences. For an
    effect of 0 it is the probability of a false positive. If all differences are equal, any other effect is certain to be
    detected with 6 queries or more (at alpha = 0.05), and never with fewer: the p of n equal differences is 2 ÷ 2^n.
    """
    study = study_of(differences, alpha, seed)
    target = study.mean if effect is None else finite(effect)
    n_queries = study.n if n is None else whole_queries(n)
    return study.chance(target / study.unit, n_queries)


def minimum_detectable_effect(differences: Differences, power: float = 0.8, alpha: float = 0.05, seed: int = 0) -> float:
    """The smallest mean difference, up or down, that this set of queries detects with the probability `power`.

    If all differences are equal, it is 0, because any difference would be detected. With fewer than 6 queries (at
    alpha = 0.05) it is infinite in this case, because they are too few.
    """
    study = study_of(differences, alpha, seed)
    chance = check_power(power, alpha)
    return study.unit * study.least(study.n, chance)


def queries_needed(differences: Differences, effect: float, power: float = 0.8, alpha: float = 0.05, seed: int = 0) -> int:
    """How many queries like these detect a mean difference of `effect`, up or down, with the probability `power`.

    At least 2, the smallest number for a test; 6 if all differences are equal (at alpha = 0.05). An effect of 0 is an error,
    because no number of queries can detect it.
    """
    study = study_of(differences, alpha, seed)
    chance = check_power(power, alpha)
    if finite(effect) == 0:
        raise BadParameter("effect must not be 0: no number of queries can detect a difference of 0")
    return n_needed(study, abs(effect), chance)


def analyse_power(
    differences: Differences, target: float | None = None, power: float = 0.8, alpha: float = 0.05, seed: int = 0
) -> Power:
    """Achieved power, smallest detectable difference, and queries needed for `target` (default: the observed mean)."""
    study = study_of(differences, alpha, seed)
    chance = check_power(power, alpha)
    aim = study.mean if target is None else finite(target)
    return Power(
        n=study.n,
        sd=study.sd,
        effect=study.mean,
        achieved=study.chance(study.mean / study.unit, study.n),
        detectable=study.unit * study.least(study.n, chance),
        target=aim,
        needed=n_needed(study, abs(aim), chance) if aim else None,
        wanted=chance,
        alpha=alpha,
    )


def _shown(value: float) -> str:
    """At least three decimals, and more if a small value needs them to show two digits."""
    if not 1e-6 < value < 1e15:
        return f"{value:.3g}"
    if value >= 0.01:
        return f"{value:,.{max(0, min(3, 2 - math.floor(math.log10(value))))}f}"
    return f"{value:.{1 - math.floor(math.log10(value))}f}".rstrip("0").ljust(5, "0")
