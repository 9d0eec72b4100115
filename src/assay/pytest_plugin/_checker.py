"""Checker: what the fixture `assay` gives to a test."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.errors import DataError, GateFailed
from assay.pytest_plugin._kept import kept_of
from assay.pytest_plugin._telling import PROPERTY

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pytest

    from assay.evaluation import Result
    from assay.metrics import BoundMetric
    from assay.monitoring import GateReport, Rule


class Checker:
    """Checks retrievers, and results that are there already, against rules and the baseline of the session."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request
        self._baseline_name = request.config.getoption("--assay-baseline") or ""
        self._store = request.config.getoption("--assay-store")

    def check(
        self, dataset: Any, retriever: Any, *rules: Any, metrics: str | Iterable[str] | None = None, **settings: Any
    ) -> Result:
        """Ask a retriever all queries of a benchmark, score it, and fail the test if a rule does not hold.

        `retriever` is what `assay.run` takes: an object with `search`, a function, or a provider's name. Metrics are those
        of the rules, and `metrics` besides. Gives the result, for assertions of your own. `name=` tells apart retrievers
        that are called the same.
        """
        from assay.execution import run
        from assay.monitoring import parse_rules

        parsed = parse_rules(rules)
        result, note = kept_of(self._request.config).add(run(dataset, retriever, _metrics(parsed, metrics), **settings))
        self._held([result], parsed, note)
        return result

    def gate(self, result: Result | Sequence[Result], *rules: Any) -> GateReport:
        """The same for results that are there already."""
        from assay.monitoring import metrics_of, parse_rules

        results: list[Any] = list(result) if isinstance(result, list | tuple) else [result]
        return self._held(results, parse_rules(rules, recorded=lambda: metrics_of(results)))

    def _held(self, results: list[Any], rules: Sequence[Rule], note: str = "") -> GateReport:
        from assay.monitoring import gate, render_gate

        before, why_none = self._baseline(results)
        best = _best_so_far(rules, results, self._store)
        anew = self._anew()
        report = gate(results, before, rules, name=self._baseline_name or "the baseline", best=best, anew=anew)
        report = replace(report, notes=(*report.notes, *filter(None, (note, why_none))))
        said = render_gate(report).rstrip().removesuffix(f"   exit {report.exit_code}")
        shown = said if report.is_passed else said.splitlines()[-1]  # the failure says the rest
        self._request.node.user_properties.append((PROPERTY, shown))
        if not report.is_passed:
            raise GateFailed(f"retrieval got worse\n{said}")
        return report

    def _anew(self) -> str:
        """How results of these checks become the baseline; nothing where that is a file."""
        from assay.store import is_baseline_name

        name = self._baseline_name
        return f"pytest --assay-keep, then assay bless latest --as {name}" if is_baseline_name(name) else ""

    def _baseline(self, results: Sequence[Result]) -> tuple[list[Result] | None, str]:
        """The baseline's results to compare these with, or why there are none."""
        name = self._baseline_name
        if not name:
            return None, ""
        from assay.store import find_baseline

        found, meant = find_baseline(name, self._store)
        if found is None:
            why = f"there is no baseline {name} yet{meant}{_how_to_make(self._request.config, name)}"
        else:
            if same := _partners(found.results, results):
                return same, ""
            why = f"the baseline {name} has nothing about {', '.join(sorted({one.benchmark for one in results}))}"
        if self._request.config.getoption("--assay-require-baseline"):
            raise DataError(why)
        return None, why


def _how_to_make(config: pytest.Config, name: str) -> str:
    """What makes a baseline. Where results are kept, the last line of the session says it, of what was kept."""
    if config.getoption("--assay-keep"):
        return ""
    return f": run pytest with --assay-keep, then assay bless latest --as {name}"


def _partners(baseline: Sequence[Result], results: Sequence[Result]) -> list[Result]:
    """What of a baseline these results may be compared with; all else is the business of other checks."""
    benchmarks, names = {one.benchmark for one in results}, {one.name for one in results}
    same = [one for one in baseline if not one.benchmark or one.benchmark in benchmarks or "" in benchmarks]
    return [one for one in same if one.name in names] or same


def _metrics(rules: Iterable[Rule], more: str | Iterable[str] | None) -> list[str | BoundMetric]:
    """What must be scored for the rules to be held; hits and misses need a metric that tells them apart."""
    found: list[str | BoundMetric] = [rule.metric for rule in rules if rule.metric]
    if any(rule.metric is None and rule.needs_baseline for rule in rules):
        found.append("hit@10")
    found += [more] if isinstance(more, str) else list(more or ())
    return found or ["ndcg@10"]


def _best_so_far(rules: Iterable[Rule], results: Sequence[Any], place: str | None) -> dict[tuple[str, str, str], float]:
    """The best figures of the store for rules with a ratchet; these results stand at the end of its history."""
    from assay.monitoring import RatchetRule, best_before, series_of
    from assay.store import Store, parse_location, point_of

    metrics = {rule.bound.name: rule.bound for rule in rules if isinstance(rule, RatchetRule)}
    if not metrics or not parse_location(place).exists:
        return {}
    with Store.open(place, create=False) as store:
        points = {name: [*store.history(name), *(point_of(one, name) for one in results if name in one)] for name in metrics}
    return best_before([one for name, some in points.items() for one in series_of(some, metrics[name])], "")
