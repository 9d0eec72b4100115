"""The check notices what was changed behind the store's back."""

import pytest
from sqlalchemy import text

from assay.store import Store

from ._results import result_of


@pytest.fixture
def filled(store):
    store.save([result_of(1), result_of(2, provider="dense")])
    return store


def change(store, statement):
    store._database.write(lambda one: one.execute(text(statement)))


def test_a_sound_store(filled):
    check = filled.check()
    assert (check.is_sound, check.n_evaluations, check.n_results, check.n_unused) == (True, 1, 2, 0)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE assay_figures SET value = 0.99 WHERE metric = 'mrr'", "its summaries are not those of its scores"),
        ("DELETE FROM assay_figures WHERE metric = 'mrr'", "its summaries are not those of its scores"),
        ("DELETE FROM assay_results WHERE place = 1", "is not the evaluation that was saved"),
        ("UPDATE assay_results SET digest = 'x' WHERE place = 0", "does not say what it said when it was saved"),
        (
            "UPDATE assay_results SET scores = (SELECT scores FROM assay_results WHERE place = 0) WHERE place = 1",
            "does not say what it said when it was saved",
        ),
        ("UPDATE assay_results SET rankings = scores", "rankings is damaged"),
    ],
)
def test_what_was_changed_is_told(filled, statement, said):
    change(filled, statement)
    check = filled.check()
    assert not check.is_sound
    assert any(said in fault for fault in check.faults)


def test_a_reference_to_nothing_is_told(sqlite):
    with Store.open(sqlite) as store:
        store.save([result_of(1)])
        store._database.execute_outside_transaction("PRAGMA foreign_keys = OFF")
        store._database.execute_outside_transaction(
            "DELETE FROM assay_payloads WHERE digest = (SELECT rankings FROM assay_results)"
        )
        faults = store.check().faults
    assert any("a row of assay_results refers to one of assay_payloads that is gone" in fault for fault in faults)
    assert any("its rankings are not in the store any more" in fault for fault in faults)


def test_what_nobody_needs_is_counted_and_swept(filled):
    change(filled, "DELETE FROM assay_results")
    check = filled.check()
    assert check.n_unused == check.n_payloads  # one benchmark, and all payloads but its queries
    assert filled.vacuum() == check.n_unused + 1
    assert filled.check().n_payloads == 0
