"""Many processes write at the same time, and writers are killed: nothing is lost, doubled or torn."""

import pytest

from assay.store import Store

from ._results import result_of
from ._writers import run_writers


@pytest.mark.slow
def test_twenty_processes_write_fifty_results_each(url):
    run_writers("many", url, 20, 50)
    with Store.open(url, create=False) as store:
        entries, check = store.list(), store.check()
    assert len(entries) == check.n_results == check.n_evaluations == len({entry.evaluation for entry in entries}) == 1000
    assert {entry.provider for entry in entries} == {f"writer {number}" for number in range(20)}
    assert (check.faults, check.n_unused) == ((), 0)


@pytest.mark.slow
def test_processes_that_make_the_same_store_do_not_meet(url):
    run_writers("many", url, 8, 1)
    with Store.open(url, create=False) as store:
        assert store.count() == 8


@pytest.mark.slow
def test_a_writer_killed_at_fifty_instants_leaves_whole_evaluations(url):
    run_writers("killed", url, 50)


@pytest.mark.slow
def test_a_full_disk_is_told_and_nothing_is_lost(tmp_path):
    path = tmp_path / "store.db"
    n_saved, said = run_writers("full", str(path), 600_000).split(" ", 1)
    assert said.startswith(f"{path}: ")
    with Store.open(path) as store:
        assert store.count() == int(n_saved) > 0
        assert store.check().faults == ()
        store.save([result_of(99_999)])
