"""compare: ranx's table of several runs, with a statistical test for every pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.compat.ranx._evaluate import evaluate, mean_score, prepared_qrels, score_run
from assay.compat.ranx._report import Pairwise, Report
from assay.compat.ranx._run import Run
from assay.errors import BadParameter, DataError, UnknownName, near_matches
from assay.stats import BoundTest, Field, Pairs, parse_test

TESTS = {"student": "paired_t", "fisher": "randomization", "tukey": "tukey_hsd"}
"""ranx's name → ours."""

Table = Mapping[str, Mapping[str, Floats]]
"""Run → metric → one score per query."""


def compare(
    qrels: Any,
    runs: Iterable[Any],
    metrics: str | Sequence[str],
    stat_test: str = "student",
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    threads: int = 0,  # noqa: ARG001 (one is enough)
    rounding_digits: int = 3,
    show_percentages: bool = False,
    make_comparable: bool = False,
) -> Report:
    """Score every run and test every pair of them on the same queries. Runs are known by their names, which differ.

    p is for each pair by itself; `assay.compare` corrects for how many were looked at.
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    test = _test(stat_test, n_permutations)
    scores = _scores(qrels, runs, names, make_comparable)
    return Report(
        model_names=list(scores),
        results={name: {metric: mean_score(by[metric]) for metric in names} for name, by in scores.items()},
        comparisons=_comparisons(scores, names, test, max_p, random_seed),
        metrics=names,
        max_p=max_p,
        win_tie_loss=_win_tie_loss(scores, names),
        rounding_digits=rounding_digits,
        show_percentages=show_percentages,
        stat_test=stat_test,
    )


def _scores(qrels: Any, runs: Iterable[Any], metrics: Sequence[str], make_comparable: bool) -> Table:
    """Every run by its name, or by its place where it has none; a `Run` keeps its scores, as in `evaluate`."""
    judged = prepared_qrels(qrels)
    scores: dict[str, Mapping[str, Floats]] = {}
    for number, run in enumerate(runs, 1):
        name = getattr(run, "name", None) or f"run_{number}"
        if name in scores:
            raise DataError(f"two runs are called {name!r}; give each a name of its own: Run(…, name='bm25')")
        if isinstance(run, Run):
            evaluate(judged, run, metrics, make_comparable=make_comparable)
        scores[name] = score_run(judged, run, metrics, make_comparable)[1]
    if not scores:
        raise BadParameter("no run was given")
    return scores


def _test(name: str, n_permutations: int) -> BoundTest:
    if name not in TESTS:
        raise UnknownName("statistical test", name, near_matches(name, TESTS), f"there are {', '.join(TESTS)}")
    return parse_test(f"randomization(resamples={n_permutations})" if name == "fisher" else TESTS[name])


def _comparisons(scores: Table, metrics: Sequence[str], test: BoundTest, max_p: float, seed: int) -> Pairwise:
    """For each pair of runs and each metric: p, and whether that is small enough."""
    names = list(scores)
    found: dict[frozenset[str], dict[str, dict[str, Any]]] = {frozenset(pair): {} for pair in combinations(names, 2)}
    for metric in metrics if len(names) > 1 else ():
        columns = np.column_stack([scores[name][metric] for name in names])
        p = _pairwise_p(columns, test, seed)
        for a, b in combinations(range(len(names)), 2):
            value = float(p[a, b])
            found[frozenset((names[a], names[b]))][metric] = {"p_value": value, "significant": value <= max_p}
    return Pairwise(found)


def _pairwise_p(columns: Floats, test: BoundTest, seed: int) -> Floats:
    """System × system: p of each pair."""
    if test.test.is_for_many:
        return test.compare_many(Field(columns, seed)).pairwise
    p = np.ones((columns.shape[1],) * 2)
    for a, b in combinations(range(columns.shape[1]), 2):
        p[a, b] = p[b, a] = test.compare(Pairs(columns[:, [a]], columns[:, [b]], seed)).p[0]
    return p


def _win_tie_loss(scores: Table, metrics: Sequence[str]) -> dict[tuple[str, str], dict[str, dict[str, int]]]:
    """On how many queries the first of two runs is ahead, level and behind; what rounding alone tells apart is level."""
    found: dict[tuple[str, str], dict[str, dict[str, int]]] = {}
    for one, other in permutations(scores, 2):
        found[one, other] = {}
        for metric in metrics:
            above = Pairs(scores[other][metric][:, None], scores[one][metric][:, None]).differences
            counts = {"W": above > 0, "T": above == 0, "L": above < 0}
            found[one, other][metric] = {letter: int(is_so.sum()) for letter, is_so in counts.items()}
    return found
