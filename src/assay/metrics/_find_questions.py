"""find_questions: the questions that are meant by some words."""

from __future__ import annotations

import re

from assay.errors import UnknownName, near_matches
from assay.metrics._questions import QUESTIONS, Question

SMALL = frozenset(
    (
        *("a", "an", "and", "are", "at", "be", "by", "can", "did", "do", "does", "for", "how", "i", "in", "is", "it", "me"),
        *("much", "my", "of", "on", "or", "our", "the", "to", "was", "we", "what"),
    )
)
"""Words that say nothing about which question is meant."""


def find_questions(text: str) -> list[Question]:
    """The questions that are meant by some words, the likeliest alone unless several are as likely.

    Words need not be whole or spelled well; where none of them says anything, the error lists all questions.
    """
    if exact := [question for question in QUESTIONS if text.strip().lower() in (question.key, question.asks.lower())]:
        return exact
    asked = [word for word in _words(text) if word not in SMALL]
    known = {question.key: _known_words(question) for question in QUESTIONS}
    if not (found := _best(asked, known)):
        every = {word for words in known.values() for word in words}
        meant = [near_matches(word, every, most=1) for word in asked]
        found = _best([near[0] for near in meant if near], known)
    if not found:
        near = near_matches(text, known)
        raise UnknownName("question", text, near, f"there are {', '.join(known)}; any words of theirs will do")
    return [question for question in QUESTIONS if question.key in found]


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


def _known_words(question: Question) -> set[str]:
    names = (word for name in question.metrics for word in _words(name))
    said = f"{question.key} {question.asks} {question.words}"
    return {word for word in (*_words(said), *names) if word not in SMALL}


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _alike(one: str, other: str) -> bool:
    """Whether words are the same, or one is the other with an ending: rerank, reranker, reranking."""
    short, long = sorted((one, other), key=len)
    return long == short or (len(short) >= 4 and long.startswith(short)) or (len(short) >= 6 and long[:6] == short[:6])
