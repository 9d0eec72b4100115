"""Combinations: fusions of the normalised scores that a document has in all runs."""

from __future__ import annotations

import numpy as np

from assay.arrays import Floats
from assay.fusion.fusion import WEIGHTS, Fusion
from assay.fusion.lists import RankedLists
from assay.fusion.normalise import NORM
from assay.grammar import Param, not_negative


def mixed(lists: RankedLists, weights: tuple[float, ...]) -> Floats:
    """The sum of a document's weighted scores, times the square root of the number of runs that contain it.

    It is between weighted_sum (no factor) and comb_mnz (the factor is the number of runs).

    A run of weight 0 is ignored and not counted.
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
    """The mean of a document's normalised scores over the runs that contain it.

    A document that only one run contains keeps its score, however many other runs there are.
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
    """The sum of a document's normalised scores, times a power of the number of runs that contain it.

    γ = 0 is comb_sum, and γ = 1 is comb_mnz. The higher γ is, the more it counts that several runs contain the document.
    """
    return lists.sums(lists.score) * lists.n_found**gamma


COMB_GMNZ = Fusion(
    "comb_gmnz",
    comb_gmnz,
    params=(Param("gamma", not_negative, 1.0, "the exponent; 0: comb_sum, 1: comb_mnz"), NORM),
    aliases=("gmnz", "combgmnz"),
    tries={"gamma": (1.0, 0.25, 0.5, 0.75, 1.5, 2.0)},
    cite="Lee 1997, Analyses of Multiple Evidence Combination, SIGIR",
)


def comb_max(lists: RankedLists) -> Floats:
    """The highest of a document's normalised scores.

    Only runs that contain the document count, so the result can be below 0.
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

    Only runs that contain the document count. For an even number of scores, it is the mean of the two in the middle.
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

    Only runs that contain the document count; a run without it does not count as 0.
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
    """The sum of a document's normalised scores, times the number of runs that contain it.

    A run that retrieved the document with a score of 0 counts as well.
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
    """The sum of a document's normalised scores.

    A run without the document adds nothing.
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
    """The sum of a document's normalised scores, times the sum of the weights of the runs that contain it.

    The scores themselves are not weighted, but a run of weight 0 is ignored. Equal weights rank like comb_mnz.
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
    """The sum of a document's normalised scores, each multiplied by the weight of its run.

    A run without the document adds nothing. Without weights, all runs have the same weight; the weights add up to 1.
    """
    return lists.sums(lists.score * lists.weights(weights, each=1 / lists.n_runs))


WEIGHTED_SUM = Fusion(
    "weighted_sum",
    weighted_sum,
    params=(NORM, WEIGHTS),
    aliases=("wsum", "weighted", "linear", "convex"),
    cite="Vogt & Cottrell 1999, Fusion via a Linear Combination of Scores, Information Retrieval 1",
)
