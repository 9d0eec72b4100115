"""comb_anz: the mean of a document's normalised scores over the runs that have it."""

from __future__ import annotations

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._normalise import NORM
from assay.model import Floats


def comb_anz(lists: Lists) -> Floats:
    """The mean of a document's normalised scores over the runs that have it.

    A document of one run alone keeps its score, however many runs lack it.
    """
    return lists.sums(lists.score) / lists.n_found


FUSION = Fusion(
    "comb_anz",
    comb_anz,
    params=(NORM,),
    aliases=("anz", "combanz"),
    cite="Fox & Shaw 1994, Combination of Multiple Searches, TREC-2",
)
