"""The pytest file really runs, and really fails where it should."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.conformance import render_pytest_file, split_target

EXAMPLE = Path(__file__).parents[2] / "examples" / "my_metrics.py"


def run_pytest(folder):
    """What a plain pytest says; the plugins of our own tests would take two seconds each time."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_kit.py"]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.slow
def test_code_that_is_right_passes(tmp_path):
    shutil.copy(EXAMPLE, tmp_path)
    (tmp_path / "test_kit.py").write_text(render_pytest_file("my_metrics:score"), encoding="utf-8")
    code, out = run_pytest(tmp_path)
    assert (code, out.splitlines()[-1].split(" in ")[0]) == (0, "45 passed, 4 skipped"), out


def test_code_that_is_wrong_fails_and_is_told_why(tmp_path):
    (tmp_path / "mine.py").write_text(
        "class Scorer:\n    @staticmethod\n    def score(metric, qrels, run):\n        return 1.0\n", encoding="utf-8"
    )
    text = render_pytest_file("mine:Scorer.score", ["recall"], ["recall", "duplicates"], tolerance=1e-4)
    (tmp_path / "test_kit.py").write_text(text, encoding="utf-8")
    code, out = run_pytest(tmp_path)
    assert (code, out.splitlines()[-1].split(" in ")[0]) == (1, "2 failed, 2 passed"), out
    assert "recall-more-than-k: recall@3 is 1. Recall that is Hit: 1 as soon as anything relevant is found." in out


@pytest.mark.slow
def test_mixed_conventions_fail(tmp_path):
    (tmp_path / "mine.py").write_text(
        "def score(metric, qrels, run):\n    return {'mrr@10': 0.25, 'map': 0.5}.get(metric)\n", encoding="utf-8"
    )
    (tmp_path / "test_kit.py").write_text(render_pytest_file("mine:score", topics=["ties"]), encoding="utf-8")
    code, out = run_pytest(tmp_path)
    assert (code, out.splitlines()[-1].split(" in ")[0]) == (1, "1 failed, 2 passed, 1 skipped"), out


def test_a_target_is_module_and_function():
    assert split_target("a.b:c.d") == ("a.b", "c.d")


def test_what_is_no_target(snapshots):
    files = ("base.py:score", "./base.py:score", "folder/base.py", "../base.py:score", "my-base.py:score")
    others = ("", "module", "module:", ":score", "my-module:score", "a b:c", "a:b:c", 'a:"""')
    cases = {target: lambda target=target: split_target(target) for target in (*files, *others)}
    snapshots.check_errors("conformance/targets", cases)
