"""comb_gmnz: a document's normalised scores, added up, times a power of the number of runs that have it."""

from __future__ import annotations

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._normalise import NORM
from assay.grammar import Param, not_negative
from assay.model import Floats


def comb_gmnz(lists: Lists, gamma: float) -> Floats:
    """A document's normalised scores, added up, times a power of the number of runs that have it.

    γ = 0 is comb_sum, γ = 1 comb_mnz; the higher γ, the more it matters that runs agree.
    """
    return lists.sums(lists.score) * lists.n_found**gamma


FUSION = Fusion(
    "comb_gmnz",
    comb_gmnz,
    params=(Param("gamma", not_negative, 1.0, "the power; 0: comb_sum, 1: comb_mnz"), NORM),
    aliases=("gmnz", "combgmnz"),
    tries={"gamma": (1.0, 0.25, 0.5, 0.75, 1.5, 2.0)},
    cite="Lee 1997, Analyses of Multiple Evidence Combination, SIGIR",
)
