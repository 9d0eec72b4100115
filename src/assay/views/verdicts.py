"""Verdicts: the `verdicts` view, with what judges said about the claims, nuggets and contexts of each answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats

ANSWER_IN_CONTEXTS = "answer_in_contexts"
"""Claims of the answer: does the retrieved text support them?"""
ANSWER_IN_REFERENCE = "answer_in_reference"
"""Claims of the answer: does the reference answer support them?"""
REFERENCE_IN_ANSWER = "reference_in_answer"
"""Claims of the reference answer: does the answer support them?"""
REFERENCE_IN_CONTEXTS = "reference_in_contexts"
"""Claims of the reference answer: does the retrieved text support them?"""
NUGGETS_IN_ANSWER = "nuggets_in_answer"
"""Nuggets of the query: does the answer contain them?"""
USEFUL_CONTEXTS = "useful_contexts"
"""Retrieved contexts, best first: are they useful to answer the question?"""


class Verdict(NamedTuple):
    """What a judge said about one claim, nugget or context."""

    value: float | None
    """1: yes, 0: no, 0.5: a nugget in part; None: unjudged."""
    is_vital: bool = True
    """Whether a good answer must have it. Only nuggets can be of less importance."""


Verdicts = Sequence[Verdict]


@dataclass(frozen=True, eq=False)
class AnswerVerdicts:
    """For each check and query: the verdicts. None if the check does not apply; empty if there was nothing to judge."""

    query_ids: tuple[str, ...]
    by_check: Mapping[str, Sequence[Verdicts | None]]

    def of(self, check: str) -> Sequence[Verdicts | None]:
        """The verdicts of a check, for each query."""
        return self.by_check[check]

    def share(self, check: str, value: Callable[[Verdict], float | None] = lambda verdict: verdict.value) -> Floats:
        """The mean value of the verdicts of each query. Unjudged verdicts are left out; nan if none is left."""
        values = [[known for each in verdicts or () if (known := value(each)) is not None] for verdicts in self.of(check)]
        return np.array([sum(known) / len(known) if known else np.nan for known in values], dtype=np.float64)
