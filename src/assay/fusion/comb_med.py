"""comb_med: the median of a document's normalised scores."""

from __future__ import annotations

import numpy as np

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._normalise import NORM
from assay.model import Floats


def comb_med(lists: Lists) -> Floats:
    """The median of a document's normalised scores.

    Over the runs that have the document; of an even number of scores, the mean of the two in the middle.
    """
    ordered = lists.score[np.lexsort((lists.score, lists.pair))]
    n = lists.n_found
    first = np.cumsum(n) - n
    return (ordered[first + (n - 1) // 2] + ordered[first + n // 2]) / 2


FUSION = Fusion(
    "comb_med",
    comb_med,
    params=(NORM,),
    aliases=("med", "combmed"),
    cite="Fox & Shaw 1994, Combination of Multiple Searches, TREC-2",
)
