"""Search for the slices in which a system is worse than on other queries, or worse than the baseline.

The search looks at all tags and all pairs of tags, without those that have too few queries.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats, Ints
from assay.comparison.alignment import shared_metrics
from assay.comparison.options import ComparisonOptions, place_of
from assay.comparison.pair_figures import sign_of
from assay.comparison.pairs import SHARED_TIMES, decide
from assay.errors import BadParameter, UsageError
from assay.evaluation import Result
from assay.metrics import BoundMetric, WrittenMetric
from assay.model import MEAN, NONE, Column, Tags
from assay.serialize import to_json
from assay.stats import ROUNDING, chance_of_lower, correct, half_width, n_shuffles
from assay.text import counted


@dataclass(frozen=True)
class Search:
    """Which slices to search. A slice, and the rest without it, need `min_queries` each and `min_share` of all queries."""

    min_queries: int = 5
    min_share: float = 0.02
    most: int = 10
    """The largest number of slices to report for each system."""
    tags: tuple[str, ...] = ()
    """The tags to search; empty: all tags."""
    resamples: int | None = None
    """Shuffles of the queries; None: as many as the number of slices requires."""

    def __post_init__(self) -> None:
        for name, value in (("min_queries", self.min_queries), ("most", self.most), ("resamples", self.resamples)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise BadParameter(f"{name} must be a whole number of at least 1, not {value!r}")
        if isinstance(self.min_share, bool) or not isinstance(self.min_share, int | float) or not 0 <= self.min_share < 1:
            raise BadParameter(
                f"min_share must be a share of the queries from 0 to below 1, such as 0.02, not {self.min_share!r}"
            )

    def fewest(self, n_queries: int) -> int:
        """The minimum number of queries in a slice; at least two, because one query has no spread."""
        return max(2, self.min_queries, math.ceil(self.min_share * n_queries))


class Candidate(NamedTuple):
    """A slice to test, with the positions of its queries."""

    names: tuple[str, ...]
    values: tuple[str, ...]
    places: Ints

    @property
    def label(self) -> str:
        """`language=de difficulty=hard`."""
        return " ".join(f"{name}={value}" for name, value in zip(self.names, self.values, strict=True))

    @property
    def parents(self) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
        """The single tags of a pair."""
        if len(self.names) == 1:
            return []
        return [((name,), (value,)) for name, value in zip(self.names, self.values, strict=True)]


class Candidates(NamedTuple):
    """Slices to test, and how many were left out because they are too small."""

    candidates: list[Candidate]
    n_too_small: int


def find_candidates(tags: Tags, search: Search) -> Candidates:
    """Slices by each tag, then by pairs of tags. Slices of exactly the same queries count once, with the fewest tags."""
    names = list(dict.fromkeys(map(tags.named, search.tags or tags.names or ("any tag",))))
    coded = {name: np.unique(np.array(tags.values(name), dtype=object), return_inverse=True) for name in names}
    n = len(tags.by_query)
    fewest = search.fewest(n)
    by_places: dict[bytes, Candidate] = {}
    too_small: set[bytes] = set()
    for some in [*((name,) for name in names), *combinations(names, 2)]:
        for values, places in _groups([coded[name] for name in some]):
            key = places.tobytes()
            if len(places) < fewest:
                too_small.add(key)
            elif n - len(places) >= fewest and key not in by_places:
                by_places[key] = Candidate(tuple(some), values, places)
    return Candidates(list(by_places.values()), len(too_small))


def _groups(coded: Sequence[tuple[NDArray[np.object_], NDArray[np.int64]]]) -> Iterator[tuple[tuple[str, ...], Ints]]:
    """Every combination of values with its queries. Pairs in which a tag is missing are left out."""
    code = coded[0][1] if len(coded) == 1 else coded[0][1] * len(coded[1][0]) + coded[1][1]
    order = np.argsort(code, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(code[order])) + 1):
        values = tuple(str(words[inverse[places[0]]]) for words, inverse in coded)
        if len(coded) == 1 or NONE not in values:
            yield values, places


CORRECTION = "benjamini_hochberg"


@dataclass(frozen=True)
class WorstSlice:
    """A slice in which a system is worse than on all other queries, or worse than the baseline on the same queries."""

    system: str
    label: str
    n: int
    value: float
    other: float
    """The value of the system on all other queries, or of the baseline in the slice."""
    difference: float
    low: float
    """The interval of the difference."""
    high: float
    p: float
    p_corrected: float
    is_significant: bool


@dataclass(frozen=True)
class WorstSlices:
    """What a search found: for each system the worst slices first, by the better end of their intervals."""

    metric: BoundMetric
    against: str
    """The baseline; empty if slices were compared with all other queries."""
    systems: tuple[str, ...]
    """The systems that were searched."""
    found: tuple[WorstSlice, ...]
    """The reported slices; not all of them are significant."""
    n_significant: Mapping[str, int]
    """System → number of slices that are shown to be worse."""
    n_slices: int
    n_looked_at: int
    """Slices times systems: the number of tests that p was corrected for."""
    n_too_small: int
    fewest: int
    """The minimum number of queries in a slice."""
    level: float
    """The confidence level of the intervals."""

    @property
    def verdict(self) -> str:
        """The conclusion in words."""
        if not self.n_looked_at:
            least = f"a slice and the queries outside it must each have at least {self.fewest}"
            return f"No slice is large enough to test: {least} queries."
        than = f"than {self.against}" if self.against else "than on the other queries"
        small = (
            f"; {counted(self.n_too_small, 'slice')} with fewer than {self.fewest} queries left out"
            if self.n_too_small
            else ""
        )
        systems = f" for {len(self.systems)} systems" if len(self.systems) > 1 else ""
        effort = f"({counted(self.n_slices, 'slice')} tested{systems}, Benjamini–Hochberg{small})"
        clauses = [self._clause(name, n, than) for name, n in self.n_significant.items() if n]
        if not clauses:
            who = f"{self.systems[0]} is not" if len(self.systems) == 1 else "no system is"
            return f"On {self.metric.name}, {who} shown to be worse {than} in any slice {effort}."
        return f"On {self.metric.name}, {'; '.join(clauses)} {effort}."

    def significant(self, system: str) -> list[WorstSlice]:
        """The reported slices in which a system is shown to be worse."""
        return [part for part in self.found if part.system == system and part.is_significant]

    def _clause(self, system: str, n: int, than: str) -> str:
        first = next((slice_ for slice_ in self.found if slice_.system == system and slice_.is_significant), None)
        lead = ": " if n == 1 else ", most clearly in "
        worst = f"{lead}{first.label} ({first.value:.3f} against {first.other:.3f}, n = {first.n:,})" if first else ""
        return f"{system} is worse {than} in {counted(n, 'slice')}{worst}"

    def rows(self) -> list[dict[str, Any]]:
        """A row for each slice, as plain values."""
        return [{"metric": self.metric.name, "against": self.against or "rest", **to_json(slice_)} for slice_ in self.found]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        numbers = {name: getattr(self, name) for name in ("n_slices", "n_looked_at", "n_too_small", "fewest", "level")}
        return {
            "metric": self.metric.name,
            "against": self.against or None,
            "n_significant": dict(self.n_significant),
            **numbers,
            "correction": CORRECTION,
            "verdict": self.verdict,
            "slices": self.rows(),
        }


class _SliceScore(NamedTuple):
    """One slice of one system, on a scale where higher is better."""

    system: int
    candidate: Candidate
    n: int
    value: float
    other: float
    gap: float
    low: float
    """The interval of the gap."""
    high: float
    p: float

    @property
    def at_best(self) -> float:
        """The better end of the interval: far below 0 if the system is clearly worse."""
        return self.high


def worst_slices(
    results: Result | Sequence[Result],
    metric: WrittenMetric | None = None,
    how: ComparisonOptions | None = None,
    search: Search | None = None,
) -> WorstSlices:
    """Search all tags and all pairs of tags, and rank slices by the better end of the interval of their difference.

    Each system is compared with itself on all other queries, or with the baseline on the queries of the slice. p is
    corrected for all tests. A pair of tags is left out if one of them alone shows the difference more clearly.
    """
    all_results = [results] if isinstance(results, Result) else list(results)
    chosen, searched = how or ComparisonOptions(), search or Search()
    bound = _metric(all_results, metric, chosen)
    tags = Tags.of(all_results)
    tags = Tags(dict(sorted(tags.by_query.items())), tags.listed)  # shuffles must not depend on the order of queries
    found_slices = find_candidates(tags, searched)
    scores = np.column_stack([_scores(result, bound, tags) for result in all_results])
    settings = _TestSettings(
        bound, chosen, searched.resamples or n_shuffles(len(found_slices.candidates) * len(all_results), chosen.alpha)
    )
    fewest = searched.fewest(len(tags.by_query))
    baseline = None if chosen.baseline is None else place_of(chosen.baseline, [result.name for result in all_results])
    slice_scores = list(_score_slices(scores, found_slices.candidates, fewest, baseline, settings))
    worst = _rank_worst(all_results, bound, slice_scores, chosen)
    names = [result.name for result in all_results if result.name != chosen.baseline]
    return WorstSlices(
        metric=bound,
        against=chosen.baseline or "",
        systems=tuple(names),
        found=tuple(slice_ for name in names for slice_ in [some for some in worst if some.system == name][: searched.most]),
        n_significant={name: sum(slice_.is_significant for slice_ in worst if slice_.system == name) for name in names},
        n_slices=len(found_slices.candidates),
        n_looked_at=len(slice_scores),
        n_too_small=found_slices.n_too_small,
        fewest=fewest,
        level=chosen.level,
    )


def _metric(results: Sequence[Result], metric: WrittenMetric | None, how: ComparisonOptions) -> BoundMetric:
    """The metric to search by. It must be a mean over queries, each of which stands for itself."""
    if not results:
        raise UsageError("there is no result to slice")
    if how.cluster:
        raise UsageError(
            "the search for slices does not know clusters. Use --by instead of --slices, or leave out --cluster"
        )
    shared = shared_metrics(results, [metric] if metric else None)
    has_shared_times = any(result.has_shared_times for result in results)
    means = [
        bound
        for bound in shared
        if bound.metric.aggregation == MEAN and not (bound.metric.view == "timing" and has_shared_times)
    ]
    if not means:
        why = SHARED_TIMES if shared[0].metric.aggregation == MEAN else "it is not a mean over queries"
        raise UsageError(f"worst slices cannot be found by {shared[0].name}: {why}")
    return means[0]


def _scores(result: Result, metric: BoundMetric, tags: Tags) -> Floats:
    """The scores, with the sign changed if lower is better; nan if a query has no score."""
    known = dict(zip(result.query_ids, result.array(metric.name).tolist(), strict=True))
    scores = np.array([known.get(query, math.nan) for query in tags.by_query], dtype=float)
    return np.where(np.isfinite(scores), sign_of(metric) * scores, np.nan)


class _TestSettings(NamedTuple):
    """The metric, the options of the comparison, and how many resamples to draw."""

    metric: BoundMetric
    how: ComparisonOptions
    resamples: int

    def half_width(self, error: float, n: int) -> float:
        """Half the width of the interval of a mean over n queries."""
        return float(half_width(error, n - 1, self.how.level))


def _score_slices(
    scores: Floats, candidates: Sequence[Candidate], fewest: int, baseline: int | None, settings: _TestSettings
) -> Iterator[_SliceScore]:
    """Every slice of every system that has enough scores."""
    for system in range(scores.shape[1]):
        if system == baseline:
            continue
        values = scores[:, system] if baseline is None else scores[:, system] - scores[:, baseline]
        defined = ~np.isnan(values)
        renumbered = np.cumsum(defined) - 1
        inside = [(candidate, renumbered[candidate.places[defined[candidate.places]]]) for candidate in candidates]
        enough = [(candidate, rows) for candidate, rows in inside if fewest <= len(rows) <= int(defined.sum()) - fewest]
        if baseline is None:
            yield from _against_rest(system, values[defined], enough, settings)
        else:
            yield from _against_baseline(system, scores[defined][:, [system, baseline]], enough, settings)


def _against_rest(
    system: int, values: Floats, enough: Sequence[tuple[Candidate, Ints]], settings: _TestSettings
) -> Iterator[_SliceScore]:
    """Compare the means inside and outside. The spread is separate or pooled, whichever is larger."""
    p = chance_of_lower(values, [rows for _, rows in enough], settings.resamples, settings.how.seed).tolist()
    for (candidate, rows), one_p in zip(enough, p, strict=True):
        inside, outside = values[rows], np.delete(values, rows)
        n, rest = len(inside), len(outside)
        apart = inside.var(ddof=1) / n + outside.var(ddof=1) / rest
        together = (n * inside.var() + rest * outside.var()) / (n + rest - 2) * (1 / n + 1 / rest)
        half = settings.half_width(math.sqrt(max(apart, together)), n)
        value, other = float(inside.mean()), float(outside.mean())
        gap = value - other
        yield _SliceScore(system, candidate, n, value, other, gap, gap - half, gap + half, one_p)


def _against_baseline(
    system: int, both: Floats, enough: Sequence[tuple[Candidate, Ints]], settings: _TestSettings
) -> Iterator[_SliceScore]:
    """The decision of every comparison in each slice: the randomisation test, and the interval that agrees with it."""
    sign, metric = sign_of(settings.metric), settings.metric
    how = replace(settings.how, baseline=None, test=ComparisonOptions.test, correction="none")
    for candidate, rows in enough:
        new, old = (Column.of(sign * both[rows, side], metric.metric.aggregation) for side in (0, 1))
        pair = decide(metric, old, new, how)
        low, high = sorted((sign * pair.low, sign * pair.high))
        values = (sign * pair.value_b, sign * pair.value_a, sign * pair.difference)
        yield _SliceScore(system, candidate, pair.n, *values, low, high, pair.p)


def _rank_worst(
    results: Sequence[Result], metric: BoundMetric, slice_scores: Sequence[_SliceScore], how: ComparisonOptions
) -> list[WorstSlice]:
    """Slices that are worse, worst first; without pairs of tags if a single tag shows the difference more clearly."""
    known = {(score.system, score.candidate.names, score.candidate.values): score.at_best for score in slice_scores}
    corrected = correct([score.p for score in slice_scores], CORRECTION).tolist()
    worse = [
        (score, p)
        for score, p in zip(slice_scores, corrected, strict=True)
        if score.gap < -ROUNDING * max(abs(score.value), abs(score.other))
        and not any(known.get((score.system, *parent), math.inf) <= score.at_best for parent in score.candidate.parents)
    ]
    worse.sort(key=lambda slice_: (slice_[0].at_best, slice_[0].gap, slice_[0].system, slice_[0].candidate.label))
    sign = float(sign_of(metric))
    return [_to_worst_slice(score, p, results[score.system].name, sign, how) for score, p in worse]


def _to_worst_slice(score: _SliceScore, p_corrected: float, name: str, sign: float, how: ComparisonOptions) -> WorstSlice:
    """The slice on the scale of the metric. As in every comparison, an interval includes 0 if nothing is shown."""
    low, high = sorted((sign * score.low, sign * score.high))
    is_significant = how.is_significant(p_corrected)
    if how.baseline is not None and not is_significant:
        low, high = min(low, 0.0), max(high, 0.0)
    return WorstSlice(
        system=name,
        label=score.candidate.label,
        n=score.n,
        value=sign * score.value,
        other=sign * score.other,
        difference=sign * score.gap,
        low=low,
        high=high,
        p=score.p,
        p_corrected=p_corrected,
        is_significant=is_significant,
    )
