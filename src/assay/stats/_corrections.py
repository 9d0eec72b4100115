"""Corrections: who asks many questions finds something by luck; these raise each p to make up for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.catalog import find_entry
from assay.errors import DataError
from assay.model.ordering import Floats


class Correction(NamedTuple):
    """One way to make up for many comparisons."""

    name: str
    title: str
    """How it is called in a sentence."""
    adjust: Callable[[Floats], Floats]
    """Ascending p → adjusted p, not yet cut at 1."""
    meaning: str
    aliases: tuple[str, ...]


def correct(p: ArrayLike, method: str = "holm") -> Floats:
    """Each p made up for being one of many; the shape stays. nan stays nan and does not count as a comparison."""
    given = np.asarray(p, dtype=float)
    defined = ~np.isnan(given)
    values = given[defined]
    if ((values < 0) | (values > 1)).any():
        wrong = values[(values < 0) | (values > 1)][0]
        raise DataError(f"a p value lies between 0 and 1; found {wrong:g}")
    adjust = parse_correction(method).adjust
    order = np.argsort(values, kind="stable")
    adjusted = np.empty(len(values))
    adjusted[order] = np.clip(adjust(values[order]), values[order], 1.0)
    result = np.full(given.shape, np.nan)
    result[defined] = adjusted
    return result


def parse_correction(text: str) -> Correction:
    """`holm`, `bh`, `Benjamini-Hochberg`; other names people use are understood."""
    plain = text.strip().lower().replace("-", "_").replace("–", "_").replace(" ", "_")
    by_alias = {alias: correction for correction in CORRECTIONS.values() for alias in correction.aliases}
    return by_alias.get(plain) or find_entry("correction", plain, CORRECTIONS)


def _none(p: Floats) -> Floats:
    return p


def _bonferroni(p: Floats) -> Floats:
    return p * len(p)


def _holm(p: Floats) -> Floats:
    return np.maximum.accumulate(p * _descending(p))


def _hochberg(p: Floats) -> Floats:
    return _smallest_from_here(p * _descending(p))


def _benjamini_hochberg(p: Floats) -> Floats:
    return _smallest_from_here(p * len(p) / _ascending(p))


def _benjamini_yekutieli(p: Floats) -> Floats:
    return _benjamini_hochberg(p * (1.0 / _ascending(p)).sum())


def _ascending(p: Floats) -> Floats:
    return np.arange(1.0, len(p) + 1)


def _descending(p: Floats) -> Floats:
    return np.arange(float(len(p)), 0.0, -1.0)


def _smallest_from_here(p: Floats) -> Floats:
    """For each place, the smallest of it and those after it."""
    return np.minimum.accumulate(p[::-1])[::-1]


_FAMILY = "keeps the chance of even one false alarm among all comparisons at the level you set"
_RATE = "keeps the share of false alarms among the differences found at the level you set"
CORRECTIONS: Mapping[str, Correction] = {
    correction.name: correction
    for correction in (
        Correction(
            "benjamini_hochberg",
            "Benjamini–Hochberg",
            _benjamini_hochberg,
            f"{_RATE}: for screening many candidates",
            ("bh", "fdr", "fdr_bh"),
        ),
        Correction(
            "benjamini_yekutieli",
            "Benjamini–Yekutieli",
            _benjamini_yekutieli,
            f"{_RATE}, however the comparisons hang together",
            ("by", "fdr_by"),
        ),
        Correction(
            "bonferroni", "Bonferroni", _bonferroni, f"multiplies p by their number: {_FAMILY}; the strictest", ("b",)
        ),
        Correction(
            "hochberg",
            "Hochberg",
            _hochberg,
            f"{_FAMILY}; finds a little more than holm, if the comparisons do not pull against each other",
            ("simes_hochberg",),
        ),
        Correction(
            "holm", "Holm", _holm, f"{_FAMILY}; never worse than bonferroni, and needs no assumption", ("holm_bonferroni",)
        ),
        Correction(
            "none", "not corrected", _none, "leaves p as it is: right for one comparison planned beforehand", ("raw",)
        ),
    )
}
"""Name → correction, sorted by name."""
