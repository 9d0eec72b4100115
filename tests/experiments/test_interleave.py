"""Interleaving: the merged lists of all methods, and the credit for clicks, worked out by hand."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.errors import BadParameter, DataError, UnknownName
from assay.experiments import METHODS, click_outcome

A, B = ["x", "y", "z"], ["y", "w", "x"]
DOCS = [f"d{number}" for number in range(8)]
RANKINGS = st.tuples(*[st.permutations(DOCS).flatmap(lambda docs: st.integers(0, 8).map(lambda n: docs[:n]))] * 2)


def lists(method, a=A, b=B, searches=300, depth=None):
    return {
        (shown.ranking, shown.teams)
        for seed in range(searches)
        for shown in [assay.interleave(a, b, method, seed=seed, depth=depth)]
    }


def test_team_draft_takes_the_best_document_that_is_left_in_rounds():
    first = {("x", "y"): ("a", "b"), ("y", "x"): ("b", "a")}
    second = {("z", "w"): ("a", ""), ("w", "z"): ("b", "")}  # then one ranking is used up
    expected = {(one + two, first[one] + second[two]) for one, two in product(first, second)}
    assert lists("team_draft", depth=4) == expected


def test_documents_have_no_team_after_one_ranking_is_used_up():
    assert lists("team_draft", ["x"], ["x", "y", "z"]) == {(("x", "y", "z"), (team, "", "")) for team in "ab"}


def test_balanced_reads_both_rankings_in_turns():
    assert {ranking for ranking, _ in lists("balanced", depth=4)} == {("x", "y", "w", "z"), ("y", "x", "w", "z")}


def test_probabilistic_draws_with_odds_of_rank_cubed():
    """P(x first) = (1 + 1/27) / 2 / (1 + 1/8 + 1/27), because x is first in one ranking and third in the other one."""
    n = 20_000
    firsts = Counter(assay.interleave(A, B, "probabilistic", seed=seed, depth=1).ranking[0] for seed in range(n))
    chance = (1 + 1 / 27) / 2 / (1 + 1 / 8 + 1 / 27)
    assert abs(firsts["x"] / n - chance) < 5 * math.sqrt(chance * (1 - chance) / n)


@given(RANKINGS, st.sampled_from(sorted(METHODS)), st.integers(0, 99), st.integers(1, 9))
def test_laws(pair, method, seed, depth):
    a, b = pair
    shown = assay.interleave(a, b, method, seed=seed, query="q", depth=depth)
    assert shown == assay.interleave(a, b, method, seed=seed, query="q", depth=depth)
    assert len(shown.ranking) == min(depth, len({*a, *b})) == len(set(shown.ranking))
    assert set(shown.ranking) <= {*a, *b}
    assert shown.ranks_a == tuple(a.index(doc) + 1 if doc in a else None for doc in shown.ranking)
    assert assay.Interleaving.from_dict(json.dumps(shown.to_dict())) == shown
    assert assay.Interleaving.from_dict(shown.to_dict()) == shown
    credit = click_outcome(shown, shown.ranking[::2])
    assert sum(credit) == pytest.approx(1)
    assert min(credit) >= 0


def test_the_same_for_every_process_and_another_list_for_another_seed_or_query():
    shown = assay.interleave(DOCS, DOCS[::-1], seed="search-17", query="tents")
    assert shown.ranking == ("d7", "d0", "d6", "d1", "d5", "d2", "d3", "d4")
    seeds = {assay.interleave(DOCS, DOCS[::-1], seed=seed, query="tents").teams for seed in range(40)}
    queries = {assay.interleave(DOCS, DOCS[::-1], query=f"q{number}").teams for number in range(40)}
    assert len(seeds) > 5
    assert len(queries) > 5


def test_numbers_are_ids():
    assert assay.interleave([1, 2], (2, 3), seed=1) == assay.interleave(["1", "2"], ["2", "3"], seed=1)


def test_runs():
    shown = assay.interleave({"q1": {"x": 2.0, "y": 1.0}, "q2": ["z"]}, {"q1": {"y": 2.0, "x": 1.0}, "q2": ["w"]}, seed=1)
    assert shown == {
        "q1": assay.interleave(["x", "y"], ["y", "x"], seed=1, query="q1"),
        "q2": assay.interleave(["z"], ["w"], seed=1, query="q2"),
    }


def made(method, ranking, teams, ranks_a, ranks_b, sizes):
    record = {"query": "q", "method": method, "seed": 0, "ranking": ranking, "teams": teams}
    return assay.Interleaving.from_dict({**record, "ranks_a": ranks_a, "ranks_b": ranks_b, "sizes": sizes})


@pytest.mark.parametrize(
    ("clicked", "expected"),
    [("x", (1, 0, 0)), ("yw", (0, 1, 0)), ("xy", (0, 0, 1)), ("xyw", (0, 1, 0)), ("", (0, 0, 1)), ("?", (0, 0, 1))],
)
def test_team_draft_counts_the_clicks_of_each_team(clicked, expected):
    shown = made("team_draft", list("xyzw"), list("abab"), [1, 2, 3, None], [3, 1, None, 2], [3, 3])
    assert click_outcome(shown, set(clicked)) == expected


@pytest.mark.parametrize(
    ("clicked", "expected"),
    [
        ("x", (1, 0, 0)),  # x is first in a: k = 1, and the first document of b is y
        ("y", (0, 1, 0)),
        ("xy", (0, 0, 1)),  # the lowest click is y, the first document of b: k = 1, so a has x, and b has y
        ("w", (0, 1, 0)),  # k = 2: a has x y, b has y w
        ("xw", (0, 0, 1)),  # k = 2: a has x, b has w
        ("yw", (0, 1, 0)),  # k = 2: a has y, b has y and w
    ],
)
def test_balanced_compares_the_same_number_of_documents(clicked, expected):
    shown = made("balanced", list("xywz"), ["", "", "", ""], [1, 2, None, 3], [3, 1, 2, None], [3, 3])
    assert click_outcome(shown, set(clicked)) == expected


def test_probabilistic_averages_over_all_teams_that_could_have_made_the_list():
    """By a plain loop over all teams: their chances given the list, and the side with more clicks."""
    shown = made("probabilistic", list("xyw"), list("aab"), [1, 2, None], [3, 1, 2], [3, 3])
    weight = {1: 1.0, 2: 1 / 8, 3: 1 / 27, None: 0.0}
    chances = []
    left = [sum(weight[rank] for rank in (1, 2, 3))] * 2
    for a, b in zip(shown.ranks_a, shown.ranks_b, strict=True):
        of_a, of_b = weight[a] / left[0], weight[b] / left[1]
        chances.append(of_a / (of_a + of_b))
        left = [left[0] - weight[a], left[1] - weight[b]]
    for clicked in ("x", "xy", "xyw", "w"):
        expected = [0.0, 0.0, 0.0]
        for teams in product("ab", repeat=3):
            chance = math.prod(p if team == "a" else 1 - p for team, p in zip(teams, chances, strict=True))
            lead = sum((1 if team == "a" else -1) for doc, team in zip("xyw", teams, strict=True) if doc in clicked)
            expected[0 if lead > 0 else 1 if lead < 0 else 2] += chance
        assert click_outcome(shown, set(clicked)) == pytest.approx(expected)


def test_random_clicks_favour_no_ranking_except_with_the_balanced_method():
    """One click at a random place, for rankings where the balanced method is known to be unfair (Radlinski et al. 2008)."""
    a, b = ["d1", "d2", "d3", "d4"], ["d2", "d3", "d4", "d1"]
    share = {}
    for method in METHODS:
        total = 0.0
        for seed in range(3000):
            shown = assay.interleave(a, b, method, seed=seed)
            outcomes = [click_outcome(shown, {doc}) for doc in shown.ranking]
            total += sum(credit.b + credit.tie / 2 for credit in outcomes) / 4
        share[method] = total / 3000
    assert share["team_draft"] == pytest.approx(0.5, abs=0.02)
    assert share["probabilistic"] == pytest.approx(0.5, abs=0.02)
    assert share["balanced"] > 0.7


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "team draftt"}, "no interleaving method is called 'team draftt'. Did you mean team_draft?"),
        ({"depth": 0}, "depth must be a whole number of at least 1, not 0"),
        ({"seed": 1.5}, "the seed must be a whole number or a text"),
        ({"run_b": ["x", "x"]}, "document 'x' appears twice in the second ranking"),
        ({"run_b": {"q": ["x"]}}, "found one of each"),
        ({"run_a": {"q": ["x"]}, "run_b": {"r": ["x"]}}, "query q is missing from the second run"),
    ],
)
def test_wrong_input(settings, message):
    with pytest.raises((UnknownName, BadParameter, DataError), match=None) as error:
        assay.interleave(**{"run_a": A, "run_b": B, **settings})
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "other"}, "Invalid enum value 'other'"),
        ({"teams": ["a"]}, "must have the same length"),
        ({"teams": ["a", "c"]}, "a team must be a, b or empty, not 'c'"),
        ({"ranking": ["x", "x"]}, "a document appears twice"),
        ({"ranks_a": [1, 9]}, "different whole numbers from 1 to 2"),
        ({"ranks_a": [None, 1], "ranks_b": [None, 1]}, "a document has no rank in either ranking"),
        ({"sizes": [2]}, "expected an interleaving as to_dict writes it"),
    ],
)
def test_wrong_saved_interleavings(change, message):
    right = assay.interleave(["x", "y"], ["y", "x"]).to_dict()
    with pytest.raises(DataError, match=message):
        assay.Interleaving.from_dict({**right, **change})
    with pytest.raises(DataError, match="as JSON"):
        assay.Interleaving.from_dict("{")
