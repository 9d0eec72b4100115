"""Trained: fusions that learn from judgments how often each run is right at each depth."""

from __future__ import annotations

import numpy as np

from assay.arrays import Floats, Ints
from assay.fusion.fusion import Fusion
from assay.fusion.lists import RankedLists
from assay.fusion.normalise import NORM
from assay.fusion.training import Training, padded
from assay.grammar import Param, depth

BIN_ENDS = np.array([5, 10, 15, 20, 30, 100, 200, 500, 1000])
"""Last ranks of the bins in which ranks are counted: the cutoffs at which trec_eval measures precision."""
ABSENT_BIN = len(BIN_ENDS) + 1
"""The bin of documents that a run does not contain; the bin before it has the ranks after the last end."""
PRIOR = 0.5
"""Documents that are added to each bin in advance, so that no bin has the probability 0."""


def bins_of(lists: RankedLists) -> Ints:
    """The bin of the rank of each occurrence."""
    return np.searchsorted(BIN_ENDS, lists.rank)


def learn_bayesfuse(training: Training) -> tuple[Floats, ...]:
    """For each run and bin: ln of P(bin | relevant) ÷ P(bin | not relevant), among the documents of all runs."""
    lists, taught = training.lists, training.is_judged[training.lists.query]
    at = bins_of(lists)
    learnt = []
    for run in range(lists.n_runs):
        bins = np.full(lists.n_pairs, ABSENT_BIN)
        mine = lists.run == run
        bins[lists.pair[mine]] = at[mine]
        with_relevant, with_others = (
            np.bincount(bins[taught & chosen], minlength=ABSENT_BIN + 1) + PRIOR
            for chosen in (training.pair_is_relevant, ~training.pair_is_relevant)
        )
        learnt.append(np.log(with_relevant / with_relevant.sum()) - np.log(with_others / with_others.sum()))
    return tuple(learnt)


def bayesfuse(lists: RankedLists, learnt: tuple[Floats, ...]) -> Floats:
    """The sum over all runs of the log odds of relevance, given the document's rank or its absence from the run.

    Σ ln P(rank | relevant) ÷ P(rank | not relevant) over all runs. Absence from a run counts as a rank.

    ranx adds ln P ÷ (1 − P) of the precision at the rank instead, and uses 0.001 as the precision of absence.
    """
    odds = padded(learnt, ABSENT_BIN + 1)
    absent = odds[:, ABSENT_BIN]
    return float(absent.sum()) + lists.sums(odds[lists.run, bins_of(lists)] - absent[lists.run])


BAYESFUSE = Fusion(
    "bayesfuse",
    bayesfuse,
    train=learn_bayesfuse,
    aliases=("bayes_fuse",),
    cite="Aslam & Montague 2001, Models for Metasearch, SIGIR",
)


def learn_mapfuse(training: Training) -> tuple[Floats, ...]:
    """The mean average precision of each run over all judged queries; a query that is missing from the run scores 0."""
    return training.average_precision()


def mapfuse(lists: RankedLists, learnt: tuple[Floats, ...]) -> Floats:
    """The sum over all runs of the run's mean average precision divided by the document's rank.

    Σ MAP of the run ÷ rank over the runs that contain the document.
    """
    return lists.sums(padded(learnt, 1)[lists.run, 0] / lists.rank)


MAPFUSE = Fusion(
    "mapfuse",
    mapfuse,
    train=learn_mapfuse,
    cite="Lillis, Zhang, Toolan, Collier, Leonard & Dunnion 2010, Estimating Probabilities for Effective Data Fusion, SIGIR",
)


def learn_posfuse(training: Training) -> tuple[Floats, ...]:
    """For each run and rank: how often the document at this rank is relevant."""
    return training.shares_by_rank()


def posfuse(lists: RankedLists, learnt: tuple[Floats, ...]) -> Floats:
    """The sum over all runs of the probability that a document at exactly this rank is relevant.

    Σ P(relevant | rank in the run). Ranks that did not occur in training add nothing; slidefuse is smoother.
    """
    return lists.sums(padded(learnt, int(lists.length.max(initial=0)))[lists.run, lists.rank - 1])


POSFUSE = Fusion(
    "posfuse",
    posfuse,
    train=learn_posfuse,
    cite="Lillis, Zhang, Toolan, Collier, Leonard & Dunnion 2010, Estimating Probabilities for Effective Data Fusion, SIGIR",
)


def even_segments(lists: RankedLists, segments: int) -> Ints:
    """The segment of each occurrence, from 0. Segments are equal in size; a ranking with few documents skips segments."""
    return (lists.rank - 1) * segments // lists.length[lists.stretch]


def learn_probfuse(training: Training, segments: int) -> tuple[Floats, ...]:
    """For each run and segment: the share of relevant documents there, averaged over judged queries."""
    return training.shares(even_segments(training.lists, segments), segments)


def probfuse(lists: RankedLists, learnt: tuple[Floats, ...], segments: int) -> Floats:
    """The sum over all runs of the probability that a document in this segment is relevant, divided by the segment number.

    Σ P(relevant | segment j of the run) ÷ j. Unjudged documents count as not relevant (ProbFuseAll in the paper).

    If a ranking cannot be split evenly, its segments differ by one document. ranx leaves the last segments empty instead.
    """
    segment = even_segments(lists, segments)
    return lists.sums(padded(learnt, segments)[lists.run, segment] / (segment + 1))


PROBFUSE = Fusion(
    "probfuse",
    probfuse,
    params=(Param("segments", depth, 25, "number of segments of each ranking", ("n_segments",)),),
    train=learn_probfuse,
    tries={"segments": (25, 5, 10, 50, 100)},
    cite="Lillis, Toolan, Collier & Dunnion 2006, ProbFuse: A Probabilistic Approach to Data Fusion, SIGIR",
)


SEGMENT_ENDS = np.cumsum(10 * 2 ** np.arange(40) - 5)
"""Last ranks of the segments, which have 5, 15, 35, 75 … documents: 10 · 2^(k − 1) − 5."""


def growing_segments(lists: RankedLists) -> Ints:
    """The segment of each occurrence, from 0."""
    return np.searchsorted(SEGMENT_ENDS, lists.rank)


def learn_segfuse(training: Training) -> tuple[Floats, ...]:
    """For each run and segment: the share of relevant documents there, averaged over judged queries."""
    segment = growing_segments(training.lists)
    return training.shares(segment, int(segment.max(initial=0)) + 1)


def segfuse(lists: RankedLists, learnt: tuple[Floats, ...]) -> Floats:
    """The sum over all runs of the probability that a document in this segment is relevant, times 1 + its normalised score.

    Σ P(relevant | segment of the run) · (1 + normalised score). Segments grow with depth. A segment that did not occur in
    training adds nothing.

    A probability is a share of the documents that a ranking has in the segment. ranx uses 5, 15, 35 … as the last ranks of
    segments, not as their sizes, and divides by the size of the whole segment.
    """
    segment = growing_segments(lists)
    chance = padded(learnt, int(segment.max(initial=0)) + 1)
    return lists.sums(chance[lists.run, segment] * (1 + lists.score))


SEGFUSE = Fusion(
    "segfuse",
    segfuse,
    params=(NORM,),
    train=learn_segfuse,
    cite="Shokouhi 2007, Segmentation of Search Engine Results for Effective Data-Fusion, ECIR",
)


def learn_slidefuse(training: Training, window: int) -> tuple[Floats, ...]:  # noqa: ARG001 (every window learns the same)
    """For each run and rank: how often the document at this rank is relevant."""
    return training.shares_by_rank()


def slidefuse(lists: RankedLists, learnt: tuple[Floats, ...], window: int) -> Floats:
    """The sum over all runs of the probability that a document at this rank or near it is relevant.

    Σ mean of P(relevant | rank) from `window` ranks above to `window` ranks below, within the ranking.

    Ranks that did not occur in training have the probability 0.
    """
    length = lists.length[lists.stretch]
    first, last = np.maximum(lists.rank - window, 1), np.minimum(lists.rank + window, length)
    chance = padded(learnt, int(lists.length.max(initial=0)))
    so_far = np.concatenate((np.zeros((len(chance), 1)), np.cumsum(chance, axis=1)), axis=1)
    return lists.sums((so_far[lists.run, last] - so_far[lists.run, first - 1]) / (last - first + 1))


SLIDEFUSE = Fusion(
    "slidefuse",
    slidefuse,
    params=(Param("window", depth, 5, "number of neighbouring ranks on each side", ("w",)),),
    train=learn_slidefuse,
    tries={"window": (5, 1, 2, 10, 20)},
    cite="Lillis, Toolan, Collier & Dunnion 2008, Extending Probabilistic Data Fusion Using Sliding Windows, ECIR",
)
