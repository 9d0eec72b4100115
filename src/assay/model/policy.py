"""Policy: the conventions a score depends on, decided once and recorded in every result."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from assay.errors import BadParameter
from assay.model.numeric import is_finite_number

CHOICES: dict[str, tuple[str, ...]] = {
    "ties": ("docid_desc", "docid_asc", "input_order"),
    "missing": ("zero", "skip", "error"),
    "extra": ("skip", "error"),
    "no_relevant": ("zero", "skip"),
    "duplicates": ("error", "keep_best"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How rankings are ordered and which queries count. The defaults are trec_eval's, with every judged query counted."""

    ties: str = "docid_desc"
    """Order of documents with equal scores: `docid_desc` (trec_eval, bytewise), `docid_asc` or `input_order`."""
    missing: str = "zero"
    """A judged query that the run lacks: scores as an empty ranking (`zero`), is left out (`skip`), or is an `error`."""
    extra: str = "skip"
    """A query in the run without judgments: left out (`skip`) or an `error`."""
    no_relevant: str = "zero"
    """A query without relevant documents: counts (`zero`) or is left out (`skip`)."""
    rel: float | None = None
    """Lowest grade that counts as relevant for binary metrics; None means any grade above 0."""
    judged_only: bool = False
    """Drop unjudged documents from rankings before scoring (condensed lists)."""
    max_grade: float | None = None
    """Largest grade the scale allows (ERR, INST …); None means the largest grade found in the judgments."""
    duplicates: str = "error"
    """A document ranked twice for one query: an `error`, or `keep_best` keeps its best score."""

    def __post_init__(self) -> None:
        for field, allowed in CHOICES.items():
            if getattr(self, field) not in allowed:
                raise BadParameter(f"{field} is one of {', '.join(allowed)}, not {getattr(self, field)!r}")
        for field in ("rel", "max_grade"):
            value = getattr(self, field)
            if value is not None and (isinstance(value, bool) or not is_finite_number(value)):
                raise BadParameter(f"{field} is a finite number or None, not {value!r}")
        if self.max_grade is not None and self.max_grade <= 0:
            raise BadParameter(f"max_grade is above 0, not {self.max_grade!r}")
        if not isinstance(self.judged_only, bool):
            raise BadParameter(f"judged_only is True or False, not {self.judged_only!r}")

    def to_dict(self) -> dict[str, str | float | bool | None]:
        """The policy as plain JSON values, in declaration order."""
        return dataclasses.asdict(self)
