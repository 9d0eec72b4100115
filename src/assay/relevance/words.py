"""WordIndex: the distinct words of many texts as flat arrays, so that overlaps are counted without reading texts again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain, count, pairwise
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats, Ints, spread
from assay.text import words_of

BLOCK = 64
"""Texts whose words are marked at once when pairs are compared."""


class Bags(NamedTuple):
    """The distinct words of several texts, text by text, as numbers; and the number of distinct words of each text."""

    words: Ints
    length: Ints

    @property
    def start(self) -> Ints:
        """The start of the words of each text."""
        return np.cumsum(self.length) - self.length


def count_shared(looked_up: Bags, marked: Bags, left: Ints, right: Ints, n_words: int) -> Ints:
    """The number of words that the texts of each pair share: words of the right are marked, words of the left looked up."""
    result = np.zeros(len(left), dtype=np.int64)
    order = np.argsort(right)
    bounds = np.searchsorted(right[order], np.arange(0, len(marked.length) + BLOCK, BLOCK))
    first, start = np.append(marked.start, len(marked.words)), looked_up.start
    marks = np.zeros(BLOCK * n_words, dtype=bool)
    for block, (low, high) in enumerate(pairwise(bounds.tolist())):
        if low == high:
            continue
        top, end = block * BLOCK, min((block + 1) * BLOCK, len(marked.length))
        row, _ = spread(marked.length[top:end])
        cells = row * n_words + marked.words[first[top] : first[end]]
        marks[cells] = True
        rows = order[low:high]
        pairs = rows[looked_up.length[left[rows]] > 0]  # reduceat over an empty slice would return the next value
        if len(pairs):
            length = looked_up.length[left[pairs]]
            begin = np.cumsum(length) - length
            places = np.arange(int(length.sum())) + np.repeat(start[left[pairs]] - begin, length)
            asked = looked_up.words.take(places) + np.repeat((right[pairs] - top) * n_words, length)
            result[pairs] = np.add.reduceat(marks.take(asked), begin, dtype=np.int64)
        marks[cells] = False
    return result


class WordIndex:
    """Distinct texts, the distinct words of each text, and how often they occur in it."""

    def __init__(self, documents: Iterable[str], others: Iterable[str] = ()) -> None:
        number: defaultdict[str, int] = defaultdict(count().__next__)
        for text in documents:
            number[text]
        self.n_documents = len(number)
        """Texts with a lower number are documents; the others were only retrieved."""
        self.of_others: Ints = np.fromiter(map(number.__getitem__, others), np.int64)
        """The numbers of the other texts, in the given order."""
        self.number = dict(number)
        """Text → its number."""
        self._phrases: dict[int, str] = {}
        self._different: dict[str, tuple[str, ...]] = {}
        self._take_apart()
        self.start: Ints = np.cumsum(self.n_distinct) - self.n_distinct

    def _take_apart(self) -> None:
        vocabulary: defaultdict[str, int] = defaultdict(count().__next__)
        words: list[int] = []
        n_words: list[int] = []
        n_distinct: list[int] = []
        for text in self.number:
            tokens = words_of(text)
            distinct = dict.fromkeys(tokens)
            words += map(vocabulary.__getitem__, distinct)
            n_words.append(len(tokens))
            n_distinct.append(len(distinct))
        self.vocabulary = dict(vocabulary)
        """Word → its number."""
        self.words: Ints = np.array(words, dtype=np.int64)
        self.n_words: Ints = np.array(n_words, dtype=np.int64)
        """The number of words of each text, including repetitions."""
        self.n_distinct: Ints = np.array(n_distinct, dtype=np.int64)
        """The number of distinct words of each text."""

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
        """The words of a text in order, with a blank around each, so that only whole words match."""
        if text not in self._phrases:
            self._phrases[text] = phrase_of(self.texts[text])
        return self._phrases[text]

    def different(self, text: str) -> tuple[str, ...]:
        """The distinct words of an expected text; it is split only once."""
        if text not in self._different:
            self._different[text] = tuple(dict.fromkeys(words_of(text)))
        return self._different[text]

    def known(self, text: str) -> list[int]:
        """The numbers of the distinct words of a text that occur in any indexed text."""
        return [word for word in map(self.vocabulary.get, self.different(text)) if word is not None]

    def shared_with_all(self, text: str) -> Ints:
        """For every indexed text: the number of distinct words that it shares with this text."""
        owners = [self.owners[self.first[word] : self.first[word + 1]] for word in self.known(text)]
        return np.bincount(np.concatenate(owners) if owners else np.zeros(0, np.int64), minlength=len(self))

    def shared(self, texts: Sequence[str], query: Ints, text: Ints) -> Ints:
        """For every pair (number of an expected text, number of an indexed text): how many distinct words they share."""
        known = list(map(self.known, texts))
        length = np.array(list(map(len, known)), dtype=np.int64)
        few = Bags(np.fromiter(chain.from_iterable(known), np.int64, int(length.sum())), length)
        many = Bags(self.words, self.n_distinct)
        if few.length[query].sum() <= many.length[text].sum():
            return count_shared(few, many, query, text, len(self.vocabulary))
        return count_shared(many, few, text, query, len(self.vocabulary))

    @cached_property
    def _by_word(self) -> Ints:
        return np.argsort(self.words, kind="stable")

    @cached_property
    def owners(self) -> Ints:
        """Texts in the order of their words: those with word 0, then those with word 1, …"""
        return np.repeat(np.arange(len(self)), self.n_distinct)[self._by_word]

    @cached_property
    def counts(self) -> Ints:
        """How often each of the `words` occurs in its text; computed only if a resolver needs it."""
        every = (Counter(words_of(text)).values() for text in self.number)
        return np.fromiter(chain.from_iterable(every), np.int64, len(self.words))

    @cached_property
    def occurrences(self) -> Ints:
        """How often the word occurs in each of the `owners`."""
        return self.counts[self._by_word]

    @cached_property
    def first(self) -> Ints:
        """The start of the owners of each word."""
        return np.concatenate(([0], np.cumsum(np.bincount(self.words, minlength=len(self.vocabulary)))))

    def bm25(self, text: str, k1: float = 1.2, b: float = 0.75) -> tuple[Floats, float]:
        """For every indexed text: its BM25 score with this text as the query; and the score of a text of mean length that
        has each of the words once, including words that no indexed text has.

        Rarity of words and mean length are computed from documents only, so that they do not depend on what was retrieved.
        Without documents, all words are equally rare, and length does not matter.
        """
        scores = np.zeros(len(self))
        n, mean = self.n_documents, float(self.n_words[: self.n_documents].mean()) if self.n_documents else 1.0
        b = b if n else 0.0
        best = 0.0
        for number in map(self.vocabulary.get, self.different(text)):
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
