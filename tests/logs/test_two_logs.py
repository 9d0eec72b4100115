"""Two logs: the gate, the history and plans compare logs without pairs, name no user, and count users."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from scipy import stats

import assay
from assay.cli import main
from assay.comparison import column_of_users, compare_results, decide, decide_margin
from assay.metrics import find_metric
from assay.monitoring import gate
from assay.stats import half_width

from ._plain import Click, Search, lists, rows

START = 1_767_225_600
DAY = 86_400


def searches_of(n: int, chance: float, seed: int = 1, n_days: int = 1) -> list[Search]:
    """Each user has one to four searches a day with four results, of which each is clicked with the same chance."""
    draw = random.Random(seed)
    every = []
    for number in range(n):
        for day in range(n_days):
            for search in range(draw.randrange(1, 5)):
                time = START + day * DAY + 600 * search
                docs = [f"d{rank}" for rank in range(4)]
                clicks = [Click(doc, time + 4, draw.uniform(1, 60)) for doc in docs if draw.random() < chance]
                every.append(Search(f"user {number:04}", f"q{search}", time, docs, clicks, "AB"[number % 2]))
    return every


def scored(n: int, chance: float, seed: int = 1, *, by: object = (), n_days: int = 1) -> assay.Result:
    log = assay.evaluate_log(rows(searches_of(n, chance, seed, n_days)), ["ctr@4", "dwell_p50"], by=by, name="shop")
    return assay.with_intervals(log)


def by_hand(searches: list[Search]) -> tuple[float, float]:
    """The click-through rate, and its variance from the rates without each user (the jackknife), in plain loops."""
    clicks: dict[str, float] = {}
    shown: dict[str, float] = {}
    for search in searches:
        clicks[search.user] = clicks.get(search.user, 0) + len(search.clicks)
        shown[search.user] = shown.get(search.user, 0) + len(search.shown)
    all_clicks, all_shown, n = sum(clicks.values()), sum(shown.values()), len(clicks)
    rate = all_clicks / all_shown
    without = [(all_clicks - clicks[user]) / (all_shown - shown[user]) for user in clicks]
    return rate, (n - 1) / n * sum((each - rate) ** 2 for each in without)


def test_the_difference_of_two_logs_is_welchs_t_over_users():
    first, second = searches_of(150, 0.2, 1), searches_of(120, 0.3, 2)
    (rate_a, of_a), (rate_b, of_b) = by_hand(first), by_hand(second)
    df = (of_a + of_b) ** 2 / (of_a**2 / 149 + of_b**2 / 119)
    metric = find_metric("ctr@4")
    results = [assay.evaluate_log(rows(searches), ["ctr@4"]) for searches in (first, second)]
    pair = decide(metric, *(result.table.columns["ctr@4"] for result in results))
    assert pair.difference == pytest.approx(rate_b - rate_a)
    assert (pair.low + pair.high) / 2 == pytest.approx(rate_b - rate_a)
    assert pair.high - pair.difference == pytest.approx(stats.t.ppf(0.975, df) * np.sqrt(of_a + of_b))
    assert pair.p == pytest.approx(2 * stats.t.sf((rate_b - rate_a) / np.sqrt(of_a + of_b), df))
    assert pair.better == "now"


def test_days_and_variants_do_not_make_more_users():
    whole, split = scored(60, 0.3, n_days=3), scored(60, 0.3, by=["day", "variant"], n_days=3)
    assert len(split.query_ids) == 180
    assert len(column_of_users(split, "ctr@4").score) == 60
    for metric in ("ctr@4", "dwell_p50"):
        columns = [column_of_users(result, metric) for result in (whole, split)]
        pair = decide(find_metric(metric), *columns)
        same = decide(find_metric(metric), columns[0], columns[0])
        assert (pair.difference, pair.high) == pytest.approx((0, same.high))


def test_percentiles_of_times_are_compared_by_their_intervals():
    first, second = scored(200, 0.4, 1), scored(200, 0.4, 2)
    widths = [result.intervals["dwell_p50"].high - result.intervals["dwell_p50"].low for result in (first, second)]
    pair = decide(find_metric("dwell_p50"), *(result.table.columns["dwell_p50"] for result in (first, second)))
    assert pair.difference == pytest.approx(second["dwell_p50"] - first["dwell_p50"])
    assert pair.high - pair.low == pytest.approx(np.hypot(*widths), rel=0.02)


@pytest.mark.parametrize(
    ("chance", "margin", "status"), [(0.2, 0.05, "fail"), (0.3, 0.05, "pass"), (0.3, 0.005, "undecided")]
)
def test_a_margin_between_two_logs_is_decided_by_the_interval(chance, margin, status):
    columns = [scored(400, rate, seed).table.columns["ctr@4"] for rate, seed in ((0.3, 1), (chance, 2))]
    decision = decide_margin(find_metric("ctr@4"), *columns, margin)
    assert (decision.status, decision.unit, decision.method) == (status, "user", "users")
    if status == "undecided":
        assert decision.needed() > decision.n


def test_the_needed_users_are_those_of_the_normal_approximation():
    columns = [scored(400, rate, seed).table.columns["ctr@4"] for rate, seed in ((0.3, 1), (0.3, 2))]
    decision = decide_margin(find_metric("ctr@4"), *columns, 0.005)
    error = (decision.pair.high - decision.pair.low) / 2 / half_width(1.0, 10**6, 0.95)
    gap = decision.pair.improvement + 0.005
    assert decision.needed() == pytest.approx(400 * ((1.959964 + 0.841621) * error / gap) ** 2, rel=0.02)


def test_a_gate_counts_users_and_names_none():
    before, now = scored(300, 0.3, 1, by="day", n_days=2), scored(200, 0.2, 2, by="day", n_days=2)
    report = gate(now, before, ["ctr@4 not worse by 0.01", "ctr@4 >= 0.25", "ctr@4 drops <= 0.02", "scored >= 150"])
    assert [verdict.status for verdict in report.verdicts] == ["fail", "fail", "fail", "pass"]
    assert all("200 users" in verdict.summary for verdict in report.verdicts)
    assert not any(verdict.finding.moved for verdict in report.verdicts)
    assert report.to_dict()["verdicts"][0]["unit"] == "user"


def test_a_gate_compares_the_same_slice_of_two_logs():
    before, now = scored(300, 0.3, 1), scored(200, 0.2, 2)
    (verdict,) = gate(now, before, ["ctr@4 not worse by 0.01 where variant=A"]).verdicts
    expected = [
        assay.evaluate_log(rows([search for search in searches_of(*how) if search.variant == "A"]), ["ctr@4"])["ctr@4"]
        for how in ((300, 0.3, 1), (200, 0.2, 2))
    ]
    assert (verdict.finding.before, verdict.finding.value) == pytest.approx(expected)
    assert "100 users" in verdict.summary


def test_a_log_without_users_says_sessions_or_searches():
    searches = lists(searches_of(30, 0.3))
    user = next(name for name in searches[0] if name.startswith("user"))
    bare = [{name: value for name, value in row.items() if name != user} for row in searches]
    with_session = [{**row, "session": each[user]} for row, each in zip(bare, searches, strict=True)]
    for log, unit in ((with_session, "session"), (bare, "search"), (searches, "user")):
        result = assay.evaluate_log(log, ["ctr@4"])
        assert result.rows_are == unit
        (verdict,) = gate(result, None, ["ctr@4 >= 0.01"]).verdicts
        assert verdict.summary.endswith(("sessions", "searches", "users")[("session", "search", "user").index(unit)])


def test_two_logs_are_still_not_compared_as_pairs():
    with pytest.raises(assay.DataError, match=r"assay experiment compare LOG.*assay gate"):
        compare_results([scored(20, 0.3, 1).renamed("a"), scored(20, 0.3, 2).renamed("b")])


# ---- plans and the store


@pytest.fixture
def weeks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for week, chance in ((1, 0.3), (2, 0.2)):
        with (tmp_path / f"week{week}.jsonl").open("w") as file:
            file.writelines(json.dumps(row) + "\n" for row in lists(searches_of(200, chance, week)))
    return tmp_path


def test_history_says_that_a_log_got_worse(weeks, capsys):
    for week in (1, 2):
        (weeks / "plan.yaml").write_text(f"logs: [{{path: week{week}.jsonl, name: shop}}]\nmetrics: [ctr@4]\n")
        assert main(["eval", "plan.yaml", "-q"]) == 0
    assert main(["gate", "latest", "--baseline", "latest~1", "--rule", "ctr@4 not worse by 0.01"]) == 1
    assert capsys.readouterr().out.count("200 users") == 3
    assert main(["results"]) == 0
    heading, *rows = capsys.readouterr().out.splitlines()[:3]
    assert "users" in heading.split()
    assert ["200" in row.split() for row in rows] == [True, True]
    assert main(["history"]) == 0
    assert "shop got worse since the last run on ctr@4" in capsys.readouterr().out
    assert main(["show", "latest"]) == 0
    shown = capsys.readouterr().out
    assert "searches by 200 users" in shown
    assert "quer" not in shown


def test_a_plan_of_logs_scores_what_the_command_scores(weeks, capsys):
    (weeks / "plan.yaml").write_text(
        "logs:\n  - week1.jsonl\n  - {path: [week1.jsonl, week2.jsonl], name: both, most_per_hour: 50}\nmetrics: [ctr@4]\n"
        "by: [variant]\noutputs: [out.json]\n"
    )
    assert main(["plan", "check", "plan.yaml"]) == 0
    assert "log week1.jsonl, week2.jsonl as both" in capsys.readouterr().out
    assert main(["eval", "plan.yaml", "--no-store"]) == 0
    assert "both by variant (A: 100 users; B: 100 users)" in capsys.readouterr().out
    assert main(["log", "score", "week1.jsonl", "week2.jsonl", "-m", "ctr@4", "--name", "both", "-f", "json"]) == 0
    alone = json.loads(capsys.readouterr().out)
    alone = alone["results"][0] if "results" in alone else alone
    planned = {result["name"]: result for result in json.loads((weeks / "out.json").read_text())["results"]}
    assert planned["both"]["summary"] == alone["summary"]
    assert planned["both"]["intervals"] == alone["intervals"]


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ("logs: [week1.jsonl]\nproviders: [bm25]\n", "a log has no providers. Write two plans"),
        ("logs: [week1.jsonl]\nmetrics: [ndcg@10]\n", "ndcg@10 does not read search logs"),
        ("logs: [{pth: week1.jsonl}]\n", "Did you mean path?"),
        ("logs: []\n", "logs is an empty list"),
        ("logs: [{path: week1.jsonl, first_rank: 3}]\n", "first_rank must be at most 1"),
        ("logs: [week9.jsonl]\n", "week9.jsonl: no such file"),
    ],
)
def test_a_plan_of_logs_that_is_wrong_says_what_to_do(weeks, capsys, plan, message):
    (weeks / "plan.yaml").write_text(plan)
    assert main(["eval", "plan.yaml"]) != 0
    assert message in capsys.readouterr().err
    assert main(["plan", "check", "plan.yaml"]) != 0
    assert message in capsys.readouterr().err
