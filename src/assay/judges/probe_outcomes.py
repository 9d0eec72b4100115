"""Probe outcomes: how much the grades of a judge change if a pair is changed in a way that must not change its grade."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, NamedTuple

from assay.judges.probe_texts import REORDERED, REPEATED, find_probe
from assay.judging import FEW_PAIRS, FIRST_RELEVANT, Bias, Calibration
from assay.serialize import to_json
from assay.stats import Reliability, correct

LEVEL = 0.05


class ProbeOutcome(NamedTuple):
    """What a judge gave to a pair without and with a change."""

    probe: str
    query: str
    document: str
    before: float
    after: float


@dataclass(frozen=True)
class ProbeFigure:
    """The grades without and with a change over the pairs of a probe."""

    probe: str
    meaning: str
    change: Bias
    """The mean of after minus before, with a 95 % interval."""
    n_raised: int
    n_lowered: int
    n_to_relevant: int
    """Pairs that were not relevant before and are after."""
    kappa: Reliability
    """Cohen's κ with quadratic weights of the grades before and after."""
    p: float
    """The chance of such changes if the judge ignored what was changed; nan without a test."""
    corrected_p: float
    """The same, corrected for the number of probes by Holm's method."""

    @property
    def n_pairs(self) -> int:
        """Pairs with a grade before and after."""
        return self.change.n_pairs

    @property
    def n_changed(self) -> int:
        """Pairs with another grade."""
        return self.n_raised + self.n_lowered

    @property
    def is_found(self) -> bool:
        """Whether the change changes the grades."""
        return self.corrected_p < LEVEL

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, None for nan."""
        return to_json(
            {
                "probe": self.probe,
                "meaning": self.meaning,
                "n_pairs": self.n_pairs,
                "change": self.change.bias,
                "low": self.change.low,
                "high": self.change.high,
                "n_changed": self.n_changed,
                "n_raised": self.n_raised,
                "n_lowered": self.n_lowered,
                "n_to_relevant": self.n_to_relevant,
                "kappa": self.kappa._asdict(),
                "p": self.p,
                "corrected_p": self.corrected_p,
                "is_found": self.is_found,
                "is_few": self.n_pairs < FEW_PAIRS,
            }
        )


def probe_figures(outcomes: Iterable[ProbeOutcome]) -> list[ProbeFigure]:
    """The figures of each probe that has outcomes, in the order in which probes are made.

    An attack (stuffed, injected) has a sign test of raised against lowered grades, in the direction of raised. The other
    probes with a change also count how many grades change that do not change when the same text is graded again, so that
    the noise of the judge does not count; of the two sign tests, the smaller p counts twice.
    """
    by_probe: dict[str, dict[tuple[str, str], tuple[float, float]]] = {}
    for outcome in outcomes:
        by_probe.setdefault(outcome.probe, {})[outcome.query, outcome.document] = (outcome.before, outcome.after)
    p = {name: _p(name, pairs, by_probe.get(REPEATED, {})) for name, pairs in by_probe.items()}
    corrected = dict(zip(p, correct(list(p.values())).tolist(), strict=True))
    return [_figure(name, pairs, p[name], corrected[name]) for name, pairs in by_probe.items()]


def _figure(name: str, pairs: Mapping[tuple[str, str], tuple[float, float]], p: float, corrected: float) -> ProbeFigure:
    both = Calibration(pairs)
    grades = list(pairs.values())
    return ProbeFigure(
        name,
        find_probe(name).meaning,
        both.bias_of(name, lambda _: True),
        sum(after > before for before, after in grades),
        sum(after < before for before, after in grades),
        sum(before < FIRST_RELEVANT <= after for before, after in grades),
        both.kappa("quadratic"),
        p,
        corrected,
    )


def _p(
    name: str, pairs: Mapping[tuple[str, str], tuple[float, float]], noise: Mapping[tuple[str, str], tuple[float, float]]
) -> float:
    if name in (REPEATED, REORDERED):
        return float("nan")
    signs = [(after > before) - (after < before) for before, after in pairs.values()]
    if find_probe(name).is_attack:
        return sign_chance(signs.count(1), signs.count(-1), is_one_sided=True)
    direction = sign_chance(signs.count(1), signs.count(-1))
    shared = [pair for pair in pairs if pair in noise]
    more = [_is_changed(pairs[pair]) - _is_changed(noise[pair]) for pair in shared]
    return min(1.0, 2 * min(direction, sign_chance(more.count(1), more.count(-1), is_one_sided=True)))


def _is_changed(grades: Sequence[float]) -> int:
    return int(grades[0] != grades[1])


def sign_chance(n_up: int, n_down: int, *, is_one_sided: bool = False) -> float:
    """The p-value of the sign test: the chance of so many ups, or of so few, if both are equally likely. Exact."""
    n = n_up + n_down
    if is_one_sided:
        return sum(comb(n, ups) for ups in range(n_up, n + 1)) / 2**n
    return min(1.0, 2 * sum(comb(n, fewest) for fewest in range(min(n_up, n_down) + 1)) / 2**n)
