"""Normalisations: they make scores of different runs comparable, ranking by ranking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assay.arrays import Floats
from assay.fusion.lists import RankedLists
from assay.grammar import Param, one_of

Normalisation = Callable[[RankedLists], RankedLists]
MODERATE = 2.0**-400, 2.0**400
"""Between these limits, squares of scores and their sums neither vanish nor overflow."""


def min_max(lists: RankedLists) -> RankedLists:
    """1 for the highest score of a ranking, 0 for the lowest, linear in between. If all scores are equal: 1."""
    lowest, highest = _ends(lists)
    return _with(lists, _share(lists.score - lowest, highest - lowest, 1.0))


def maximum(lists: RankedLists) -> RankedLists:
    """Scores divided by the highest. If a score is negative, the lowest is first subtracted from all. All equal: 1."""
    lowest, highest = _ends(lists)
    lowest = np.where((lowest < 0) | (highest == lowest), lowest, 0.0)
    return _with(lists, _share(lists.score - lowest, highest - lowest, 1.0))


def total(lists: RankedLists) -> RankedLists:
    """Scores minus the lowest, divided by their sum (Montague & Aslam 2001). If all n scores are equal: 1 ÷ n."""
    lowest, _ = _ends(lists)
    above = lists.score - lowest
    whole = np.add.reduceat(above, lists.start) if len(above) else above
    return _with(lists, _share(above, whole[lists.stretch], (1.0 / lists.length)[lists.stretch]))


def z_score(lists: RankedLists) -> RankedLists:
    """Standard deviations of a score above the mean of its ranking. If all scores are equal: 1.

    A score below the mean is below 0, so it counts less than a missing document, which adds 0.
    """
    if not len(lists.score):
        return lists
    above = lists.score - (np.add.reduceat(lists.score, lists.start) / lists.length)[lists.stretch]
    spread = np.sqrt(np.add.reduceat(above**2, lists.start) / lists.length)[lists.stretch]
    lowest, highest = _ends(lists)
    return _with(lists, _share(above, np.where(highest == lowest, 0.0, spread), 1.0))


def rank(lists: RankedLists) -> RankedLists:
    """1 for the first document of a ranking, and an equal step less for each rank: 1 − (rank − 1) ÷ length."""
    return _with(lists, 1 - (lists.rank - 1) / lists.length[lists.stretch])


def borda(lists: RankedLists) -> RankedLists:
    """1 − (rank − 1) ÷ candidates (the documents of all runs). Missing documents share the remaining points of a run.

    After this, every run that has the query has all candidates. (Renda & Straccia 2003.)
    """
    candidates = lists.n_candidates[lists.stretch_query]
    left = 0.5 - (lists.length - 1) / (2 * candidates)
    stretch = np.repeat(np.arange(len(candidates)), candidates)
    start = np.cumsum(candidates) - candidates
    place = np.arange(len(stretch)) - start[stretch]
    score = left[stretch]
    at = start[lists.stretch] + lists.pair - lists.query_start[lists.stretch_query][lists.stretch]
    score[at] = 1 - (lists.rank - 1) / candidates[lists.stretch]
    pair = lists.query_start[lists.stretch_query][stretch] + place
    return replace(lists, pair=pair, score=score, length=candidates)


def as_they_are(lists: RankedLists) -> RankedLists:
    """The scores, unchanged."""
    return lists


def _ends(lists: RankedLists) -> tuple[Floats, Floats]:
    """For each occurrence: the lowest and the highest score of its ranking."""
    if not len(lists.score):
        return lists.score, lists.score
    return (
        np.minimum.reduceat(lists.score, lists.start)[lists.stretch],
        np.maximum.reduceat(lists.score, lists.start)[lists.stretch],
    )


def _share(part: Floats, whole: Floats, otherwise: Floats | float) -> Floats:
    """Part divided by whole; `otherwise` if the whole is 0."""
    none = whole == 0
    return np.where(none, otherwise, part / np.where(none, 1.0, whole))


def _with(lists: RankedLists, score: Floats) -> RankedLists:
    return replace(lists, score=score, original_score=lists.score if lists.original_score is None else lists.original_score)


def _moderate(lists: RankedLists) -> RankedLists:
    """The same lists; if scores are huge or tiny, each ranking is divided by a power of 2 near its largest |score|.

    A power of 2 changes no digit, and such a factor does not change the result of these normalisations.
    """
    if not len(lists.score):
        return lists
    largest = np.maximum.reduceat(np.abs(lists.score), lists.start)
    if not ((largest > MODERATE[1]) | ((largest < MODERATE[0]) & (largest > 0))).any():
        return lists
    return _with(lists, np.ldexp(lists.score, -np.frexp(largest)[1][lists.stretch]))


NORMALISATIONS: dict[str, Normalisation] = {
    "min_max": min_max,
    "max": maximum,
    "sum": total,
    "z_score": z_score,
    "rank": rank,
    "borda": borda,
    "none": as_they_are,
}
SCALED = ("min_max", "max", "sum", "z_score")
"""Normalisations whose result does not change if all scores of a ranking are multiplied by the same number."""
ALIASES = {"minmax": "min_max", "zmuv": "z_score", "z": "z_score", "zscore": "z_score", "raw": "none"}

_one = one_of(*NORMALISATIONS)


def parse_norm(text: str) -> str:
    """The name of a normalisation; hyphens and aliases are accepted."""
    plain = text.lower().replace("-", "_")
    return _one(ALIASES.get(plain, plain))


parse_norm.choices = tuple(NORMALISATIONS)  # type: ignore[attr-defined]

NORM = Param("norm", parse_norm, "min_max", f"normalisation of scores: {', '.join(NORMALISATIONS)}", ("normalisation",))


def normalised(lists: RankedLists, norm: str) -> RankedLists:
    """The lists with normalised scores; an infinite score is an error."""
    lists.check_finite()
    return NORMALISATIONS[norm](_moderate(lists) if norm in SCALED else lists)
