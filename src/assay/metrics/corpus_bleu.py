"""corpus_bleu: BLEU of all answers together, their n-grams counted before anything is divided."""

import numpy as np

from assay.metrics._bleu import MOST, Matches, N, bleu_of, matches
from assay.metrics._metric import Metric
from assay.model import Aggregation, Composed, Floats, Replies

N_PARTS = 2 * MOST + 2
"""Matches and n-grams of each length, and the words of both sides; 0 for lengths that are not asked for."""


def corpus_bleu(replies: Replies, n: int) -> Composed:
    """BLEU of all answers together, their n-grams counted before anything is divided.

    The score of a query is the BLEU of its answer alone, the summary that of all of them. A query without an answer
    counts as one that shares nothing; one that has no answer to be found is left out. Smoothed as bleu(smooth=exp).
    """
    parts = np.full((replies.n_queries, N_PARTS), np.nan)
    parts[replies.is_answerable] = 0.0
    for place, wanted in enumerate(replies.wanted):
        if wanted is not None and wanted.references:  # unless there is an answer, the shortest was missed
            parts[place, -1] = min(len(replies.words(text)) for text in wanted.references)
    scores = np.where(replies.is_answerable, 0.0, np.nan)
    for place, answer, references in replies.answered():
        found = matches(answer, references, n)
        unused = (0,) * (MOST - n)
        parts[place] = (*found.found, *unused, *found.total, *unused, found.n_answer, found.n_reference)
        scores[place] = bleu_of(found, "exp")
    return Composed(scores, parts)


def of_all(score: Floats, parts: Floats) -> float:
    """BLEU of the sums; where only scores are known, their mean."""
    if parts.ndim == 1:
        return float(np.mean(score))
    *counts, n_answer, n_reference = parts.sum(axis=0).tolist()
    return bleu_of(Matches(tuple(counts[:MOST]), tuple(counts[MOST:]), n_answer, n_reference), "exp")


METRIC = Metric(
    "corpus_bleu",
    corpus_bleu,
    params=(N,),
    presets={f"corpus_bleu_{n}": {"n": n} for n in range(1, 5)},
    aggregation=Aggregation("BLEU of the sums", of_all, n_parts=N_PARTS),
    view="answers",
    formula="as bleu, over the n-grams of all answers",
    cite="Papineni et al. 2002, BLEU: a Method for Automatic Evaluation of Machine Translation, ACL",
)
