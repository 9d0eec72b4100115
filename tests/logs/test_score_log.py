"""evaluate_log: values by hand and by plain loops, shapes of logs, intervals about users, and wrong input."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.comparison import compare_results
from assay.errors import BadParameter, DataError
from assay.logs import variant_sums

from ._plain import Click, Search, lists, plain_metrics, rows, ubi

START = 1_767_225_600
HAND = [
    Search("ana", "cats", START, ["d1", "d2", "d3"], [Click("d2", START + 5, 40.0)]),
    Search("ana", "cats dogs", START + 60, ["d1", "d2", "d3"]),
    Search("bob", "fish", START + 10, [], variant="B"),
    Search("eve", "cats", START + 20, ["d1", "d3"], [Click("d1", START + 22, 10.0), Click("d9", START + 42, 99.0)], "B"),
]
BY_HAND = {
    "ctr@10": 2 / 8,
    "ctr@1": 1 / 3,
    "first_click_mrr": (1 / 2 + 1) / 3,
    "clicked_rank": 3 / 2,
    "abandonment": 1 / 3,
    "zero_results": 1 / 4,
    "reformulation": 1 / 4,
    "reformulation(seconds=59)": 0,
    "satisfied_click@10": 1 / 3,
    "satisfied_click@1": 0,
    "satisfied_click(seconds=10)@1": 1 / 3,
    "skip_rate": 1 / 3,
    "dwell_p50": 11.0,  # the first of two values, at the end of its bin of one second
    "time_to_click_p50": 3.0,
}


def write(path, records):
    """Records in the format of the file extension."""
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    elif path.suffix == ".json":
        path.write_text(json.dumps(records))
    elif path.suffix == ".csv":
        with path.open("w", newline="") as file:
            table = csv.DictWriter(file, list(records[0]))
            table.writeheader()
            table.writerows(
                {name: json.dumps(value) if isinstance(value, list) else value for name, value in record.items()}
                for record in records
            )
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(records), path)
    return path


@pytest.mark.parametrize(("metric", "value"), BY_HAND.items())
def test_values_by_hand(metric, value):
    assert assay.evaluate_log(rows(HAND), [metric])[metric] == pytest.approx(value)


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".csv", ".parquet"])
@pytest.mark.parametrize("shape", [rows, lists])
def test_every_shape_and_format_has_the_same_values(tmp_path, suffix, shape):
    path = write(tmp_path / f"log{suffix}", shape(HAND))
    found = assay.evaluate_log(path, list(BY_HAND))
    assert {name: found[name] for name in BY_HAND} == pytest.approx(BY_HAND)


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_ubi_has_the_same_values(tmp_path, suffix):
    queries, events = ubi(HAND)
    files = [write(tmp_path / f"ubi_queries{suffix}", queries), write(tmp_path / f"ubi_events{suffix}", events[:-1])]
    for source in (files, tmp_path):
        found = assay.evaluate_log(source, list(BY_HAND))
        assert {name: found[name] for name in BY_HAND} == pytest.approx(BY_HAND)


def test_a_log_of_ubi_without_dwell_times_says_nothing_about_satisfied_clicks(tmp_path):
    queries, events = ubi(HAND)
    for event in events:
        event["event_attributes"].pop("dwell_time", None)
    files = [write(tmp_path / "queries.jsonl", queries), write(tmp_path / "events.jsonl", events[:-1])]
    measured = assay.evaluate_log(files)
    assert "satisfied_click@10" not in measured.summary
    assert measured["ctr@10"] == pytest.approx(assay.evaluate_log(ubi_files(tmp_path))["ctr@10"])


def ubi_files(folder):
    queries, events = ubi(HAND)
    return [write(folder / "ubi_queries.jsonl", queries), write(folder / "ubi_events.jsonl", events[:-1])]


def test_one_table_of_ubi_alone_names_the_other_one(tmp_path):
    queries, events = ubi_files(tmp_path)
    with pytest.raises(DataError, match="this is the one of queries, and the one of events is missing"):
        assay.evaluate_log(queries, ["ctr@10"])
    with pytest.raises(DataError, match="this is the one of events, and the one of queries is missing"):
        assay.evaluate_log(events, ["ctr@10"])


def test_users_of_ubi_can_be_another_column_of_the_queries(tmp_path):
    files = ubi_files(tmp_path)
    by_application = assay.evaluate_log(files, ["ctr@10"], columns={"user": "application"})
    assert len(by_application.query_ids) == 1
    assert by_application["ctr@10"] == pytest.approx(assay.evaluate_log(files, ["ctr@10"])["ctr@10"])
    with pytest.raises(BadParameter, match="only user and session can be named, as columns of the table of queries"):
        assay.evaluate_log(files, ["ctr@10"], columns={"clicked": "hit"})


TIMES = st.integers(0, 2000)
DOCS = st.lists(st.sampled_from("abcdef"), unique=True, max_size=5)
CLICKS = st.lists(st.tuples(st.sampled_from("abcdefg"), st.integers(0, 90), st.none() | st.integers(0, 5000)), max_size=3)


@st.composite
def logs(draw):
    """Searches at different times, clicks with times, some of them on documents that were not shown."""
    searches = []
    for time in draw(st.lists(TIMES, min_size=1, max_size=12, unique=True)):
        clicks = {doc: Click(doc, START + time + after, read) for doc, after, read in draw(CLICKS)}
        user, query = draw(st.sampled_from("uvw")), draw(st.sampled_from(["cats", "Cats", "dogs"]))
        searches.append(Search(user, query, START + time, draw(DOCS), list(clicks.values()), draw(st.sampled_from("AB"))))
    return searches


@given(logs(), st.integers(1, 5), st.sampled_from([0, 30, 200]), st.sampled_from([10, 300]), st.sampled_from([rows, lists]))
def test_the_database_counts_like_a_plain_loop(searches, k, seconds, within, shape):
    has_dwell = any(click.dwell is not None for search in searches for click in search.clicks)
    expected = plain_metrics(searches, k, seconds, within)
    expected[f"reformulation(seconds={within})"] = expected.pop("reformulation")
    if not has_dwell:
        expected = {name: value for name, value in expected.items() if "dwell" not in name and "satisfied" not in name}
    found = assay.evaluate_log(shape(searches), list(expected))
    values = dict(zip(expected, found.summary.values(), strict=True))
    assert values == pytest.approx(expected, nan_ok=True)


@settings(max_examples=10)
@given(logs(), st.randoms())
def test_the_order_of_lines_changes_nothing(searches, random):
    shuffled = rows(searches)
    random.shuffle(shuffled)
    first, other = (assay.with_intervals(assay.evaluate_log(each, by="variant")) for each in (rows(searches), shuffled))
    assert first.to_dict() == other.to_dict()


def people(n, seed=0, n_days=1):
    """Searches by many people; how often somebody clicks depends on the person."""
    random = np.random.default_rng(seed)
    searches = []
    for user in range(n):
        rate = random.beta(2, 2)
        for number in range(random.integers(1, 12)):
            shown = [f"d{place}" for place in range(4)]
            clicks = [Click(doc, START + 5, 30) for doc in shown if random.random() < rate]
            time = START + 86_400 * (number % n_days) + number
            searches.append(Search(f"user {user:05d}", "cats", time, shown, clicks, "AB"[user % 2]))
    return searches


def test_intervals_are_about_users_also_if_days_split_them():
    searches = people(200, n_days=3)
    whole, split = (assay.with_intervals(assay.evaluate_log(rows(searches), ["ctr@4"], by=by)) for by in ((), "day"))
    assert len(split.query_ids) > len(whole.query_ids) == 200
    assert split.intervals["ctr@4"].n_clusters == 200
    ends = [(each.intervals["ctr@4"].low, each.intervals["ctr@4"].high) for each in (whole, split)]
    assert ends[0] == pytest.approx(ends[1], abs=0.005)
    as_if_independent = np.sqrt(whole["ctr@4"] * (1 - whole["ctr@4"]) / len(rows(searches)))
    assert ends[0][1] - ends[0][0] > 1.5 * 2 * 1.96 * as_if_independent


def test_many_users_become_groups_with_the_same_values(monkeypatch):
    from assay.logs import cluster_sums

    searches = people(400)
    single = assay.with_intervals(assay.evaluate_log(rows(searches), ["ctr@4", "dwell_p50"]))
    monkeypatch.setattr(cluster_sums, "MOST_CLUSTERS", 50)
    monkeypatch.setattr(cluster_sums, "FEWEST_GROUPS", 50)
    grouped = assay.with_intervals(assay.evaluate_log(rows(searches), ["ctr@4", "dwell_p50"], by="variant"))
    assert grouped.summary == pytest.approx(single.summary)
    assert grouped.provenance["log"]["groups"] == 50
    widths = [each.intervals["ctr@4"].high - each.intervals["ctr@4"].low for each in (single, grouped)]
    assert widths[1] == pytest.approx(widths[0], rel=0.35)
    assert any("random groups" in note for note in grouped.notes)


def test_no_id_of_a_user_is_in_a_result():
    result = assay.with_intervals(assay.evaluate_log(rows(people(30, n_days=2)), by=["day", "variant"]))
    assert "user 000" not in json.dumps(result.to_dict())


def test_sums_of_variants_are_those_of_independent_users():
    searches = people(100)
    sums = variant_sums(rows(searches), ["ctr@4", "abandonment"])["ctr@4"]
    whole = assay.evaluate_log(rows(searches), ["ctr@4"])
    assert set(sums) == {"A", "B"}
    assert [len(each.numerator) for each in sums.values()] == [50, 50]
    top, bottom = (sum(getattr(each, part).sum() for each in sums.values()) for part in ("numerator", "denominator"))
    assert top / bottom == pytest.approx(whole["ctr@4"])
    by_user = Counter()
    for search in searches:
        by_user[search.user] += len(search.clicked) if search.variant == "A" else 0
    assert sorted(sums["A"].numerator) == sorted(n for user, n in by_user.items() if int(user[5:]) % 2 == 0)
    with pytest.raises(assay.UsageError, match="a percentile of times"):
        variant_sums(rows(searches), ["dwell_p50"])


def test_two_logs_are_not_compared_as_pairs():
    first, other = (assay.evaluate_log(rows(people(20, seed)), ["ctr@4"], name=f"week{seed}") for seed in (1, 2))
    with pytest.raises(assay.DataError, match=r"ctr@4 is about users.*assay experiment compare"):
        compare_results([first, other])


# ---- wrong input


def wrong(**changes):
    """A log with one changed row, the third one."""
    records = rows(people(3))
    records[2] = {**records[2], **changes}
    return records


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rank": "first"}, "log.jsonl:3: rank must be a whole number from 1"),
        ({"rank": 0}, "log.jsonl:3: rank must be a whole number from 1"),
        ({"rank": 1.5}, "log.jsonl:3: rank must be a whole number from 1"),
        ({"timestamp": "yesterday"}, "log.jsonl:3: timestamp must be a time"),
        ({"clicked": "perhaps"}, "log.jsonl:3: clicked must be 0 or 1"),
        ({"dwell": "long"}, "log.jsonl:3: dwell must be a number of seconds"),
        ({"rank": None, "clicked": 0}, "log.jsonl:3: a document was shown without a rank"),
    ],
)
def test_a_value_that_cannot_be_read_is_named_with_its_line(tmp_path, changes, message):
    with pytest.raises(assay.DataError, match=message.replace(".", r"\.")):
        assay.evaluate_log(write(tmp_path / "log.jsonl", wrong(**changes)))


def test_a_damaged_line_is_named(tmp_path):
    path = write(tmp_path / "log.jsonl", wrong())
    path.write_text(path.read_text().replace('"rank": 3', '"rank": 3,,', 1))
    with pytest.raises(assay.DataError, match=r"log\.jsonl:3"):
        assay.evaluate_log(path)


def test_a_wrong_value_in_parquet_is_named_with_its_row(tmp_path):
    with pytest.raises(assay.DataError, match=r"log\.parquet, row:3: rank must be a whole number"):
        assay.evaluate_log(write(tmp_path / "log.parquet", wrong(rank=-1)))


@pytest.mark.parametrize("name", ["log.jsonl", "log.csv"])
def test_an_empty_log_is_an_error(tmp_path, name):
    (tmp_path / name).write_text("")
    with pytest.raises(assay.DataError, match="the log is empty"):
        assay.evaluate_log(tmp_path / name)


@pytest.mark.parametrize(
    ("dropped", "message"),
    [
        ("query", "found no column with the query among"),
        ("rank", "found no column with the ranks among"),
        ("doc_id", "found no column with the shown documents among"),
    ],
)
def test_a_missing_column_is_an_error_with_the_accepted_names(dropped, message):
    records = [{name: value for name, value in record.items() if name != dropped} for record in rows(HAND)]
    with pytest.raises(assay.DataError, match=rf"{message}.*accepted names: .*--columns"):
        assay.evaluate_log(records)


def test_the_user_names_columns():
    renamed = {"rank": "slot", "clicked": "hit"}
    records = [{renamed.get(name, name): value for name, value in record.items()} for record in rows(HAND)]
    for record in records:
        del record["click_time"]
    found = assay.evaluate_log(records, ["ctr@10"], columns="rank=slot,clicked=hit")
    assert found["ctr@10"] == 0.25
    with pytest.raises(assay.BadParameter, match="no table has a column called 'place'"):
        assay.evaluate_log(rows(HAND), ["ctr@10"], columns={"rank": "place"})


def test_ranks_may_count_from_0():
    records = [{**record, "rank": None if record["rank"] is None else record["rank"] - 1} for record in rows(HAND)]
    assert assay.evaluate_log(records, ["clicked_rank"], first_rank=0)["clicked_rank"] == 1.5


def test_a_negative_dwell_time_is_unknown():
    searches = [Search("u", "q", START, ["a", "b"], [Click("a", START + 1, -5.0), Click("b", START + 2, 40.0)])]
    result = assay.evaluate_log(rows(searches), ["dwell_p50", "satisfied_click(seconds=0)@1"])
    assert result["dwell_p50"] == pytest.approx(float(np.mean([*_edges(40)])))
    assert result.summary["satisfied_click(seconds=0)@1"] == 0
    assert any("negative dwell time" in note for note in result.notes)


def _edges(seconds):
    from assay.model import SECOND_EDGES

    place = int(np.searchsorted(SECOND_EDGES, seconds, side="right"))
    return SECOND_EDGES[place - 1 : place + 1]


def test_clicks_without_time_use_the_topmost():
    records = [{name: value for name, value in record.items() if name != "click_time"} for record in rows(HAND)]
    result = assay.evaluate_log(records, ["first_click_mrr", "time_to_click"])
    assert result["first_click_mrr"] == 0.5
    assert math.isnan(result["time_to_click_p50"])


def test_times_in_several_units_and_zones_are_the_same():
    written = [START, START * 1000, "2026-01-01T00:00:00Z", "2026-01-01T02:00:00+02:00", "2026-01-01 00:00:00"]
    for time in written:
        records = [{**record, "timestamp": time} for record in rows(HAND[:1])]
        found = assay.evaluate_log(records, ["time_to_click"])
        assert found["time_to_click_p50"] == pytest.approx(5.5)
        assert found.provenance["log"]["first"] == "2026-01-01T00:00:00+00:00"


def test_one_user_has_no_interval_and_one_huge_session_is_one_user():
    searches = [Search("u", f"q{number}", START + number, ["a"], [Click("a", START + number)]) for number in range(3000)]
    result = assay.with_intervals(assay.evaluate_log(rows(searches)))
    assert len(result.query_ids) == 1
    assert result["ctr@10"] == 1
    assert math.isnan(result.intervals["ctr@10"].low)


def test_users_with_too_many_searches_an_hour_are_left_out():
    robot = [Search("robot", "q", START + number, ["a", "b"], []) for number in range(150)]
    result = assay.evaluate_log(rows([*HAND, *robot]), ["ctr@10"], most_per_hour=100)
    assert result["ctr@10"] == 0.25
    assert any("1 user with too many searches" in note for note in result.notes)


def test_metrics_and_settings_that_do_not_fit_are_errors():
    with pytest.raises(assay.UsageError, match="ndcg@10 does not read search logs"):
        assay.evaluate_log(rows(HAND), ["ndcg@10"])
    with pytest.raises(assay.UnknownName, match="no column of this log is called 'devise'"):
        assay.evaluate_log(rows(HAND), by="devise")
    with pytest.raises(assay.BadParameter, match="the first rank must be 0 or 1"):
        assay.evaluate_log(rows(HAND), first_rank=2)


def test_parts_of_one_log_are_read_together(tmp_path):
    write(tmp_path / "day1.jsonl", rows(HAND[:2]))
    records = [{**record, "search_id": f"t{record['search_id']}"} for record in rows(HAND[2:])]
    write(tmp_path / "day2.jsonl", records)
    assert assay.evaluate_log(tmp_path, ["ctr@10"])["ctr@10"] == 0.25
    write(tmp_path / "day3.jsonl", [{"query": "x", "shown": ["a"], "clicks": []}])
    with pytest.raises(assay.UsageError, match="have different columns"):
        assay.evaluate_log(tmp_path)
