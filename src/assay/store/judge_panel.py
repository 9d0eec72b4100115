"""Agreement of judges: how often they gave the same grade to the same pair, and how much more often than by chance.

Settled grades are not grades of a judge of their own, so they do not count. `disagreements` are the pairs to settle.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations
from typing import Any, NamedTuple

from assay.model import is_finite_number
from assay.serialize import to_json
from assay.stats import ALPHA_SCALES, Reliability, kappa_interval, krippendorff_alpha
from assay.store.judgment import PEOPLE, Judgment


class JudgeAgreement(NamedTuple):
    """The agreement of two judges over the pairs that both have graded."""

    a: str
    b: str
    n_pairs: int
    n_same: int
    kappa: float
    """Cohen's κ; nan if both always gave the same single grade."""
    weighted_kappa: float
    """Cohen's κ with quadratic weights: small differences between grades count less."""
    kappa_low: float = math.nan
    kappa_high: float = math.nan
    weighted_low: float = math.nan
    weighted_high: float = math.nan

    @property
    def same(self) -> float:
        """Share of pairs with equal grades."""
        return self.n_same / self.n_pairs

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, None for nan."""
        return to_json({**self._asdict(), "same": self.same})


def judge_agreements(judgments: Iterable[Judgment]) -> list[JudgeAgreement]:
    """The agreement of all judges who share a pair, those with the most pairs first."""
    by_judge: defaultdict[str, dict[tuple[str, str, str], float]] = defaultdict(dict)
    for judgment in judgments:
        if not judgment.is_settled:
            by_judge[judgment.judge_label][judgment.benchmark, judgment.query, judgment.document] = judgment.grade
    agreements = []
    for a, b in combinations(sorted(by_judge), 2):
        shared = [pair for pair in by_judge[a] if pair in by_judge[b]]
        if not shared:
            continue
        grades = [by_judge[a][pair] for pair in shared], [by_judge[b][pair] for pair in shared]
        n_same = sum(grade == other for grade, other in zip(*grades, strict=True))
        plain, weighted = kappa_interval(*grades), kappa_interval(*grades, weights="quadratic")
        ends = (plain.low, plain.high, weighted.low, weighted.high)
        agreements.append(JudgeAgreement(a, b, len(shared), n_same, plain.value, weighted.value, *ends))
    return sorted(agreements, key=lambda agreement: (-agreement.n_pairs, agreement.a, agreement.b))


class PanelAgreement(NamedTuple):
    """Krippendorff's α of all judges together, over the pairs that at least two of them have graded."""

    n_judges: int
    n_pairs: int
    nominal: Reliability
    """Grades are equal or not."""
    ordinal: Reliability
    """Grades have an order."""
    interval: Reliability
    """The distance between two grades counts."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, None for nan."""
        scales = {scale: getattr(self, scale).to_dict() for scale in ALPHA_SCALES}
        return {"n_judges": self.n_judges, "n_pairs": self.n_pairs, **scales}


def panel_agreement(judgments: Iterable[Judgment]) -> PanelAgreement | None:
    """The agreement of all judges together; None if no two judges have graded the same pair."""
    by_pair = _grades_by_pair(judgments)
    several = {pair: grades for pair, grades in sorted(by_pair.items()) if len(grades) > 1}
    if not several:
        return None
    judges = sorted({judge for grades in several.values() for judge in grades})
    table = [[grades.get(judge) for grades in several.values()] for judge in judges]
    return PanelAgreement(len(judges), len(several), *(krippendorff_alpha(table, scale) for scale in ALPHA_SCALES))


def _grades_by_pair(judgments: Iterable[Judgment]) -> dict[tuple[str, str, str], dict[str, float]]:
    """Benchmark, query and document → judge → grade; grades that are not finite numbers are left out."""
    by_pair: defaultdict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    for judgment in judgments:
        if is_finite_number(judgment.grade) and not judgment.is_settled:
            by_pair[judgment.benchmark, judgment.query, judgment.document][judgment.judge_label] = judgment.grade
    return by_pair


class Disagreement(NamedTuple):
    """A pair that people graded differently."""

    benchmark: str
    query: str
    document: str
    grades: tuple[Judgment, ...]
    """The grades of the people, by name."""
    settled: Judgment | None = None
    """The grade that counts, and who settled it; None if it is open, so that the lower median counts."""

    @property
    def distance(self) -> float:
        """The difference between the highest and the lowest grade."""
        every = [judgment.grade for judgment in self.grades]
        return max(every) - min(every) if every else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        plain = {"benchmark": self.benchmark, "query": self.query, "document": self.document}
        settled = None if self.settled is None else self.settled.to_dict()
        return {**plain, "grades": [judgment.to_dict() for judgment in self.grades], "settled": settled}


def disagreements(judgments: Iterable[Judgment]) -> list[Disagreement]:
    """The pairs that people graded differently: open ones first, and of these the largest differences.

    A settled pair stays in the list, even if the people agree later. Other kinds of judgments do not count.
    """
    by_pair: defaultdict[tuple[str, str, str], list[Judgment]] = defaultdict(list)
    settled: dict[tuple[str, str, str], Judgment] = {}
    for judgment in judgments:
        pair = judgment.benchmark, judgment.query, judgment.document
        if judgment.kind == PEOPLE and judgment.is_settled:
            settled[pair] = judgment
        elif judgment.kind == PEOPLE:
            by_pair[pair].append(judgment)
    differing = [
        Disagreement(*pair, tuple(sorted(by_pair[pair], key=lambda judgment: judgment.judge)), settled.get(pair))
        for pair in sorted({*by_pair, *settled})
        if pair in settled or len({judgment.grade for judgment in by_pair[pair]}) > 1
    ]
    return sorted(differing, key=lambda pair: (pair.settled is not None, -pair.distance))
