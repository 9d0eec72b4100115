"""Ranks: fusions of the ranks that a document has in all runs, without its scores."""

from __future__ import annotations

import numpy as np

from assay.arrays import Floats
from assay.fusion.fusion import WEIGHTS, Fusion
from assay.fusion.lists import RankedLists
from assay.grammar import Param, fraction, not_negative, persistence


def reciprocal_rank_fusion(lists: RankedLists, k: float, weights: tuple[float, ...]) -> Floats:
    """The sum of the reciprocals of a document's ranks; scores do not matter.

    Σ weight ÷ (k + rank) over the runs that contain the document. The default weight of a run is 1.
    """
    return lists.sums(lists.weights(weights, each=1.0) / (k + lists.rank))


RRF = Fusion(
    "rrf",
    reciprocal_rank_fusion,
    params=(
        Param(
            "k",
            not_negative,
            60.0,
            "number added to each rank; the higher it is, the less the first ranks count",
            ("rank_constant",),
        ),
        WEIGHTS,
    ),
    aliases=("reciprocal_rank_fusion",),
    tries={"k": (60.0, 0.0, 5.0, 10.0, 20.0, 40.0, 100.0)},
    cite="Cormack, Clarke & Büttcher 2009, Reciprocal Rank Fusion Outperforms Condorcet …, SIGIR",
)


def inverse_square_rank(lists: RankedLists) -> Floats:
    """The sum of the inverse squares of a document's ranks, times the number of runs that contain it.

    N · Σ 1 ÷ rank², where N is the number of runs that contain the document.
    """
    return lists.sums(1.0 / lists.rank**2) * lists.n_found


ISR = Fusion(
    "isr",
    inverse_square_rank,
    cite="Mourão, Martins & Magalhães 2014, Multimodal medical information retrieval with unsupervised rank fusion, CMIG 39",
)


def log_inverse_square_rank(lists: RankedLists) -> Floats:
    """The sum of the inverse squares of a document's ranks, times the logarithm of the number of runs that contain it.

    Σ 1 ÷ rank² · ln N, where N is the number of runs that contain the document. A document that only one run contains
    scores 0; logn_isr avoids this.
    """
    return lists.sums(1.0 / lists.rank**2) * np.log(lists.n_found)


LOG_ISR = Fusion(
    "log_isr",
    log_inverse_square_rank,
    cite="Mourão, Martins & Magalhães 2014, Multimodal medical information retrieval with unsupervised rank fusion, CMIG 39",
)


def normalised_log_inverse_square_rank(lists: RankedLists, sigma: float) -> Floats:
    """The sum of the inverse squares of a document's ranks, times the logarithm of sigma plus the number of runs with it.

    Σ 1 ÷ rank² · ln(N + σ), where N is the number of runs that contain the document. With σ above 0, documents that only
    one run contains do not all score 0.
    """
    return lists.sums(1.0 / lists.rank**2) * np.log(lists.n_found + sigma)


LOGN_ISR = Fusion(
    "logn_isr",
    normalised_log_inverse_square_rank,
    params=(Param("sigma", fraction, 0.01, "number added to the number of runs, from 0 to 1"),),
    tries={"sigma": (0.01, 0.1, 0.5, 1.0)},
    cite="Mourão, Martins & Magalhães 2014, Multimodal medical information retrieval with unsupervised rank fusion, CMIG 39",
)


def rank_biased_centroid(lists: RankedLists, p: float) -> Floats:
    """The sum of weights that fall by the factor p from rank to rank (rank-biased centroid).

    Σ (1 − p) · p^(rank − 1) over the runs that contain the document.
    """
    return lists.sums((1 - p) * np.power(p, lists.rank - 1.0))


RBC = Fusion(
    "rbc",
    rank_biased_centroid,
    params=(Param("p", persistence, 0.8, "probability that a reader continues to the next rank", ("phi",)),),
    aliases=("rank_biased_centroid",),
    tries={"p": (0.8, 0.5, 0.9, 0.95, 0.98)},
    cite="Bailey, Moffat, Scholer & Thomas 2017, Retrieval Consistency in the Presence of Query Variations, SIGIR",
)
