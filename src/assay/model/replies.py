"""Replies: the `answers` view; what a system answered in words beside what is right, and its ranking where one is known."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from assay.errors import UsageError
from assay.model.graded import Bools, GradedRun
from assay.model.ordering import Floats
from assay.model.reply import Reply
from assay.model.wanted import Wanted
from assay.text import words_of

Words = list[str]
"""The tokens of a text, in order."""


@dataclass(frozen=True, eq=False)
class Replies:
    """For each query its reply, None where there is none; and what is wanted, None where nobody knows."""

    query_ids: tuple[str, ...]
    replies: tuple[Reply | None, ...]
    wanted: tuple[Wanted | None, ...]
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
        return np.array([one is not None for one in self.wanted], dtype=bool)

    @cached_property
    def is_answerable(self) -> Bools:
        """Which queries have an answer."""
        return np.array([one is not None and one.is_answerable for one in self.wanted], dtype=bool)

    @cached_property
    def is_given(self) -> Bools:
        """Which queries were replied to, an abstention included."""
        return np.array([one is not None for one in self.replies], dtype=bool)

    @cached_property
    def has_abstained(self) -> Bools:
        """Which queries the system chose not to answer."""
        return np.array([one is not None and one.abstained for one in self.replies], dtype=bool)

    @cached_property
    def confidence(self) -> Floats:
        """How sure the system is of each answer; nan where it does not say, or gave none."""
        given = [None if one is None or one.abstained else one.confidence for one in self.replies]
        return np.array(given, dtype=np.float64)  # None becomes nan

    def compared(self, likeness: Callable[[Words, list[Words]], float], tokens: str = "words") -> Floats:
        """How like each answer is to the right ones. 1 for leaving open what has no answer, and 0 for answering it.

        0 also where an answer is wanted and none is there. Nan where nobody knows what is right.
        """
        scores = np.where(self.is_known, (self.has_abstained & ~self.is_answerable).astype(float), np.nan)
        for place, answer, references in self.answered(tokens):
            scores[place] = likeness(answer, references)
        return scores

    def answered(self, tokens: str = "words") -> Iterator[tuple[int, Words, list[Words]]]:
        """Queries that have an answer and got one: their place, the words of the answer, and those of the right ones."""
        for place, (reply, wanted) in enumerate(zip(self.replies, self.wanted, strict=True)):
            if reply is not None and wanted is not None and not reply.abstained and wanted.references:
                answer = self.words(reply.text or "", tokens)
                yield place, answer, [self.words(text, tokens) for text in wanted.references]

    def words(self, text: str, tokens: str = "words") -> Words:
        """The tokens of a text, found once however many metrics ask."""
        found = self._tokens.get((tokens, text))
        if found is None:
            found = self._tokens[tokens, text] = TOKENS[tokens](text)
        return found

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
