"""What a comparison shows about a pair of systems: its sign, p, effect and record, as tables have them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.comparison import UNKNOWN, Pair, p_digits
from assay.text import with_minus

BETTER, WORSE, CONFIRMED, SPLIT = "▲", "▼", "✓", "◇"


def p_short(p: float, draws: int = 0) -> str:
    """A p value in a column."""
    return UNKNOWN if math.isnan(p) else "<0.001" if p < 0.001 else p_digits(p, draws)


ABOUT_D_Z = "d_z: mean difference ÷ standard deviation of the differences (Cohen's d for paired scores)"
ABOUT_ES_HSD = "ES_HSD: mean difference ÷ residual standard deviation of all systems (Sakai 2014)"


def effect_name(pairs: Sequence[Pair]) -> str:
    """`ES_HSD` after a Tukey test, which compares all systems with one standard deviation; else `d_z`."""
    return "d_z" if all(math.isnan(pair.es_hsd) for pair in pairs) else "ES_HSD"


def effect_of(pair: Pair) -> float:
    """The effect that `effect_name` names."""
    return pair.d_z if math.isnan(pair.es_hsd) else pair.es_hsd


def effect_text(effect: float) -> str:
    """Cohen's d; infinite if the difference is the same on every query."""
    if math.isnan(effect):
        return UNKNOWN
    return with_minus(f"{effect:.2f}" if math.isfinite(effect) else "-∞" if effect < 0 else "∞")


def record_text(pair: Pair) -> str:
    """The number of queries on which b is better, the same, and worse; a dash if there are no scores for single queries."""
    if pair.n and not pair.wins + pair.ties + pair.losses:
        return UNKNOWN
    return f"{pair.wins:,} / {pair.ties:,} / {pair.losses:,}"


def mark(pair: Pair) -> str:
    """What is significant about b: better, worse, or the claim of the test; empty if nothing is."""
    if pair.claim != "differs":
        return CONFIRMED if pair.is_significant else ""
    if pair.better is None:
        return SPLIT if pair.is_split else ""
    return BETTER if pair.better == pair.b else WORSE
