"""Desk: what pages share, and when it is looked up again."""

from __future__ import annotations

import pytest
from _clients import client_of, main_of
from _stores import result_of, usual_store

from assay.errors import UnknownName
from assay.store import Store
from assay.web.state import AppState, with_distinct_names


def test_a_new_result_is_seen_at_once(tmp_path):
    path = usual_store(tmp_path / "s.db", nights=1)
    client = client_of(path)
    assert "4 results" in main_of(client.get("/").text)
    with Store.open(path) as store:
        store.save([result_of(99, provider="new", night=60)])
    assert "5 results" in main_of(client.get("/").text)
    with Store.open(path) as store:
        store.tag("latest", "shiny")
    assert "shiny" in main_of(client.get("/").text)


def test_a_browser_is_told_that_nothing_changed(client):
    answer = client.get("/")
    again = client.get("/", headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_comparisons_are_worked_out_once(usual, monkeypatch):
    from assay.comparison import comparison

    made = []
    real = comparison.compare_results
    monkeypatch.setattr(comparison, "compare_results", lambda *args, **how: made.append(1) or real(*args, **how))
    with Store.open(usual) as store:
        state = AppState(store)
        keys = [one.key for one in state.index.results[2:4]]
        assert state.comparison(keys) is state.comparison(keys)
        state.comparison(keys, keys[0])
    assert len(made) == 2


def test_names_that_clash_are_told_apart():
    results = [result_of(1), result_of(2), result_of(3, provider="dense")]
    keys = ["2026-10-01-things-aaaa/0", "2026-10-02-things-bbbb/0", "2026-10-02-things-bbbb/1"]
    assert [one.name for one in with_distinct_names(results, keys)] == ["bm25 (aaaa)", "bm25 (bbbb)", "dense"]
    same = [*keys[:1], "2026-10-01-things-aaaa/1"]
    assert len({one.name for one in with_distinct_names(results[:2], same)}) == 2


def test_the_result_before_is_of_the_same_provider(usual):
    with Store.open(usual) as store:
        state = AppState(store)
        newest = next(one for one in state.index.results if one.entry.provider == "dense")
        before = state.before(newest)
        assert before.entry.provider == "dense"
        assert before.entry.started < newest.entry.started
        assert state.before(state.index.results[-1]) is None


def test_what_is_not_there_is_told(usual):
    with Store.open(usual) as store, pytest.raises(UnknownName):
        AppState(store).result("nothing/0")


class TestRoom:
    """What is kept is bounded by its rows, not by how many things it is."""

    def test_evaluations_and_comparisons_with_many_rows_are_few(self, tmp_path, monkeypatch):
        from assay.web import state as module

        monkeypatch.setattr(module, "MIN_ROWS_COUNTED", 0)
        with Store.open(tmp_path / "s.db") as store:
            keys = [f"{store.save([result_of(seed)])}/0" for seed in range(6)]
            n_rows = module.n_rows_of(store.find(keys[0].partition("/")[0]))
            monkeypatch.setattr(module, "MAX_ROWS", int(2.5 * n_rows))
            state = AppState(store)
            for key in keys:
                state.result(key)
            assert len(state._evaluations) == 2
            for key in keys[1:4]:
                state.comparison([keys[0], key])
            assert len(state.cache) == 1

    def test_one_that_has_more_than_there_is_room_for_is_kept_alone(self, tmp_path, monkeypatch):
        from assay.web import state as module

        with Store.open(tmp_path / "s.db") as store:
            keys = [f"{store.save([result_of(seed)])}/0" for seed in range(2)]
            monkeypatch.setattr(module, "MAX_ROWS", 10)
            state = AppState(store)
            for key in keys:
                assert state.result(key) is state.result(key)
            assert len(state._evaluations) == 1
