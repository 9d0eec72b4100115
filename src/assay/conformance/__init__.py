"""The conformance kit: hand-worked cases that tell which conventions a metric's code follows, and what is wrong with it.

`check_function(score)` checks a Python function `score(metric, qrels, run) -> float`; `assay conformance` a program too.
"""

from assay.conformance.cases import Case, all_cases, all_topics
from assay.conformance.check import Answer, Verdict, ask, judge
from assay.conformance.report import Report, check_answers, check_function

__all__ = [
    "Answer",
    "Case",
    "Report",
    "Verdict",
    "all_cases",
    "all_topics",
    "ask",
    "check_answers",
    "check_function",
    "judge",
]
