"""Asking: put queries to a retriever, in batches or one by one side by side, with patience and without losing any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.evaluation.answers import Answer
from assay.evaluation.batches import Batches
from assay.evaluation.crew import Crew
from assay.evaluation.experience import Experience
from assay.evaluation.line import Line
from assay.evaluation.patience import Patience
from assay.model import Query
from assay.providers import Retriever


def ask(
    retriever: Retriever | Line,
    queries: Sequence[Query],
    k: int,
    batch: int,
    patience: Patience | Experience,
    *,
    grows: bool = False,
) -> Iterator[list[Answer]]:
    """Answers as they come, every query once. A query that fails for good has its error as the answer.

    With `grows`, `batch` is the largest size, reached step by step while answers come quickly. What is asked in several
    goes shares an experience.
    """
    experience = patience if isinstance(patience, Experience) else Experience(patience)
    line = retriever if isinstance(retriever, Line) else Line(retriever)
    how = Batches(line, k, experience, batch, grows) if batch > 1 else Crew(line, k, experience)
    return how.ask(queries)
