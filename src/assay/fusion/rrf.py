"""rrf: the reciprocals of a document's ranks, added up; scores do not matter."""

from __future__ import annotations

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._weights import WEIGHTS
from assay.grammar import Param, not_negative
from assay.model import Floats


def reciprocal_rank_fusion(lists: Lists, k: float, weights: tuple[float, ...]) -> Floats:
    """The reciprocals of a document's ranks, added up; scores do not matter.

    Σ 1 ÷ (k + rank) over the runs that have the document, each times its run's weight, which is 1 unless given.
    """
    return lists.sums(lists.weights(weights, each=1.0) / (k + lists.rank))


FUSION = Fusion(
    "rrf",
    reciprocal_rank_fusion,
    params=(
        Param(
            "k",
            not_negative,
            60.0,
            "what is added to each rank; the higher, the less the first ranks count",
            ("rank_constant",),
        ),
        WEIGHTS,
    ),
    aliases=("reciprocal_rank_fusion",),
    tries={"k": (60.0, 0.0, 5.0, 10.0, 20.0, 40.0, 100.0)},
    cite="Cormack, Clarke & Büttcher 2009, Reciprocal Rank Fusion Outperforms Condorcet …, SIGIR",
)
