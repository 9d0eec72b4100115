"""Logs that somebody could really have: clicks of other searches, objects for lists, ids as slices, metrics without data."""

from __future__ import annotations

import json

import pytest

import assay
from assay.logs import check_log

from ._plain import Click, Search, lists, rows, ubi

START = 1_767_225_600
SEARCHES = [
    Search("ana", "cats", START, ["a", "b"], [Click("b", START + 9, 3.0)]),
    Search("bob", "dogs", START + 5, ["b", "c"], [Click("b", START + 7, 3.0)]),
    Search("eve", "fish", START + 8, []),
]


def write(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def tables(folder, queries, events):
    return [write(folder / "queries.jsonl", queries), write(folder / "events.jsonl", events)]


def test_clicks_of_searches_that_the_log_does_not_have(tmp_path):
    queries, events = ubi(SEARCHES)
    names = ("elsewhere", None)
    lost = [
        {**event, "query_id": name}
        for event, name in zip([event for event in events if "click" in event["action_name"]], names, strict=True)
    ]
    result = assay.evaluate_log(tables(tmp_path, queries, [*events, *lost]), ["ctr@2"])
    assert result["ctr@2"] == 2 / 4
    assert result.notes == ("2 clicks belong to searches that the log does not have, so they are left out.",)
    (finding,) = check_log([str(tmp_path / "queries.jsonl"), str(tmp_path / "events.jsonl")]).findings
    assert (finding.code, finding.count) == ("orphan-click", 2)
    without = assay.evaluate_log(tables(tmp_path, queries, lost[:1]), ["ctr@2"], most_per_hour=100)
    assert without["ctr@2"] == 0
    assert "1 click belongs to searches that the log does not have, so it is left out." in without.notes
    assert "No click is on a document that was shown, so metrics of clicks mean nothing." in without.notes


def test_a_log_of_ubi_without_any_click_does_not_ask_for_a_column(tmp_path):
    queries, events = ubi(SEARCHES)
    quiet = [event for event in events if "click" not in event["action_name"]]
    notes = assay.evaluate_log(tables(tmp_path, queries, quiet), ["ctr@2"]).notes
    assert notes == ("The log has no clicks. Clicks are events whose action_name contains click.",)


@pytest.mark.parametrize("name", ["shown", "clicks"])
def test_an_object_is_not_a_list_of_ids(tmp_path, name):
    records = [{"query": "x", "shown": ["a", "b"], "clicks": ["a"]}, {"query": "x", "shown": ["a"], "clicks": ["a"]}]
    records[1][name] = {"a": 1}
    with pytest.raises(assay.DataError, match=rf"(?s)log.jsonl:2: {name} must be a list of documents, not '{{\"a\":1}}'"):
        assay.evaluate_log(write(tmp_path / "log.jsonl", records), ["ctr@2"])


def test_ids_of_users_and_sessions_are_no_slices(tmp_path):
    named = [{**row, "session": "s"} for row in rows(SEARCHES)]
    for log, by, role in (
        (rows(SEARCHES), "user", "user"),
        (rows(SEARCHES), "user_id", "user"),
        (lists(SEARCHES), "variant*user_id", "user"),
        (named, "session", "session"),
        (tables(tmp_path, *ubi(SEARCHES)), "client_id", "user"),
    ):
        with pytest.raises(assay.UsageError, match=f"its values are ids of {role}s, which a result must not have"):
            assay.evaluate_log(log, ["ctr@2"], by=by)


def test_a_metric_without_data_says_so():
    bare = [{name: value for name, value in row.items() if name not in ("dwell", "click_time")} for row in rows(SEARCHES)]
    result = assay.evaluate_log(bare, ["ctr@2", "dwell_p50"])
    assert result.notes == ("dwell_p50 has no value, because the log does not have what it reads.",)
    result = assay.evaluate_log(bare, ["time_to_click", "dwell_p50"])
    assert result.notes == ("time_to_click_p50, dwell_p50 have no value, because the log does not have what they read.",)
    assert assay.evaluate_log(bare).notes == ()


@pytest.mark.parametrize("n", [60, 61, 62, 63, 64, 200])
def test_long_lists_of_results(n):
    """Ranks are remembered as the bits of a number, which has an end."""
    docs = [f"d{number}" for number in range(n)]
    searches = [Search(f"u{user}", "q", START, docs, [Click(docs[-1], START + 3)]) for user in range(3)]
    result = assay.evaluate_log(rows(searches), ["clicked_rank", "ctr@100"])
    assert (result["clicked_rank"], result.notes) == (n, ())
    assert {finding.code for finding in check_log(rows(searches)).findings} == {"no-zero-results"}
    broken = [row for row in rows(searches) if row["rank"] != 5]
    assert ("missing-rank" in {finding.code for finding in check_log(broken).findings}) == (n <= 61)
    assert len(assay.judge_clicks(rows(searches), "dbn", least=3)) == n


def test_searches_without_a_query_are_not_graded():
    bare = [{**row, "query": None} for row in rows(SEARCHES)]
    with pytest.raises(assay.DataError, match="no document was seen at least 1 time for a query"):
        assay.judge_clicks(bare, "dbn", least=1)
