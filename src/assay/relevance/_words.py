"""WordIndex: the distinct words of many texts as flat arrays, so that overlaps are counted without touching text again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import count

import numpy as np
from numpy.typing import NDArray

from assay.model.ordering import Floats, Ints
from assay.text import words_of

BLOCK = 64
"""Queries whose words are marked at once when pairs are compared."""


class WordIndex:
    """Distinct texts, the distinct words of each, and how often they occur there."""

    def __init__(self, documents: Iterable[str], others: Iterable[str] = ()) -> None:
        self.number: dict[str, int] = {}
        """Text → its number."""
        self._phrases: dict[int, str] = {}
        vocabulary: defaultdict[str, int] = defaultdict(count().__next__)
        words: list[int] = []
        counts: list[int] = []
        lengths: list[int] = []
        self.n_documents = 0
        """The texts numbered below are documents', those from there on were only retrieved."""
        for texts in (documents, others):
            for text in texts:
                if text in self.number:
                    continue
                self.number[text] = len(lengths)
                bag = Counter(words_of(text))
                words += map(vocabulary.__getitem__, bag)
                counts += bag.values()
                lengths.append(len(bag))
            if texts is documents:
                self.n_documents = len(lengths)
        self.vocabulary = dict(vocabulary)
        """Word → its number."""
        self.words: Ints = np.array(words, dtype=np.int64)
        self.counts: Ints = np.array(counts, dtype=np.int64)
        self.n_distinct: Ints = np.array(lengths, dtype=np.int64)
        """How many different words each text has."""
        self.start: Ints = np.cumsum(self.n_distinct) - self.n_distinct

    def __len__(self) -> int:
        return len(self.number)

    def numbers(self, texts: Iterable[str]) -> Ints:
        """The numbers of known texts."""
        return np.fromiter(map(self.number.__getitem__, texts), np.int64)

    @cached_property
    def texts(self) -> list[str]:
        """The texts by their numbers."""
        return list(self.number)

    def phrase(self, text: int) -> str:
        """The words of a text in order, with blanks around each, so that phrases are found whole."""
        if text not in self._phrases:
            self._phrases[text] = phrase_of(self.texts[text])
        return self._phrases[text]

    def known(self, text: str) -> Ints:
        """Numbers of the different words of a text, as far as any indexed text has them."""
        found = (self.vocabulary.get(word) for word in dict.fromkeys(words_of(text)))
        return np.array([word for word in found if word is not None], dtype=np.int64)

    def shared_with_all(self, text: str) -> Ints:
        """For every indexed text: how many different words it shares with this one."""
        owners = [self.owners[self.first[word] : self.first[word + 1]] for word in self.known(text).tolist()]
        return np.bincount(np.concatenate(owners) if owners else np.zeros(0, np.int64), minlength=len(self))

    def shared(self, wanted: Sequence[str], query: Ints, text: Ints) -> Ints:
        """For every pair (number of a wanted text, number of an indexed text): how many different words they share."""
        result = np.zeros(len(query), dtype=np.int64)
        order = np.argsort(query, kind="stable")
        bounds = np.searchsorted(query[order], np.arange(0, len(wanted) + BLOCK, BLOCK))
        marked = np.zeros((BLOCK, len(self.vocabulary)), dtype=bool)
        for block, (low, high) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
            if low == high:
                continue
            words = [self.known(one) for one in wanted[block * BLOCK : (block + 1) * BLOCK]]
            for row, known in enumerate(words):
                marked[row, known] = True
            rows = order[low:high]
            result[rows] = self._count_marked(marked, query[rows] - block * BLOCK, text[rows])
            for row, known in enumerate(words):
                marked[row, known] = False
        return result

    def _count_marked(self, marked: NDArray[np.bool_], row: Ints, text: Ints) -> Ints:
        length = self.n_distinct[text]
        first = np.cumsum(length) - length
        pair = np.repeat(np.arange(len(text)), length)
        places = np.arange(len(pair)) - first[pair] + self.start[text][pair]
        hit = marked[row[pair], self.words[places]]
        return np.bincount(pair[hit], minlength=len(text))

    @cached_property
    def _by_word(self) -> Ints:
        return np.argsort(self.words, kind="stable")

    @cached_property
    def owners(self) -> Ints:
        """Texts in the order of their words: those with word 0, then those with word 1, …"""
        return np.repeat(np.arange(len(self)), self.n_distinct)[self._by_word]

    @cached_property
    def occurrences(self) -> Ints:
        """How often the word occurs in each of the `owners`."""
        return self.counts[self._by_word]

    @cached_property
    def first(self) -> Ints:
        """Where the owners of each word begin."""
        return np.concatenate(([0], np.cumsum(np.bincount(self.words, minlength=len(self.vocabulary)))))

    @cached_property
    def n_words(self) -> Ints:
        """How many words each text has, repetitions included."""
        owner = np.repeat(np.arange(len(self)), self.n_distinct)
        return np.bincount(owner, weights=self.counts, minlength=len(self)).astype(np.int64)

    def bm25(self, text: str, k1: float = 1.2, b: float = 0.75) -> tuple[Floats, float]:
        """For every indexed text: its BM25 score with this text as the query; and that of a text of mean length
        which has every one of its words once, words nobody has included.

        How rare a word is, and how long texts are, is told by the documents alone, so that it does not depend on what
        was retrieved; without documents every word is as rare as any other, and length does not matter.
        """
        scores = np.zeros(len(self))
        n, mean = self.n_documents, float(self.n_words[: self.n_documents].mean()) if self.n_documents else 1.0
        b = b if n else 0.0
        best = 0.0
        for number in map(self.vocabulary.get, dict.fromkeys(words_of(text))):
            span = slice(0, 0) if number is None else slice(self.first[number], self.first[number + 1])
            owner, times = self.owners[span], self.occurrences[span]
            n_having = int((owner < n).sum())
            rarity = float(np.log1p((n - n_having + 0.5) / (n_having + 0.5))) if n else 1.0
            scores[owner] += rarity * times * (k1 + 1) / (times + k1 * (1 - b + b * self.n_words[owner] / max(mean, 1.0)))
            best += rarity
        return scores, best


def phrase_of(text: str) -> str:
    """The words of a text in order, with blanks around each."""
    return f" {' '.join(words_of(text))} "
