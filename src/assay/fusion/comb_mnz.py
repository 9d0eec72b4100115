"""comb_mnz: a document's normalised scores, added up, times the number of runs that have it."""

from __future__ import annotations

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._normalise import NORM
from assay.model import Floats


def comb_mnz(lists: Lists) -> Floats:
    """A document's normalised scores, added up, times the number of runs that have it.

    A score of 0 counts as having it: it was retrieved.
    """
    return lists.sums(lists.score) * lists.n_found


FUSION = Fusion(
    "comb_mnz",
    comb_mnz,
    params=(NORM,),
    aliases=("mnz", "combmnz"),
    weighted="weighted_mnz",
    cite="Fox & Shaw 1994, Combination of Multiple Searches, TREC-2",
)
