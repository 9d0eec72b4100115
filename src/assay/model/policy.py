"""Policy: the conventions that scores depend on, recorded in every result."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from assay.errors import BadParameter
from assay.model.values import is_finite_number


class RankRule(NamedTuple):
    """The part of a policy that decides the rank of a document."""

    ties: str
    precision: str
    drop_self: bool
    depth: int | None = None
    """How many documents of a ranking count; None: all. It never changes the order."""


def _one_of(meaning: str, *choices: str) -> Any:
    """A field with a few allowed values; the first is the default."""
    return field(default=choices[0], metadata={"meaning": meaning, "choices": choices})


def _setting(meaning: str, default: float | bool | None) -> Any:
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How rankings are ordered and which queries count. The defaults are trec_eval's, with every judged query counted."""

    ties: str = _one_of(
        "how to order documents with equal scores. reverse_order: input order reversed; rank_column: by the ranks in the"
        " run; expected: mean over all orders; ranx: as ranx sorts them",
        *("docid_desc", "docid_asc", "input_order", "reverse_order", "rank_column", "expected", "ranx", "error"),
    )
    precision: str = _one_of("precision in which scores are compared", "float64", "float32")
    missing: str = _one_of(
        "what to do with a judged query that is missing from the run; zero: score it as an empty ranking",
        *("zero", "skip", "error"),
    )
    extra: str = _one_of("what to do with a query in the run that has no judgments", "skip", "error")
    no_relevant: str = _one_of(
        "what to do with a query that has no relevant documents; one: score it 1, as programs for learning to rank do",
        *("zero", "skip", "error", "one"),
    )
    rel: float | None = _setting("lowest grade that counts as relevant (default: any grade above 0)", None)
    judged_only: bool = _setting("remove unjudged documents from rankings before scoring", False)
    negatives: str = _one_of("how to count a document with a negative grade", "unjudged", "nonrelevant")
    drop_self: bool = _setting("remove documents with the same id as the query from rankings before scoring", False)
    max_grade: float | None = _setting("highest grade of the scale (default: the highest grade in the judgments)", None)
    duplicates: str = _one_of("what to do with a document that is ranked twice for a query", "error", "keep_best")
    depth: int | None = field(
        default=None,
        metadata={
            "meaning": "number of documents per query that count; after ranking, the rest is cut off (default: all)",
            "short": "-M",
        },
    )

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise BadParameter(f"{name} must be one of {', '.join(allowed)}, not {getattr(self, name)!r}")
        for name in ("rel", "max_grade"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not is_finite_number(value)):
                raise BadParameter(f"{name} must be a finite number or None, not {value!r}")
        if self.max_grade is not None and self.max_grade <= 0:
            raise BadParameter(f"max_grade must be a number above 0, not {self.max_grade!r}")
        if self.depth is not None and (type(self.depth) is not int or self.depth < 1):
            raise BadParameter(f"depth must be a whole number of at least 1 or None, not {self.depth!r}")
        for name in ("judged_only", "drop_self"):
            if not isinstance(getattr(self, name), bool):
                raise BadParameter(f"{name} must be True or False, not {getattr(self, name)!r}")

    def __hash__(self) -> int:
        return hash((self.ties, self.missing, self.no_relevant, self.rel, self.depth))  # a policy is looked up often

    @property
    def rank_rule(self) -> RankRule:
        """What decides ranks. With ties=expected or ties=error, equal scores are ordered as with the default."""
        ties = "docid_desc" if self.ties in ("expected", "error") else self.ties
        return RankRule(ties, self.precision, self.drop_self, self.depth)

    def changes(self, other: Policy) -> dict[str, str | float | bool | None]:
        """The fields in which this policy differs from another one. `max_grade` counts only if it is set here."""
        mine, theirs = dataclasses.asdict(self), dataclasses.asdict(other)
        return {name: value for name, value in mine.items() if value != theirs[name] and (name != "max_grade" or value)}

    def to_dict(self) -> dict[str, str | float | bool | None]:
        """The policy as plain JSON values, in declaration order. `depth` is there only if it is set."""
        return {name: value for name, value in dataclasses.asdict(self).items() if name != "depth" or value is not None}


CHOICES: dict[str, tuple[str, ...]] = {
    setting.name: setting.metadata["choices"] for setting in fields(Policy) if "choices" in setting.metadata
}
"""Field → its allowed values, the default first."""
