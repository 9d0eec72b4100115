"""isr: the inverse squares of a document's ranks, added up, times the number of runs that have it."""

from __future__ import annotations

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.model import Floats


def inverse_square_rank(lists: Lists) -> Floats:
    """The inverse squares of a document's ranks, added up, times the number of runs that have it.

    N · Σ 1 ÷ rank², where N runs have the document.
    """
    return lists.sums(1.0 / lists.rank**2) * lists.n_found


FUSION = Fusion(
    "isr",
    inverse_square_rank,
    cite="Mourão, Martins & Magalhães 2014, Multimodal medical information retrieval with unsupervised rank fusion, CMIG 39",
)
