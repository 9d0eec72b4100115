"""comb_max: the highest of a document's normalised scores."""

from __future__ import annotations

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._normalise import NORM
from assay.model import Floats


def comb_max(lists: Lists) -> Floats:
    """The highest of a document's normalised scores.

    Among the runs that have the document, so that scores below 0 stay what they are.
    """
    return -lists.lowest(-lists.score)


FUSION = Fusion(
    "comb_max",
    comb_max,
    params=(NORM,),
    aliases=("max", "combmax"),
    cite="Fox & Shaw 1994, Combination of Multiple Searches, TREC-2",
)
