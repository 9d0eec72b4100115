"""Policy: the conventions a score depends on, decided once and recorded in every result."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from assay.errors import BadParameter
from assay.model.values import is_finite_number


class RankRule(NamedTuple):
    """The part of a policy that decides at which rank a document stands."""

    ties: str
    precision: str
    drop_self: bool


def _one_of(meaning: str, *choices: str) -> Any:
    """A field that takes one of a few words; the first is the default."""
    return field(default=choices[0], metadata={"meaning": meaning, "choices": choices})


def _setting(meaning: str, default: float | bool | None) -> Any:
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How rankings are ordered and which queries count. The defaults are trec_eval's, with every judged query counted."""

    ties: str = _one_of(
        "order of documents with equal scores; reverse_order: that of the input, backwards; rank_column: by the ranks beside"
        " the scores; expected: the mean over all orders; ranx: as its sort leaves them",
        *("docid_desc", "docid_asc", "input_order", "reverse_order", "rank_column", "expected", "ranx", "error"),
    )
    precision: str = _one_of("how exactly scores are compared", "float64", "float32")
    missing: str = _one_of("a judged query that the run lacks; zero: as an empty ranking", "zero", "skip", "error")
    extra: str = _one_of("a query of the run without judgments", "skip", "error")
    no_relevant: str = _one_of("a query without relevant documents", "zero", "skip", "error")
    rel: float | None = _setting("lowest grade that is relevant (default: any grade above 0)", None)
    judged_only: bool = _setting("drop unjudged documents from rankings first", False)
    negatives: str = _one_of("what a negative grade means", "unjudged", "nonrelevant")
    drop_self: bool = _setting("drop documents whose id is the query's id from rankings first", False)
    max_grade: float | None = _setting("top of the grading scale (default: the largest grade judged)", None)
    duplicates: str = _one_of("a document ranked twice for a query", "error", "keep_best")

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise BadParameter(f"{name} is one of {', '.join(allowed)}, not {getattr(self, name)!r}")
        for name in ("rel", "max_grade"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not is_finite_number(value)):
                raise BadParameter(f"{name} is a finite number or None, not {value!r}")
        if self.max_grade is not None and self.max_grade <= 0:
            raise BadParameter(f"max_grade is above 0, not {self.max_grade!r}")
        for name in ("judged_only", "drop_self"):
            if not isinstance(getattr(self, name), bool):
                raise BadParameter(f"{name} is True or False, not {getattr(self, name)!r}")

    @property
    def rank_rule(self) -> RankRule:
        """What decides ranks. Where no order is chosen among equals, they are set as by default and known to be tied."""
        ties = "docid_desc" if self.ties in ("expected", "error") else self.ties
        return RankRule(ties, self.precision, self.drop_self)

    def changes(self, other: Policy) -> dict[str, str | float | bool | None]:
        """The fields in which this differs from another policy, the top of the scale aside, which is worked out."""
        mine, theirs = self.to_dict(), other.to_dict()
        return {name: value for name, value in mine.items() if value != theirs[name] and (name != "max_grade" or value)}

    def to_dict(self) -> dict[str, str | float | bool | None]:
        """The policy as plain JSON values, in declaration order."""
        return dataclasses.asdict(self)


CHOICES: dict[str, tuple[str, ...]] = {
    setting.name: setting.metadata["choices"] for setting in fields(Policy) if "choices" in setting.metadata
}
"""Field → the words it may take, the default first."""
