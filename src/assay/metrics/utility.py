"""utility: a linear account of the four cells retrieved × relevant."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.errors import BadParameter
from assay.grammar import Param, cutoff, numbers
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import REL


def _four(text: str) -> tuple[float, ...]:
    weights = numbers(text)
    if len(weights) != 4:
        raise ValueError("four numbers: relevant retrieved, other retrieved, relevant missed, other missed")
    return weights


WEIGHTS = Param(
    "weights",
    _four,
    (1.0, -1.0, 0.0, 0.0),
    "worth of a relevant retrieved, other retrieved, relevant missed and other missed document",
    dot=True,
)
COLLECTION = Param("collection", cutoff, 0, "how many documents there are; needed for the fourth weight", ("num_docs",))


def utility(run: GradedRun, weights: tuple[float, ...], collection: int, rel: float | None) -> Scores:
    """A linear account of the four cells retrieved × relevant.

    May be negative. Averaged, not summed, over queries, as in trec_eval.
    """
    found, total = run.relevant(rel).count, run.n_relevant(rel)
    other = run.n_retrieved - found
    cells = (found, other, total - found, collection - total - other)
    return sum((weight * cell for weight, cell in zip(weights, cells, strict=True)), np.zeros(run.n_queries))


def check(params: Mapping[str, Any]) -> None:
    """Nobody can count what was not retrieved without knowing how much there is."""
    if params["weights"][3] and not params["collection"]:
        raise BadParameter("utility with a fourth weight needs collection, the number of documents there are")


METRIC = Metric(
    "utility",
    utility,
    params=(WEIGHTS, COLLECTION, REL),
    check=check,
    range=(float("-inf"), float("inf")),
    formula="w₁ · relevant retrieved + w₂ · other retrieved + w₃ · relevant missed + w₄ · other missed",
    cite="Lewis 1995, The TREC-4 Filtering Track",
    trec=("utility",),
)
