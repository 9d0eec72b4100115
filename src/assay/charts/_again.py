"""Again: rankings that a result keeps, scored once more by other metrics."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.errors import AssayError
from assay.evaluation import Result, evaluate_metrics
from assay.metrics import find_metrics
from assay.model import Qrels

CLOSE = 1e-9


def scored_again(result: Result, metrics: Sequence[str], like: str) -> Result | None:
    """The result's rankings scored by these metrics; None where that cannot be done, or would not be the same evaluation.

    Whether it is the same is seen by a metric that the result has: its figure must come out again.
    """
    if not result.run or not result.relevant or not math.isfinite(result[like]):
        return None
    judged = Qrels({query: dict(result.relevant.get(query, {})) for query in result.query_ids})
    how = {"profile": result.profile} if result.profile else {"policy": result.policy}
    try:
        wanted = find_metrics([like, *metrics], result.profile)
        again = evaluate_metrics(judged, dict(result.run), wanted, **how)
        return again if math.isclose(again[like], result[like], abs_tol=CLOSE) else None
    except AssayError:
        return None
