"""Sample ratio: whether the variants have as many users as expected. If not, they are not comparable."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.errors import BadParameter, DataError, UsageError
from assay.model import parse_number

SMALLEST_P = 0.001
"""Below this p, the numbers of users do not fit the split (Fabijan et al. 2019, Diagnosing Sample Ratio Mismatch, KDD)."""
Split = str | Sequence[float] | Mapping[str, float]
Shares = Mapping[str, float] | Sequence[float]


@dataclass(frozen=True)
class SampleRatio:
    """The users of each variant, and how well they fit the expected shares."""

    users: Mapping[str, int]
    expected: Mapping[str, float]
    """The expected share of each variant; the sum is 1."""
    statistic: float
    p: float

    @property
    def is_mismatch(self) -> bool:
        """Whether the numbers of users do not fit."""
        return self.p < SMALLEST_P


def check_ratio(users: Mapping[str, int], expected: Mapping[str, float]) -> SampleRatio:
    """Pearson's chi-squared test of the numbers of users."""
    from scipy.special import chdtrc

    observed = np.array([users[name] for name in expected], dtype=float)
    wanted = np.array(list(expected.values())) * observed.sum()
    statistic = float((np.square(observed - wanted) / wanted).sum())
    return SampleRatio(users, expected, statistic, float(chdtrc(len(expected) - 1, statistic)))


def parse_split(split: Split | None) -> Shares | None:
    """`control=90,dense=10` or `50,50`, or the same as a mapping or a list: shares above 0, which need not add up to 1."""
    if split is None:
        return None
    if isinstance(split, str):
        split = _parse_text(split)
    values = list(split.values()) if isinstance(split, Mapping) else list(split)
    if len(values) < 2 or not all(_is_share(value) for value in values):
        raise BadParameter(
            f"the split must have a number above 0 for each variant, such as control=90,dense=10, not {split!r}"
        )
    if not isinstance(split, Mapping) and len(set(values)) > 1:
        raise UsageError("an unequal split must name the variants, such as control=90,dense=10")
    return split


def _is_share(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and 0 < value < math.inf


def _parse_text(text: str) -> Shares:
    parts = [part.partition("=") for part in text.split(",")]
    named = [bool(equals) for _, equals, _ in parts]
    try:
        if all(named):
            return {name.strip(): parse_number(value.strip()) for name, _, value in parts}
        if not any(named):
            return [parse_number(name.strip()) for name, *_ in parts]
    except ValueError:
        pass
    raise BadParameter(f"the split must look like 50,50 or control=90,dense=10, not {text!r}")


def expected_shares(variants: Sequence[str], split: Shares | None) -> dict[str, float]:
    """The expected share of each variant; equal shares if there is no split."""
    if split is None or not isinstance(split, Mapping):
        if split is not None and len(split) != len(variants):
            raise DataError(f"the split has {len(split)} shares, but the log has the variants {', '.join(variants)}")
        return dict.fromkeys(variants, 1 / len(variants))
    if missing := [name for name in split if name not in variants]:
        raise DataError(f"no user in the log has the variant {missing[0]} of the split; the log has {', '.join(variants)}")
    if extra := [name for name in variants if name not in split]:
        raise DataError(f"the split has no share for the variant {extra[0]} of the log")
    return {name: split[name] / sum(split.values()) for name in variants}
