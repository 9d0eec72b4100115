"""gate_recall: share of the needless retrievals that were skipped."""

import numpy as np

from assay.metrics._metric import Metric, Scores
from assay.model import Routing


def gate_recall(routing: Routing) -> Scores:
    """Share of the needless retrievals that were skipped.

    How much of what could be saved was saved. A query that needs retrieval has no score, for it cannot be saved.
    """
    return np.where(routing.needed == 0, routing.saved, np.nan)


METRIC = Metric(
    "gate_recall",
    gate_recall,
    view="routing",
    formula="rightly skipped ÷ queries that need no retrieval",
    cite="Powers 2011, Evaluation: From Precision, Recall and F-Measure to ROC, J Mach Learn Technol 2(1)",
)
