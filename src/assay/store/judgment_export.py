"""Judgment export: what of people's grades TREC qrels can hold, and what they cannot, each with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assay.files import why_not_trec
from assay.model import is_finite_number
from assay.store.judgments import Judgment, combined
from assay.text import counted, printable

MOST_NAMED = 5
"""Reasons that are told."""
LONGEST = 200
"""Letters of a reason."""


@dataclass(frozen=True)
class Exportable:
    """Grades that can be written as qrels, one for each pair, and why others cannot."""

    grades: Mapping[str, Mapping[str, float]]
    left_out: tuple[str, ...] = ()
    """Why, once for each grade."""

    @property
    def n_pairs(self) -> int:
        """How many pairs have a grade."""
        return sum(map(len, self.grades.values()))

    @property
    def said(self) -> str:
        """What TREC files cannot hold, on one line; empty where they hold everything."""
        if not self.left_out:
            return ""
        reasons = [one if len(one) <= LONGEST else one[: LONGEST - 1] + "…" for one in dict.fromkeys(self.left_out)]
        more = "; …" if len(reasons) > MOST_NAMED else ""
        which = "; ".join(reasons[:MOST_NAMED]) + more
        return printable(f"TREC files cannot hold {counted(len(self.left_out), 'grade')}: {which}")


def exportable(judgments: Iterable[Judgment]) -> Exportable:
    """One grade for each pair, as `combined` has it; what is no number, or has an id with a blank, is left out and named."""
    kept, left_out = [], []
    for one in judgments:
        why = why_not_trec(one.query, one.document)
        if not is_finite_number(one.grade):
            why = f"{one.judge} gave {one.document} for {one.query} the grade {one.grade!r}, which is no finite number"
        if why:
            left_out.append(why)
        else:
            kept.append(one)
    return Exportable(combined(kept), tuple(left_out))
