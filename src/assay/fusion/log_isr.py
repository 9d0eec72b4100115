"""log_isr: the inverse squares of a document's ranks, added up, times the logarithm of the number of runs that have it."""

from __future__ import annotations

import numpy as np

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.model import Floats


def log_inverse_square_rank(lists: Lists) -> Floats:
    """The inverse squares of a document's ranks, added up, times the logarithm of the number of runs that have it.

    Σ 1 ÷ rank² · ln N; a document that one run alone has is worth 0, which logn_isr mends.
    """
    return lists.sums(1.0 / lists.rank**2) * np.log(lists.n_found)


FUSION = Fusion(
    "log_isr",
    log_inverse_square_rank,
    cite="Mourão, Martins & Magalhães 2014, Multimodal medical information retrieval with unsupervised rank fusion, CMIG 39",
)
