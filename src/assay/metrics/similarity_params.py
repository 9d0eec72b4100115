"""Parameters of metrics that read similarities."""

from __future__ import annotations

from assay.grammar import Param, cutoff
from assay.ontology import FORMULA

__all__ = ["FIRST_TERMS", "FORMULA"]

FIRST_TERMS = Param("k", cutoff, None, "only the first k retrieved ids count", aliases=("cutoff",), at=True)
