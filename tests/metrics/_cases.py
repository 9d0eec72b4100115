"""What the metric tests share: rankings written as lists of grades, many random ones, and one call that scores them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import pytest

import assay

close = partial(pytest.approx, rel=1e-12, abs=1e-12)
"""Equal but for the last digits of a float."""


class Case(NamedTuple):
    """One query: the grade at each rank (None: nobody judged it), and the grades of what was judged but not retrieved."""

    ranked: Sequence[float | None]
    missed: Sequence[float] = ()


def score(metric: str, ranked: Sequence[float | None], missed: Sequence[float] = (), **policy: Any) -> Any:
    """The score of one ranking."""
    return scores(metric, [Case(ranked, missed)], **policy)[0]


def scores(metric: str, cases: Iterable[Case], **policy: Any) -> list[Any]:
    """The scores of several rankings, evaluated together."""
    result = assay.evaluate(*as_dicts(cases), [metric], policy=assay.Policy(**policy))
    return list(result.scores(metric).values())


def summary(metric: str, cases: Iterable[Case], **policy: Any) -> float:
    """The figure over several rankings."""
    return assay.evaluate(*as_dicts(cases), [metric], policy=assay.Policy(**policy))[metric]


def as_dicts(cases: Iterable[Case]) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Judgments and a run that come down to these cases; every score is different."""
    qrels, run = {}, {}
    for number, (ranked, missed) in enumerate(cases):
        found = {f"d{place}": grade for place, grade in enumerate(ranked) if grade is not None}
        qrels[f"q{number}"] = found | {f"missed{place}": grade for place, grade in enumerate(missed)}
        run[f"q{number}"] = {f"d{place}": 1000.0 - place for place in range(len(ranked))}
    return qrels, run


def relevant(grade: float | None, level: float | None = None) -> bool:
    """Whether a grade counts as relevant: above 0, or at the level; never when negative or unjudged."""
    return grade is not None and grade >= 0 and (grade > 0 if level is None else grade >= level)


def n_relevant(ranked: Sequence[float | None], missed: Sequence[float], level: float | None = None) -> int:
    """R: how many relevant documents there are, retrieved or not."""
    return sum(relevant(grade, level) for grade in [*ranked, *missed])


def worth(grade: float | None, gain: Any = "linear") -> float:
    """What a grade gains: itself, 2^grade − 1 (exp), 1 (binary), or what a table has for it; below 0 nothing."""
    if isinstance(gain, dict) and grade in gain:
        return float(gain[grade])
    if grade is None or grade <= 0:
        return 0.0
    return 2.0**grade - 1 if gain == "exp" else 1.0 if gain == "binary" else grade


TOP = 4
"""The largest grade of the random cases."""


def random_cases(seed: int, n: int, grades: Sequence[float | None], longest: int = 15) -> list[Case]:
    """Short and long, empty and rich rankings, the same ones for the same seed."""
    rng = random.Random(seed)
    judged = [grade for grade in grades if grade is not None]
    return [
        Case(rng.choices(grades, k=rng.randint(0, longest)), rng.choices(judged, k=rng.choice((0, 0, 1, 2, 5))))
        for _ in range(n)
    ]


CASES = [
    *random_cases(1, 200, (None, None, -1, 0, 0, 0.5, 1, 1, 2, 3, TOP)),
    *random_cases(2, 100, (None, 0, 0, 0, 1, 2)),
    *random_cases(3, 50, (None, None, None, -2, -1, 0)),
    *random_cases(4, 30, (None, None, None, 0, 0, 1, 2, TOP), longest=60),
]
