"""Own samples: estimates in a slice count only if enough of its queries are judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from assay.evaluation import Result
from assay.model import Column, ScoreTable
from assay.stats import FEWEST_JUDGED

NO_OWN_SAMPLE = f"fewer than {FEWEST_JUDGED} of its queries are judged"


def with_own_sample(result: Result) -> Result:
    """The result of a slice without the estimates that have fewer than 30 judged queries.

    A sample of all queries says too little about a small slice: its interval would be too short.
    """
    columns = result.table.columns
    few = {name for name, column in columns.items() if column.is_estimate and n_judged(column) < FEWEST_JUDGED}
    if not few:
        return result
    n = len(result.query_ids)
    kept = {name: Column.undefined(n, each.aggregation) if name in few else each for name, each in columns.items()}
    return replace(result, all_scores=replace(result.all_scores, table=ScoreTable(result.table.query_ids, kept)))


def n_judged(column: Column) -> int:
    """The number of judged queries of an estimate."""
    return int(np.count_nonzero(column.weight[:, 1] > 0))


def own_sample_remark(labels: Iterable[str]) -> str:
    """Which slices have no estimates, and what to do; empty without such slices."""
    few = list(labels)
    if not few:
        return ""
    named = ", ".join(few[:5]) + (", …" if len(few) > 5 else "")
    return (
        f"No estimates for {named}: {NO_OWN_SAMPLE}. A slice needs its own sample: draw a pool from runs that have only its "
        "queries."
    )
