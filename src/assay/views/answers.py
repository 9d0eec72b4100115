"""Answers: the `answers` view; what a system answered in words beside the right answers, and its ranking if known."""

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
from assay.model import Query, bool_field, first_field, is_finite_number
from assay.text import shortened, words_of
from assay.views.graded import GradedRun

Words = list[str]
"""The tokens of a text, in order."""


@dataclass(frozen=True, eq=False)
class Answers:
    """For each query its reply, None where there is none; and the expected answer, None where nobody knows it."""

    query_ids: tuple[str, ...]
    replies: tuple[Answer | None, ...]
    expected: tuple[ExpectedAnswer | None, ...]
    ranking: GradedRun | None = None
    """What was retrieved for the queries, or for some of them."""
    _tokens: dict[tuple[str, str], Words] = field(default_factory=dict, repr=False)

    @property
    def n_queries(self) -> int:
        """How many queries there are to score."""
        return len(self.query_ids)

    @cached_property
    def is_known(self) -> Bools:
        """Which queries have something to be compared with: right answers, or that there is none."""
        return np.array([expected is not None for expected in self.expected], dtype=bool)

    @cached_property
    def is_answerable(self) -> Bools:
        """Which queries have an answer."""
        return np.array([expected is not None and expected.is_answerable for expected in self.expected], dtype=bool)

    @cached_property
    def is_given(self) -> Bools:
        """Which queries were replied to, an abstention included."""
        return np.array([reply is not None for reply in self.replies], dtype=bool)

    @cached_property
    def has_abstained(self) -> Bools:
        """Which queries the system chose not to answer."""
        return np.array([reply is not None and reply.abstained for reply in self.replies], dtype=bool)

    @cached_property
    def confidence(self) -> Floats:
        """How sure the system is of each answer; nan where it does not say, or gave none."""
        confidences = [None if reply is None or reply.abstained else reply.confidence for reply in self.replies]
        return np.array(confidences, dtype=np.float64)  # None becomes nan

    def compared(self, likeness: Callable[[Words, list[Words]], float], tokens: str = "words") -> Floats:
        """How like each answer is to the right ones. 1 for leaving open what has no answer, and 0 for answering it.

        0 also where an answer is expected and none is there. Nan where nobody knows what is right.
        """
        scores = np.where(self.is_known, (self.has_abstained & ~self.is_answerable).astype(float), np.nan)
        for place, answer, references in self.answered(tokens):
            scores[place] = likeness(answer, references)
        return scores

    def answered(self, tokens: str = "words") -> Iterator[tuple[int, Words, list[Words]]]:
        """Queries that have an answer and got one: their place, the words of the answer, and those of the right ones."""
        for place, (reply, expected) in enumerate(zip(self.replies, self.expected, strict=True)):
            if reply is not None and expected is not None and not reply.abstained and expected.references:
                answer = self.words(reply.text or "", tokens)
                yield place, answer, [self.words(text, tokens) for text in expected.references]

    def words(self, text: str, tokens: str = "words") -> Words:
        """The tokens of a text, found once however many metrics ask."""
        words = self._tokens.get((tokens, text))
        if words is None:
            words = self._tokens[tokens, text] = TOKENS[tokens](text)
        return words

    def of_ranking(self, read: Callable[[GradedRun], Floats], metric: str) -> Floats:
        """What is read off the ranking, for these queries; nan where it has none of them."""
        if self.ranking is None:
            ways = "give it with --run RUN (run=), or give each answer its `retrieved_ids`"
            raise UsageError(f"{metric} reads what was retrieved too, and there is no run; {ways}")
        known = dict(zip(self.ranking.query_ids, read(self.ranking).tolist(), strict=True))
        return np.array([known.get(query, np.nan) for query in self.query_ids], dtype=np.float64)


_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def squad_words(text: str) -> Words:
    """Words as the SQuAD evaluation has them: ASCII punctuation is taken out, so are English articles."""
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


_SIGN = re.compile(r"(?<!\w)[-\u2212](?=\d)|(?<=\w)[+#]+(?!\w)")


def signed_words(text: str) -> Words:
    """Unicode words, and behind them the signs that make others of them: the minus of −5, the ++ of C++, with its place."""
    signs = ((sign[0].replace("\u2212", "-"), text[: sign.start()]) for sign in _SIGN.finditer(text))
    return [*words_of(text), *(f"{sign}{len(words_of(before))}" for sign, before in signs)]


TOKENS: dict[str, Callable[[str], Words]] = {"words": words_of, "signed": signed_words, "squad": squad_words}
"""How texts are cut into tokens: Unicode words as text relevance has them, those with their signs, or as SQuAD does."""


ANSWERS = (
    *("answer", "response", "generated_answer", "predicted_answer", "prediction", "prediction_text", "actual_output"),
)
"""Names under which systems and evaluation tools put what was answered."""
CONFIDENCE = ("confidence", "answer_confidence", "probability")
ABSTAINED = ("abstained", "abstain", "refused", "no_answer")
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Answer:
    """The text of an answer, and how sure the system is of it. Without a word in it, the system has abstained."""

    text: str | None = None
    confidence: float | None = None
    abstained: bool = False

    def __post_init__(self) -> None:
        if not self.abstained and not has_words(self.text or ""):
            object.__setattr__(self, "abstained", True)


def has_words(text: str) -> bool:
    """Whether there is any word in a text; mostly its first letters tell."""
    return bool(_LETTER.search(text) or words_of(text))


def parse_answer(fields: Mapping[str, Any]) -> Answer | None:
    """The reply in what a system says, by its usual names; None where it says nothing of an answer."""
    named = next((name for name in ANSWERS if name in fields), None)
    abstained = bool(bool_field(fields, ABSTAINED))
    if named is None and not abstained:
        return None
    text = fields[first_field(fields, ANSWERS)[0] or named] if named is not None else None
    confidence = first_field(fields, CONFIDENCE)[1]
    return Answer(in_words(text, "an answer is text, or null where there is none"), _number(confidence), abstained)


def in_words(value: Any, expected: str) -> str | None:
    """Text as it is, and numbers as they are written; nan is nothing, and anything else is not what was expected."""
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
            raise DataError(f"a confidence is a number, not {shortened(value)}") from None
    if not is_finite_number(value):
        raise DataError(f"a confidence is a finite number, not {shortened(value)}")
    return float(value)


REFERENCES = (
    *("references", "reference", "expected_answers", "expected_answer", "expected", "ground_truths", "ground_truth"),
    *("reference_answers", "reference_answer", "gold_answers", "gold_answer", "answers", "expected_output"),
)
"""Names under which the right answers stand, one or several."""
LISTS = ("references", "expected_answers", "ground_truths", "reference_answers", "gold_answers", "answers")
"""Those that tell of several answers, where a query has them beside its expected one."""
ANSWERABLE = ("answerable", "is_answerable")
UNANSWERABLE = ("is_impossible", "unanswerable")


class ExpectedAnswer(NamedTuple):
    """The answers that are right, any of them; none where the query has no answer."""

    references: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Stored fingerprints of judgments are made of this text, so it stays as it is."""
        return f"Wanted(references={self.references!r})"

    @property
    def is_answerable(self) -> bool:
        """Whether there is an answer at all."""
        return bool(self.references)


def expected_answer(query: Query) -> ExpectedAnswer | None:
    """What a query of a benchmark expects; None where nobody says, or in no words."""
    metadata = query.metadata or {}
    if _is_unanswerable(metadata):
        return ExpectedAnswer()
    lists = (_listed(metadata[name]) for name in LISTS if isinstance(metadata.get(name), list | Mapping))
    return _of_texts([query.expected, *next(lists, [])])


def parse_expected_answer(fields: Mapping[str, Any]) -> ExpectedAnswer | None:
    """What a record says is right; an empty list says that there is no answer. None where it says nothing."""
    if _is_unanswerable(fields):
        return ExpectedAnswer()
    name, value = first_field(fields, REFERENCES)
    if not name:
        return None
    texts = _listed(value)
    return _of_texts(texts) if texts else ExpectedAnswer()


def _listed(value: Any) -> Sequence[Any]:
    """The answers one by one; those of SQuAD are objects with a `text`, or one object with a list of them."""
    value = value.get("text", value) if isinstance(value, Mapping) else value
    value = value if isinstance(value, list | tuple) else [value]
    return [reference.get("text", reference) if isinstance(reference, Mapping) else reference for reference in value]


def _of_texts(texts: Sequence[Any]) -> ExpectedAnswer | None:
    """Each answer once, those without a word left out."""
    written = [in_words(text, "the right answers are text") for text in texts]
    worded = tuple(dict.fromkeys(text for text in written if text is not None and has_words(text)))
    return ExpectedAnswer(worded) if worded else None


def _is_unanswerable(fields: Mapping[str, Any]) -> bool:
    """Whether somebody says that there is no answer."""
    return bool_field(fields, ANSWERABLE) is False or bool_field(fields, UNANSWERABLE) is True
