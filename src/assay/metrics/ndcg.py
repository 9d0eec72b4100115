"""ndcg: discounted gain of the ranking, as a share of the best possible ranking's."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from assay.grammar import Param, one_of
from assay.metrics._gains import discounted_gain, expected_discounted_gain, gain_function
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, DISCOUNT, GAIN, GAIN_LEVEL, JUDGED_ONLY
from assay.model import Floats, ratio

IDEAL = Param(
    "ideal",
    one_of("judged", "retrieved", "uncut"),
    "judged",
    "what a perfect ranking holds; retrieved (only what was found) and uncut (not cut at k) are known faults",
)


def ndcg(run: GradedRun, k: int | None, gain: Any, discount: str, rel: float | None, ideal: str) -> Scores:
    """Discounted gain of the ranking, as a share of the best possible ranking's.

    The ideal ranking holds every judged document of the query, retrieved or not, cut at k. 0 when nothing gains.
    """
    worth = gain_function(gain, rel)
    actual = discounted_gain(run.retrieved, worth(run.retrieved.grade), k, discount)
    return ratio(actual, _best(run, k, worth, discount, ideal))


def expected_ndcg(run: GradedRun, k: int | None, gain: Any, discount: str, rel: float | None, ideal: str) -> Scores | None:
    """The mean over all orders of ties; none known where the ideal depends on them as well."""
    if ideal == "retrieved":
        return None
    worth = gain_function(gain, rel)
    actual = expected_discounted_gain(run, worth(run.retrieved.grade), k, discount)
    return ratio(actual, _best(run, k, worth, discount, ideal))


def _best(run: GradedRun, k: int | None, worth: partial[Floats], discount: str, ideal: str) -> Floats:
    """The discounted gain of the ideal ranking."""
    if ideal == "retrieved":
        found = run.retrieved.top(k)
        order = np.lexsort((-worth(found.grade), found.query))
        return discounted_gain(replace(found, rank=found.position), worth(found.grade[order]), k, discount)
    hits, gains = run.ideal_by(worth)
    return discounted_gain(hits, gains, None if ideal == "uncut" else k, discount)


METRIC = Metric(
    "ndcg",
    ndcg,
    expected=expected_ndcg,
    params=(CUTOFF, GAIN, DISCOUNT, GAIN_LEVEL, IDEAL, JUDGED_ONLY),
    aliases=("ndcg_cut", "normalized_dcg"),
    presets={"ndcg_burges": {"gain": "exp"}},
    mistaken_for=("dcg",),
    formula="DCG@k ÷ DCG@k of the ideal ranking;  DCG@k = Σ gain(i) ÷ log₂(i + 1)",
    cite="Järvelin & Kekäläinen 2002, Cumulated Gain-Based Evaluation of IR Techniques, TOIS 20(4)",
    trec=("ndcg", "ndcg_cut_{k}"),
)
