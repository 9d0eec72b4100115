"""Limits of tools: the parameters and the queries for which a tool scores differently or has no score."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.arrays import Bools
from assay.views import GradedRun


def deeper_than_20(params: Mapping[str, Any]) -> bool:
    """A cutoff beyond rank 20."""
    return params.get("k") is not None and params["k"] > 20


def at_the_top(params: Mapping[str, Any]) -> bool:
    """A cutoff of 1."""
    return params.get("k") == 1


def has_cutoff(params: Mapping[str, Any]) -> bool:
    """A cutoff of any size."""
    return params.get("k") is not None


def is_plain(params: Mapping[str, Any]) -> bool:
    """Average precision of whole rankings, divided by R, with unjudged documents."""
    return params.get("k") is None and not params.get("judged_only") and params.get("norm") == "relevant"


def gains_exponentially(params: Mapping[str, Any]) -> bool:
    """A gain of 2^grade − 1."""
    return params.get("gain") == "exp"


def with_fractions(run: GradedRun) -> Bools:
    """Queries with a grade that is not a whole number."""
    return _any_judgment(run, run.ideal.grade != np.round(run.ideal.grade))


def all_negative(run: GradedRun) -> Bools:
    """Queries whose grades are all negative."""
    return (run.ideal.count > 0) & (run.ideal.where(run.ideal.grade >= 0).count == 0)


def above_four(run: GradedRun) -> Bools:
    """Queries with a grade above 4."""
    return _any_judgment(run, run.ideal.grade > 4)


def above_30(run: GradedRun) -> Bools:
    """Queries with a grade above 30."""
    return _any_judgment(run, run.ideal.grade > 30)


def above_31(run: GradedRun) -> Bools:
    """Queries with a grade above 31."""
    return _any_judgment(run, run.ideal.grade > 31)


def with_negatives(run: GradedRun) -> Bools:
    """Queries with a negative grade."""
    return _any_judgment(run, run.ideal.grade < 0)


def not_binary(run: GradedRun) -> Bools:
    """Queries with a grade other than 0 and 1."""
    return _any_judgment(run, (run.ideal.grade != 0) & (run.ideal.grade != 1))


def with_one_document(run: GradedRun) -> Bools:
    """Queries with one judged document, which is the only retrieved one."""
    return (run.n_retrieved == 1) & (run.ideal.count == 1)


def _any_judgment(run: GradedRun, mask: Bools) -> Bools:
    return run.ideal.where(mask).count > 0


def named_by_text(run: GradedRun) -> Bools:
    """Queries whose id is not a whole number."""
    return np.array([re.fullmatch(r"[0-9]+", query) is None for query in run.query_ids], dtype=bool)


def retrieved_nothing(run: GradedRun) -> Bools:
    """Queries with an empty ranking."""
    return run.n_retrieved == 0


def all_relevant(run: GradedRun) -> Bools:
    """Queries for which all retrieved documents are relevant."""
    return (run.n_retrieved > 0) & (run.relevant().count == run.n_retrieved)


def without_nonrelevant(run: GradedRun) -> Bools:
    """Something relevant was retrieved, and nothing was judged non-relevant."""
    return (run.ideal.count == run.n_relevant()) & (run.relevant().count > 0)


def without_relevant(run: GradedRun) -> Bools:
    """Queries without a relevant document."""
    return run.n_relevant() == 0


def without_relevant_among_others(run: GradedRun) -> Bools:
    """The same, if there are other queries."""
    return without_relevant(run) & (run.n_queries > 1)


def every_query(run: GradedRun) -> Bools:
    """All queries."""
    return np.ones(run.n_queries, dtype=bool)
