"""What the tests of ties and residuals share: judgments and a run as metrics read them, and groups of equals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, permutations, product
from math import prod
from random import Random
from typing import Any

import assay
from assay.views import GradedRun, grade

from ._cases import TOP, Case, as_dicts

Groups = tuple[list[list[float | None]], Sequence[float]]
"""The grades of each group of equals, best group first, and those of what was not retrieved."""


def graded(qrels: Any, run: Any, top: float | None = None) -> GradedRun:
    """Judgments and a run as metrics read them, with ties as they stand."""
    view = grade(assay.Run(run), assay.Qrels(qrels), assay.Policy(max_grade=top)).run
    return replace(view, tie_rule="settled")


def graded_cases(cases: Iterable[Case], top: float | None = TOP) -> GradedRun:
    """Cases as metrics read them."""
    return graded(*as_dicts(cases), top)


def tied(*cases: Groups) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Judgments and a run of a query for each."""
    qrels, run = {}, {}
    for number, (groups, missed) in enumerate(cases):
        docs = {(place, nth): given for place, group in enumerate(groups) for nth, given in enumerate(group)}
        judged = {f"{place}.{nth}": given for (place, nth), given in docs.items() if given is not None}
        qrels[f"q{number}"] = judged | {f"missed{nth}": given for nth, given in enumerate(missed)}
        run[f"q{number}"] = {f"{place}.{nth}": float(-place) for place, nth in docs}
    return qrels, run


def orders(groups: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """Every ranking that groups of equals allow; orders that look alike are listed as often as they occur."""
    return [list(chain.from_iterable(choice)) for choice in product(*map(permutations, groups))]


def random_ties(seed: int, n: int, longest: int = 7) -> list[Groups]:
    """Several groups of one to five equals, not too many orders."""
    rng = Random(seed)
    found: list[Groups] = []
    while len(found) < n:
        sizes = [rng.randint(1, 5) for _ in range(rng.randint(1, 4))]
        if sum(sizes) <= longest and prod(prod(range(1, size + 1)) for size in sizes) <= 720:
            groups = [rng.choices((None, None, -1, 0, 1, 1, 2, TOP), k=size) for size in sizes]
            found.append((groups, rng.choices((0, 1, 2, TOP), k=rng.choice((0, 0, 1, 3)))))
    return found
