"""find_questions: the questions that are meant by some words."""

from __future__ import annotations

import difflib
import re

from assay.errors import UnknownName, UsageError
from assay.metrics._parse import parse_name
from assay.metrics._questions import QUESTIONS, Question, questions_of

SMALL = frozenset(
    (
        *("a", "an", "and", "any", "are", "at", "be", "by", "can", "did", "do", "does", "for", "get", "good", "has", "have"),
        *("how", "i", "in", "is", "it", "me", "metric", "metrics", "much", "my", "of", "on", "or", "our", "retrieval"),
        *("search", "some", "system", "that", "the", "this", "to", "was", "we", "what", "which", "with"),
    )
)
"""Words that say nothing about which question is meant."""
ENDINGS = frozenset(
    (
        *("", "s", "es", "d", "ed", "r", "er", "rs", "ers", "ing", "e", "y", "ies", "ment", "ments", "ement", "ements"),
        *("ness", "able", "ly", "al", "ion", "ions", "ation"),
    )
)
WORD = re.compile(r"[^\W_]+")
SHORTEST_STEM = 4
NEAR = 0.8
"""How like a word of a question a misspelt one has to be."""


def find_questions(text: str) -> list[Question]:
    """The questions that are meant by some words, the likeliest alone unless several are as likely.

    A metric means the question where it is looked at first. Words need not have the same endings, nor be spelled quite
    well (`read_as` says what was understood); where none of them is a word of a question, the error lists all questions.
    """
    if exact := _exact(text):
        return exact
    asked = [word for word in _words(read_as(text)) if word not in SMALL]
    known = {question.key: _said_words(question) for question in QUESTIONS}
    found = _of_metric(text) or _best(asked, known) or _best(asked, {one.key: _metric_words(one) for one in QUESTIONS})
    if not found:
        raise UnknownName("question", text, (), f"there are {', '.join(known)}; any words of theirs will do")
    return [question for question in QUESTIONS if question.key in found]


def read_as(text: str) -> str:
    """The words with misspelt ones mended: those that no question knows, and that are nearly a word of one.

    A question or a metric as it is written stays so.
    """
    if _exact(text) or _of_metric(text):
        return text
    said = sorted({word for question in QUESTIONS for word in _said_words(question)})
    known = {*said, *(word for question in QUESTIONS for word in _metric_words(question))}

    def mended(found: re.Match[str]) -> str:
        word = found[0].lower()
        if word in SMALL or any(_alike(word, one) for one in known):
            return found[0]
        return next(iter(difflib.get_close_matches(word, said, n=1, cutoff=NEAR)), found[0])

    return WORD.sub(mended, text)


def _exact(text: str) -> list[Question]:
    """The questions that are asked by their key, or word for word."""
    return [question for question in QUESTIONS if text.strip().lower() in (question.key, question.asks.lower())]


def _of_metric(text: str) -> set[str]:
    """The questions in which a metric of that name stands furthest to the front; none where it is no metric."""
    try:
        name = parse_name(text.strip()).name
    except UsageError:
        return set()
    place = {question.key: question.metrics.index(name) for question in questions_of(name)}
    return {key for key, number in place.items() if number == min(place.values())}


def _best(asked: list[str], known: dict[str, set[str]]) -> set[str]:
    """The questions that know the most of the words; their own key counts more than what else is said for them."""
    counts = {
        key: sum(
            2 * any(_alike(word, one) for one in _words(key)) or any(_alike(word, one) for one in words) for word in asked
        )
        for key, words in known.items()
    }
    most = max(counts.values())
    return {key for key, count in counts.items() if count == most} if most else set()


def _said_words(question: Question) -> set[str]:
    return {word for word in _words(f"{question.key} {question.asks} {question.words}") if word not in SMALL}


def _metric_words(question: Question) -> set[str]:
    return {word for name in question.metrics for word in _words(name) if word not in SMALL}


def _words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def _alike(one: str, other: str) -> bool:
    """Whether words are the same but for their endings: rerank, reranker, reranking; position and positive are not."""
    if one == other:
        return True
    shared = next((place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
    longest = min(len(one), len(other)) if shared is None else shared
    return any(one[cut:] in ENDINGS and other[cut:] in ENDINGS for cut in range(SHORTEST_STEM, longest + 1))
