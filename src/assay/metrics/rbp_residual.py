"""rbp_residual: how much rbp could still rise if every unjudged document were relevant."""

import numpy as np

from assay.grammar import Param, one_of
from assay.metrics._expected import ranks_of, tied_hits
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics.rbp import P

COMPLETE = Param(
    "complete",
    one_of("tail", "zero"),
    "tail",
    "the residual where everything retrieved is judged; tail: what lies past the end, zero: 0 (trec_eval 10)",
)


def rbp_residual(run: GradedRun, p: float, complete: str) -> Scores:
    """How much rbp could still rise if every unjudged document were relevant.

    Counts everything past the end of the ranking as unjudged, so an empty ranking has residual 1. trec_eval 10
    gives 0 instead where everything retrieved is judged.
    """
    hits = run.judged
    residual = 1.0 - (1.0 - p) * hits.sum(np.power(p, hits.rank - 1.0))
    return residual if complete == "tail" else np.where(hits.count == run.n_retrieved, 0.0, residual)


def expected_rbp_residual(run: GradedRun, p: float, complete: str) -> Scores:
    """The mean over all orders of ties."""
    tied = tied_hits(run, run.retrieved.grade >= 0)
    weight = np.power(p, ranks_of(run) - 1.0)
    residual = 1.0 - (1.0 - p) * tied.expected_sum(np.ones(len(tied.hits.query)), weight, None)
    return residual if complete == "tail" else np.where(tied.hits.count == run.n_retrieved, 0.0, residual)


METRIC = Metric(
    "rbp_residual",
    rbp_residual,
    expected=expected_rbp_residual,
    params=(P, COMPLETE),
    aliases=("rbp_resid",),
    higher_is_better=False,
    formula="1 − (1 − p) · Σ over judged ranks i of p^(i − 1)",
    cite="Moffat & Zobel 2008, Rank-Biased Precision for Measurement of Retrieval Effectiveness, TOIS 27(1)",
)
