"""slice_comparison: compare systems in every slice, with one correction over all comparisons."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from assay.comparison.alignment import Aligned
from assay.comparison.comparison import Comparison, n_fields
from assay.comparison.options import ComparisonOptions
from assay.comparison.own_samples import NO_OWN_SAMPLE, own_sample_remark, with_own_sample
from assay.comparison.pairs import Pair, compare_pairs, field_outcomes, with_corrected_p
from assay.comparison.verdict import corrected_for_many, corrected_over
from assay.model import Slice, Tags, asked_for
from assay.stats import Correction
from assay.text import counted

SINGLE_INTERVALS = "Each interval is about its slice alone; p is corrected for all slices."
MAX_SLICES_NAMED = 4
"""The largest number of slices that a sentence names."""


@dataclass(frozen=True, eq=False)
class PartComparison(Comparison):
    """A comparison in one slice; its p is corrected over the comparisons in all slices."""

    n_over: int = 0
    n_tables: int = 0
    """The number of slices times metrics that a test for many systems was run on."""

    @property
    def n_comparisons(self) -> int:
        """The number of slices, pairs and metrics that p was corrected for."""
        return self.n_over

    @property
    def n_families(self) -> int:
        """The number of slices and metrics that p of a test for many systems was corrected for."""
        return self.n_tables

    @property
    def families(self) -> str:
        """The number of families in words."""
        return f"{counted(self.n_tables, 'combination')} of slice and metric"


@dataclass(frozen=True, eq=False)
class SliceComparison:
    """A comparison for every slice, in the order of `slices`, all with the same settings."""

    how: ComparisonOptions
    slices: tuple[Slice, ...]
    parts: tuple[PartComparison, ...]
    n_comparisons: int
    """The number of slices, pairs and metrics that p was corrected for."""

    @property
    def correcting(self) -> Correction:
        """The correction for many slices. It is also needed for tests for many systems, which cover only one slice."""
        return self.how.correcting

    @cached_property
    def verdict(self) -> str:
        """The conclusion about the first metric in words."""
        if not self.parts:
            return "There is no slice to compare."
        metric = self.parts[0].metrics[0].name
        if all(pair.untested == NO_OWN_SAMPLE for part in self.parts for pair in part.pairs if pair.metric == metric):
            return f"No slice can be compared on {metric}: {NO_OWN_SAMPLE}."
        clauses = [_clause(pairs, self.slices) for pairs in self.by_pair(metric)]
        more = f"; {len(clauses) - 3} more pairs" if len(clauses) > 3 else ""
        family = f"{counted(self.n_comparisons, 'comparison')} in {counted(len(self.parts), 'slice')}"
        effort = corrected_over(self.correcting, family)
        if self.how.bound_test.test.is_for_many:
            effort = corrected_for_many(self.parts[0])
        return f"On {metric}, {'; '.join(clauses[:3])}{more} ({effort})."

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """How numbers of slices were computed, if that is not obvious."""
        n_queries = [pair.n for part in self.parts for pair in part.pairs if pair.n and not pair.untested]
        caution = self.how.bound_test.caution(min(n_queries)) if n_queries else ""
        few = own_sample_remark(part.part for part in self.parts if any(p.untested == NO_OWN_SAMPLE for p in part.pairs))
        return tuple(filter(None, (SINGLE_INTERVALS if len(self.parts) > 1 else "", caution, few)))

    def by_pair(self, metric: str) -> list[tuple[Pair, ...]]:
        """For each pair of systems, the pair in every slice."""
        of_metric = [[pair for pair in part.pairs if pair.metric == metric] for part in self.parts]
        return list(zip(*of_metric, strict=True))

    def rows(self) -> list[dict[str, Any]]:
        """A row for each slice, metric and pair, as plain values."""
        return [
            {"by": "*".join(slice_.names), "slice": slice_.value, **pair.to_dict()}
            for slice_, part in zip(self.slices, self.parts, strict=True)
            for pair in part.pairs
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "n_comparisons": self.n_comparisons,
            "correction": self.correcting.name,
            "verdict": self.verdict,
            "remarks": list(self.remarks),
            "slices": self.rows(),
        }


def compare_slices(comparison: Comparison, by: str | Iterable[str]) -> SliceComparison:
    """Compare the systems of a comparison, with its settings, in every slice of every requested tag.

    p is corrected over all slices and pairs on the deciding metric together, without the comparison over all queries.
    """
    tags = Tags.of(comparison.results)
    asked, words = dict.fromkeys(map(tags.crossed, asked_for(by))), tags.words(by)
    slices = [slice_ for names in asked for slice_ in tags.slices(names, words)]
    how = comparison.how
    raw = [_compare_slice(comparison.aligned, slice_, how) for slice_ in slices]
    families = [(part.part, pair.metric) for part in raw for pair in part.pairs]
    corrected = iter(with_corrected_p([pair for part in raw for pair in part.pairs], families, how))
    n_over = sum(not math.isnan(pair.p) for part in raw for pair in part.pairs if pair.is_in_family)
    n_tables = sum(n_fields(part.pairs, part.fields) for part in raw)
    parts = [
        replace(part, pairs=tuple(next(corrected) for _ in part.pairs), n_over=n_over, n_tables=n_tables) for part in raw
    ]
    return SliceComparison(how, tuple(slices), tuple(parts), n_over)


def _compare_slice(aligned: Aligned, slice_: Slice, how: ComparisonOptions) -> PartComparison:
    """The systems in one slice, before correction."""
    subsets = (with_own_sample(result.subset(queries=slice_.queries, metrics=aligned.metrics)) for result in aligned.results)
    inside = replace(aligned, results=tuple(subsets))
    plain = replace(how, correction="none")
    fields = field_outcomes(inside, plain)
    return PartComparison(inside, how, tuple(compare_pairs(inside, plain, fields)), fields, slice_.label)


def _clause(pairs: Sequence[Pair], slices: Sequence[Slice]) -> str:
    """In which slices the second system is better, worse, or not shown to differ."""
    a, b = pairs[0].a, pairs[0].b
    if pairs[0].claim != "differs":
        claim = {"not_worse": "not worse than", "equal": "as good as"}[pairs[0].claim]
        shown_in = [slice_ for slice_, pair in zip(slices, pairs, strict=True) if pair.is_significant]
        return f"{b} is shown to be {claim} {a} in {_where(shown_in, len(slices))}"
    better, worse = ([slice_ for slice_, pair in zip(slices, pairs, strict=True) if pair.better == name] for name in (b, a))
    n_open = sum(pair.better is None and not pair.is_split and not math.isnan(pair.p) for pair in pairs)
    split = [slice_ for slice_, pair in zip(slices, pairs, strict=True) if pair.is_split]
    clauses = [
        f"{word} than {a} in {_where(some, len(slices))}" for word, some in (("better", better), ("worse", worse)) if some
    ]
    clauses += [f"different from {a} by the test but not by the mean in {_where(split, len(slices))}"] if split else []
    if not clauses:
        where = "the only slice" if len(slices) == 1 else f"any of {len(slices)} slices"
        return f"{b} is not shown to be better or worse than {a} in {where}"
    return f"{b} is {' and '.join(clauses)}" + (f", and not shown to differ in {n_open}" if n_open else "")


def _where(slices: Sequence[Slice], n_slices: int) -> str:
    names = ", ".join(slice_.label for slice_ in slices[:MAX_SLICES_NAMED]) + (
        ", …" if len(slices) > MAX_SLICES_NAMED else ""
    )
    return f"{len(slices)} of {counted(n_slices, 'slice')}{f' ({names})' if names else ''}"
