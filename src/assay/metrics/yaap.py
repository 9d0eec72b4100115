"""yaap: average precision on a log-odds scale, which averages more fairly over queries."""

import numpy as np

from assay.grammar import Param, one_of
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import REL

EMPTY = Param(
    "empty", one_of("zero", "odds"), "zero", "a ranking without documents; zero: 0 (trec_eval 9), odds: the formula (10)"
)


def yaap(run: GradedRun, rel: float | None, empty: str) -> Scores:
    """Average precision on a log-odds scale, which averages more fairly over queries.

    May be negative. A ranking without any document scores 0, as in trec_eval 9 with -c.
    """
    hits = run.relevant(rel)
    found = hits.sum(hits.position / hits.rank)
    odds = np.log((1.0 + found) / (1.0 + run.n_relevant(rel) - found))
    return odds if empty == "odds" else np.where(run.n_retrieved > 0, odds, 0.0)


METRIC = Metric(
    "yaap",
    yaap,
    params=(REL, EMPTY),
    range=(float("-inf"), float("inf")),
    formula="ln((1 + s) ÷ (1 + R − s)),  s = Σ over relevant ranks i of P@i",
    cite="Robertson 2012, On Smoothing Average Precision, ECIR",
    trec=("yaap",),
)
