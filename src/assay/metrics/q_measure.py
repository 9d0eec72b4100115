"""q_measure: average precision for graded judgments, blending precision with cumulative gain."""

from typing import Any

import numpy as np

from assay.grammar import Param, not_negative
from assay.metrics._expected import tied_hits
from assay.metrics._gains import gain_function
from assay.metrics._ideal import ideal_gain_by_rank
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, GAIN, JUDGED_ONLY
from assay.model import Hits, ratio, spread, tie_groups

BETA = Param("beta", not_negative, 1.0, "weight of gain against precision; 0 gives average precision")


def q_measure(run: GradedRun, k: int | None, gain: Any, beta: float) -> Scores:
    """Average precision for graded judgments, blending precision with cumulative gain.

    A document is relevant when it gains anything. Divided by R, also under a cutoff.
    """
    worth = gain_function(gain)
    value = worth(run.retrieved.grade)
    hits, value = run.retrieved.where(value > 0), value[value > 0]
    blended = hits.position + beta * hits.running_sum(value)
    best = hits.rank + beta * ideal_gain_by_rank(run, worth, hits)
    inside = hits.top(k)
    kept = slice(None) if k is None else hits.rank <= k
    return ratio(inside.sum(ratio(blended, best)[kept]), run.ideal_by(worth)[0].count)


def expected_q_measure(run: GradedRun, k: int | None, gain: Any, beta: float) -> Scores:
    """The mean over all orders of ties. What a rank is divided by does not depend on them, and of r hits among n equals
    (i − 1)(r − 1) ÷ (n − 1) stand above one at place i on average.
    """
    worth = gain_function(gain)
    value = worth(run.retrieved.grade)
    tied, value = tied_hits(run, value > 0), value[value > 0]
    hits, (better, equal) = tied
    start, group = tie_groups(hits.query, better)
    n_hits, total = np.bincount(group, minlength=len(start)), np.bincount(group, weights=value, minlength=len(start))
    gained = (hits.running_sum(value) - value)[start]
    first = n_hits * hits.position[start] + beta * (n_hits * gained + total)
    further = ratio(n_hits - 1, equal[start] - 1) * (n_hits + beta * total)
    owner, nth = spread(tied.n_inside(k)[start])
    at = Hits(hits.query[start][owner], better[start][owner] + nth + 1, np.zeros(len(owner)), run.n_queries)
    best = at.rank + beta * ideal_gain_by_rank(run, worth, at)
    found = (first[owner] + nth * further[owner]) / equal[start][owner]
    return ratio(at.sum(ratio(found, best)), run.ideal_by(worth)[0].count)


METRIC = Metric(
    "q_measure",
    q_measure,
    expected=expected_q_measure,
    params=(CUTOFF, GAIN, BETA, JUDGED_ONLY),
    aliases=("q", "qmeasure", "q-measure"),
    formula="1/R · Σ over relevant ranks i of (relevant up to i + β · gain up to i) ÷ (i + β · ideal gain up to i)",
    cite="Sakai 2004, Ranking the NTCIR Systems Based on Multigrade Relevance, AIRS",
)
