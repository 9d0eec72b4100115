"""Text overlap: words and n-grams that an answer shares with its references."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import partial, reduce
from operator import or_
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.grammar import Param, one_of
from assay.metrics.definition import Metric, Scores
from assay.model import Aggregation, Composed
from assay.text import words_of
from assay.views import Answers, Words


class Overlap(NamedTuple):
    """How many tokens two texts share, and how many each has."""

    shared: int
    n_answer: int
    n_reference: int

    @property
    def precision(self) -> float:
        """Share of the answer that is also in the reference."""
        return self.shared / self.n_answer if self.n_answer else 0.0

    @property
    def recall(self) -> float:
        """Share of the reference that is also in the answer."""
        return self.shared / self.n_reference if self.n_reference else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall: twice the shared tokens, divided by all tokens."""
        total = self.n_answer + self.n_reference
        return 2 * self.shared / total if total else 0.0


def overlap(answer: Sequence[Hashable], reference: Sequence[Hashable], count: str = "bag") -> Overlap:
    """Tokens in common, as a set or as a bag (with repetitions)."""
    if count == "set":
        ours, theirs = set(answer), set(reference)
        return Overlap(len(ours & theirs), len(ours), len(theirs))
    shared = shared_counts(Counter(answer), Counter(reference))
    return Overlap(shared, len(answer), len(reference))


def shared_counts(ours: Mapping[Hashable, int], theirs: Mapping[Hashable, int]) -> int:
    """How many tokens two counts share, repetitions included."""
    both = ours.keys() & theirs.keys()
    return sum(map(min, map(ours.__getitem__, both), map(theirs.__getitem__, both)))


def token_f1(answer: str | list[str], references: str | Sequence[str | list[str]], count: str = "set") -> float:
    """F1 of the tokens with the most similar reference. If one side has no tokens: 1 if the other has none, else 0.

    Texts are split into Unicode words; lists are tokens. With `count="set"` each word counts once, with `count="bag"` as
    often as it occurs.
    """
    own = words_of(answer) if isinstance(answer, str) else answer
    others = [references] if isinstance(references, str) else references
    return max(
        (_token_f1(own, words_of(other) if isinstance(other, str) else other, count) for other in others), default=0.0
    )


def _token_f1(answer: list[str], reference: list[str], count: str) -> float:
    if answer and reference:
        return overlap(answer, reference, count).f1
    return float(answer == reference)  # a text may have no SQuAD tokens


def is_one_of(answer: list[str], references: list[list[str]]) -> float:
    """Whether a reference has the same tokens in the same order."""
    return float(answer in references)


def ngrams(tokens: Sequence[str], n: int) -> list[Hashable]:
    """All sequences of n adjacent tokens."""
    return list(tokens) if n == 1 else list(zip(*[tokens[start:] for start in range(n)], strict=False))


def common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence (gaps are allowed).

    After Hyyrö 2004, Bit-parallel LCS-length computation revisited, AWOCA. Each token of the shorter text has a bit, so
    a row of the usual table is one sum of large integers.
    """
    if len(first) > len(second):
        first, second = second, first
    places: dict[str, int] = {}
    bit = 1
    for token in first:
        places[token] = places.get(token, 0) | bit
        bit <<= 1
    row = full = bit - 1
    for token in second:
        if match := places.get(token):
            met = row & match
            row = (row + met) | (row - met)
    return (~row & full).bit_count()


FLOOR, ADDED = 0.1, 1.0
"""The value used for no match, and the number added to matches and to n-grams; both as in sacrebleu."""
LONGEST_NGRAM = 4


def order(text: str) -> int:
    """The length of the longest n-grams that count."""
    if text not in ("1", "2", "3", "4"):
        raise ValueError(f"a whole number from 1 to {LONGEST_NGRAM}")
    return int(text)


BLEU_N = Param("n", order, LONGEST_NGRAM, "n-grams of 1 to n words count, with equal weight", shown=True)


class Matches(NamedTuple):
    """For each n-gram length: how many n-grams match and how many there are; and the number of words of both sides."""

    matching: tuple[float, ...]
    total: tuple[float, ...]
    n_answer: float
    n_reference: float
    """Words of the reference closest in length; of two equally close ones, the shorter."""


def matches(answer: Sequence[str], references: Sequence[Sequence[str]], n: int) -> Matches:
    """An n-gram matches at most as often as it occurs in the reference that has it most often."""
    nearest = min((abs(len(reference) - len(answer)), len(reference)) for reference in references)[1]
    counts: list[float] = []
    for size in range(1, n + 1):
        if counts and not counts[-1]:  # if no shorter n-gram matches, no longer one can
            counts.append(0)
            continue
        ours = Counter(ngrams(answer, size))
        theirs = [Counter(ngrams(reference, size)) for reference in references]
        most = theirs[0] if len(theirs) == 1 else reduce(or_, theirs)
        counts.append(shared_counts(ours, most))
    total = tuple(max(len(answer) - size, 0) for size in range(n))
    return Matches(tuple(counts), total, len(answer), nearest)


def bleu_of(of: Matches, smooth: str) -> float:
    """The geometric mean of the precisions, lowered for answers that are too short; 0 if no word matches.

    Lengths for which the answer has no n-gram do not count, so a short answer can be perfect.
    """
    if not any(of.matching):
        return 0.0
    logs, halved = [], 1.0
    for place, (matching, total) in enumerate(zip(of.matching, of.total, strict=True)):
        if smooth == "add_k" and place:
            matching, total = matching + ADDED, total + ADDED
        if not total:
            break
        if not matching:
            halved *= 2
            matching = {"exp": 1 / halved, "floor": FLOOR, "none": 0.0, "add_k": 0.0}[smooth]
        if not matching:
            return 0.0
        logs.append(math.log(matching / total))
    brevity = min(0.0, 1.0 - of.n_reference / of.n_answer)
    return math.exp(brevity + math.fsum(logs) / len(logs))


BLEU_SMOOTH = Param(
    "smooth",
    one_of("exp", "floor", "add_k", "none"),
    "exp",
    "what to do if no n-gram of a length matches. exp: count 1/2 match the first time, then 1/4, 1/8, … (NIST); floor: "
    "count 0.1 match; add_k: add 1 to matches and n-grams of every length above 1; none: score 0",
)


def bleu(replies: Answers, n: int, smooth: str) -> Scores:
    """Share of the answer's n-grams (1 to n words) that are in an expected answer, lowered if the answer is too short.

    BLEU is computed for each answer, from 0 to 1, and the summary is the mean; corpus_bleu counts all answers together.
    N-grams longer than the answer do not count. An unanswerable query scores 1 if the system abstains.
    """
    return replies.compared(partial(sentence_bleu, n=n, smooth=smooth))


def sentence_bleu(answer: Words, references: list[Words], n: int, smooth: str) -> float:
    """BLEU of one answer against all its references."""
    return bleu_of(matches(answer, references, n), smooth)


BLEU = Metric(
    "bleu",
    bleu,
    params=(BLEU_N, BLEU_SMOOTH),
    aliases=("sentence_bleu",),
    presets={f"bleu{joint}{n}": {"n": n} for n in range(1, 5) for joint in ("", "_")},
    view="answers",
    formula="min(1, e^(1 − |expected| ÷ |answer|)) · (Π precision of n-grams)^(1/n)",
    cite="Papineni et al. 2002, BLEU, ACL; smoothing: Chen & Cherry 2014, Comparison of Smoothing Techniques, WMT",
)


CORPUS_BLEU_PARTS = 2 * LONGEST_NGRAM + 2
"""Matches and n-grams of each length, and the words of both sides; 0 for lengths above n."""


def corpus_bleu(replies: Answers, n: int) -> Composed:
    """BLEU of all answers together: matches and n-grams are summed over all answers before dividing.

    The score of a query is the BLEU of its own answer; the summary is the BLEU of all answers. An unanswered query counts as
    an answer without matches. An unanswerable query is left out. Smoothing is as in bleu(smooth=exp).
    """
    parts = np.full((replies.n_queries, CORPUS_BLEU_PARTS), np.nan)
    parts[replies.is_answerable] = 0.0
    for place, expected in enumerate(replies.expected):
        if expected is not None and expected.references:  # without an answer, the shortest reference counts as missed
            parts[place, -1] = min(len(replies.words(text)) for text in expected.references)
    scores = np.where(replies.is_answerable, 0.0, np.nan)
    for place, answer, references in replies.answered():
        counts = matches(answer, references, n)
        unused = (0,) * (LONGEST_NGRAM - n)
        parts[place] = (*counts.matching, *unused, *counts.total, *unused, counts.n_answer, counts.n_reference)
        scores[place] = bleu_of(counts, "exp")
    return Composed(scores, parts)


def of_all(score: Floats, parts: Floats) -> float:
    """BLEU of the sums; if only scores are known, their mean."""
    if parts.ndim == 1:
        return float(np.mean(score))
    *counts, n_answer, n_reference = parts.sum(axis=0).tolist()
    return bleu_of(Matches(tuple(counts[:LONGEST_NGRAM]), tuple(counts[LONGEST_NGRAM:]), n_answer, n_reference), "exp")


CORPUS_BLEU = Metric(
    "corpus_bleu",
    corpus_bleu,
    params=(BLEU_N,),
    presets={f"corpus_bleu_{n}": {"n": n} for n in range(1, 5)},
    aggregation=Aggregation("BLEU of the sums", of_all, n_parts=CORPUS_BLEU_PARTS),
    view="answers",
    formula="as bleu, over the n-grams of all answers",
    cite="Papineni et al. 2002, BLEU: a Method for Automatic Evaluation of Machine Translation, ACL",
)


LONGEST_SUBSEQUENCE = "l"
ROUGE_N = Param(
    "n",
    one_of(*"123456789", LONGEST_SUBSEQUENCE),
    LONGEST_SUBSEQUENCE,
    "number of words in an n-gram; l: the longest common subsequence",
    shown=True,
)
ROUGE_MEASURE = Param(
    "measure",
    one_of("f1", "precision", "recall"),
    "f1",
    "precision: matching share of the answer; recall: matching share of the expected answer; f1: their harmonic mean",
)


def rouge(replies: Answers, n: str, measure: str) -> Scores:
    """Overlap between the answer and the expected answer, in n-grams or (n=l) in their longest common subsequence.

    Of several expected answers, the one with the highest F1 counts. Words are not stemmed. A text with fewer than n words
    has no overlap: a correct answer of one word scores 0 with n=2. An unanswerable query scores 1 if the system abstains.
    """
    return replies.compared(partial(likeness, n=n, measure=measure))


def likeness(answer: Words, references: list[Words], n: str, measure: str) -> float:
    """The overlap with the most similar reference."""
    if measure == "f1" and len(references) == 1:
        return _rouge_overlap(answer, references[0], n).f1
    shared = [_rouge_overlap(answer, reference, n) for reference in references]
    best = max(shared, key=lambda overlap: overlap.f1)
    return float(getattr(best, measure))


def _rouge_overlap(answer: Words, reference: Words, n: str) -> Overlap:
    if n == LONGEST_SUBSEQUENCE:
        return Overlap(common_subsequence(answer, reference), len(answer), len(reference))
    return overlap(ngrams(answer, int(n)), ngrams(reference, int(n)))


ROUGE = Metric(
    "rouge",
    rouge,
    params=(ROUGE_N, ROUGE_MEASURE),
    presets={"rouge_l": {"n": LONGEST_SUBSEQUENCE}, "rougel": {"n": LONGEST_SUBSEQUENCE}}
    | {f"rouge{joint}{n}": {"n": n} for n in "12" for joint in ("", "_")},
    view="answers",
    formula="F1 of the shared n-grams, each counted as often as it occurs in both texts; "
    "n=l: F1 of the longest common subsequence",
    cite="Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries, ACL workshop Text Summarization Branches Out",
)
