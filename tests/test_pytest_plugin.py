"""The pytest plug-in: real sessions of pytest, in folders of their own."""

import importlib
import json
from importlib.metadata import entry_points

import pytest

import assay
from assay.monitoring import render_gate
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
    monkeypatch.delenv("CI", raising=False)  # there pytest prints every message twice
    installed = any(point.value == "assay.pytest_plugin" for point in entry_points(group="pytest11"))

    def run(tests, *options):
        pytester.makepyfile(test_it=SUITE + tests)
        loading = () if installed else ("-p", "assay.pytest_plugin")
        return pytester.runpytest_inprocess(*loading, "-p", "no:cacheprovider", *options)

    return run


EVERY_END = """
import pytest

def test_good(assay):
    assert assay.check(DATASET, good, 'mrr >= 0.9', 'failed = 0')['mrr'] == 1

def test_poor(assay):
    assay.check(DATASET, poor, 'mrr >= 0.9')

def test_mistake(assay):
    assay.check(DATASET, good, 'mrrr >= 0.9')

def test_caught(assay):
    with pytest.raises(library.errors.GateFailed):
        assay.check(DATASET, poor, 'mrr >= 0.9')
    with pytest.raises(library.errors.UsageError):
        assay.check(DATASET, poor, 'mrrr >= 0.9')

def test_results_that_are_there_already(assay):
    assay.gate(library.evaluate({'q': {'a': 1}}, {'q': ['b']}, 'mrr'), 'mrr >= 0.5')
"""


def test_checks_hold_fail_or_have_a_mistake(session):
    """A failure needs no second run, and a mistake in a rule is no verdict."""
    done = session(EVERY_END)
    done.assert_outcomes(passed=2, failed=3)
    printed = done.stdout.str()
    done.stdout.fnmatch_lines(
        [
            "test_it.py:*: the results break a rule",
            "FAIL  mrr >= 0.9  0.250 [[]*[]], 8 queries",
            'Worst queries: q3 0.000 ("what is thing 3?")*',
            "test_it.py:*: UnknownName: no metric is called 'mrrr'*",
            "*= assay =*",
            "test_it.py::test_good",
            "  PASS  mrr >= 0.9*1.000*8 queries",
            "test_it.py::test_poor",
            "  1 rule failed.*",
            "FAILED test_it.py::test_poor - test_it.py:*: the results break a rule",
        ]
    )
    assert "Traceback" not in printed
    assert "pytest_plugin" not in printed
    assert printed.count('Worst queries: q3 0.000 ("what is thing 3?")') == 1
    assert "test_it.py::test_mistake\n" not in printed, "no verdict"


@pytest.mark.slow
def test_against_a_baseline(session, pytester):
    kept = session("def test_it(assay):\n    assay.check(DATASET, good, 'mrr >= 0.9')\n", "--assay-keep")
    kept.assert_outcomes(passed=1)
    kept.stdout.fnmatch_lines(["saved as 20*. To make it the baseline: assay bless latest --as main"])
    bless(pytester)
    rules = "'mrr not worse than baseline by 0.02', 'no query drops to miss'"
    tests = f"def test_it(assay):\n    assay.check(DATASET, poor, {rules})\n"
    session(tests).assert_outcomes(passed=1)
    done = session(tests, "--assay-baseline", "main")
    done.assert_outcomes(failed=1)
    figures = "FAIL  mrr not worse by 0.02 *1.000 → 0.250  (−0.750 [[]*[]], 8 queries)"
    done.stdout.fnmatch_lines([figures, 'Largest losses: q3 hit → miss ("what is thing 3?")*'])
    kept = session(tests, "--assay-baseline", "old", "--assay-store", "none.db", "--assay-keep")
    kept.stdout.fnmatch_lines(
        ["*note: no baseline is called old yet", "saved as 20*. To make it the baseline: assay bless latest --as old"]
    )
    assert kept.stdout.str().count("assay bless") == 1


def test_suites_without_checks_see_nothing_of_it(session):
    done = session("def test_it():\n    pass\n")
    done.assert_outcomes(passed=1)
    assert "= assay =" not in done.stdout.str()


def saved(pytester):
    """The evaluation that was kept last, and its results by name."""
    with Store.open(pytester.path / ".assay" / "assay.db", create=False) as store:
        latest = store.latest()
        return store.count(), {(result.benchmark, result.name): result for result in latest.results}


def bless(pytester):
    with Store.open(pytester.path / ".assay" / "assay.db", create=False) as store:
        store.bless("latest", "main")


TWO = """
def test_one(assay):
    assay.check(DATASET, good, 'mrr >= 0.1')

def test_two(assay):
    assay.check(DATASET, good, 'hit@3 >= 0.1', 'mrr >= 0.2')
"""


@pytest.mark.slow
def test_checks_of_the_same_retriever_are_one_result(session, pytester):
    """Else the baseline has two results of one name, and nothing can be compared with it."""
    session(TWO, "--assay-keep").assert_outcomes(passed=2)
    count, results = saved(pytester)
    assert (count, list(results)) == (1, [("tiny", "good")])
    assert {"mrr", "hit@3"} <= set(results["tiny", "good"].summary)
    bless(pytester)
    done = session(TWO.replace(">= 0.1", "drops <= 0.01"), "--assay-baseline", "main", "--assay-require-baseline")
    done.assert_outcomes(passed=2)
    assert "not evaluated now" not in done.stdout.str()


@pytest.mark.slow
def test_workers_keep_one_evaluation_of_all(session, pytester, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # workers start quicker with what they need alone
    others = "def test_r0(assay):\n    assay.check(DATASET, poor, 'mrr >= 0.01', name='r0')\n"
    others += others.replace("r0", "r1").replace("poor", "good")
    done = session(TWO + others, "--assay-keep", "-p", "assay.pytest_plugin", "-p", "xdist", "-n", "2")
    done.assert_outcomes(passed=4)
    assert done.stdout.str().count("saved as ") == 1
    count, results = saved(pytester)
    assert (count, sorted(name for _, name in results)) == (3, ["good", "r0", "r1"])
    assert {"mrr", "hit@3"} <= set(results["tiny", "good"].summary)
    assert len(results["tiny", "r1"].run) == 8


@pytest.mark.slow
def test_retrievers_that_are_called_the_same_are_told_apart(session, pytester):
    tests = (
        "def test_one(assay):\n    assay.check(DATASET, good, 'mrr >= 0.01', name='mine')\n"
        "def test_two(assay):\n    assert assay.check(DATASET, poor, 'mrr >= 0.01', name='mine').name == 'mine-2'\n"
    )
    done = session(tests, "--assay-keep")
    done.assert_outcomes(passed=2)
    done.stdout.fnmatch_lines(["*note: mine retrieved other documents in another check, so this result is called mine-2. *"])
    assert sorted(saved(pytester)[1]) == [("tiny", "mine"), ("tiny", "mine-2")]
    bless(pytester)
    again = tests.replace("mrr >= 0.01", "mrr drops <= 0.01")
    session(again, "--assay-baseline", "main").assert_outcomes(passed=2)


CHECK = "def test_it(assay):\n    assay.check(DATASET, good, 'mrr drops <= 0.01')\n"


@pytest.mark.slow
def test_what_can_never_be_a_baseline_is_no_baseline_to_wait_for(session):
    session(CHECK, "--assay-keep")
    for name, said in (("./x.json", "./x.json: no such file"), ("latest~7", "'latest~7' is not the name of a baseline*")):
        done = session(CHECK, "--assay-baseline", name)
        done.assert_outcomes(failed=1)
        done.stdout.fnmatch_lines([f"test_it.py:*: DataError: {said}"])


@pytest.mark.slow
def test_a_baseline_that_is_not_there_yet_is_told_and_may_be_required(session, pytester):
    session(CHECK, "--assay-keep")
    bless(pytester)
    done = session(CHECK, "--assay-baseline", "mian")
    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines(["*note: no baseline is called mian yet (did you mean main?)*"])
    done = session(CHECK, "--assay-baseline", "mian", "--assay-require-baseline")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["test_it.py:*: DataError: no baseline is called mian yet (did you mean main?)*"])
    other = CHECK.replace("DATASET", "library.load_dataset('rag-template')").replace("good", "'random_order'")
    done = session(other, "--assay-baseline", "main", "--assay-require-baseline")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["test_it.py:*: DataError: the baseline main has no results for rag-template. *"])
    assert session(CHECK, "--assay-require-baseline").ret == pytest.ExitCode.USAGE_ERROR


def test_a_store_that_is_broken_costs_neither_summary_nor_results(session, pytester):
    (pytester.path / "bad.db").write_bytes(b"no database at all" * 99)
    done = session(CHECK, "--assay-keep", "--assay-store", "bad.db")
    done.assert_outcomes(passed=1)
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    done.stdout.fnmatch_lines(
        [
            "*= assay =*",
            "error: the results of these checks could not be saved: bad.db: *assay results import *",
            "*1 passed*",
        ]
    )
    assert "Traceback" not in done.stdout.str() + done.stderr.str()
    assert len(list((pytester.path / ".assay" / "unsaved").iterdir())) == 1


@pytest.mark.slow
def test_rules_with_a_guard_are_a_map_and_create_the_store_that_is_named(session, pytester):
    rules = "{'guard': '5% over 100 changes', 'rules': ['mrr not worse by 0.1']}"
    test = f"def test_it(assay):\n    assay.check(DATASET, RETRIEVER, {rules}, name='mine')\n"
    session(test.replace("RETRIEVER", "good"), "--assay-keep").assert_outcomes(passed=1)
    with Store.open() as store:
        saved = {"schema": "assay.result/1", "results": [store.find("latest").results[0].to_dict()]}
    (pytester.path / "good.json").write_text(json.dumps(saved))
    done = session(test.replace("RETRIEVER", "poor"), "--assay-baseline", "good.json", "--assay-store", "new.db", "-rA")
    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines(
        ["*????  mrr not worse by 0.1*", "*guard 5% over 100 changes: 1 different candidate of 100 checked*"]
    )
    assert (pytester.path / "new.db").exists()


@pytest.mark.slow
def test_the_ratchet_knows_the_best_of_the_store(session, pytester):
    rule = "def test_it(assay):\n    assay.check(DATASET, {}, 'mrr ratchet', name='mine')\n"
    first = session(rule.format("good"), "--assay-keep")
    first.stdout.fnmatch_lines(["*skip  mrr ratchet*"])
    second = session(rule.format("good"))
    second.stdout.fnmatch_lines(["*PASS  mrr ratchet*1.000 best so far*"])
    worse = session(rule.format("poor"))
    worse.assert_outcomes(failed=1)
    worse.stdout.fnmatch_lines(["*FAIL  mrr ratchet*1.000 best so far*"])
    other = rule.format("poor").replace("def test", "DATASET.add_judgment(library.RelevanceJudgment('q3', 'd0'))\ndef test")
    session(other).assert_outcomes(passed=1)  # other judgments: nothing to compare with
