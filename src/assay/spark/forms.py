"""Forms: the two ways to count runs, and which one suits a table."""

from __future__ import annotations

from typing import Literal

from assay.model import Qrels
from assay.spark.survey import Survey

Form = Literal["auto", "grouped", "counting"]
"""grouped: one shuffle of all rows; counting: no shuffle of rows, but two passes; auto: chosen by size."""
MANY_ROWS = 100_000_000
"""Rows of all runs from which moving them costs more than reading them twice."""
LONG_RANKING = 2_000_000
"""Rows of one query that a worker of the grouped form should not have in memory at once."""
FEW_JUDGED = 1_000_000
"""Judgments times runs, up to which the counting form can send all judged documents to each worker."""


def choose_form(form: Form, survey: Survey, qrels: Qrels) -> Literal["grouped", "counting"]:
    """The form that was asked for; for auto, counting if there are many rows and few judged documents."""
    if form != "auto":
        return form
    is_heavy = survey.n_rows >= MANY_ROWS or survey.longest >= LONG_RANKING
    return "counting" if is_heavy and len(qrels.docs) * len(survey.sizes) <= FEW_JUDGED else "grouped"
