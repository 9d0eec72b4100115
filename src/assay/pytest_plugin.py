"""The pytest plug-in: hold a retriever against rules in a test, with the fixture `assay`.

Nothing heavy is imported before a test asks for the fixture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.evaluation.result import Result
    from assay.monitoring.gate import GateReport

PROPERTY = "assay"
"""Under this name the lines of a check travel with the report of a test, to the summary and into JUnit files."""
KEPT: pytest.StashKey[list[Any]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """What checks compare with, and where that is."""
    group = parser.getgroup("assay", "retrieval quality")
    group.addoption(
        "--assay-baseline", metavar="NAME", help="compare with this baseline: a blessed name, or a file of results"
    )
    group.addoption("--assay-store", metavar="URL", help="where baselines are (default: $ASSAY_STORE, else .assay/assay.db)")
    group.addoption(
        "--assay-keep", action="store_true", help="keep the results of all checks in the store, as one evaluation"
    )


@pytest.fixture
def assay(request: pytest.FixtureRequest) -> Checker:
    """Checks retrievers: `assay.check(dataset, retriever, "ndcg@10 >= 0.42")`."""
    return Checker(request)


class Checker:
    """What the fixture gives."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request

    def check(
        self, dataset: Any, retriever: Any, *rules: Any, metrics: str | Iterable[str] | None = None, **settings: Any
    ) -> Result:
        """Ask a retriever all queries of a benchmark, score it, and fail the test if a rule does not hold.

        `retriever` is what `assay.run` takes: an object with `search`, a function, or a provider's name. Metrics are those
        of the rules, and `metrics` besides. Gives the result, for assertions of your own.
        """
        __tracebackhide__ = True
        from assay.evaluation.run import run
        from assay.monitoring.rules import parse_rules

        parsed = parse_rules(rules)
        wanted = _metrics(parsed, metrics)
        result = run(dataset, retriever, wanted, **settings)
        self._request.config.stash.setdefault(KEPT, []).append(result)
        self._held(result, parsed)
        return result

    def gate(self, result: Result | Sequence[Result], *rules: Any) -> GateReport:
        """The same for results that are there already."""
        __tracebackhide__ = True
        from assay.monitoring.rules import parse_rules

        return self._held(result, parse_rules(rules))

    def _held(self, result: Any, rules: Any) -> GateReport:
        __tracebackhide__ = True
        from assay.monitoring.gate import gate
        from assay.monitoring.gate_console import render_gate

        results = list(result) if isinstance(result, list | tuple) else [result]
        name, before, note = self._baseline({one.benchmark for one in results})
        report = gate(results, before, rules, name=name)
        text = render_gate(report).rstrip().removesuffix(f"   exit {report.exit_code}")
        said = f"{text}\nnote: {note}" if note else text
        self._request.node.user_properties.append((PROPERTY, said))
        if not report.is_passed:
            pytest.fail(f"retrieval got worse\n{said}", pytrace=False)
        return report

    def _baseline(self, benchmarks: set[str]) -> tuple[str, list[Result] | None, str]:
        """Its name, its results on these benchmarks, and why there are none."""
        config = self._request.config
        name = config.getoption("--assay-baseline")
        if not name:
            return "", None, ""
        found = _stored_results(name, config.getoption("--assay-store"))
        if found is None:
            return name, None, f"there is no baseline {name} yet: assay bless latest --as {name} makes one"
        same = [one for one in found if not one.benchmark or one.benchmark in benchmarks or "" in benchmarks]
        return name, same or None, "" if same else f"the baseline {name} has nothing about {', '.join(sorted(benchmarks))}"


def _metrics(rules: Any, more: str | Iterable[str] | None) -> list[str]:
    """What must be scored for the rules to be held; hits and misses need a metric that tells them apart."""
    found = [rule.metric.name for rule in rules if rule.metric]
    if any(rule.metric is None and rule.needs_baseline for rule in rules):
        found.append("hit@10")
    found += [more] if isinstance(more, str) else list(more or ())
    return list(dict.fromkeys(found)) or ["ndcg@10"]


def _stored_results(reference: str, store: str | None) -> list[Result] | None:
    """Of a file, or of the store; None where there is no such baseline yet."""
    from assay.errors import UnknownName
    from assay.evaluation.saved import is_saved_result, read_results

    if is_saved_result(reference):
        return read_results(reference)
    from assay.store import Store
    from assay.store.place import parse_place

    if not parse_place(store).exists:
        return None
    try:
        with Store.open(store, create=False) as opened:
            return list(opened.find(reference).results)
    except UnknownName as error:
        if error.kind != "stored evaluation":
            raise
    return None


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep what was measured, if somebody asked for that; one evaluation for all checks of the session."""
    results = session.config.stash.get(KEPT, [])
    if results and session.config.getoption("--assay-keep"):
        from assay.evaluation.provenance import now
        from assay.store import keep

        session.config.stash[SAVED] = keep(
            results, {"command": "pytest", "started": now()}, session.config.getoption("--assay-store")
        )


SAVED: pytest.StashKey[str] = pytest.StashKey()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The verdicts of all checks, passed or not."""
    said = [
        (report.nodeid, text)
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, text in report.user_properties
        if name == PROPERTY
    ]
    if not said and SAVED not in config.stash:
        return
    terminalreporter.section("assay")
    for nodeid, text in said:
        terminalreporter.write_line(nodeid)
        for line in str(text).splitlines():
            terminalreporter.write_line(f"  {line}")
    if SAVED in config.stash:
        terminalreporter.write_line(f"kept as {config.stash[SAVED]}; assay bless latest --as main makes it the baseline")
