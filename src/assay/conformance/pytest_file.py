"""A pytest file that checks one function against the cases."""

from __future__ import annotations

from collections.abc import Sequence

from assay.conformance.check import TOLERANCE
from assay.errors import UsageError

TEMPLATE = '''\
"""Checks {module}.{function} against the conformance cases of assay.

Created by `assay conformance --pytest {module}:{function}`. Needs pytest, assay and {module}.
"""

import pytest

from assay.conformance import all_cases, ask, check_function, judge
from {module} import {top}

CASES = all_cases(metrics={metrics!r}, topics={topics!r})
TOLERANCE = {tolerance!r}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case):
    """The number is right under some convention. {function} is called with a metric, judgments and a run."""
    verdict = judge(case, ask({function}, case), TOLERANCE)
    if verdict.is_skipped:
        pytest.skip(f"{{case.metric}} is not implemented")
    assert not verdict.is_wrong, f"{{verdict}}\\n{{case.reason}} ({{case.working}})"


def test_conventions_are_not_mixed():
    """All metrics use the same conventions for ties, missing queries and so on."""
    report = check_function({function}, CASES, tolerance=TOLERANCE)
    assert [finding.seen for finding in report.findings if finding.is_mixed] == []
'''


def split_target(target: str) -> tuple[str, str]:
    """`my_module:score` as module and function; both may have dots."""
    module, colon, function = target.partition(":")
    names = [*module.split("."), *function.split(".")]
    if not colon or not all(name.isidentifier() for name in names) or module.endswith(".py"):
        meant = _as_module(module, function)
        question = f". Did you mean {meant}?" if meant else ""
        raise UsageError(f"a function must be written as module:function, such as my_module:score, not {target!r}{question}")
    return module, function


def _as_module(file: str, function: str) -> str:
    """`folder/base.py` and `score` as `folder.base:score`; empty if the first is not a Python file."""
    names = file.removeprefix("./").removesuffix(".py").replace("/", ".").split(".")
    is_file = file.endswith(".py") and all(name.isidentifier() for name in names)
    return f"{'.'.join(names)}:{function or 'score'}" if is_file else ""


def render_pytest_file(
    target: str,
    metrics: Sequence[str] | None = None,
    topics: Sequence[str] | None = None,
    *,
    tolerance: float = TOLERANCE,
) -> str:
    """The text of a pytest file for one function."""
    module, function = split_target(target)
    return TEMPLATE.format(
        module=module,
        function=function,
        top=function.partition(".")[0],
        metrics=None if metrics is None else list(metrics),
        topics=None if topics is None else list(topics),
        tolerance=tolerance,
    )
