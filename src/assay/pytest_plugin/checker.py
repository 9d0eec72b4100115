"""Checker: the value of the fixture `assay`; the results of all checks of a session, and what pytest prints."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay.errors import DataError, GateFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Unpack

    from assay.datasets import BenchmarkSource
    from assay.evaluation import Result
    from assay.execution import AllRunSettings, RetrieverSource
    from assay.metrics import BoundMetric
    from assay.monitoring import GateReport, GuardMemory, Rule


class Checker:
    """Checks retrievers, and existing results, against rules and the baseline of the session."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request
        self._baseline_name = request.config.getoption("--assay-baseline") or ""
        self._store = request.config.getoption("--assay-store")

    def check(
        self,
        dataset: BenchmarkSource,
        retriever: RetrieverSource,
        *rules: Any,
        metrics: str | Iterable[str] | None = None,
        **settings: Unpack[AllRunSettings],
    ) -> Result:
        """Run all queries of a benchmark on a retriever, score it, and fail the test if a rule does not hold.

        `retriever` is anything that `assay.run` accepts: an object with `search`, a function, or the name of a provider. The
        metrics are those of the rules, plus `metrics`. Returns the result, for your own assertions. Use `name=` to
        distinguish retrievers that have the same name.
        """
        from assay.execution import run
        from assay.monitoring import parse_rules

        parsed = parse_rules(rules)
        result, note = session_results(self._request.config).add(
            run(dataset, retriever, _metrics(parsed, metrics), **settings)
        )
        self._check_rules([result], parsed, note)
        return result

    def gate(self, result: Result | Sequence[Result], *rules: Any) -> GateReport:
        """Check existing results against rules, in the same way as `check`."""
        from assay.monitoring import metrics_of, parse_rules

        results: list[Any] = list(result) if isinstance(result, list | tuple) else [result]
        return self._check_rules(results, parse_rules(rules, recorded=lambda: metrics_of(results)))

    def _check_rules(self, results: list[Any], rules: Sequence[Rule], note: str = "") -> GateReport:
        from assay.monitoring import conclusion, gate, gate_text

        before, why_none = self._baseline(results)
        best = _best_so_far(rules, results, self._store)
        renewal = self._how_to_renew()
        name = self._baseline_name or "the baseline"
        with _guard_memory(rules, self._store) as memory:
            report = gate(results, before, rules, name=name, best=best, renewal=renewal, memory=memory)
        report = replace(report, notes=(*report.notes, *filter(None, (note, why_none))))
        summary = gate_text(report) if report.is_passed else conclusion(report)  # the failure shows the rest
        self._request.node.user_properties.append((PROPERTY, summary))
        if not report.is_passed:
            raise GateFailed(f"the results break a rule\n{gate_text(report)}")
        return report

    def _how_to_renew(self) -> str:
        """The commands that make the results of these checks the baseline; empty if the baseline is a file."""
        from assay.store import is_baseline_name

        name = self._baseline_name
        return f"pytest --assay-keep, then assay bless latest --as {name}" if is_baseline_name(name) else ""

    def _baseline(self, results: Sequence[Result]) -> tuple[list[Result] | None, str]:
        """The results of the baseline to compare with, or the reason why there are none."""
        name = self._baseline_name
        if not name:
            return None, ""
        from assay.store import find_baseline

        baseline, meant = find_baseline(name, self._store)
        if baseline is None:
            why = f"no baseline is called {name} yet{meant}{_how_to_make(self._request.config, name)}"
        else:
            if same := _comparable_results(baseline.results, results):
                return same, ""
            benchmarks = ", ".join(sorted({result.benchmark for result in results}))
            renew = self._how_to_renew()
            why = f"the baseline {name} has no results for {benchmarks}{f'. To update it: {renew}' if renew else ''}"
        if self._request.config.getoption("--assay-require-baseline"):
            raise DataError(why)
        return None, why


def _how_to_make(config: pytest.Config, name: str) -> str:
    """How to create a baseline. With --assay-keep, the last line of the session says it instead."""
    if config.getoption("--assay-keep"):
        return ""
    return f". To create it: pytest --assay-keep, then assay bless latest --as {name}"


def _comparable_results(baseline: Sequence[Result], results: Sequence[Result]) -> list[Result]:
    """The results of a baseline that these results are compared with; the others belong to other checks."""
    benchmarks, names = {result.benchmark for result in results}, {result.name for result in results}
    same = [result for result in baseline if not result.benchmark or result.benchmark in benchmarks or "" in benchmarks]
    return [result for result in same if result.name in names] or same


def _metrics(rules: Iterable[Rule], more: str | Iterable[str] | None) -> list[str | BoundMetric]:
    """The metrics that the rules need, and more. A rule about hits and misses needs a metric that distinguishes them."""
    needed: list[str | BoundMetric] = [rule.metric for rule in rules if rule.metric]
    if any(rule.metric is None and rule.needs_baseline for rule in rules):
        needed.append("hit@10")
    needed += [more] if isinstance(more, str) else list(more or ())
    return needed or ["ndcg@10"]


def _best_so_far(rules: Iterable[Rule], results: Sequence[Any], place: str | None) -> dict[tuple[str, str, str], float]:
    """The best values in the store, for ratchet rules; these results are the last points of the history."""
    from assay.monitoring import RatchetRule, best_before, series_of
    from assay.store import Store, parse_location, point_of

    metrics = {rule.bound.name: rule.bound for rule in rules if isinstance(rule, RatchetRule)}
    if not metrics or not parse_location(place).exists:
        return {}
    with Store.open(place, create=False) as store:
        points = {
            name: [*store.history(name), *(point_of(result, name) for result in results if name in result)]
            for name in metrics
        }
    return best_before([series for name, some in points.items() for series in series_of(some, metrics[name])], "")


@contextmanager
def _guard_memory(rules: Iterable[Rule], place: str | None) -> Iterator[GuardMemory | None]:
    """The store remembers the candidates of guards; None without a guard, or if no store exists and none is named."""
    from assay.store import Store, is_named, parse_location

    if not any(rule.terms.guard for rule in rules) or not (is_named(place) or parse_location(place).exists):
        yield None
        return
    with Store.open(place) as store:
        yield store.guards


RESULTS_KEY: pytest.StashKey[SessionResults] = pytest.StashKey()


class SessionResults:
    """Results by benchmark and provider. If two checks retrieved the same documents, their metrics are put together."""

    def __init__(self) -> None:
        self.results: dict[tuple[str, str], Result] = {}

    def add(self, result: Result) -> tuple[Result, str]:
        """The result under the name that it is saved by, and a note if that is not its own name."""
        from assay.evaluation import with_metrics_of

        number, key = 1, (result.benchmark, result.name)
        while key in self.results and not _is_same(self.results[key], result):
            number += 1
            key = (result.benchmark, f"{result.name}-{number}")
        named = result.renamed(key[1])
        first = self.results.get(key)
        self.results[key] = with_metrics_of(first, named) if first else named
        about = (
            f"{result.name} retrieved other documents in another check, so this result is called {key[1]}. "
            "Use name= to choose a name"
        )
        return named, about if number > 1 else ""

    def to_json(self) -> str:
        """All results as text, for another process."""
        from assay.store import pack_json

        return pack_json([result.to_dict() for result in self.results.values()]).decode()

    def add_json(self, text: str) -> None:
        """Add the results of another process."""
        from assay.evaluation import result_from_dict
        from assay.store import unpack_json

        for plain in unpack_json(text.encode()):
            self.add(result_from_dict(plain))

    def save(self, place: str | None, baseline: str = "main") -> str:
        """Save all results as one evaluation. Returns a sentence that says how to bless it as the baseline of the checks."""
        from assay.evaluation import now
        from assay.store import is_baseline_name, keep

        saved = keep(list(self.results.values()), {"command": "pytest", "started": now()}, place)
        name = baseline if is_baseline_name(baseline) else "main"
        return f"saved as {saved}. To make it the baseline: assay bless latest --as {name}"


def session_results(config: pytest.Config) -> SessionResults:
    """The results of the session so far."""
    return config.stash.setdefault(RESULTS_KEY, SessionResults())


def _is_same(first: Result, other: Result) -> bool:
    """Whether two checks retrieved the same documents for the same queries, and judged them in the same way."""
    alike = (first.fingerprints, first.policy, first.profile) == (other.fingerprints, other.policy, other.profile)
    docs = [{query: set(ranking) for query, ranking in result.run.items()} for result in (first, other)]
    return alike and first.query_ids == other.query_ids and docs[0] == docs[1]


PROPERTY = "assay"
"""The name of the property of a test report that holds the lines of a check, for the summary and for JUnit files."""
PACKAGE = Path(__file__).parents[1]


def describe_failure(error: pytest.ExceptionInfo[BaseException], root: Path) -> str:
    """The line of the test, and what is wrong. A failed gate is shown without the name of the error class."""
    entries = [entry for entry in error.traceback if not Path(str(entry.path)).is_relative_to(PACKAGE)]
    ours = [entry for entry in entries if Path(str(entry.path)).is_relative_to(root)] or entries
    where = f"{_relative_to(Path(str(ours[-1].path)), root)}:{ours[-1].lineno + 1}: " if ours else ""
    kind = "" if isinstance(error.value, GateFailed) else f"{type(error.value).__name__}: "
    return f"{where}{kind}{error.value}"


def _relative_to(path: Path, root: Path) -> Path:
    return path.relative_to(root) if path.is_relative_to(root) else path


def write_summary(reporter: Any, saved: str) -> None:
    """Print a section `assay`, if there is anything to report."""
    lines = [
        (report.nodeid, text)
        for reports in reporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, text in report.user_properties
        if name == PROPERTY
    ]
    if not lines and not saved:
        return
    reporter.section("assay")
    for nodeid, text in lines:
        reporter.write_line(nodeid)
        for line in str(text).splitlines():
            reporter.write_line(f"  {line}")
    if saved:
        reporter.write_line(saved)
