"""Ranked: a run ranked by one rule, before a policy decides which queries count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.arrays import Bools, Ints
from assay.model import Qrels
from assay.views.graded import GradedRun, Ties, graded_run


@dataclass(frozen=True)
class Ranked:
    """A run ranked by one rule for all judged queries, before the policy decides which of them count."""

    run: GradedRun
    is_missing: Bools
    """Which judged queries are missing from the run."""
    n_constant: int
    """Number of queries with several documents that all have the same score."""
    n_extra: int
    """Number of queries in the run that have no judgments."""
    extra: tuple[str, ...] = ()
    """The ids of these queries, if they are known."""


def counted_run(
    qrels: Qrels,
    judgment: Ints,
    ties: Ties,
    ahead: Ints,
    length: Ints,
    *,
    n_constant: int,
    n_extra: int,
    tag: str = "",
) -> Ranked:
    """A run whose better and equal rows were counted: `ahead` equal rows come before each judged document.

    `length` is the number of documents retrieved for each judged query; -1 if the query is missing from the run.
    """
    has_ties = bool(len(ties.equal)) and int(ties.equal.max()) > 1
    graded = graded_run(qrels, judgment, ties.better + ahead + 1, np.maximum(length, 0), tag, ties if has_ties else None)
    return Ranked(graded, length < 0, n_constant, n_extra)
