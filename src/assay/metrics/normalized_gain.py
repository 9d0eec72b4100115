"""g: gain of each document, discounted by how far the ranking has fallen behind the ideal one."""

from typing import Any

import numpy as np

from assay.metrics._gains import gain_function
from assay.metrics._ideal import read_at
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import GAIN
from assay.model import ratio


def normalized_gain(run: GradedRun, gain: Any) -> Scores:
    """Gain of each document, discounted by how far the ranking has fallen behind the ideal one.

    Each rank costs at least 1, and what the ideal document there would gain if that is more.
    """
    worth = gain_function(gain)
    value = worth(run.retrieved.grade)
    hits, value = run.retrieved.where(value != 0), value[value != 0]
    ideal, best = run.ideal_by(worth)
    beyond = np.maximum(hits.rank - ideal.count[hits.query], 0)
    cost = read_at(ideal, ideal.running_sum(np.maximum(best, 1.0)), hits.query, hits.rank) + beyond
    behind = cost - hits.running_sum(value)
    return ratio(hits.sum(value / np.log2(2.0 + behind)), ideal.sum(best))


METRIC = Metric(
    "g",
    normalized_gain,
    is_monotone=False,
    ignores_the_rest=True,
    params=(GAIN,),
    aliases=("normalized_gain",),
    formula="Σ gain(i) ÷ log₂(2 + ideal cost up to i − gain up to i), ÷ Σ of all gains",
    cite="Buckley 2008, trec_eval 9, m_G.c (experimental)",
    trec=("G",),
)
