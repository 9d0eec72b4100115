"""Many processes write at the same time, and writers are killed: nothing is lost, doubled or torn."""

import subprocess
import sys
from pathlib import Path

import pytest

from assay.store import Store

from ._results import result_of

WRITERS = Path(__file__).with_name("_writers.py")


def run(what, url, *numbers):
    done = subprocess.run(
        [sys.executable, WRITERS, what, url, *map(str, numbers)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_twenty_processes_write_fifty_results_each(url):
    run("many", url, 20, 50)
    with Store.open(url, create=False) as store:
        entries = store.list()
        check = store.check()
    names = {(entry.provider, entry.figures["num_ret"].value) for entry in entries}
    assert len(entries) == check.n_results == check.n_evaluations == 1000
    assert len({entry.evaluation for entry in entries}) == 1000
    assert {name for name, _ in names} == {f"writer {number}" for number in range(20)}
    assert check.faults == ()
    assert check.n_unused == 0


def test_processes_that_make_the_same_store_do_not_meet(url):
    run("many", url, 8, 1)
    with Store.open(url, create=False) as store:
        assert store.count() == 8


def test_the_same_evaluation_from_many_processes_is_there_once(sqlite):
    with Store.open(sqlite) as first, Store.open(sqlite) as second:
        assert first.save([result_of(1)]) == second.save([result_of(1)])
        assert first.count() == 1
