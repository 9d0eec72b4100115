"""Checker: what the fixture `assay` gives to a test; the results of all checks of a session, and what pytest prints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay.errors import DataError, GateFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
        result, note = session_results(self._request.config).add(
            run(dataset, retriever, _metrics(parsed, metrics), **settings)
        )
        self._check_rules([result], parsed, note)
        return result

    def gate(self, result: Result | Sequence[Result], *rules: Any) -> GateReport:
        """The same for results that are there already."""
        from assay.monitoring import metrics_of, parse_rules

        results: list[Any] = list(result) if isinstance(result, list | tuple) else [result]
        return self._check_rules(results, parse_rules(rules, recorded=lambda: metrics_of(results)))

    def _check_rules(self, results: list[Any], rules: Sequence[Rule], note: str = "") -> GateReport:
        from assay.monitoring import conclusion, gate, gate_text

        before, why_none = self._baseline(results)
        best = _best_so_far(rules, results, self._store)
        anew = self._how_to_renew()
        report = gate(results, before, rules, name=self._baseline_name or "the baseline", best=best, anew=anew)
        report = replace(report, notes=(*report.notes, *filter(None, (note, why_none))))
        summary = gate_text(report) if report.is_passed else conclusion(report)  # the failure says the rest
        self._request.node.user_properties.append((PROPERTY, summary))
        if not report.is_passed:
            raise GateFailed(f"retrieval got worse\n{gate_text(report)}")
        return report

    def _how_to_renew(self) -> str:
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

        baseline, meant = find_baseline(name, self._store)
        if baseline is None:
            why = f"there is no baseline {name} yet{meant}{_how_to_make(self._request.config, name)}"
        else:
            if same := _comparable_results(baseline.results, results):
                return same, ""
            why = f"the baseline {name} has nothing about {', '.join(sorted({result.benchmark for result in results}))}"
        if self._request.config.getoption("--assay-require-baseline"):
            raise DataError(why)
        return None, why


def _how_to_make(config: pytest.Config, name: str) -> str:
    """What makes a baseline. Where results are kept, the last line of the session says it, of what was kept."""
    if config.getoption("--assay-keep"):
        return ""
    return f": run pytest with --assay-keep, then assay bless latest --as {name}"


def _comparable_results(baseline: Sequence[Result], results: Sequence[Result]) -> list[Result]:
    """What of a baseline these results may be compared with; all else is the business of other checks."""
    benchmarks, names = {result.benchmark for result in results}, {result.name for result in results}
    same = [result for result in baseline if not result.benchmark or result.benchmark in benchmarks or "" in benchmarks]
    return [result for result in same if result.name in names] or same


def _metrics(rules: Iterable[Rule], more: str | Iterable[str] | None) -> list[str | BoundMetric]:
    """What must be scored for the rules to be held; hits and misses need a metric that tells them apart."""
    needed: list[str | BoundMetric] = [rule.metric for rule in rules if rule.metric]
    if any(rule.metric is None and rule.needs_baseline for rule in rules):
        needed.append("hit@10")
    needed += [more] if isinstance(more, str) else list(more or ())
    return needed or ["ndcg@10"]


def _best_so_far(rules: Iterable[Rule], results: Sequence[Any], place: str | None) -> dict[tuple[str, str, str], float]:
    """The best figures of the store for rules with a ratchet; these results stand at the end of its history."""
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


RESULTS_KEY: pytest.StashKey[SessionResults] = pytest.StashKey()


class SessionResults:
    """Results by benchmark and provider; of the same answers, the metrics of all checks are put together."""

    def __init__(self) -> None:
        self.results: dict[tuple[str, str], Result] = {}

    def add(self, result: Result) -> tuple[Result, str]:
        """The result under the name that it is kept by, and a note where that is not its own."""
        number, key = 1, (result.benchmark, result.name)
        while key in self.results and not _is_same(self.results[key], result):
            number += 1
            key = (result.benchmark, f"{result.name}-{number}")
        named = result.renamed(key[1])
        first = self.results.get(key)
        self.results[key] = replace(first, all_scores=first.all_scores.joined(named.all_scores)) if first else named
        about = f"{result.name} retrieved something else in another check, so this one is {key[1]}; name= names it"
        return named, about if number > 1 else ""

    def to_json(self) -> str:
        """For another process."""
        from assay.store import pack_json

        return pack_json([result.to_dict() for result in self.results.values()]).decode()

    def add_json(self, text: str) -> None:
        """Take over what another process measured."""
        from assay.evaluation import result_from_dict
        from assay.store import unpack_json

        for plain in unpack_json(text.encode()):
            self.add(result_from_dict(plain))

    def save(self, place: str | None, baseline: str = "main") -> str:
        """Save all of it as one evaluation; says how it can be blessed, under the name that checks compare with."""
        from assay.evaluation import now
        from assay.store import is_baseline_name, keep

        saved = keep(list(self.results.values()), {"command": "pytest", "started": now()}, place)
        name = baseline if is_baseline_name(baseline) else "main"
        return f"kept as {saved}; assay bless latest --as {name} makes it the baseline"


def session_results(config: pytest.Config) -> SessionResults:
    """What the session has kept so far."""
    return config.stash.setdefault(RESULTS_KEY, SessionResults())


def _is_same(first: Result, other: Result) -> bool:
    """Whether two checks saw the same answers to the same queries, and judged them by the same rules."""
    alike = (first.fingerprints, first.policy, first.profile) == (other.fingerprints, other.policy, other.profile)
    docs = [{query: set(ranking) for query, ranking in result.run.items()} for result in (first, other)]
    return alike and first.query_ids == other.query_ids and docs[0] == docs[1]


PROPERTY = "assay"
"""Under this name the lines of a check travel with the report of a test, to the summary and into JUnit files."""
PACKAGE = Path(__file__).parents[1]


def describe_failure(error: pytest.ExceptionInfo[BaseException], root: Path) -> str:
    """Where the test is, and what is wrong; that something is worse is a failure, anything else an error of its own kind."""
    entries = [entry for entry in error.traceback if not Path(str(entry.path)).is_relative_to(PACKAGE)]
    ours = [entry for entry in entries if Path(str(entry.path)).is_relative_to(root)] or entries
    where = f"{_relative_to(Path(str(ours[-1].path)), root)}:{ours[-1].lineno + 1}: " if ours else ""
    kind = "" if isinstance(error.value, GateFailed) else f"{type(error.value).__name__}: "
    return f"{where}{kind}{error.value}"


def _relative_to(path: Path, root: Path) -> Path:
    return path.relative_to(root) if path.is_relative_to(root) else path


def write_summary(reporter: Any, saved: str) -> None:
    """A section of its own, where there is something to say."""
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
