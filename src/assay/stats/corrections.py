"""Corrections: many comparisons find something by chance; a correction raises each p to account for that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.arrays import Floats
from assay.catalog import find_by_any_name
from assay.errors import DataError


class Correction(NamedTuple):
    """One way to correct for many comparisons."""

    name: str
    title: str
    """Its name in a sentence."""
    adjust: Callable[[Floats], Floats]
    """Ascending p → adjusted p, not yet limited to 1."""
    meaning: str
    aliases: tuple[str, ...]


def correct(p: ArrayLike, method: str = "holm") -> Floats:
    """Each p, corrected for many comparisons, in the same shape. nan stays nan and does not count as a comparison."""
    chances = np.asarray(p, dtype=float)
    defined = ~np.isnan(chances)
    values = chances[defined]
    if ((values < 0) | (values > 1)).any():
        wrong = values[(values < 0) | (values > 1)][0]
        raise DataError(f"a p-value must be between 0 and 1, not {wrong:g}")
    adjust = parse_correction(method).adjust
    order = np.argsort(values, kind="stable")
    adjusted = np.empty(len(values))
    adjusted[order] = np.clip(adjust(values[order]), values[order], 1.0)
    result = np.full(chances.shape, np.nan)
    result[defined] = adjusted
    return result


def parse_correction(text: str) -> Correction:
    """Parse `holm`, `bh` or `Benjamini-Hochberg`; other common names work too."""
    return find_by_any_name("correction", text.strip().replace("–", "_").replace(" ", "_"), CORRECTIONS)


def _none(p: Floats) -> Floats:
    return p


def _bonferroni(p: Floats) -> Floats:
    return p * len(p)


def _holm(p: Floats) -> Floats:
    return np.maximum.accumulate(p * _descending(p))


def _hochberg(p: Floats) -> Floats:
    return _smallest_from_here(p * _descending(p))


def _hommel(p: Floats) -> Floats:
    """Hommel 1988 (A Stagewise Rejective Multiple Test Procedure, Biometrika 75) in the form of Wright 1992 (Adjusted
    P-Values for Simultaneous Inference, Biometrics 48): for each m, Simes' test of the m largest bounds all p from below.
    """
    n, place = len(p), _ascending(p)
    adjusted = p.copy()
    for m in range(n, 1, -1):
        is_large = place > n - m
        smallest = float((m * p[is_large] / (place[is_large] - (n - m))).min())
        lower = np.where(is_large, smallest, np.minimum(smallest, m * p))
        adjusted = np.maximum(adjusted, lower)
    return adjusted


def _sidak(p: Floats) -> Floats:
    return _at_least_one(p, np.full(len(p), float(len(p))))


def _holm_sidak(p: Floats) -> Floats:
    return np.maximum.accumulate(_at_least_one(p, _descending(p)))


def _at_least_one(p: Floats, n: Floats) -> Floats:
    """The probability that one of n independent p is as small; exact for tiny p, and 1 for p = 1."""
    with np.errstate(divide="ignore"):
        return np.where(n == 1, p, -np.expm1(n * np.log1p(-p)))


def _benjamini_hochberg(p: Floats) -> Floats:
    return _smallest_from_here(p * len(p) / _ascending(p))


def _benjamini_yekutieli(p: Floats) -> Floats:
    return _benjamini_hochberg(p * (1.0 / _ascending(p)).sum())


def _ascending(p: Floats) -> Floats:
    return np.arange(1.0, len(p) + 1)


def _descending(p: Floats) -> Floats:
    return np.arange(float(len(p)), 0.0, -1.0)


def _smallest_from_here(p: Floats) -> Floats:
    """For each place: the smallest value from here to the end."""
    return np.minimum.accumulate(p[::-1])[::-1]


_FAMILY = "limits the probability of any false positive among all comparisons to the level you set"
_RATE = "limits the share of false positives among the differences found to the level you set"
CORRECTIONS: Mapping[str, Correction] = {
    correction.name: correction
    for correction in (
        Correction(
            "benjamini_hochberg",
            "Benjamini–Hochberg",
            _benjamini_hochberg,
            f"{_RATE}; for screening many candidates",
            ("bh", "fdr", "fdr_bh"),
        ),
        Correction(
            "benjamini_yekutieli",
            "Benjamini–Yekutieli",
            _benjamini_yekutieli,
            f"{_RATE}, however the comparisons depend on each other",
            ("by", "fdr_by"),
        ),
        Correction(
            "bonferroni",
            "Bonferroni",
            _bonferroni,
            f"multiplies p by the number of comparisons: {_FAMILY}; the strictest",
            ("b",),
        ),
        Correction(
            "hochberg",
            "Hochberg",
            _hochberg,
            f"{_FAMILY}; finds slightly more than holm, if the comparisons do not depend negatively on each other",
            ("simes_hochberg",),
        ),
        Correction(
            "holm",
            "Holm",
            _holm,
            f"{_FAMILY}; never stricter than bonferroni, and needs no assumptions",
            ("holm_bonferroni",),
        ),
        Correction(
            "holm_sidak",
            "Holm–Šidák",
            _holm_sidak,
            f"{_FAMILY}; finds slightly more than holm, if the comparisons are independent",
            ("hs", "holm_šidák"),
        ),
        Correction(
            "hommel",
            "Hommel",
            _hommel,
            f"{_FAMILY}; finds slightly more than hochberg, under the same assumption",
            ("ho",),
        ),
        Correction(
            "none", "not corrected", _none, "leaves p unchanged; correct for one comparison planned in advance", ("raw",)
        ),
        Correction(
            "sidak",
            "Šidák",
            _sidak,
            f"{_FAMILY}; slightly less strict than bonferroni, if the comparisons are independent",
            ("s", "šidák"),
        ),
    )
}
"""Name → correction, sorted by name."""
