"""Ids: document ids as numbers of the same order, so that ties between many of them are settled at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from assay.model import Ints

Words = NDArray[np.uint64]
WORD = 8
"""Bytes of an id that one number holds."""
SEPARATOR = "\0"
FEW = 100
"""Ids that are looked at first, to tell whether all of them begin alike."""


@dataclass(frozen=True)
class Ids:
    """The document ids of some queries; the numbers they are sorted by are worked out when ties have to be settled."""

    docs: tuple[list[str], ...]

    @cached_property
    def flat(self) -> list[str]:
        """All of them, one after another."""
        return list(chain.from_iterable(self.docs))

    @cached_property
    def words(self) -> Words:
        """For each id a number; of two ids the later one never has the lower number. All are 0 where an id holds a NUL.

        UTF-8 sorts as its characters do, so eight bytes of it, the first one foremost, make the number.
        """
        text = SEPARATOR.join(map(SEPARATOR.join, filter(None, self.docs))).encode("utf-8", "surrogatepass")
        n_ids = sum(map(len, self.docs))
        end = np.append(np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == 0), len(text))
        return _words(text, end) if len(end) == n_ids else np.zeros(n_ids, dtype=np.uint64)


def settle_ties(places: Ints, firsts: Ints, ends: Ints, ids: Ids, of_id: Ints) -> None:
    """Put the places of each tied group, from a first to an end, in descending order of their ids.

    Groups of one size are sorted at once, by the numbers of the ids; where two numbers are equal, the ids decide.
    """
    sizes = ends - firsts
    for size in np.unique(sizes).tolist():
        at = firsts[sizes == size][:, np.newaxis] + np.arange(size)
        group = places[at]
        words = ids.words[of_id[group]]
        ascending = np.argsort(words, axis=1)
        places[at] = np.take_along_axis(group, ascending, axis=1)[:, ::-1]
        words = np.take_along_axis(words, ascending, axis=1)
        for row in np.flatnonzero((words[:, 1:] == words[:, :-1]).any(axis=1)).tolist():
            places[at[row]] = sorted(group[row].tolist(), key=lambda place: ids.flat[int(of_id[place])], reverse=True)


def _words(text: bytes, end: Ints) -> Words:
    """Of each id the eight bytes after what all ids begin with, fewer where it ends before."""
    padded = text + b"\0" * 2 * WORD
    windows: Words = np.ndarray((len(padded) - WORD + 1,), dtype=">u8", buffer=padded, strides=(1,))
    start = np.append(0, end[:-1] + 1)
    start += _shared_bytes(windows, start, int((end - start).min()))
    surplus = (8 * np.clip(WORD - (end - start), 0, WORD - 1)).astype(np.uint64)
    return np.where(start < end, windows[start].astype(np.uint64) >> surplus << surplus, np.uint64(0))


def _shared_bytes(windows: Words, start: Ints, shortest: int) -> int:
    """How many bytes all ids begin with; a few ids tell when it is none."""
    shared = 0
    for some in (start[:FEW], start):
        shared = 0
        while shared < shortest:
            found = windows[some + shared].astype(np.uint64)
            differing = int(np.bitwise_or.reduce(found ^ found[0]))
            same = WORD - (differing.bit_length() + 7) // 8
            shared += same
            if same < WORD:
                break
        if not shared:
            break
    return min(shared, shortest)
