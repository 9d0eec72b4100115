"""comb_sum: a document's normalised scores, added up."""

from __future__ import annotations

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._normalise import NORM
from assay.model import Floats


def comb_sum(lists: Lists) -> Floats:
    """A document's normalised scores, added up.

    A run that lacks the document adds nothing.
    """
    return lists.sums(lists.score)


FUSION = Fusion(
    "comb_sum",
    comb_sum,
    params=(NORM,),
    aliases=("sum", "combsum"),
    weighted="weighted_sum",
    cite="Fox & Shaw 1994, Combination of Multiple Searches, TREC-2",
)
