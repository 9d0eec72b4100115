"""bayesfuse: the evidence for relevance in a document's ranks, and in its absence from runs, as log odds, added up."""

from __future__ import annotations

import numpy as np

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._training import Training, padded
from assay.model import Floats, Ints

ENDS = np.array([5, 10, 15, 20, 30, 100, 200, 500, 1000])
"""Last ranks of the bins that ranks are counted in: where trec_eval measures precision."""
ABSENT = len(ENDS) + 1
"""The bin of documents that a run lacks, after the one of ranks below all ends."""
PRIOR = 0.5
"""Documents that each bin is given beforehand, so that none is impossible."""


def bins_of(lists: Lists) -> Ints:
    """For each occurrence: the bin of its rank."""
    return np.searchsorted(ENDS, lists.rank)


def learn(training: Training) -> tuple[Floats, ...]:
    """For each run and bin: ln of P(bin | relevant) ÷ P(bin | not relevant), among the documents of all runs."""
    lists, taught = training.lists, training.is_judged[training.lists.query]
    at = bins_of(lists)
    learnt = []
    for run in range(lists.n_runs):
        bins = np.full(lists.n_pairs, ABSENT)
        mine = lists.run == run
        bins[lists.pair[mine]] = at[mine]
        with_relevant, with_others = (
            np.bincount(bins[taught & chosen], minlength=ABSENT + 1) + PRIOR
            for chosen in (training.pair_is_relevant, ~training.pair_is_relevant)
        )
        learnt.append(np.log(with_relevant / with_relevant.sum()) - np.log(with_others / with_others.sum()))
    return tuple(learnt)


def bayesfuse(lists: Lists, learnt: tuple[Floats, ...]) -> Floats:
    """The evidence for relevance in a document's ranks, and in its absence from runs, as log odds, added up.

    Σ ln P(rank | relevant) ÷ P(rank | not relevant) over all runs, being absent from one counting as a rank.

    ranx adds ln P ÷ (1 − P) of the precision at the rank instead, and takes 0.001 for the precision of absence.
    """
    odds = padded(learnt, ABSENT + 1)
    absent = odds[:, ABSENT]
    return float(absent.sum()) + lists.sums(odds[lists.run, bins_of(lists)] - absent[lists.run])


FUSION = Fusion(
    "bayesfuse",
    bayesfuse,
    train=learn,
    aliases=("bayes_fuse",),
    cite="Aslam & Montague 2001, Models for Metasearch, SIGIR",
)
