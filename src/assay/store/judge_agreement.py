"""Agreement of judges: how often two of them gave the same grade to the same pair, and how far beyond chance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations
from typing import Any, NamedTuple

from assay.serialize import plain_values
from assay.stats import cohen_kappa
from assay.store.judgments import Judgment


class JudgeAgreement(NamedTuple):
    """Two judges, over the pairs that both have graded."""

    a: str
    b: str
    n_pairs: int
    n_same: int
    kappa: float
    """Cohen's κ; nan where both gave one and the same grade throughout."""
    weighted_kappa: float
    """The same with quadratic weights: the nearer two grades are, the less it matters that they differ."""

    @property
    def same(self) -> float:
        """Share of pairs with equal grades."""
        return self.n_same / self.n_pairs

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, None for nan."""
        return plain_values({**self._asdict(), "same": self.same})


def judge_agreements(judgments: Iterable[Judgment]) -> list[JudgeAgreement]:
    """Every two judges who share a pair, those with the most pairs first."""
    by_judge: defaultdict[str, dict[tuple[str, str, str], float]] = defaultdict(dict)
    for one in judgments:
        by_judge[one.judge][one.benchmark, one.query, one.document] = one.grade
    found = []
    for a, b in combinations(sorted(by_judge), 2):
        shared = [pair for pair in by_judge[a] if pair in by_judge[b]]
        if not shared:
            continue
        grades = [by_judge[a][pair] for pair in shared], [by_judge[b][pair] for pair in shared]
        n_same = sum(one == other for one, other in zip(*grades, strict=True))
        kappas = cohen_kappa(*grades), cohen_kappa(*grades, weights="quadratic")
        found.append(JudgeAgreement(a, b, len(shared), n_same, *kappas))
    return sorted(found, key=lambda one: (-one.n_pairs, one.a, one.b))
