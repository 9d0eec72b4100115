"""Comparisons in the terminal, and the queries that moved."""

import json
import re

import numpy as np
import pytest

import assay
from assay.comparison.comparison import compare, compare_results
from assay.comparison.queries import Mover
from assay.evaluation.profile import OWN, settings_of
from assay.evaluation.scoring import evaluate_settings
from assay.metrics.parsing import parse_metrics
from assay.model.qrels import Qrels
from assay.reports.sections.moved_queries import missing_lines
from assay.text import display_width
from assay.views.timing import Times

from ._comparisons import QRELS, SCORES, comparison, ranked, rendered

STYLE = re.compile(r"\x1b\[[0-9;]*m")


def many(n_systems, n_queries=30):
    """Systems each a little better than the one before."""
    noise = np.random.default_rng(0).uniform(0, 0.02, (n_queries, n_systems))
    runs = {}
    for number in range(n_systems):
        runs[f"s{number + 1}"] = {
            f"q{query}": {"d": number + noise[query, number], **{f"x{place}": place + 0.5 for place in range(n_systems - 1)}}
            for query in range(n_queries)
        }
    return compare({f"q{query}": {"d": 1} for query in range(n_queries)}, runs, "mrr", test="sign", correction="none")


# The terminal


def test_two_systems():
    assert rendered(comparison("old", "new", interval="t")) == (
        "8 queries · randomization test, all permutations · Holm over 2 · 95 % intervals by t, not corrected · seed 0\n"
        "\n"
        "  metric     old     new          Δ      95 % CI of Δ       p   effect   better/same/worse\n"
        "  mrr      0.394   0.781     +0.388   +0.041 … +0.734   0.125     0.93           7 / 0 / 1\n"
        "  hit@1    0.125   0.625     +0.500   −0.132 … +1.132   0.219     0.66           5 / 2 / 1\n"
        "\n"
        "Whether new is better than old on mrr is not decisive: +0.388 [+0.041, +0.734], p = 0.125 (Holm, 2 comparisons)."
        " On hit@1 nothing is decided.\n"
        "Largest loss: q6 (1.000 → 0.500); see them with --worst 10.\n"
    )


def test_a_baseline_and_what_is_sure():
    shown = rendered(comparison(baseline="top", metrics=("mrr",)))
    assert shown.startswith("baseline top · 8 queries · ")
    assert re.search(r"^  metric   system     top   value          Δ", shown, re.MULTILINE)
    assert re.search(r"^  mrr      old      1\.000   0\.394 ▼   −0\.606", shown, re.MULTILINE)
    assert "▼ worse: p ≤ 0.05 after correction." in shown
    assert "--worst 10 shows the queries that lost most against the baseline" in shown


def test_letters_then_the_pairs_of_the_first_metric():
    lines = rendered(comparison(correction="none")).splitlines()
    assert lines[2].split() == ["system", "mrr", "hit@1"]
    assert lines[3].split() == ["a", "old", "0.394", "0.125"]
    assert lines[5].split()[:2] == ["c", "top"]
    assert lines[5].split()[2].startswith("1.000ᵃ")
    assert [line.split()[:3] for line in lines[8:11]] == [["old", "→", "new"], ["old", "→", "top"], ["new", "→", "top"]]
    assert "Raised letters: significantly better than the system of that letter." in "\n".join(lines)


def test_thirty_systems():
    lines = rendered(many(30), width=80).splitlines()
    assert any(re.match(r"  ad s30 +1\.000ᵃ⁻ᵃᶜ$", line) for line in lines)
    assert "  20 of 435 pairs: the best system and those closest to it; csv has all." in "\n".join(lines)
    assert sum(" → s30" in line for line in lines) == 20
    assert max(map(display_width, lines)) <= 80
    assert "▲ better: p ≤ 0.05." in " ".join(lines)
    assert r"\textbf{1.000}\textsuperscript{a--ac}" in rendered(many(30), "latex")


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("baseline", [None, "new"])
def test_it_fits_the_terminal_and_loses_nothing(width, baseline):
    one = comparison(baseline=baseline)
    shown = STYLE.sub("", rendered(one, width=width, colour=True, worst=2, best=1))
    assert max(map(display_width, shown.splitlines())) <= width
    words = set(re.findall(r"\S+", rendered(one, worst=2, best=1)))
    assert words - set(re.findall(r"\S+", shown)) <= {"95"}


def test_colour_repeats_what_signs_say():
    plain = rendered(comparison("old", "top"))
    coloured = rendered(comparison("old", "top"), colour=True)
    assert STYLE.sub("", coloured) == plain
    assert "\x1b[1;32m1.000 ▲\x1b[0m" in coloured


def test_queries_without_a_score_are_counted_out():
    results = [assay.evaluate(QRELS, ranked(SCORES[name]), ["mrr"], name=name) for name in ("old", "new")]
    results[1].table.columns["mrr"].score[0] = float("nan")
    shown = rendered(compare_results(results))
    assert shown.splitlines()[2].endswith("queries")
    assert shown.splitlines()[3].endswith(" 7")


def test_differences_that_were_let_pass_are_told():
    runs = {"old": ranked(SCORES["old"]), "new": dict(list(ranked(SCORES["new"]).items())[:6])}
    policy = assay.Policy(missing="skip")
    shown = rendered(compare(QRELS, runs, "mrr", policy=policy, intersect=True))
    assert shown.startswith("6 of 8 queries · ")
    assert "Not the same: 2 queries only in old (q7 q8); what they share is compared." in shown
    assert "new: 2 queries missing from the run, left out (q7 q8)." in shown


def test_times_have_their_unit():
    settings = settings_of(parse_metrics("latency"), OWN)
    results = [
        evaluate_settings(Qrels(QRELS), ranked(SCORES["new"]), settings, OWN, name, Times(dict.fromkeys(QRELS, wait)))
        for name, wait in (("slow", 20.0), ("quick", 10.0))
    ]
    shown = rendered(compare_results(results))
    assert "20.0 ms   10.0 ms ▲   −10.0 ms" in shown
    assert "Largest" not in shown
    assert "No query got worse." in shown


# Queries that moved


def test_movers_side_by_side():
    qrels = {"q1": {"good": 2, "also": 1, "far": 1}, "q2": {"good": 1}}
    runs = {
        "a": {"q1": ["good", "x1", "x2", "x3", "x4", "also"], "q2": ["good"]},
        "b": {"q1": ["x1", "x2", "x3", "x4", "x5", "good"], "q2": ["good"]},
    }
    results = [
        assay.evaluate(qrels, run, "mrr", name=name).with_fields(
            run=assay.Run(run), queries={"q1": assay.Query("q1", "how far?")}
        )
        for name, run in runs.items()
    ]
    shown = rendered(compare_results(results), worst=5, best=5)
    assert shown.partition("The query that")[2] == (
        " lost most on mrr from a to b:\n"
        "\n"
        'q1 "how far?"  1.000 → 0.167 (−0.833)\n'
        "  rank   a            b\n"
        "     1   ✓ good (2)     x1\n"
        "     2     x1           x2\n"
        "     3     x2           x3\n"
        "     4     x3           x4\n"
        "     5     x4           x5\n"
        "  relevant, not in the first 5 of a: also (rank 6), far (not retrieved)\n"
        "  relevant, not in the first 5 of b: good (rank 6), also (not retrieved), far (not retrieved)\n"
        "\n"
        "No query gained on mrr from a to b.\n"
    )
    markdown = rendered(compare_results(results), "markdown", worst=1)
    assert "**q1** “how far?” 1.000 → 0.167" in markdown
    assert "| 1 | ✓ good (2) |   x1 |" in markdown
    (mover,) = json.loads(rendered(compare_results(results), "json", worst=1))["comparisons"][0]["movers"]
    assert mover["relevant"]["far"] == {"grade": 1.0, "rank_a": None, "rank_b": None}


def test_without_rankings_the_scores_are_shown_alone():
    shown = rendered(comparison("old", "new"), worst=1)
    assert shown.endswith("from old to new:\n\nq6  1.000 → 0.500 (−0.500)\n")


def test_a_system_that_retrieved_nothing():
    mover = Mover("q", "mrr", "a", "b", 1.0, 0.0, -1.0, ranking_a=("d",), relevant={"d": 1.0})
    assert list(missing_lines(mover)) == ["b retrieved nothing"]
