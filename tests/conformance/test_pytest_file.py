"""The pytest file really runs, and really fails where it should."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.conformance import render_pytest_file, split_target

pytest_plugins = ["pytester"]

EXAMPLE = Path(__file__).parents[2] / "examples" / "my_metrics.py"


def outcome(pytester, code, *asked, **more):
    """How many pass, fail and are skipped, and what is printed."""
    pytester.makepyfile(mine=code, test_kit=render_pytest_file(*asked, **more))
    done = pytester.runpytest_inprocess("-q", "-p", "no:cacheprovider", "test_kit.py")
    counts = done.parseoutcomes()
    return [counts.get(kind, 0) for kind in ("passed", "failed", "skipped")], done.stdout.str()


def test_code_that_is_wrong_fails_and_is_told_why(pytester):
    code = "class Scorer:\n    @staticmethod\n    def score(metric, qrels, run):\n        return 1.0\n"
    asked = ("mine:Scorer.score", ["recall"], ["recall", "duplicates"])
    counts, printed = outcome(pytester, code, *asked, tolerance=1e-4)
    assert counts == [2, 2, 0], printed
    assert "recall-more-than-k: recall@3 is 1. Recall that is Hit: 1 as soon as anything relevant is found." in printed


@pytest.mark.slow
def test_code_that_is_right_passes_and_mixed_conventions_fail(pytester):
    assert outcome(pytester, EXAMPLE.read_text("utf-8"), "mine:score")[0] == [45, 0, 4]
    mixed = "def score(metric, qrels, run):\n    return {'mrr@10': 0.25, 'map': 0.5}.get(metric)\n"
    assert outcome(pytester, mixed, "mine:score", topics=["ties"])[0] == [2, 1, 1]


def test_a_target_is_module_and_function(snapshots):
    assert split_target("a.b:c.d") == ("a.b", "c.d")
    files = ("base.py:score", "./base.py:score", "folder/base.py", "../base.py:score", "my-base.py:score")
    others = ("", "module", "module:", ":score", "my-module:score", "a b:c", "a:b:c", 'a:"""')
    cases = {target: lambda target=target: split_target(target) for target in (*files, *others)}
    snapshots.check_errors("conformance/targets", cases)
