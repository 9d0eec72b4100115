"""Power: how small a difference a set of queries can find, and how many queries a difference needs.

A difference counts as found when the paired t-test is significant and points the right way. The chance of that is counted
by simulation: queries are drawn again and again from the differences at hand, moved so that their mean is the difference
in question. So skewed and zero-heavy differences are taken as they are. From `MAX_SIMULATED` queries up, where the mean of
nearly anything is normal, the closed form (noncentral t) takes over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assay.errors import BadParameter
from assay.stats._power_study import Differences, chance_wanted, finite, n_needed, study_of, whole_queries
from assay.text import counted


@dataclass(frozen=True)
class Power:
    """What a set of queries can tell: `sentence` says it in words.

    Where all differences are equal there is no chance in play, and `detectable` is 0, for any difference would be found;
    or infinite with fewer than 6 queries, which are too few for that to be significant (at alpha = 0.05).
    """

    n: int
    """Queries."""
    sd: float
    """Standard deviation of the differences."""
    effect: float
    """The mean difference seen."""
    achieved: float
    """Chance that as many other queries find a difference of that size. It says no more than the p-value does."""
    detectable: float
    """The smallest difference, up or down, that is found with the chance `wanted`."""
    target: float
    """The difference that `needed` is about."""
    needed: int | None
    """Queries that find `target` with the chance `wanted`; None for a target of 0, which no number of queries finds."""
    wanted: float
    alpha: float

    @property
    def sentence(self) -> str:
        """The finding in plain words."""
        return self.told()

    def told(self, show: Callable[[float], str] | None = None, others: Mapping[float, int] | None = None) -> str:
        """The same with figures as somebody else shows them, and with the queries that other differences need."""
        shown = show or _shown
        found = f"With these {counted(self.n, 'query')} "
        if math.isinf(self.detectable):
            found += "no difference can be found: they are too few"
        elif self.detectable == 0:
            found += "every difference is the same, so any difference at all would be found"
        else:
            found += f"a difference of {shown(self.detectable)} or more would be found {100 * self.wanted:g} % of the time"
        wanted = {} if self.needed is None else {abs(self.target): self.needed}
        needs = [
            f"to find {shown(size)} you need about {counted(n, 'query')}"
            for size, n in (wanted | dict(others or {})).items()
        ]
        return f"{'; '.join([found, *needs])}."


def power(
    differences: Differences, effect: float | None = None, n: int | None = None, alpha: float = 0.05, seed: int = 0
) -> float:
    """Chance that n queries like these find a mean difference of `effect`, as a significant one of the right sign.

    Left out, `effect` is the mean difference seen, and `n` the number of queries at hand. For an effect of 0 it is the
    chance of a false alarm. Where all differences are equal, any effect but 0 is certain to be found from 6 queries up
    (at alpha = 0.05), and none with fewer: the p of n equal differences is 2 ÷ 2^n.
    """
    study = study_of(differences, alpha, seed)
    wanted = study.mean if effect is None else finite(effect)
    n_queries = study.n if n is None else whole_queries(n)
    return study.chance(wanted / study.unit, n_queries)


def minimum_detectable_effect(differences: Differences, power: float = 0.8, alpha: float = 0.05, seed: int = 0) -> float:
    """The smallest mean difference, up or down, that this set of queries finds with the chance `power`.

    0 where all differences are equal: then any difference at all would be found. (Infinite with fewer than 6 queries, at
    alpha = 0.05: equal or not, they are too few.)
    """
    study = study_of(differences, alpha, seed)
    wanted = chance_wanted(power, alpha)
    return study.unit * study.least(study.n, wanted)


def queries_needed(differences: Differences, effect: float, power: float = 0.8, alpha: float = 0.05, seed: int = 0) -> int:
    """How many queries like these find a mean difference of `effect`, up or down, with the chance `power`.

    At least 2, the fewest a test can do with; 6 where all differences are equal (at alpha = 0.05). An effect of 0 is an
    error: no number of queries finds nothing.
    """
    study = study_of(differences, alpha, seed)
    wanted = chance_wanted(power, alpha)
    if finite(effect) == 0:
        raise BadParameter("effect is the difference to be found; no number of queries finds a difference of 0")
    return n_needed(study, abs(effect), wanted)


def analyse_power(
    differences: Differences, target: float | None = None, power: float = 0.8, alpha: float = 0.05, seed: int = 0
) -> Power:
    """All of it at once: achieved power, smallest difference found, queries needed for `target` (else for the mean seen)."""
    study = study_of(differences, alpha, seed)
    wanted = chance_wanted(power, alpha)
    aim = study.mean if target is None else finite(target)
    return Power(
        n=study.n,
        sd=study.sd,
        effect=study.mean,
        achieved=study.chance(study.mean / study.unit, study.n),
        detectable=study.unit * study.least(study.n, wanted),
        target=aim,
        needed=n_needed(study, abs(aim), wanted) if aim else None,
        wanted=wanted,
        alpha=alpha,
    )


def _shown(value: float) -> str:
    """At least three decimals, and more where a small figure needs them to show two digits."""
    if not 1e-6 < value < 1e15:
        return f"{value:.3g}"
    if value >= 0.01:
        return f"{value:,.{max(0, min(3, 2 - math.floor(math.log10(value))))}f}"
    return f"{value:.{1 - math.floor(math.log10(value))}f}".rstrip("0").ljust(5, "0")
