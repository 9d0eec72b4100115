"""rndcg: ndcg averaged over the ranks at which the ideal ranking drops to its next lower grade."""

from typing import Any

import numpy as np

from assay.metrics._gains import gain_function
from assay.metrics._ideal import read_at
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import GAIN, REL
from assay.model import Hits, ratio


def rndcg(run: GradedRun, gain: Any, rel: float | None) -> Scores:
    """Ndcg averaged over the ranks at which the ideal ranking drops to its next lower grade.

    The end of a ranking more than one longer than the gaining documents counts as one more point, as in trec_eval.
    """
    worth = gain_function(gain)
    ideal, best = run.ideal_by(worth)
    last = np.append((np.diff(best) != 0) | (np.diff(ideal.query) != 0), True)[: len(best)]
    points = ideal.where(last)
    best_dcg = ideal.running_sum(best / np.log2(ideal.rank + 1.0))
    drops = ratio(_dcg_at(run, worth, points), best_dcg[last])
    goes_on = run.n_retrieved > ideal.count + 1
    ends = Hits(np.arange(run.n_queries), run.n_retrieved, np.zeros(run.n_queries), run.n_queries)
    whole = ratio(_dcg_at(run, worth, ends), ideal.sum(best / np.log2(ideal.rank + 1.0)))
    mean = ratio(points.sum(drops) + np.where(goes_on, whole, 0.0), points.count + goes_on)
    return np.where(run.n_relevant(rel) > 0, mean, 0.0)


def _dcg_at(run: GradedRun, worth: Any, at: Hits) -> np.ndarray:
    """The run's dcg down to each (query, rank) of `at`."""
    value = worth(run.retrieved.grade)
    hits = run.retrieved
    running = hits.running_sum(value / np.log2(hits.rank + 1.0))
    seen = np.searchsorted(_key(hits.query, hits.rank, run), _key(at.query, at.rank, run), side="right")
    return read_at(hits, running, at.query, seen - hits.first[at.query])


def _key(query: np.ndarray, rank: np.ndarray, run: GradedRun) -> np.ndarray:
    deepest = int(max(run.n_retrieved.max(initial=0), run.ideal.rank.max(initial=0))) + 1
    return query * deepest + np.minimum(rank, deepest - 1)


METRIC = Metric(
    "rndcg",
    rndcg,
    params=(GAIN, REL),
    aliases=("r_ndcg", "r-ndcg"),
    formula="mean of ndcg@c over c = number of documents at or above each grade, and at the end of the ranking",
    cite="Buckley 2008, trec_eval 9, m_Rndcg.c (experimental)",
    trec=("Rndcg",),
)
