"""Conformance: hand-calculated cases that show which conventions your metric code follows, and what is wrong with it.

`check_function(score)` checks a Python function `score(metric, qrels, run) -> float`. `assay conformance` also checks a
program.
"""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
