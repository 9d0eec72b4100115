"""Remarks on estimates from a sample of judgments: what they are based on, what tests them, and what is unknown."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import numpy as np

from assay.comparison.verdict import listed, pair_names
from assay.stats import estimated_difference
from assay.text import counted

if TYPE_CHECKING:
    from assay.comparison.comparison import Comparison
    from assay.comparison.pairs import Pair

STUDENT = "student_t"
"""The test of estimates, as it is recorded."""
FEWEST_TELLING = 2
"""With fewer queries that tell two systems apart, their difference has no interval."""


def estimated_metrics(comparison: Comparison) -> list[str]:
    """The metrics whose values are estimates from a sample of judgments."""
    columns = comparison.results[0].table.columns
    return [metric.name for metric in comparison.metrics if columns[metric.name].is_estimate]


def tests_used(comparison: Comparison) -> dict[str, str]:
    """The tests in plain values: Student's t replaces a test of differences on estimates. Both, if there are other metrics.

    It also replaces the test of a value that all result lists have together. The other tests are t-tests already, or need
    scores of single queries.
    """
    chosen, estimates = comparison.how.bound_test, estimated_metrics(comparison)
    if chosen.test.claim != "differs" or chosen.test.is_for_many:
        return {"test": chosen.name}
    tested = [] if chosen.test.is_bayesian else comparison.metrics[: None if comparison.how.correct_metrics else 1]
    of_lists = [metric for metric in tested if metric.metric.aggregation.figure is not None]
    if (of_lists and len(of_lists) == len(tested)) or (estimates and len(estimates) == len(comparison.metrics)):
        return {"test": STUDENT}
    beside = {"test_of_estimates": estimates, "test_of_all_lists": of_lists}
    return {"test": chosen.name, **{name: STUDENT for name, some in beside.items() if some}}


def estimate_remarks(comparison: Comparison) -> Iterator[str]:
    """Which values are estimates, what tests their differences, and which differences have no interval."""
    columns, names = comparison.results[0].table.columns, estimated_metrics(comparison)
    pairs = [pair for pair in comparison.pairs if pair.metric in names]
    if not pairs:
        return
    telling = {id(pair): n_telling(comparison, pair) for pair in pairs}
    n = int(np.count_nonzero(columns[names[0]].weight[:, 1]))
    what, verb = ", ".join(names), "is an estimate" if len(names) == 1 else "are estimates"
    if columns[names[0]].is_difference:
        what, verb = f"The difference of {listed(comparison.names)} on {what}", "is an estimate"
    yield (
        f"{what} {verb} from the judgments of {counted(n, 'query')}: the interval and p are from "
        f"Student's t with {_degrees(telling.values())} of freedom."
    )
    if columns[names[0]].is_difference:
        yield "The pool was drawn for this difference, so the values of single systems are unknown."
    if few := [pair for pair in pairs if telling[id(pair)] < FEWEST_TELLING]:
        yield (
            f"The difference of {pair_names(few)} has no interval, because fewer than {FEWEST_TELLING} queries have judged "
            "documents that tell the systems apart. The true difference may still not be 0: judge more pairs."
        )


def n_telling(comparison: Comparison, pair: Pair) -> int:
    """The number of queries whose judgments an estimated difference is based on."""
    a, b = (comparison.results[comparison.aligned.place(name)].table.columns[pair.metric] for name in (pair.a, pair.b))
    return estimated_difference(a, b).n


def _degrees(telling: Collection[int]) -> str:
    """`47 degrees`, or `31 to 47 degrees` if pairs of systems have different numbers of queries."""
    low, high = min(telling), max(telling)
    most = counted(max(high - 1, 0), "degree")
    return most if low == high else f"{max(low - 1, 0):,} to {most}"
