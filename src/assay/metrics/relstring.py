"""relstring: the grades of the first k documents, one character each."""

import numpy as np

from assay.grammar import Param, cutoff
from assay.metrics._metric import GradedRun, Metric
from assay.model import TEXT

LENGTH = Param("k", cutoff, 10, "how many documents are shown", ("cutoff",), at=True)


def relstring(run: GradedRun, k: int) -> list[str]:
    """The grades of the first k documents, one character each.

    0 … 9 is the grade rounded down, > a larger one, - a document that was not judged, . one with a negative grade.
    """
    shown = np.minimum(run.n_retrieved, k)
    letters = np.full((run.n_queries, int(shown.max(initial=0))), "-", dtype="U1")
    hits = run.retrieved.top(k)
    letters[hits.query, hits.rank - 1] = [_letter(grade) for grade in hits.grade.tolist()]
    return ["".join(row[:n]) for row, n in zip(letters, shown.tolist(), strict=True)]


def _letter(grade: float) -> str:
    if grade < 0:
        return "."
    return ">" if grade >= 10 else str(int(grade))


METRIC = Metric(
    "relstring",
    relstring,
    params=(LENGTH,),
    range=(float("nan"), float("nan")),
    aggregation=TEXT,
    formula="one character per rank",
    cite="trec_eval 9, m_relstring.c",
    trec=("relstring_{k}",),
)
