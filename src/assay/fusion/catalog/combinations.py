"""Combinations: what a document's normalised scores in all runs make together."""

from __future__ import annotations

import numpy as np

from assay.arrays import Floats
from assay.fusion.fusion import WEIGHTS, Fusion
from assay.fusion.lists import RankedLists
from assay.fusion.normalise import NORM
from assay.grammar import Param, not_negative


def mixed(lists: RankedLists, weights: tuple[float, ...]) -> Floats:
    """A document's weighted scores, added up, times the square root of the number of runs that have it.

    Half-way between weighted_sum, where agreement counts by itself, and comb_mnz, where it counts once more.

    A run of weight 0 takes no part, and is not counted.
    """
    weight = lists.weights(weights, each=1 / lists.n_runs)
    return lists.sums(lists.score * weight) * np.sqrt(lists.sums((weight > 0).astype(float)))


MIXED = Fusion(
    "mixed",
    mixed,
    params=(NORM, WEIGHTS),
    cite="Wu & Crestani 2002, Data Fusion with Estimated Weights, CIKM",
)


def comb_anz(lists: RankedLists) -> Floats:
    """The mean of a document's normalised scores over the runs that have it.

    A document of one run alone keeps its score, however many runs lack it.
    """
    return lists.sums(lists.score) / lists.n_found


COMB_ANZ = Fusion(
    "comb_anz",
    comb_anz,
    params=(NORM,),
    aliases=("anz", "combanz"),
    cite="Fox & Shaw 1994, Combination of Multiple Searches, TREC-2",
)


def comb_gmnz(lists: RankedLists, gamma: float) -> Floats:
    """A document's normalised scores, added up, times a power of the number of runs that have it.

    γ = 0 is comb_sum, γ = 1 comb_mnz; the higher γ, the more it matters that runs agree.
    """
    return lists.sums(lists.score) * lists.n_found**gamma


COMB_GMNZ = Fusion(
    "comb_gmnz",
    comb_gmnz,
    params=(Param("gamma", not_negative, 1.0, "the power; 0: comb_sum, 1: comb_mnz"), NORM),
    aliases=("gmnz", "combgmnz"),
    tries={"gamma": (1.0, 0.25, 0.5, 0.75, 1.5, 2.0)},
    cite="Lee 1997, Analyses of Multiple Evidence Combination, SIGIR",
)


def comb_max(lists: RankedLists) -> Floats:
    """The highest of a document's normalised scores.

    Among the runs that have the document, so that scores below 0 stay what they are.
    """
    return -lists.lowest(-lists.score)


COMB_MAX = Fusion(
    "comb_max",
    comb_max,
    params=(NORM,),
    aliases=("max", "combmax"),
    cite="Fox & Shaw 1994, Combination of Multiple Searches, TREC-2",
)


def comb_med(lists: RankedLists) -> Floats:
    """The median of a document's normalised scores.

    Over the runs that have the document; of an even number of scores, the mean of the two in the middle.
    """
    ordered = lists.score[np.lexsort((lists.score, lists.pair))]
    n = lists.n_found
    first = np.cumsum(n) - n
    return (ordered[first + (n - 1) // 2] + ordered[first + n // 2]) / 2


COMB_MED = Fusion(
    "comb_med",
    comb_med,
    params=(NORM,),
    aliases=("med", "combmed"),
    cite="Fox & Shaw 1994, Combination of Multiple Searches, TREC-2",
)


def comb_min(lists: RankedLists) -> Floats:
    """The lowest of a document's normalised scores.

    Among the runs that have the document; one that lacks it does not count as 0.
    """
    return lists.lowest(lists.score)


COMB_MIN = Fusion(
    "comb_min",
    comb_min,
    params=(NORM,),
    aliases=("min", "combmin"),
    cite="Fox & Shaw 1994, Combination of Multiple Searches, TREC-2",
)


def comb_mnz(lists: RankedLists) -> Floats:
    """A document's normalised scores, added up, times the number of runs that have it.

    A score of 0 counts as having it: it was retrieved.
    """
    return lists.sums(lists.score) * lists.n_found


COMB_MNZ = Fusion(
    "comb_mnz",
    comb_mnz,
    params=(NORM,),
    aliases=("mnz", "combmnz"),
    weighted="weighted_mnz",
    cite="Fox & Shaw 1994, Combination of Multiple Searches, TREC-2",
)


def comb_sum(lists: RankedLists) -> Floats:
    """A document's normalised scores, added up.

    A run that lacks the document adds nothing.
    """
    return lists.sums(lists.score)


COMB_SUM = Fusion(
    "comb_sum",
    comb_sum,
    params=(NORM,),
    aliases=("sum", "combsum"),
    weighted="weighted_sum",
    cite="Fox & Shaw 1994, Combination of Multiple Searches, TREC-2",
)


def weighted_mnz(lists: RankedLists, weights: tuple[float, ...]) -> Floats:
    """A document's normalised scores, added up, times the weights of the runs that have it, added up.

    The scores themselves are not weighted, but a run of weight 0 takes no part. Equal weights rank as comb_mnz does.
    """
    weight = lists.weights(weights, each=1 / lists.n_runs)
    return lists.sums(np.where(weight > 0, lists.score, 0.0)) * lists.sums(weight)


WEIGHTED_MNZ = Fusion(
    "weighted_mnz",
    weighted_mnz,
    params=(NORM, WEIGHTS),
    aliases=("wmnz",),
    cite="Wu & Crestani 2002, Data Fusion with Estimated Weights, CIKM",
)


def weighted_sum(lists: RankedLists, weights: tuple[float, ...]) -> Floats:
    """A document's normalised scores, each times the weight of its run, added up.

    A run that lacks the document adds nothing. Without weights, each run has its equal share of 1.
    """
    return lists.sums(lists.score * lists.weights(weights, each=1 / lists.n_runs))


WEIGHTED_SUM = Fusion(
    "weighted_sum",
    weighted_sum,
    params=(NORM, WEIGHTS),
    aliases=("wsum", "weighted", "linear", "convex"),
    cite="Vogt & Cottrell 1999, Fusion via a Linear Combination of Scores, Information Retrieval 1",
)
