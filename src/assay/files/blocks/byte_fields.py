"""Byte fields: many short texts in one array of bytes, hashed and compared eight bytes at a time.

A field is a start and a length. Its words are its bytes in groups of eight, the last one filled with zeros. No text contains
a zero byte, so two fields are equal if their lengths and words are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Bools, Ints

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
WIDTH = 8
"""Bytes of a word."""
PADDING = 4 * WIDTH
"""Bytes that must follow the last field, because a word may be read beyond its end."""
MASKS = np.array([(1 << 8 * n_bytes) - 1 for n_bytes in range(WIDTH + 1)], dtype=np.uint64)
"""Number of bytes → the bits of a word that they fill."""
FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""An odd number whose bits look random: multiplying by it mixes the bits of a hash."""
HALF = np.uint64(32)
ONE, THREE, SIXTY_THREE = np.uint64(1), np.uint64(3), np.uint64(63)
SLOTS_PER_ROW = 8
"""With this number of slots for each hash, few hashes share one."""


def words_at(data: Bytes, place: Ints) -> Words:
    """The eight bytes from each place on, the first as the lowest. At least PADDING - WIDTH bytes must follow each place.

    Two neighbouring aligned words are joined, because NumPy reads aligned ones much faster.
    """
    aligned: NDArray[np.void] = np.ndarray((len(data) // WIDTH - 1,), dtype="V16", buffer=data, strides=(WIDTH,))
    pairs: Words = aligned[place >> 3].view("<u8").reshape(-1, 2)
    shift = (place & 7).view(np.uint64)
    shift <<= THREE
    words: Words = pairs[:, 0] >> shift
    shift ^= SIXTY_THREE
    second = pairs[:, 1] << ONE
    second <<= shift
    words |= second
    return words


@dataclass(frozen=True)
class ByteFields:
    """Fields of an array of bytes, which is at least PADDING longer than the end of the last field."""

    data: Bytes
    start: Ints
    length: Ints

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self:
        """The fields of these texts in UTF-8."""
        joined = "".join(texts)
        if joined.isascii():
            encoded, length = joined.encode(), np.fromiter(map(len, texts), np.int64, len(texts))
        else:
            each = [text.encode("utf-8", "surrogatepass") for text in texts]
            encoded, length = b"".join(each), np.fromiter(map(len, each), np.int64, len(each))
        data = np.frombuffer(encoded + bytes(PADDING), dtype=np.uint8)
        return cls(data, np.cumsum(length) - length, length)

    def texts(self) -> list[bytes]:
        """The bytes of each field."""
        data = self.data
        return [data[start:end].tobytes() for start, end in zip(*self._ends(), strict=True)]

    def _ends(self) -> tuple[list[int], list[int]]:
        return self.start.tolist(), (self.start + self.length).tolist()

    def distinct(self) -> tuple[ByteFields, Ints]:
        """The different fields, and for each field which of them it is; two that only share their hash stay apart."""
        _, first, which = np.unique(self.hashes(), return_index=True, return_inverse=True)
        distinct = self.take(first)
        if distinct.take(which).equal(self).all():
            return distinct, which
        return self, np.arange(len(self.start))

    def take(self, rows: Ints) -> ByteFields:
        """Only these fields."""
        return ByteFields(self.data, self.start[rows], self.length[rows])

    @cached_property
    def n_words(self) -> int:
        """The number of words of the longest field."""
        return -(-int(self.length.max(initial=0)) // WIDTH)

    def word(self, number: int) -> Words:
        """A word of each field; 0 for fields that are shorter."""
        if not number:
            words, left = words_at(self.data, self.start), self.length
        else:
            words = words_at(self.data, np.minimum(self.start + WIDTH * number, len(self.data) - PADDING))
            left = self.length - WIDTH * number
        if left.min(initial=WIDTH) < WIDTH:
            words &= MASKS.take(left, mode="clip")
        return words

    def hashes(self) -> Words:
        """A hash of each field. Equal fields have equal hashes, also in different arrays."""
        hashed = self.length.astype(np.uint64)
        for number, rows, words in self._words():
            if number and len(rows) < len(hashed):
                hashed[rows] = _mixed(hashed[rows], words)
            else:
                hashed = _mixed(hashed, words)
        return hashed

    def _words(self) -> Iterator[tuple[int, Ints, Words]]:
        """Each word of the fields that have it: its number, the rows, and the words."""
        every = np.arange(len(self.length))
        for number in range(self.n_words):
            rows = every if not number else np.flatnonzero(self.length > WIDTH * number)
            fields = self if len(rows) == len(every) else self.take(rows)
            yield number, rows, fields.word(number)

    def equal(self, other: ByteFields) -> Bools:
        """Which fields have the same bytes as the field of the other at the same place."""
        same: Bools = self.length == other.length
        for number in range(min(self.n_words, other.n_words)):
            same &= self.word(number) == other.word(number)
        return same

    def above(self, other: ByteFields) -> Bools:
        """Which fields come after the field of the other at the same place, compared byte by byte."""
        after = np.zeros(len(self.start), dtype=bool)
        rows = np.arange(len(self.start))
        mine, theirs = self, other
        for number in range(max(self.n_words, other.n_words)):
            first, second = mine.word(number).byteswap(), theirs.word(number).byteswap()
            after[rows] = first > second
            undecided = np.flatnonzero(first == second)
            if not len(undecided):
                break
            rows, mine, theirs = rows[undecided], mine.take(undecided), theirs.take(undecided)
        return after

    def order_within(self, groups: Ints) -> Ints:
        """Positions that sort the fields by group, and within a group byte by byte, descending."""
        keys = [~self.word(number).byteswap() for number in reversed(range(self.n_words))]
        return np.lexsort((*keys, groups))

    def differs_from_previous(self) -> Bools:
        """Which fields differ from the field before; the first one does."""
        differs = np.ones(len(self.start), dtype=bool)
        differs[1:] = self.length[1:] != self.length[:-1]
        for number in range(self.n_words):
            words = self.word(number)
            differs[1:] |= words[1:] != words[:-1]
        return differs


def has_duplicates(hashes: Words) -> bool:
    """Whether a hash appears twice.

    Each hash writes its number into a slot of a table. Whoever was overwritten is compared with the one that is there now;
    the overwritten ones are compared with each other by sorting. That is faster than sorting all.
    """
    n_bits = max(SLOTS_PER_ROW * len(hashes), 1).bit_length()
    slot = (hashes >> np.uint64(64 - n_bits)).view(np.int64)
    table = np.empty(1 << n_bits, dtype=np.int32)
    number = np.arange(len(hashes), dtype=np.int32)
    table[slot] = number
    last = table[slot]
    overwritten = np.flatnonzero(last != number)
    rest = hashes[overwritten]
    if (rest == hashes[last[overwritten]]).any():
        return True
    rest.sort()
    return bool((rest[1:] == rest[:-1]).any())


def find_hashes(hashed: Words, sought: Words) -> tuple[Ints, Ints]:
    """Where hashes are among the sought ones, which are sorted and different: their places, and which of them they are.

    A table of the first bits leaves few candidates for the search.
    """
    shift = np.uint64(64 - max(16, int(16 * len(sought)).bit_length()))
    table = np.zeros(1 << (64 - int(shift)), dtype=bool)
    table[sought >> shift] = True
    place = np.flatnonzero(table[hashed >> shift])
    if not len(place):
        return place, place
    near = np.minimum(np.searchsorted(sought, hashed[place]), len(sought) - 1)
    is_hit = sought[near] == hashed[place]
    return place[is_hit], near[is_hit]


def _mixed(hashed: Words, words: Words) -> Words:
    hashed = (hashed ^ words) * FACTOR
    hashed ^= hashed >> HALF
    return hashed
