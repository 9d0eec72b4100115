"""score_interleaving: wins of users by hand, the decision against SciPy, logs of all shapes, and what is wrong."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import assay
from assay.errors import AssayError
from assay.experiments import decide_interleaving


def row(user, search, doc, rank, clicked, team):
    return {"user": user, "search_id": search, "query": "q", "doc_id": doc, "rank": rank, "clicked": clicked, "team": team}


def search(user, name, teams, clicked):
    return [row(user, name, f"d{rank}", rank, int(rank in clicked), team) for rank, team in enumerate(teams, 1)]


LOG = [
    *search("ana", "s1", ["bm25", "dense", "dense", "bm25"], {2, 3}),  # dense wins
    *search("ana", "s2", ["dense", "bm25", "bm25", ""], {1}),  # dense wins
    *search("ana", "s3", ["dense", "bm25", "bm25", ""], {2}),  # bm25 wins
    *search("bob", "s4", ["bm25", "dense", "dense", ""], {1, 2}),  # a tie
    *search("bob", "s5", ["bm25", "dense", "dense", ""], {4}),  # only a document of no team: a tie
    *search("eve", "s6", ["bm25", "dense", "dense", ""], {1}),  # bm25 wins
    *search("eve", "s7", ["bm25", "dense", "dense", ""], set()),  # no click
    *search("ivo", "s8", ["bm25", "dense", "dense", ""], set()),
]


def test_by_hand():
    outcome = assay.score_interleaving(LOG)
    assert (outcome.a, outcome.b) == ("bm25", "dense")
    assert (outcome.searches, outcome.clicked, outcome.users, outcome.clicked_users) == (8, 6, 4, 3)
    assert (outcome.wins_a, outcome.wins_b, outcome.ties) == (2, 2, 2)
    assert (outcome.prefer_a, outcome.prefer_b) == (1, 1)
    assert (outcome.test, outcome.share, outcome.p, outcome.better) == ("sign", 0.5, 1.0, None)
    assert outcome.verdict.startswith("dense is not shown to differ from bm25: it wins 50.0 %")


def test_names_set_the_order():
    outcome = assay.score_interleaving(LOG[:12], names=["dense", "bm25"])
    assert (outcome.a, outcome.b, outcome.wins_a, outcome.wins_b) == ("dense", "bm25", 2, 1)


def test_sign_test_and_interval_are_those_of_scipy():
    wins = np.array([[0, 2, 0]] * 14 + [[3, 1, 0]] * 4 + [[1, 1, 5]] * 3, dtype=float)
    outcome = decide_interleaving(wins, "sign")
    oracle = stats.binomtest(14, 18, 0.5)
    interval = oracle.proportion_ci(0.95, method="exact")
    assert outcome.p == pytest.approx(oracle.pvalue)
    assert (outcome.share, outcome.low, outcome.high) == pytest.approx((14 / 18, interval.low, interval.high))
    assert outcome.better == "b"


def test_t_of_users_with_one_search_is_the_t_test_of_scipy():
    draw = np.random.default_rng(1)
    scores = draw.choice([0.0, 0.5, 1.0], 200, p=[0.3, 0.2, 0.5])
    wins = np.stack([scores == 0, scores == 1, scores == 0.5], axis=1).astype(float)
    outcome = decide_interleaving(wins)
    oracle = stats.ttest_1samp(scores, 0.5)
    interval = oracle.confidence_interval(0.95)
    assert outcome.test == "t"
    assert (outcome.share, outcome.p) == pytest.approx((scores.mean(), oracle.pvalue))
    assert (outcome.low, outcome.high) == pytest.approx((interval.low, interval.high))
    assert outcome.verdict.startswith("b beats a: it wins")


def test_a_user_with_many_searches_counts_as_one_user():
    wins = np.array([[1, 0, 0]] * 30 + [[0, 1, 0]] * 19 + [[0, 500, 0]], dtype=float)
    outcome = decide_interleaving(wins, "t")
    assert (outcome.share, outcome.better) == (pytest.approx(20 / 50), None)


def test_the_sentence_has_the_share_with_its_own_interval():
    outcome = decide_interleaving(np.array([[1, 0, 0]] * 8 + [[0, 1, 0]] * 4, dtype=float))
    interval = stats.binomtest(4, 12).proportion_ci(0.95, method="exact")
    ends = f"[{100 * interval.low:.1f} %, {100 * interval.high:.1f} %], p = 0.388."
    assert outcome.verdict == f"b is not shown to differ from a: it wins 33.3 % of the users who prefer one of them {ends}"


def test_swapping_the_rankings_swaps_the_verdict():
    wins = np.array([[0, 2, 1]] * 40 + [[2, 1, 0]] * 12, dtype=float)
    for test in ("t", "sign"):
        one, other = decide_interleaving(wins, test), decide_interleaving(wins[:, [1, 0, 2]], test, names=("b", "a"))
        assert one.better == other.better == "b"
        assert (one.p, one.share, one.low) == pytest.approx((other.p, 1 - other.share, 1 - other.high))
        assert one.verdict == other.verdict


@pytest.mark.parametrize("method", ["team_draft", "balanced", "probabilistic"])
def test_a_log_with_whole_interleavings(method, tmp_path):
    lines = []
    for number in range(60):
        shown = assay.interleave(["x", "y", "z"], ["z", "w", "x"], method, seed=f"s{number}")
        about = {"user": f"u{number % 40}", "search_id": f"s{number}", "query": "q", "interleaving": shown.to_dict()}
        lines.append(json.dumps({**about, "shown": shown.ranking, "clicks": ["z"] if number % 3 else []}))
    (tmp_path / "log.jsonl").write_text("\n".join(lines), encoding="utf-8")
    outcome = assay.score_interleaving(tmp_path / "log.jsonl", names=["old", "new"])
    assert (outcome.searches, outcome.better) == (60, "new")
    assert 35 <= outcome.clicked <= 40  # a document that was not shown cannot be clicked


def test_teams_and_interleavings_give_the_same_numbers():
    rows = []
    draw = np.random.default_rng(3)
    for number in range(80):
        shown = assay.interleave(list("abcdef"), list("cdefgh"), seed=number)
        for rank, (doc, team) in enumerate(zip(shown.ranking, shown.teams, strict=True), 1):
            clicked = int(draw.random() < 0.3)
            rows.append(
                {**row(f"u{number % 35}", number, doc, rank, clicked, team), "interleaving": json.dumps(shown.to_dict())}
            )
    by_team = assay.score_interleaving(
        [{name: value for name, value in each.items() if name != "interleaving"} for each in rows]
    )
    by_list = assay.score_interleaving([{name: value for name, value in each.items() if name != "team"} for each in rows])
    assert by_team == by_list


def test_without_any_click():
    outcome = assay.score_interleaving(LOG[-4:])
    assert outcome.verdict == "There is no verdict: no interleaved search has a click."
    assert outcome.better is None


@pytest.mark.parametrize(
    ("log", "settings", "message"),
    [
        ([{**each, "team": "bm25"} for each in LOG], {}, "expected the names of 2 teams"),
        ([{**each, "team": ""} for each in LOG], {}, "no search has a value in the column of the team"),
        (
            [{name: value for name, value in each.items() if name != "team"} for each in LOG],
            {},
            "found no column with the team",
        ),
        (LOG, {"names": ["dense", "splade"]}, "the log has the teams bm25 and dense, not dense and splade"),
        (LOG, {"names": ["dense"]}, "names must be two different names"),
        (LOG, {"test": "tt"}, "no test is called 'tt'"),
        (LOG, {"alpha": 2}, "alpha must be a number between 0 and 1"),
        ([{**each, "interleaving": "{}"} for each in LOG], {}, "expected an interleaving as to_dict writes it"),
    ],
)
def test_wrong_input(log, settings, message):
    with pytest.raises(AssayError, match=message):
        assay.score_interleaving(log, **settings)
