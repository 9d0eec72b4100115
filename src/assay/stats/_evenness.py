"""Evenness in resamples: how evenly queries are spread over kinds, worked out from how often each kind is drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.model import Floats


def evenness_of(parts: Floats) -> Callable[[NDArray[Any]], Floats]:
    """Resamples × places of queries → the evenness of each resample; `parts` are as the aggregation has them."""
    kinds, number = np.unique(parts[:, 0], return_inverse=True)
    small = number.astype(np.int64)
    n_kinds = max(float(parts[:, 1].max()), len(kinds))

    def figure(index: NDArray[Any]) -> Floats:
        row = np.arange(len(index))[:, np.newaxis] * len(kinds)
        counts = np.bincount((small[index] + row).ravel(), minlength=len(index) * len(kinds))
        return evenness_of_counts(counts.reshape(len(index), len(kinds)), n_kinds)

    return figure


def drawn_evenness(parts: Floats, resamples: int, seed: int) -> Floats:
    """The evenness in bootstrap resamples, drawn by kind instead of by query: as good, and quick however many there are."""
    kinds, counts = np.unique(parts[:, 0], return_counts=True)
    n_kinds = max(float(parts[:, 1].max()), len(kinds))
    drawn = np.random.default_rng(seed).multinomial(len(parts), counts / len(parts), size=resamples)
    return evenness_of_counts(drawn, n_kinds)


def evenness_of_counts(counts: NDArray[Any], n_kinds: float) -> Floats:
    """Pielou's evenness of each row of counts; undefined where there is one kind alone.

    Pielou 1966, The Measurement of Diversity in Different Types of Biological Collections, J Theor Biol 13.
    """
    if n_kinds <= 1:
        return np.full(len(counts), np.nan)
    share = counts / counts.sum(axis=1, keepdims=True)
    logs = np.log(share, out=np.zeros_like(share), where=share > 0)
    return np.asarray(-(share * logs).sum(axis=1) / np.log(n_kinds) + 0.0)
