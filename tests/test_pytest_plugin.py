"""The pytest plug-in: real sessions of pytest, in folders of their own."""

import importlib
import subprocess
import sys
from importlib.metadata import entry_points

import pytest

import assay
from assay.monitoring.gate_console import render_gate
from assay.store import Store

pytest_plugins = ["pytester"]

SUITE = """
import assay as library

DATASET = library.BenchmarkDataset("tiny")
for number in range(1, 9):
    DATASET.add_query(library.Query(f"q{number}", f"what is thing {number}?"))
    DATASET.add_document(library.Document(f"d{number}", f"thing {number}"))
    DATASET.add_judgment(library.RelevanceJudgment(f"q{number}", f"d{number}"))

def good(query, k):
    return [f"d{query.split()[-1].rstrip('?')}"]

def poor(query, k):
    return good(query, k) if "1" in query or "2" in query else ["d0"]
"""


@pytest.fixture(scope="module")
def loaded():
    """Everything a check needs, so that a session, which forgets what it has loaded, loads nothing twice."""
    for name in ("numpy.fft", "numpy.ma", "numpy.polynomial", "scipy.special", "sqlalchemy.dialects.sqlite", "zstandard"):
        importlib.import_module(name)
    result = assay.run("rag-template", "random_order", "mrr")
    assert render_gate(assay.monitoring.gate(result, result, "mrr not worse by 0.02"))


@pytest.fixture
def session(pytester, monkeypatch, loaded):
    """Runs a suite in a folder of its own."""
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    installed = any(point.value == "assay.pytest_plugin" for point in entry_points(group="pytest11"))

    def run(tests, *options):
        pytester.makepyfile(test_it=SUITE + tests)
        loading = () if installed else ("-p", "assay.pytest_plugin")
        return pytester.runpytest_inprocess(*loading, "-p", "no:cacheprovider", *options)

    return run


def test_a_check_that_holds(session):
    done = session(
        "def test_retrieval(assay):\n    assert assay.check(DATASET, good, 'mrr >= 0.9', 'failed = 0')['mrr'] == 1\n"
    )
    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines(["*= assay =*", "test_it.py::test_retrieval", "  PASS  mrr >= 0.9*1.000*8 queries"])


def test_a_failure_needs_no_second_run(session):
    done = session("def test_retrieval(assay):\n    assay.check(DATASET, poor, 'mrr >= 0.9')\n")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        ["retrieval got worse", "FAIL  mrr >= 0.9  0.250 [[]*[]], 8 queries", 'Worst: q3 0.000 ("what is thing 3?")*']
    )
    assert "Traceback" not in done.stdout.str()


def test_against_a_baseline(session, pytester):
    kept = session("def test_it(assay):\n    assay.check(DATASET, good, 'mrr >= 0.9')\n", "--assay-keep")
    kept.assert_outcomes(passed=1)
    kept.stdout.fnmatch_lines(["kept as 20*; assay bless latest --as main makes it the baseline"])
    with Store.open(pytester.path / ".assay" / "assay.db") as store:
        store.bless("latest", "main")
    rules = "'mrr not worse than baseline by 0.02', 'no query drops to miss'"
    tests = f"def test_it(assay):\n    assay.check(DATASET, poor, {rules})\n"
    session(tests).assert_outcomes(passed=1)
    done = session(tests, "--assay-baseline", "main")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [
            "FAIL  mrr not worse by 0.02 *1.000 → 0.250  (−0.750 [[]*[]], 8 queries)",
            'Moved most: q3 hit → miss ("what is thing 3?")*',
        ]
    )
    other = session(tests, "--assay-baseline", "main", "--assay-store", "none.db")
    other.assert_outcomes(passed=1)
    other.stdout.fnmatch_lines(["*note: there is no baseline main yet: assay bless latest --as main makes one"])


def test_a_mistake_in_a_rule_is_no_verdict(session):
    done = session("def test_it(assay):\n    assay.check(DATASET, good, 'mrrr >= 0.9')\n")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*no metric is called 'mrrr'*"])
    assert "retrieval got worse" not in done.stdout.str()


def test_results_that_are_there_already(session):
    done = session(
        "def test_it(assay):\n    result = library.evaluate({'q': {'a': 1}}, {'q': ['b']}, 'mrr')\n"
        "    assay.gate(result, 'mrr >= 0.5')\n"
    )
    done.assert_outcomes(failed=1)


def test_suites_without_checks_see_nothing_of_it(session):
    done = session("def test_it():\n    pass\n")
    done.assert_outcomes(passed=1)
    assert "= assay =" not in done.stdout.str()


def test_loading_it_is_cheap():
    script = "import sys, assay.pytest_plugin; sys.exit(bool({'numpy', 'scipy', 'sqlalchemy', 'duckdb'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
