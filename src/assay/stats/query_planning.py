"""Planning: how many queries an experiment needs before there is any run, from a guess of the spread.

Two systems are compared by the paired t-test, in closed form. For several systems there are two designs. The first asks
whether any of them differ: Sakai's topic set size design by one-way ANOVA, for the least favourable case in which the best
and the worst system differ by the given range and all others lie in the middle (Sakai 2016, Topic set size design,
Information Retrieval Journal 19). The second asks for one given pair, with p corrected for all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from assay.errors import BadParameter
from assay.serialize import to_json
from assay.stats.numeric import checked_fraction
from assay.stats.power_analysis import check_power, finite, normal_power, whole_queries

USUAL_SPREADS = (0.15, 0.25, 0.35)
"""Standard deviations of the difference of two systems on a query, if none is known: alike, usual and very different."""
MOST_QUERIES = 10**9
MOST_SYSTEMS = 1000


class Design(NamedTuple):
    """One experiment: what is tested, with how much spread, and what follows."""

    test: str
    """`paired_t`, `anova` or `paired_t_corrected`."""
    systems: int
    sd: float
    """Standard deviation of the difference of two systems on a query."""
    effect: float | None
    """The difference to detect; None: none was given."""
    needed: int | None
    """Queries that detect it with the requested power."""
    queries: int | None
    """The number of queries that was given."""
    chance: float | None
    """The probability that this number of queries detects the difference."""
    detectable: float | None
    """The smallest difference that this number of queries detects with the requested power."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return to_json(self._asdict())


def plan_queries(
    effect: float | None = None,
    sd: float = USUAL_SPREADS[1],
    *,
    queries: int | None = None,
    systems: int = 2,
    power: float = 0.8,
    alpha: float = 0.05,
) -> tuple[Design, ...]:
    """How many queries detect a difference of `effect`, or which difference a number of queries detects, or both.

    `sd` is the standard deviation of the difference of two systems on a query. With three or more systems there are three
    designs: two systems alone, any difference among all, and one pair of them with p corrected for all pairs.
    """
    check_power(power, checked_fraction("alpha", alpha))
    if effect is None and queries is None:
        raise BadParameter("a plan needs the difference to detect, or the number of queries")
    if not (math.isfinite(sd) and sd > 0):
        raise BadParameter(f"sd (the standard deviation of the differences) must be a number above 0, not {sd!r}")
    if effect is not None and not finite(effect) > 0:
        raise BadParameter(f"the difference to detect must be above 0, not {effect!r}")
    if not 2 <= systems <= MOST_SYSTEMS:
        raise BadParameter(f"the number of systems must be from 2 to {MOST_SYSTEMS:,}, not {systems}")
    pairs = systems * (systems - 1) // 2

    def by_t(n: int, size: float) -> float:
        return normal_power(n, sd, size, alpha)

    def by_corrected_t(n: int, size: float) -> float:
        return normal_power(n, sd, size, alpha / pairs)

    def by_anova(n: int, size: float) -> float:
        return anova_power(n, size, sd**2 / 2, systems, alpha)

    tests: dict[str, Callable[[int, float], float]] = {"paired_t": by_t}
    if systems > 2:
        tests |= {"anova": by_anova, "paired_t_corrected": by_corrected_t}
    return tuple(_design(test, chance, (effect, sd, queries, systems, power)) for test, chance in tests.items())


def _design(
    test: str, chance_of: Callable[[int, float], float], asked: tuple[float | None, float, int | None, int, float]
) -> Design:
    effect, sd, queries, systems, power = asked
    n_systems = 2 if test == "paired_t" else systems
    needed = None if effect is None else _smallest_number(lambda n: chance_of(n, effect), power, effect)
    if queries is None:
        return Design(test, n_systems, sd, effect, needed, None, None, None)
    n = whole_queries(queries)
    chance = None if effect is None else chance_of(n, effect)
    return Design(test, n_systems, sd, effect, needed, n, chance, _smallest_size(lambda size: chance_of(n, size), power, sd))


def anova_power(n: int, effect: float, variance: float, systems: int, alpha: float = 0.05) -> float:
    """Probability that a one-way ANOVA of n queries and several systems is significant, in the least favourable case.

    The best and the worst system differ by `effect`, all others lie in the middle. `variance` is the variance of the scores
    of one system. The noncentrality is n · effect² ÷ (2 · variance).
    """
    from scipy.special import fdtri, ncfdtr

    between, within = systems - 1, systems * (whole_queries(n) - 1)
    critical = float(fdtri(between, within, 1 - checked_fraction("alpha", alpha)))
    return float(1 - ncfdtr(between, within, n * effect**2 / (2 * variance), critical))


def _smallest_number(chance_of: Callable[[int], float], power: float, effect: float) -> int:
    """The smallest number of queries with at least this power."""
    low, high = 1, 2
    while chance_of(high) < power:
        low, high = high, 2 * high
        if high > MOST_QUERIES:
            raise BadParameter(f"a difference of {effect:g} is too small: it needs more than {MOST_QUERIES:,} queries")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if chance_of(middle) >= power else (middle, high)
    return high


def _smallest_size(chance_of: Callable[[float], float], power: float, sd: float) -> float:
    """The smallest difference with at least this power."""
    low, high = 0.0, sd
    while chance_of(high) < power:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if chance_of(middle) >= power else (middle, high)
    return high
