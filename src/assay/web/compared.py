"""What a comparison page compares: the results in its address, and the report on them, which is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import UsageError
from assay.evaluation import Result
from assay.metrics import BoundMetric
from assay.reports import BenchmarkReport, Group, make_group
from assay.text import shortened
from assay.web.baselines import oldest_first
from assay.web.compared_queries import ComparedQueries
from assay.web.page import PageRequest
from assay.web.people_grades import LAYER_PARAMETER, layer_of
from assay.web.shared.lru_cache import LruCache
from assay.web.state import AppState

MAX_RESULTS = 20
MAX_METRICS = 8
"""Metrics whose queries are kept for a comparison."""
MAX_PARTS = 2
"""Parts of the page that no filter changes: above and below the queries."""
CHOICE = ("r", "baseline", "shared", LAYER_PARAMETER)
"""The parameters that say what is compared."""
LONGEST_SLICE = 200
"""Characters of the value of a slice that fits into an address."""


@dataclass(frozen=True)
class Compared:
    """What an address compares: the keys of results, the baseline first if there are two, and their report."""

    keys: tuple[str, ...]
    baseline: str
    report: BenchmarkReport
    group: Group
    names: tuple[str, ...]
    """The name of each result, in the order of the keys."""
    originals: tuple[Result, ...]
    """The results without grades by people, in the order of the keys."""
    queries: LruCache[ComparedQueries]
    """Metric → its queries with their filters; kept with the report, because both are about the same large rankings."""
    markup: LruCache[Any]
    """Name of a part of the page → its markup. Only parts that no filter changes are kept."""

    @property
    def is_pair(self) -> bool:
        """Whether two results are compared, so that one of them is newer."""
        return len(self.keys) == 2

    def kept(self, part: str, caller: Callable[[], Any]) -> Any:
        """The markup of a part of the page, from a call block of the template; made once."""
        return self.markup.get(part, caller)

    def original(self, key: str) -> Result:
        """The result of a key, without grades by people."""
        return self.originals[self.keys.index(key)]

    def pair_keys(self) -> tuple[str, ...]:
        """The keys of the two results whose queries are compared."""
        by_name = dict(zip(self.names, self.keys, strict=True))
        return tuple(by_name[result.name] for result in self.report.looked_at)

    def of_metric(self, metric: BoundMetric) -> ComparedQueries:
        """The queries with their filters on a metric; computed once."""
        return self.queries.get(metric.name, lambda: ComparedQueries(self.report, metric, self.pair_keys()))


def keys_and_baseline(state: AppState, request: PageRequest) -> tuple[tuple[str, ...], str]:
    """The results in a request, each once, and the baseline; empty if there is none. Of two, the baseline is first.

    Unless the address has a baseline, the older of two results is the baseline.
    """
    keys = tuple(dict.fromkeys(request.get_all("r")))
    if len(keys) > MAX_RESULTS:
        raise UsageError(f"expected at most {MAX_RESULTS} results to compare, found {len(keys)}")
    baseline = request.get("baseline")
    if baseline and baseline not in keys:
        raise UsageError(f"the baseline must be one of the compared results, not {shortened(baseline)}")
    for key in keys:
        state.listed_result(key)
    if len(keys) == 2:
        keys = tuple(sorted(keys, key=lambda key: key != baseline)) if baseline else oldest_first(state, keys)
        baseline = keys[0]
    return keys, baseline


def compared_results(state: AppState, keys: tuple[str, ...], baseline: str, request: PageRequest) -> Compared:
    """The report on the results; it is computed once for these grades by people, because results do not change."""
    shared, layer = request.has("shared"), layer_of(request)
    version = (shared, state.judgment_version(keys, layer))

    def work() -> tuple[Any, ...]:
        every = state.results(keys, layer)
        originals = state.results(keys) if layer else every
        working = tuple(result for result in every if not result.is_total_failure)
        failed = tuple(result for result in every if result.is_total_failure)
        comparison = None
        if len(working) != 1:
            comparison = state.comparison(keys, "" if len(keys) == 2 else baseline, shared=shared, judgments=layer)
        report = BenchmarkReport(
            working,
            comparison,
            words_of=state.datasets.texts_of,
            expected_of=state.datasets.expected_of,
            pictures_of=state.datasets.pictures_of,
            slice_link=_slice_links(keys, baseline, request),
            failed=failed,
        )
        names = tuple(result.name for result in every)
        queries, markup = LruCache[ComparedQueries](MAX_METRICS), LruCache[Any](MAX_PARTS)
        return report, make_group(report, has_queries=False), names, originals, queries, markup

    return Compared(keys, baseline, *state.cache.get(("compared", keys, baseline, version), work))


def _slice_links(keys: Sequence[str], baseline: str, request: PageRequest) -> Callable[[str, str], str]:
    """A function from a slice to the address of its queries."""
    own = tuple((name, request.get(name)) for name in ("shared", LAYER_PARAMETER))
    compared = (*(("r", key) for key in keys), ("baseline", baseline), *own)

    def link(tag: str, value: str) -> str:
        params = (*compared, ("slice", f"{tag}:{value}"))
        return f"{PageRequest('/compare', {}, params).url()}#queries" if len(value) < LONGEST_SLICE else ""

    return link
