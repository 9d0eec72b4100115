"""What the tests of latencies share."""

from __future__ import annotations

from collections.abc import Sequence

from assay.evaluation.profile import OWN, settings_of
from assay.evaluation.result import Result
from assay.evaluation.scoring import evaluate_settings
from assay.metrics.parsing import parse_metrics
from assay.model.qrels import Qrels
from assay.views.timing import Times


def timed(metric: str, times: Sequence[float | None]) -> Result:
    """A result over queries that took so long; None where one was not answered."""
    qrels = Qrels({f"q{number}": {"d": 1} for number in range(len(times))})
    run = {query: {"d": 1.0} for query in qrels}
    known = {f"q{number}": time for number, time in enumerate(times) if time is not None}
    return evaluate_settings(qrels, run, settings_of(parse_metrics([metric]), OWN), OWN, times=Times(known))
