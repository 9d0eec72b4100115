"""Outcome results: an A/B test or interleaving as results, one for each variant, that the store and other commands read.

The provenance of each result has the whole outcome, so that its verdict can be shown again. The rows are users without ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.arrays import Ints
from assay.errors import AssayError, UsageError
from assay.evaluation import ROWS_ARE, Confidence, Evidence, Provenance, Result, Scores, score_views, with_intervals
from assay.experiments.experiment import SCHEMA as EXPERIMENT_SCHEMA
from assay.experiments.experiment import Experiment
from assay.experiments.interleaving_outcome import InterleavingOutcome, T
from assay.metrics import BoundMetric, recorded_metric
from assay.model import MEAN, Column, Policy, ScoreTable, fingerprint
from assay.text import plural
from assay.views import Behaviour

OUTCOME = "experiment"
"""The key of the provenance that has the outcome."""
WINS = "wins"
"""The metric of an interleaved ranking: the share of a user's searches that it wins."""
MOST_ROWS = 10_000
"""More users of a variant than this are summed up in so many groups, which are independent too."""


def results_of(outcome: Experiment | InterleavingOutcome) -> list[Result]:
    """A result for each variant or ranking, the control first, on a benchmark that has the name of the experiment."""
    counts = outcome.wins if isinstance(outcome, InterleavingOutcome) else outcome.users.variant
    if not len(counts) and (outcome.clicked if isinstance(outcome, InterleavingOutcome) else outcome.variants):
        raise UsageError("an outcome that was read from a result has no counts of users. Compare the log again")
    return _of_rankings(outcome) if isinstance(outcome, InterleavingOutcome) else _of_variants(outcome)


def outcome_of(result: Result) -> Experiment | InterleavingOutcome | None:
    """The outcome that a result belongs to; None if it belongs to none, or if it cannot be read."""
    plain = result.provenance.get(OUTCOME)
    if not isinstance(plain, Mapping):
        return None
    try:
        kind = Experiment if plain.get("schema") == EXPERIMENT_SCHEMA else InterleavingOutcome
        return kind.from_dict(plain)
    except (AssayError, KeyError, TypeError, ValueError, AttributeError):  # stored by another version, or damaged
        return None


def _of_variants(outcome: Experiment) -> list[Result]:
    """The plain values of each variant, without the adjustment for an earlier period."""
    users = outcome.users
    results = []
    for variant in outcome.variants:
        rows = np.flatnonzero(users.variant == users.variants.index(variant.name))
        counts, is_grouped = _summed({count: values[rows] for count, values in users.counts.items()})
        n = len(next(iter(counts.values()), rows))
        table = score_views({"behaviour": Behaviour(_row_ids(n), counts)}, outcome.metrics)
        about = {"searches": variant.searches, plural(outcome.unit): variant.users}
        result = _result(outcome, variant.name, table, outcome.metrics, about, is_grouped=is_grouped)
        results.append(with_intervals(result, level=outcome.how.level))
    return results


def _summed(counts: Mapping[Any, Any]) -> tuple[dict[Any, Any], bool]:
    """The counts with their rows in the order of their values; summed up in groups if there are many."""
    n = len(next(iter(counts.values()), ()))
    if n > MOST_ROWS:
        group: Ints = np.arange(n) % MOST_ROWS
        counts = {count: np.bincount(group, weights=values, minlength=MOST_ROWS) for count, values in counts.items()}
    order = np.lexsort([np.nan_to_num(values) for values in counts.values()][::-1]) if counts else np.arange(n)
    return {count: values[order] for count, values in counts.items()}, n > MOST_ROWS


def _of_rankings(outcome: InterleavingOutcome) -> list[Result]:
    """The wins of both rankings; the same row is the same user, so the two can be compared as pairs."""
    wins = outcome.wins
    share = (wins[:, 1] + wins[:, 2] / 2) / wins.sum(axis=1) if len(wins) else np.zeros(0)
    if outcome.test != T:
        share = (share[share != 0.5] > 0.5).astype(float)
    share = np.sort(share)
    metric = recorded_metric(WINS)
    results = []
    for name, values, ends in (
        (outcome.a, 1 - share, (1 - outcome.high, 1 - outcome.low)),
        (outcome.b, share, (outcome.low, outcome.high)),
    ):
        table = ScoreTable(_row_ids(len(values)), {WINS: Column.of(values, MEAN)})
        about = {"searches": outcome.clicked, plural(outcome.unit): outcome.clicked_users}
        result = _result(outcome, name, table, (metric,), about)
        interval = Confidence(*ends, 1 - outcome.alpha, outcome.test)
        results.append(result.with_fields(intervals={WINS: interval} if len(values) else {}))
    return results


def _row_ids(n: int) -> tuple[str, ...]:
    width = len(str(n))
    return tuple(f"{number:0{width}d}" for number in range(1, n + 1))


def _result(
    outcome: Experiment | InterleavingOutcome,
    name: str,
    table: ScoreTable,
    metrics: Sequence[BoundMetric],
    about: Mapping[str, int],
    *,
    is_grouped: bool = False,
) -> Result:
    n = len(table.query_ids)
    plain = outcome.to_dict()
    rows_are = f"{outcome.unit} group" if is_grouped else outcome.unit
    provenance = {OUTCOME: plain, "log": dict(about), ROWS_ARE: rows_are}
    columns = [column.score.tolist() for column in table.columns.values()]
    recorded = {"log": fingerprint(zip(table.query_ids, *columns, strict=True))}
    counts = {"judged": n, "scored": n, "missing": 0, "without_relevant": 0, "extra": 0, "constant": 0}
    return Result(
        name,
        Scores(table, tuple(metrics), counts),
        Provenance(Policy(), provenance=provenance, recorded=recorded),
        Evidence(),
        outcome.name,
    )
