"""What intervals of a log are about: users, sessions or searches, as chosen, in every shape of log."""

from __future__ import annotations

import json
import random

import pytest

import assay
from assay.cli import main

from ._plain import Click, Search, lists, rows, ubi

START = 1_767_225_600
METRICS = ["ctr@4", "reformulation", "dwell_p50"]


def visits(n_users=40, seed=3):
    """Searches of users who differ much, with their sessions: each user has three, with one to four searches each."""
    draw = random.Random(seed)
    searches, sessions = [], []
    for user in range(n_users):
        chance = draw.betavariate(0.6, 1.5)
        for session in range(3):
            for number in range(draw.randrange(1, 5)):
                time = START + session * 7200 + 60 * number
                docs = [f"d{rank}" for rank in range(4)]
                clicks = [Click(doc, time + 4, draw.uniform(1, 60)) for doc in docs if draw.random() < chance]
                searches.append(Search(f"u{user}", f"q{number}", time, docs, clicks))
                sessions.append(f"u{user} s{session}")
    return searches, sessions


SEARCHES, SESSIONS = visits()
BY_SEARCH = {f"s{number}": session for number, session in enumerate(SESSIONS)}
ROWS = [{**row, "session_id": BY_SEARCH[row["search_id"]]} for row in rows(SEARCHES)]
LISTS = [{**row, "session_id": session} for row, session in zip(lists(SEARCHES), SESSIONS, strict=True)]


def without(records, *names):
    return [{name: value for name, value in record.items() if name not in names} for record in records]


def scored(log, **settings):
    return assay.with_intervals(assay.evaluate_log(log, METRICS, **settings))


def ends(result):
    """The metric and the side → the end of the interval."""
    return {(name, side): getattr(each, side) for name, each in result.intervals.items() for side in ("low", "high")}


@pytest.mark.parametrize("log", [ROWS, LISTS], ids=["rows", "lists"])
def test_a_chosen_cluster_gives_the_interval_of_a_log_that_has_nothing_else(log):
    by_session, by_search = scored(log, cluster="session"), scored(log, cluster="search")
    assert (by_session.rows_are, by_search.rows_are) == ("session", "search")
    assert (len(by_session.query_ids), len(by_search.query_ids)) == (120, len(SEARCHES))
    assert ends(by_session) == pytest.approx(ends(scored(without(log, "user_id"))))
    searches = ends(scored(without(log, "user_id", "session_id")))
    assert all(ends(by_search)[key] == pytest.approx(searches[key]) for key in searches if key[0] != "reformulation")
    assert by_search["reformulation"] == by_session["reformulation"] > 0
    assert ends(scored(log, cluster="user")) == pytest.approx(ends(scored(log)))
    widths = [
        result.intervals["ctr@4"].high - result.intervals["ctr@4"].low for result in (scored(log), by_session, by_search)
    ]
    assert widths[0] > widths[1] > widths[2]


def test_rows_that_a_tag_splits_stay_together_in_the_chosen_cluster():
    split = scored(ROWS, cluster="session", by="query")
    assert split.provenance["clustered_by"] == "session"
    interval = split.intervals["ctr@4"]
    assert (len(split.query_ids) > 120, interval.cluster, interval.n_clusters) == (True, "session", 120)
    assert ends(split) == pytest.approx(ends(scored(ROWS, cluster="session")), rel=0.02)  # a bootstrap of sessions


def test_a_result_says_what_was_chosen():
    assert scored(ROWS, cluster="user").notes == ()
    assert scored(ROWS, cluster="session").notes == (
        "Sessions count as independent, as chosen. Intervals are too narrow if a user has several sessions.",
    )
    bare = scored(without(ROWS, "user_id"), cluster="search")
    assert bare.notes == (
        "Searches count as independent, as chosen. Intervals are too narrow if a session has several searches.",
    )
    assert scored(without(ROWS, "user_id"), cluster="session").notes == ()


def test_programs_are_still_found_by_user():
    robot = [Search("robot", f"q{number}", START + number, ["d0"], []) for number in range(150)]
    for cluster in ("search", "session"):
        log = [*ROWS, *({**row, "search_id": f"r{row['search_id']}", "session_id": row["search_id"]} for row in rows(robot))]
        result = scored(log, cluster=cluster, most_per_hour=100)
        assert result["ctr@4"] == scored(ROWS)["ctr@4"]
        assert any("1 user with too many searches" in note for note in result.notes)


def test_a_log_of_ubi_has_the_clusters_of_its_table_of_queries(tmp_path):
    queries, events = ubi(SEARCHES)
    named = [{**query, "session_id": session} for query, session in zip(queries, SESSIONS, strict=True)]
    paths = [tmp_path / "queries.jsonl", tmp_path / "events.jsonl"]

    def write(records):
        for path, some in zip(paths, (records, events), strict=True):
            path.write_text("".join(json.dumps(record) + "\n" for record in some))
        return list(map(str, paths))

    assert ends(scored(write(named), cluster="session")) == pytest.approx(ends(scored(ROWS, cluster="session")))
    with pytest.raises(assay.DataError, match="the log has no column with sessions among 'application', 'query_id'"):
        scored(write(queries), cluster="session")
    assert scored(write(without(named, "client_id"))).rows_are == "session"


@pytest.mark.parametrize(
    ("log", "cluster", "message"),
    [
        (ROWS, "users", "cluster must be one of user, session, search, not 'users'"),
        (without(ROWS, "session_id"), "session", "the log has no column with sessions among .* --columns session=NAME"),
        (without(ROWS, "user_id"), "user", "the log has no column with users among"),
    ],
)
def test_a_cluster_that_the_log_does_not_have_is_an_error(log, cluster, message):
    with pytest.raises(assay.AssayError, match=message):
        scored(log, cluster=cluster)


def test_the_command_and_the_gate_speak_of_sessions(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in LISTS))
    assert (
        main(["log", "score", "log.jsonl", "-m", "ctr@4", "--cluster", "session", "--by", "variant", "-o", "log.json"]) == 0
    )
    out = capsys.readouterr().out
    assert f"log: {len(SEARCHES)} searches by 120 sessions" in out
    assert "log by variant (A: 120 sessions)" in out
    assert main(["gate", "log.json", "--rule", "ctr@4 >= 0.01"]) == 0
    assert "120 sessions" in capsys.readouterr().out
    (tmp_path / "plan.yaml").write_text("logs: [{path: log.jsonl, cluster: session}]\nmetrics: [ctr@4]\n")
    assert main(["eval", "plan.yaml", "--no-store"]) == 0
    assert "by 120 sessions" in capsys.readouterr().out
    for wrong, message in (
        ("cluster: day", "cluster must be one of user"),
        ("cluster: user, experiment: ", "is for logs without"),
    ):
        (tmp_path / "plan.yaml").write_text(f"logs: [{{path: log.jsonl, {wrong}}}]\nmetrics: [ctr@4]\n")
        assert main(["plan", "check", "plan.yaml"]) == 2
        assert message in capsys.readouterr().err
    assert main(["log", "check", "log.jsonl", "--cluster", "session"]) == 2
    assert "--cluster is for assay log score" in capsys.readouterr().err
