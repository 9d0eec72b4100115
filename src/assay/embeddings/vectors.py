"""Vectors of texts: of length 1 for search, or as the model returns them for exact similarities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.embeddings.disk_cache import EmbeddingCache, key_of
from assay.embeddings.models import EmbeddingModel, readable
from assay.errors import UsageError
from assay.text import counted, shortened

Vectors: TypeAlias = npt.NDArray[np.float32]
Report = Callable[[int, int], None]
"""Called with the number of texts that are done, and the number of all."""
TEXTS_AT_ONCE = 1024
MAX_REMEMBERED = 100_000
"""The most texts whose vectors stay in memory: 100 MB if a vector has 256 numbers."""


def _report_nothing(n_done: int, n_all: int) -> None:
    """Ignore the numbers."""


def embed(
    model: EmbeddingModel, texts: Sequence[str], store: EmbeddingCache | None = None, report: Report = _report_nothing
) -> Vectors:
    """A vector of length 1 per text, a zero vector for a blank text. Equal texts are embedded once, cached ones never."""
    valid = list(map(readable, texts))
    keys = {text: key_of(model.identity, text) for text in dict.fromkeys(valid) if text.strip()}
    known = store.read(list(keys.values())) if store else {}
    asked = [text for text, key in keys.items() if key not in known]
    for start in range(0, len(asked), TEXTS_AT_ONCE):
        report(len(texts) - len(asked) + start, len(texts))
        some = asked[start : start + TEXTS_AT_ONCE]
        new = dict(zip([keys[text] for text in some], _of_length_1(model.vectors(some)), strict=True))
        known |= new
        if store:
            store.write(new)
    report(len(texts), len(texts))
    width = len(next(iter(known.values()))) if known else 0
    nothing = np.zeros(width, np.float32)
    rows = [known[keys[text]] if text in keys else nothing for text in valid]
    return np.stack(rows) if rows else np.zeros((0, width), np.float32)


def _of_length_1(vectors: Vectors) -> Vectors:
    vectors = np.ascontiguousarray(vectors, np.float32)
    lengths = np.sqrt((vectors.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    _check_finite(lengths)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def _check_finite(numbers: npt.NDArray[Any]) -> None:
    if not np.isfinite(numbers).all():
        raise UsageError("the embedding model returned a vector with a number that is not finite")


class TextVectors:
    """The vectors of texts as the model returns them, a zero vector for a blank text. Each text is embedded once.

    The vectors stay in memory, so that several runs on the same documents do not embed them again.
    """

    def __init__(self, model: EmbeddingModel) -> None:
        self._model = model
        self._known: dict[str, npt.NDArray[Any]] = {}
        self._width = 0

    def of(self, texts: Sequence[str]) -> npt.NDArray[Any]:
        """A row per text."""
        if len(self._known) > MAX_REMEMBERED:
            self._known.clear()
        self._add(dict.fromkeys(text for text in texts if text.strip() and text not in self._known))
        nothing = np.zeros(self._width, np.float32)
        rows = [self._known.get(text, nothing) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self._width), np.float32)

    def _add(self, texts: Iterable[str]) -> None:
        new = list(texts)
        for start in range(0, len(new), TEXTS_AT_ONCE):
            some = new[start : start + TEXTS_AT_ONCE]
            rows = self._checked(self._model.vectors([readable(text) for text in some]), len(some))
            self._known |= dict(zip(some, rows, strict=True))

    def _checked(self, vectors: Any, n_texts: int) -> npt.NDArray[Any]:
        """A matrix with a row per text, in the precision that the model has; an error if it is anything else."""
        try:
            matrix = np.asarray(vectors)
        except ValueError:  # rows of different lengths
            matrix = np.zeros(0, object)
        is_numeric = matrix.dtype.kind in "fiu"
        if matrix.ndim != 2 or len(matrix) != n_texts or not is_numeric:
            returned = f"an array of shape {matrix.shape}" if is_numeric else shortened(vectors)
            rows = f"a row of numbers for each of {counted(n_texts, 'text')}, all of one length"
            raise UsageError(f"the embedding model {self._model.identity} must return {rows}, not {returned}")
        matrix = matrix if matrix.dtype == np.float32 else matrix.astype(np.float64)
        _check_finite(matrix)
        self._width = matrix.shape[1]
        return matrix
