"""Answer metrics against rouge-score and sacrebleu, over the same pairs of answer and reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU

from assay.evaluation import score_views
from assay.metrics import find_metric
from assay.views import Answer, Answers, ExpectedAnswer
from benchmarks._timing import Row, best_time, faster, within

N_PAIRS, N_WORDS, TRIES = 10_000, 8000, 3


def measure() -> Iterator[Row]:
    """10,000 answers of a few to 60 words; every try starts from the texts."""
    answers, references = _data()
    size = f"{N_PAIRS // 1000} k pairs"
    longest = best_time(_assay("rouge(n=l)", answers, references), TRIES)
    theirs = best_time(_rouge("rougeL", answers, references), TRIES)
    yield faster(f"{size}, rouge(n=l)", "rouge-score", longest, theirs, 3)
    bleu = best_time(_assay("bleu(n=4)", answers, references), TRIES)
    yield within(f"{size}, bleu(n=4)", "sacrebleu", bleu, best_time(_bleu(answers, references), TRIES), 1.5)


def _assay(metric: str, answers: list[str], references: list[str]) -> Callable[[], object]:
    bound = find_metric(metric)
    ids = tuple(map(str, range(len(answers))))

    def score() -> None:
        replies = tuple(map(Answer, answers))
        view = Answers(ids, replies, tuple(ExpectedAnswer((text,)) for text in references))
        score_views({"answers": view}, [bound])

    return score


def _rouge(kind: str, answers: list[str], references: list[str]) -> Callable[[], object]:
    scorer = RougeScorer([kind], use_stemmer=False)
    return lambda: [scorer.score(right, answer) for answer, right in zip(answers, references, strict=True)]


def _bleu(answers: list[str], references: list[str]) -> Callable[[], object]:
    scorer = BLEU(tokenize="none", lowercase=True, effective_order=True)
    return lambda: [scorer.sentence_score(answer, [right]) for answer, right in zip(answers, references, strict=True)]


def _data() -> tuple[list[str], list[str]]:
    """References of 5 to 40 words; answers that keep most of them in order, with words put in between."""
    rng = np.random.default_rng(0)
    vocabulary = np.array([f"word{number}" for number in range(N_WORDS)])
    ranks = (rng.zipf(1.3, (N_PAIRS, 40)) - 1) % N_WORDS
    answers, references = [], []
    for row in ranks:
        right = vocabulary[row[: rng.integers(5, 41)]].tolist()
        kept = [word for word in right if rng.random() < 0.7]
        more = vocabulary[(rng.zipf(1.3, rng.integers(0, 21)) - 1) % N_WORDS].tolist()
        for word in more:
            kept.insert(int(rng.integers(0, len(kept) + 1)), word)
        answers.append(" ".join(kept) + ".")
        references.append(" ".join(right) + ".")
    return answers, references
