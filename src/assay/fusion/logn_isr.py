"""logn_isr: the inverse squares of a document's ranks, added up, times ln of a bit more than the number of runs with it."""

from __future__ import annotations

import numpy as np

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.grammar import Param, fraction
from assay.model import Floats


def normalised_log_inverse_square_rank(lists: Lists, sigma: float) -> Floats:
    """The inverse squares of a document's ranks, added up, times ln of a bit more than the number of runs with it.

    Σ 1 ÷ rank² · ln(N + σ); σ keeps apart the documents that one run alone has.
    """
    return lists.sums(1.0 / lists.rank**2) * np.log(lists.n_found + sigma)


FUSION = Fusion(
    "logn_isr",
    normalised_log_inverse_square_rank,
    params=(Param("sigma", fraction, 0.01, "what is added to the number of runs, from 0 to 1"),),
    tries={"sigma": (0.01, 0.1, 0.5, 1.0)},
    cite="Mourão, Martins & Magalhães 2014, Multimodal medical information retrieval with unsupervised rank fusion, CMIG 39",
)
