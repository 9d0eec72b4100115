"""comb_min: the lowest of a document's normalised scores."""

from __future__ import annotations

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._normalise import NORM
from assay.model import Floats


def comb_min(lists: Lists) -> Floats:
    """The lowest of a document's normalised scores.

    Among the runs that have the document; one that lacks it does not count as 0.
    """
    return lists.lowest(lists.score)


FUSION = Fusion(
    "comb_min",
    comb_min,
    params=(NORM,),
    aliases=("min", "combmin"),
    cite="Fox & Shaw 1994, Combination of Multiple Searches, TREC-2",
)
