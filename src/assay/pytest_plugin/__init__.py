"""The pytest plug-in: checks a retriever against rules in a test, with the fixture `assay`.

Nothing heavy is imported before a test asks for the fixture.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from assay.errors import AssayError
from assay.pytest_plugin.checker import Checker, describe_failure, session_results, write_summary

WORKER_RESULTS = "assay_results"
"""Under this name a worker of pytest-xdist sends what it measured."""
SAVED_MESSAGE: pytest.StashKey[str] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """What checks compare with, and where that is."""
    group = parser.getgroup("assay", "retrieval quality")
    group.addoption(
        "--assay-baseline", metavar="NAME", help="compare with this baseline: a blessed name, or a file of results"
    )
    group.addoption("--assay-require-baseline", action="store_true", help="a check without a baseline to compare with fails")
    group.addoption("--assay-store", metavar="URL", help="where baselines are (default: $ASSAY_STORE, else .assay/assay.db)")
    group.addoption(
        "--assay-keep", action="store_true", help="keep the results of all checks in the store, as one evaluation"
    )


def pytest_configure(config: pytest.Config) -> None:
    """A baseline can only be required where one is named."""
    if config.getoption("--assay-require-baseline") and not config.getoption("--assay-baseline"):
        raise pytest.UsageError("--assay-require-baseline needs --assay-baseline NAME")


@pytest.fixture
def assay(request: pytest.FixtureRequest) -> Checker:
    """Checks retrievers: `assay.check(dataset, retriever, "ndcg@10 >= 0.42")`."""
    return Checker(request)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a check has to say needs no lines of assay's own code around it, only the line of the test."""
    report = yield
    if call.excinfo and isinstance(call.excinfo.value, AssayError) and "assay" in getattr(item, "fixturenames", ()):
        report.longrepr = describe_failure(call.excinfo, item.config.rootpath)
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep what was measured, if somebody asked for that; one evaluation for all checks of the session.

    Workers of pytest-xdist hand their results over, for half of them in the store would look like all.
    """
    config = session.config
    results = session_results(config)
    if not results.results or not config.getoption("--assay-keep"):
        return
    worker_output = getattr(config, "workeroutput", None)
    if worker_output is not None:
        worker_output[WORKER_RESULTS] = results.to_json()
        return
    try:
        config.stash[SAVED_MESSAGE] = results.save(
            config.getoption("--assay-store"), config.getoption("--assay-baseline") or "main"
        )
    except AssayError as error:
        config.stash[SAVED_MESSAGE] = f"error: the results of these checks could not be kept: {error}"
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A worker of pytest-xdist is done: take over what it measured. One that crashed has nothing to give."""
    if sent := getattr(node, "workeroutput", {}).get(WORKER_RESULTS):
        session_results(node.config).add_json(sent)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The verdicts of all checks, passed or not."""
    write_summary(terminalreporter, config.stash.get(SAVED_MESSAGE, ""))
