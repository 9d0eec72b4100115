"""bleu: how many of the answer's n-grams an expected answer has, of one to n words; too short answers are lowered."""

from functools import partial

from assay.grammar import Param, one_of
from assay.metrics._bleu import N, bleu_of, matches
from assay.metrics._metric import Metric, Scores
from assay.model import Replies, Words

SMOOTH = Param(
    "smooth",
    one_of("exp", "floor", "add_k", "none"),
    "exp",
    "where n-grams of a length do not match: exp halves an imagined match each time (NIST), floor takes 0.1 match, "
    "add_k adds 1 to matches and n-grams beyond single words, none scores 0",
)


def bleu(replies: Replies, n: int, smooth: str) -> Scores:
    """How many of the answer's n-grams an expected answer has, of one to n words; too short answers are lowered.

    BLEU of each answer by itself, from 0 to 1; n-grams longer than the answer do not count. The summary is the mean of
    these; corpus_bleu takes all answers together. What has no answer scores 1 where none is given.
    """
    return replies.compared(partial(sentence_bleu, n=n, smooth=smooth))


def sentence_bleu(answer: Words, references: list[Words], n: int, smooth: str) -> float:
    """BLEU of one answer against all its references."""
    return bleu_of(matches(answer, references, n), smooth)


METRIC = Metric(
    "bleu",
    bleu,
    params=(N, SMOOTH),
    aliases=("sentence_bleu",),
    presets={f"bleu{joint}{n}": {"n": n} for n in range(1, 5) for joint in ("", "_")},
    view="answers",
    formula="min(1, e^(1 − |expected| ÷ |answer|)) · (Π precision of n-grams)^(1/n)",
    cite="Papineni et al. 2002, BLEU, ACL; smoothing: Chen & Cherry 2014, Comparison of Smoothing Techniques, WMT",
)
