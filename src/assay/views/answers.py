"""Answers: the `answers` view, with the answers of a system, the expected answers, and the ranking if known."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Bools, Floats
from assay.errors import DataError, UsageError
from assay.grammar import flag
from assay.model import Query, as_number, bool_field, first_field, is_finite_number, is_truth_value
from assay.text import shortened, words_of
from assay.views.graded import GradedRun

Words = list[str]
"""The tokens of a text, in order."""


@dataclass(frozen=True, eq=False)
class Answers:
    """For each query: its reply (None if there is none) and the expected answer (None if it is unknown)."""

    query_ids: tuple[str, ...]
    replies: tuple[Answer | None, ...]
    expected: tuple[ExpectedAnswer | None, ...]
    ranking: GradedRun | None = None
    """The rankings of the queries, or of some of them."""
    _tokens: dict[tuple[str, str], Words] = field(default_factory=dict, repr=False)

    @property
    def n_queries(self) -> int:
        """How many queries there are to score."""
        return len(self.query_ids)

    @cached_property
    def is_known(self) -> Bools:
        """Which queries have known expected answers, or are known to be unanswerable."""
        return np.array([expected is not None for expected in self.expected], dtype=bool)

    @cached_property
    def is_answerable(self) -> Bools:
        """Which queries have an answer."""
        return np.array([expected is not None and expected.is_answerable for expected in self.expected], dtype=bool)

    @cached_property
    def is_given(self) -> Bools:
        """Which queries have a reply; an abstention is a reply."""
        return np.array([reply is not None for reply in self.replies], dtype=bool)

    @cached_property
    def has_abstained(self) -> Bools:
        """Which queries the system chose not to answer."""
        return np.array([reply is not None and reply.abstained for reply in self.replies], dtype=bool)

    @cached_property
    def confidence(self) -> Floats:
        """The confidence of the system in each answer; nan if it is unknown, or if there is no answer."""
        confidences = [None if reply is None or reply.abstained else reply.confidence for reply in self.replies]
        return np.array(confidences, dtype=np.float64)  # None becomes nan

    @cached_property
    def correct(self) -> Floats:
        """Whether each answer was marked as correct: 0 to 1; nan without a mark, and 0 without an answer."""
        marks = [0.0 if reply is None else reply.correct for reply in self.replies]
        return np.array(marks, dtype=np.float64)  # None becomes nan

    def compared(self, likeness: Callable[[Words, list[Words]], float], tokens: str = "words") -> Floats:
        """The similarity of each answer to the expected answers. Abstaining on an unanswerable query has 1, answering it 0.

        An answerable query without an answer has 0. nan if the expected answer is unknown.
        """
        scores = np.where(self.is_known, (self.has_abstained & ~self.is_answerable).astype(float), np.nan)
        for place, answer, references in self.answered(tokens):
            scores[place] = likeness(answer, references)
        return scores

    def answered(self, tokens: str = "words") -> Iterator[tuple[int, Words, list[Words]]]:
        """Answerable queries with an answer: their place, the words of the answer, and the words of the expected answers."""
        for place, (reply, expected) in enumerate(zip(self.replies, self.expected, strict=True)):
            if reply is not None and expected is not None and not reply.abstained and expected.references:
                answer = self.words(reply.text or "", tokens)
                yield place, answer, [self.words(text, tokens) for text in expected.references]

    def words(self, text: str, tokens: str = "words") -> Words:
        """The tokens of a text; cached for all metrics."""
        words = self._tokens.get((tokens, text))
        if words is None:
            words = self._tokens[tokens, text] = TOKENS[tokens](text)
        return words

    def of_ranking(self, read: Callable[[GradedRun], Floats], metric: str) -> Floats:
        """Scores of the rankings of these queries; nan for queries without a ranking."""
        if self.ranking is None:
            ways = "Add a run with --run RUN (in Python: run=), or add `retrieved_ids` to each answer"
            raise UsageError(f"{metric} also needs the retrieved documents, but there is no run. {ways}")
        known = dict(zip(self.ranking.query_ids, read(self.ranking).tolist(), strict=True))
        return np.array([known.get(query, np.nan) for query in self.query_ids], dtype=np.float64)


_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def squad_words(text: str) -> Words:
    """Words as in the SQuAD evaluation, without ASCII punctuation and English articles."""
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


_SIGN = re.compile(r"(?<!\w)[-\u2212](?=\d)|(?<=\w)[+#]+(?!\w)")


def signed_words(text: str) -> Words:
    """Unicode words, followed by signs that change their meaning, with their places: the minus of −5, the ++ of C++."""
    signs = ((sign[0].replace("\u2212", "-"), text[: sign.start()]) for sign in _SIGN.finditer(text))
    return [*words_of(text), *(f"{sign}{len(words_of(before))}" for sign, before in signs)]


TOKENS: dict[str, Callable[[str], Words]] = {"words": words_of, "signed": signed_words, "squad": squad_words}
"""How texts are split into tokens: Unicode words as in text relevance, Unicode words with signs, or SQuAD tokens."""


ANSWERS = (
    *("answer", "response", "generated_answer", "predicted_answer", "prediction", "prediction_text", "actual_output"),
    "actual",
)
"""Field names that systems and evaluation tools use for the answer."""
CONFIDENCE = ("confidence", "answer_confidence", "probability")
CORRECT = ("correct", "is_correct", "answer_correct", "judged_correct", "autoeval_label", "llm_score")
"""Field names for the mark that a judge gave to an answer: memorybench, LongMemEval (autoeval_label), Mem0 (llm_score)."""
RIGHT, WRONG = frozenset({"correct", "right"}), frozenset({"incorrect", "wrong"})
ABSTAINED = ("abstained", "abstain", "refused", "no_answer")
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Answer:
    """The text of an answer, and the confidence of the system. A text without words is an abstention."""

    text: str | None = None
    confidence: float | None = None
    abstained: bool = False
    correct: float | None = None
    """The mark of a judge, from 0 to 1; None if there is none."""

    def __post_init__(self) -> None:
        if not self.abstained and not has_words(self.text or ""):
            object.__setattr__(self, "abstained", True)


def has_words(text: str) -> bool:
    """Whether a text has a word; usually the first characters decide."""
    return bool(_LETTER.search(text) or words_of(text))


def parse_answer(fields: Mapping[str, Any]) -> Answer | None:
    """The reply in the fields of a record, by their usual names; None if there is no field for an answer."""
    named = next((name for name in ANSWERS if name in fields), None)
    abstained = bool(bool_field(fields, ABSTAINED))
    if named is None and not abstained:
        return None
    text = fields[first_field(fields, ANSWERS)[0] or named] if named is not None else None
    confidence = first_field(fields, CONFIDENCE)[1]
    written = in_words(text, "an answer must be text, or null if there is none")
    return Answer(written, _number(confidence), abstained, mark_of(first_field(fields, CORRECT)[1]))


def mark_of(value: Any) -> float | None:
    """The mark of a judge: true or false in any spelling, or a number from 0 to 1. None for any other value.

    `correct` may also be the text of the right answer, so a value that is not a mark is not an error.
    """
    if isinstance(value, Mapping):
        value = value.get("label")
    word = value.strip().lower() if isinstance(value, str) else value
    if word in RIGHT or word in WRONG:
        return float(word in RIGHT)
    if isinstance(word, str):
        try:
            return float(flag(word))
        except ValueError:
            return None
    number = float(word) if is_truth_value(word) else as_number(word)
    return number if number is not None and 0 <= number <= 1 else None


def in_words(value: Any, expected: str) -> str | None:
    """Text unchanged, numbers as text, nan as None. Anything else is an error."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and isnan(value):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not is_finite_number(value):
        raise DataError(f"{expected}, not {shortened(value)}")
    return str(value)


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise DataError(f"a confidence must be a number, not {shortened(value)}") from None
    if not is_finite_number(value):
        raise DataError(f"a confidence must be a finite number, not {shortened(value)}")
    return float(value)


REFERENCES = (
    *("references", "reference", "expected_answers", "expected_answer", "expected", "ground_truths", "ground_truth"),
    *("reference_answers", "reference_answer", "gold_answers", "gold_answer", "answers", "expected_output"),
)
"""Field names for one or several expected answers."""
LISTS = ("references", "expected_answers", "ground_truths", "reference_answers", "gold_answers", "answers")
"""Those for several answers, which a query can have in addition to its expected answer."""
ANSWERABLE = ("answerable", "is_answerable")
UNANSWERABLE = ("is_impossible", "unanswerable")


class ExpectedAnswer(NamedTuple):
    """The expected answers, any of which is correct; empty if the query is unanswerable."""

    references: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Stored fingerprints of judgments are computed from this text, so it must not change."""
        return f"Wanted(references={self.references!r})"

    @property
    def is_answerable(self) -> bool:
        """Whether the query has an answer."""
        return bool(self.references)


def expected_answer(query: Query) -> ExpectedAnswer | None:
    """The expected answer of a benchmark query; None if it is unknown or has no words."""
    metadata = query.metadata or {}
    if _is_unanswerable(metadata):
        return ExpectedAnswer()
    lists = (_listed(metadata[name]) for name in LISTS if isinstance(metadata.get(name), list | Mapping))
    return _of_texts([query.expected, *next(lists, [])])


def parse_expected_answer(fields: Mapping[str, Any]) -> ExpectedAnswer | None:
    """The expected answer in a record; an empty list means that the query is unanswerable. None without such a field."""
    if _is_unanswerable(fields):
        return ExpectedAnswer()
    name, value = first_field(fields, REFERENCES)
    if not name:
        return None
    texts = _listed(value)
    return _of_texts(texts) if texts else ExpectedAnswer()


def _listed(value: Any) -> Sequence[Any]:
    """The answers as a list; in SQuAD they are objects with a `text`, or one object with a list of texts."""
    value = value.get("text", value) if isinstance(value, Mapping) else value
    value = value if isinstance(value, list | tuple) else [value]
    return [reference.get("text", reference) if isinstance(reference, Mapping) else reference for reference in value]


def _of_texts(texts: Sequence[Any]) -> ExpectedAnswer | None:
    """Each answer once, without answers that have no words."""
    written = [in_words(text, "expected answers must be text") for text in texts]
    worded = tuple(dict.fromkeys(text for text in written if text is not None and has_words(text)))
    return ExpectedAnswer(worded) if worded else None


def _is_unanswerable(fields: Mapping[str, Any]) -> bool:
    """Whether a field says that the query is unanswerable."""
    return bool_field(fields, ANSWERABLE) is False or bool_field(fields, UNANSWERABLE) is True
