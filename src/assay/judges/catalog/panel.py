"""panel: several judges, whose grades are combined into one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median_low
from typing import Any

from assay.errors import BadParameter
from assay.grammar import Param, one_of
from assay.judges.definition import BoundJudge, Grader, Judge
from assay.judges.grades import PairGrade, ungraded
from assay.text import counted


def combine_grades(grades: Sequence[PairGrade], vote: str) -> PairGrade:
    """The grade of a panel. More than half of the judges must have graded the pair.

    median: the lower one of two grades in the middle. majority: the grade that more than half of all judges gave.
    """
    values = [grade.grade for grade in grades if grade.grade is not None]
    if len(values) * 2 <= len(grades):
        return ungraded(f"only {len(values)} of {counted(len(grades), 'judge')} graded it")
    votes = f"{counted(len(grades), 'judge')}: {', '.join('–' if g.grade is None else f'{g.grade:g}' for g in grades)}"
    if vote == "median":
        return PairGrade(median_low(values), reason=votes)
    ((value, n),) = Counter(values).most_common(1)
    if n * 2 <= len(grades):
        return ungraded(f"no majority among {votes}")
    return PairGrade(value, reason=votes)


def make_nothing(**_: Any) -> Grader:
    """A panel is not asked: its judges are."""
    raise BadParameter("panel has no judge of its own")


def check_parts(parts: Sequence[BoundJudge], **_: Any) -> None:
    """Raise if a judge occurs twice: it would count twice."""
    identities = [part.identity for part in parts]
    if len(set(identities)) < len(identities):
        raise BadParameter("panel: two judges are the same. Leave out one of them")


PANEL = Judge(
    "panel",
    "several judges; the median or the majority of their grades",
    make_nothing,
    params=(Param("vote", one_of("median", "majority"), "median", "how grades are combined: median or majority"),),
    takes_parts=True,
    check=check_parts,
)
