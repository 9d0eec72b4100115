"""Packed texts: many short texts as two arrays, so that they can stay on disk; texts are decoded one by one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Bytes: TypeAlias = npt.NDArray[np.uint8]
Ends: TypeAlias = npt.NDArray[np.int64]
ENCODING = "utf-8", "surrogatepass"
"""Ids and words may contain half of a surrogate pair."""


def pack_texts(texts: Sequence[str]) -> tuple[Bytes, Ends]:
    """All bytes of the texts, and the position at which each text ends."""
    if all(map(str.isascii, texts)):
        content, lengths = "".join(texts).encode(), map(len, texts)
    else:
        encoded = [text.encode(*ENCODING) for text in texts]
        content, lengths = b"".join(encoded), map(len, encoded)
    return np.frombuffer(content, np.uint8), np.fromiter(accumulate(lengths), np.int64, len(texts))


class PackedTexts:
    """Texts by number."""

    def __init__(self, content: Bytes, ends: Ends) -> None:
        self._content, self._ends = content, ends

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, number: int) -> str:
        return self.encoded(number).decode(*ENCODING)

    def encoded(self, number: int) -> bytes:
        """The bytes of a text."""
        start = int(self._ends[number - 1]) if number else 0
        return self._content[start : self._ends[number]].tobytes()


class TextNumbers:
    """Text → number, for texts that are packed in the order of their bytes. The search needs no dictionary."""

    def __init__(self, texts: PackedTexts, numbers: npt.NDArray[np.int32]) -> None:
        self._texts, self._numbers = texts, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def get(self, text: str, default: int) -> int:
        """The number of a text; the default if the text is not there."""
        encoded = text.encode(*ENCODING)
        place = bisect_left(range(len(self._texts)), encoded, key=self._texts.encoded)
        if place < len(self._texts) and self._texts.encoded(place) == encoded:
            return int(self._numbers[place])
        return default


def pack_numbers(numbers: dict[str, int]) -> tuple[Bytes, Ends, npt.NDArray[np.int32]]:
    """The texts in the order of their bytes, packed, and their numbers."""
    ordered = sorted(numbers, key=lambda text: text.encode(*ENCODING))
    return (*pack_texts(ordered), np.fromiter(map(numbers.__getitem__, ordered), np.int32, len(ordered)))
