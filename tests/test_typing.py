"""The types of public functions: mypy and pyright report every wrong call in tests/typing/calls.py, and nothing else."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import get_type_hints

import pytest

import assay
from assay.comparison import ComparisonOptions
from assay.fusion import all_fusions

ROOT = Path(__file__).parents[1]
CALLS = ROOT / "tests/typing/calls.py"
PACKAGE = Path(assay.__file__).parent


def wrong_lines() -> set[int]:
    lines = CALLS.read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# error")}


def need(module: str) -> None:
    if find_spec(module) is None:
        if "all" in os.environ.get("ASSAY_TEST_REQUIRE", "").split(","):
            pytest.fail(f"ASSAY_TEST_REQUIRE=all, but {module} is missing")
        pytest.skip(f"{module} is not installed")


def checked(*command: str, **environment: str) -> str:
    """What a checker prints; it may take minutes on a machine that is busy."""
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_mypy_reports_the_wrong_calls_alone(tmp_path):
    need("mypy")
    settings = tmp_path / "mypy.ini"
    settings.write_text("[mypy]\nstrict = true\npython_version = 3.11\nignore_missing_imports = true\n")
    options = ["--config-file", str(settings), "--cache-dir", str(tmp_path / "cache"), "--follow-imports", "silent"]
    output = checked("mypy", *options, "--output", "json", str(CALLS), MYPYPATH=str(PACKAGE.parent))
    reports = [report for line in output.splitlines() if (report := json.loads(line))["severity"] == "error"]
    assert {Path(report["file"]).name for report in reports} == {CALLS.name}
    assert {report["line"] for report in reports} == wrong_lines()


@pytest.mark.slow
def test_pyright_reports_the_wrong_calls_alone(tmp_path):
    need("basedpyright")
    settings = tmp_path / "pyrightconfig.json"
    wanted = {"include": [str(CALLS)], "extraPaths": [str(PACKAGE.parent)], "typeCheckingMode": "standard"}
    settings.write_text(json.dumps({**wanted, "pythonVersion": "3.11"}))
    output = checked("basedpyright", "-p", str(settings), "--pythonpath", sys.executable, "--outputjson")
    reports = [report for report in json.loads(output)["generalDiagnostics"] if report["severity"] == "error"]
    assert {report["range"]["start"]["line"] + 1 for report in reports} == wrong_lines()


def keywords(function) -> set[str]:
    """The names that the type of `**settings` allows."""
    hints = get_type_hints(function, include_extras=True)
    return set(
        next(hint.__args__[0] for name, hint in hints.items() if name in ("settings", "how", "values")).__annotations__
    )


def test_keywords_are_those_of_the_records_they_become():
    assert keywords(assay.Profile.adjusted) == {field.name for field in dataclasses.fields(assay.Policy)}
    options = {field.name for field in dataclasses.fields(ComparisonOptions)}
    assert keywords(assay.BenchmarkComparison.compare_runs) == options
    result = assay.evaluate({"q1": {"a": 1}}, {"q1": ["a"]}, ["mrr"])
    parts = (result, result.all_scores, result.evidence, result.origin)
    names = {field.name for part in parts for field in dataclasses.fields(part)}
    assert keywords(assay.Result.with_fields) == names - {"system"}  # set by Result.distinguished alone
    params = [param for fusion in all_fusions().values() for param in fusion.params]
    assert keywords(assay.fuse) == {name for param in params for name in (param.name, *param.aliases)}
