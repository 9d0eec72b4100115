"""Comparisons in every format."""

import csv
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest

import assay
from assay.comparison.compare import compare, compare_results
from assay.comparison.how import How
from assay.comparison.movers import Mover
from assay.evaluation.evaluate import evaluate_settings
from assay.evaluation.result import Result
from assay.evaluation.setting import settings_of
from assay.metrics._parse import parse_metric, parse_metrics
from assay.model.policy import Policy
from assay.model.profile import OWN
from assay.model.qrels import Qrels
from assay.model.scores import Column, ScoreTable
from assay.model.timing import Times
from assay.reports._comparison import FORMATS, check_comparison_outputs, find_format, render_comparison
from assay.reports._comparison_movers import missing_lines
from assay.reports._comparison_report import ComparisonReport
from assay.reports._comparison_tables import places
from assay.reports._slices_beside import Beside, write_with_beside
from assay.text import display_width

from ._results import HOSTILE, controls

SCORES = {
    "old": [0.2, 0.5, 0.25, 0.5, 0.2, 1.0, 0.5, 0.0],
    "new": [1.0, 1.0, 0.5, 1.0, 1.0, 0.5, 1.0, 0.25],
    "top": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
}
"""Reciprocal ranks on eight queries."""
QRELS = {f"q{number}": {"d": 1} for number in range(1, 9)}
STYLE = re.compile(r"\x1b\[[0-9;]*m")


def ranked(scores):
    return {
        f"q{number}": [*(f"x{rank}" for rank in range(1, round(1 / score))), "d"] if score else ["x"]
        for number, score in enumerate(scores, 1)
    }


def comparison(*names, metrics=("mrr", "hit@1"), **how):
    return compare(QRELS, {name: ranked(SCORES[name]) for name in names or SCORES}, metrics, **how)


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


def rendered(one, form="table", **how):
    return render_comparison(ComparisonReport([one], **how), form)


# The terminal


def test_two_systems():
    assert rendered(comparison("old", "new", interval="t")) == (
        "8 queries · randomization test, all permutations · Holm over 2 · 95 % intervals by t, not corrected · seed 0\n"
        "\n"
        "  metric     old     new          Δ      95 % CI of Δ       p   effect   better/same/worse\n"
        "  mrr      0.394   0.781     +0.388   +0.041 … +0.734   0.125     0.93           7 / 0 / 1\n"
        "  hit@1    0.125   0.625     +0.500   -0.132 … +1.132   0.219     0.66           5 / 2 / 1\n"
        "\n"
        "Whether new is better than old on mrr is not decisive: +0.388 [+0.041, +0.734], p = 0.125 (Holm, 2 comparisons)."
        " On hit@1 nothing is decided.\n"
        "Largest loss: q6 (1.000 → 0.500); see them with --worst 10.\n"
    )


def test_a_baseline_and_what_is_sure():
    shown = rendered(comparison(baseline="top", metrics=("mrr",)))
    assert shown.startswith("baseline top · 8 queries · ")
    assert re.search(r"^  metric   system     top   value          Δ", shown, re.MULTILINE)
    assert re.search(r"^  mrr      old      1\.000   0\.394 ▼   -0\.606", shown, re.MULTILINE)
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
    assert "20.0 ms   10.0 ms ▲   -10.0 ms" in shown
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
        replace(
            assay.evaluate(qrels, run, "mrr", name=name), run=assay.Run(run), queries={"q1": assay.Query("q1", "how far?")}
        )
        for name, run in runs.items()
    ]
    shown = rendered(compare_results(results), worst=5, best=5)
    assert shown.partition("The query that")[2] == (
        " lost most on mrr from a to b:\n"
        "\n"
        'q1 "how far?"  1.000 → 0.167 (-0.833)\n'
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
    assert shown.endswith("from old to new:\n\nq6  1.000 → 0.500 (-0.500)\n")


def test_a_system_that_retrieved_nothing():
    mover = Mover("q", "mrr", "a", "b", 1.0, 0.0, -1.0, ranking_a=("d",), relevant={"d": 1.0})
    assert list(missing_lines(mover)) == ["b retrieved nothing"]


# Papers, pull requests, programs


def test_latex():
    lines = rendered(comparison(metrics=("mrr",)), "latex").splitlines()
    assert lines[0].startswith("% 8 queries · randomization test, all permutations · Holm over 3")
    assert any(line.startswith("% caption: Results over 8 queries. Best in bold, second best underlined.") for line in lines)
    table = lines[lines.index(r"\begin{tabular}{lll}") :]
    assert table == [
        r"\begin{tabular}{lll}",
        r"\toprule",
        r" & system & mrr \\",
        r"\midrule",
        r"a & old & 0.394 \\",
        r"b & new & \underline{0.781} \\",
        r"c & top & \textbf{1.000}\textsuperscript{a} \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_markdown():
    text = rendered(comparison("old", "top", baseline="old", interval="t", metrics=("mrr",)), "markdown")
    assert text.startswith("## Comparison\n\ntop beats old on mrr by 0.606 \\[")
    assert "### old\n\n| metric | value | 95 % CI |\n| --- | ---: | ---: |\n| mrr | 0.394 | " in text
    assert "### Significance against old\n\n| comparison | metric | diff | 95 % CI of diff | p | effect |" in text
    assert re.search(
        r"^\| top vs old \| mrr \| \+0\.606 \| \+0\.\d{3} … \+0\.\d{3} \| 0\.\d{3} \| .* \| yes \|$", text, re.MULTILINE
    )


def test_csv_has_every_figure_of_every_pair():
    one = comparison()
    rows = list(csv.DictReader(io.StringIO(rendered(one, "csv"))))
    assert len(rows) == 6
    for row, pair in zip(rows, one.pairs, strict=True):
        assert (row["metric"], row["a"], row["b"], int(row["n"])) == (pair.metric, pair.a, pair.b, pair.n)
        assert float(row["p_corrected"]) == pair.p_corrected
        assert row["is_significant"] == str(pair.is_significant).lower()
        assert row["better"] == (pair.better or "")
    assert next(csv.DictReader(io.StringIO(rendered(one, "csv", digits=2))))["value_a"] == "0.39"


def test_json_has_everything():
    one = comparison()
    content = json.loads(rendered(one, "json"))
    assert content["schema"] == "assay.comparison/1"
    (found,) = content["comparisons"]
    for name, value in one.to_dict().items():
        assert found[name] == value
    assert found["per_query"]["mrr"]["q6"] == {"old": 1.0, "new": 0.5, "top": 1.0}
    assert found["intervals"]["old"]["mrr"].keys() == {"low", "high", "level", "method"}
    assert "movers" not in found
    short = json.loads(rendered(one, "json", digits=2, worst=1))["comparisons"][0]
    assert short["summary"]["old"]["mrr"] == 0.39
    assert short["pairs"][0]["n"] == 8


def test_several_comparisons_follow_each_other():
    results = [assay.evaluate(QRELS, ranked(SCORES[name]), "mrr", name=name) for name in ("old", "new")]
    both = [
        compare_results([replace(result, benchmark=benchmark) for result in results], How(interval="t"))
        for benchmark in ("first", "second")
    ]
    report = ComparisonReport(both)
    for form in ("table", "markdown", "latex"):
        text = render_comparison(report, form)
        assert text.index("first") < text.index("second")
    assert [row["benchmark"] for row in csv.DictReader(io.StringIO(render_comparison(report, "csv")))] == ["first", "second"]
    named = json.loads(render_comparison(report, "json"))["comparisons"]
    assert [one["benchmark"] for one in named] == ["first", "second"]


# Harm


@pytest.mark.parametrize("form", FORMATS)
def test_hostile_names_do_no_harm(form):
    qrels = {query: {"d": 1} for query in HOSTILE}
    runs = {
        name: {query: ["d"] if (number + place) % 3 else ["x", "d"] for place, query in enumerate(HOSTILE)}
        for number, name in enumerate(HOSTILE)
    }
    for some in (HOSTILE[:2], HOSTILE):
        one = compare(qrels, {name: runs[name] for name in some}, "mrr", test="sign")
        text = rendered(one, form, worst=3)
        assert controls(text) == set()
        if form == "latex":
            assert r"\end{document}" not in "\n".join(line for line in text.splitlines() if not line.startswith("%"))
            assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1
        if form == "markdown":
            assert "<script>" not in text
        if form in ("csv", "json"):
            assert "a|b" in text


def test_the_names_in_json_are_those_given():
    one = compare({"q": {"d": 1}}, {name: {"q": ["d"]} for name in HOSTILE}, "mrr", test="sign")
    assert json.loads(rendered(one, "json"))["comparisons"][0]["systems"] == list(HOSTILE)


# Files


def test_files_by_their_ending(tmp_path):
    one = comparison("old", "new")
    report = ComparisonReport([one], width=40, colour=True)
    for ending, form in ((".json", "json"), (".csv", "csv"), (".md", "markdown"), (".tex", "latex"), (".txt", "table")):
        path = tmp_path / "deep" / f"out{ending}"
        write_with_beside(path, report, [Beside()])
        assert path.read_text(encoding="utf-8") == rendered(one, form)


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (["x.trec"], r"-o x.trec: the ending tells the format; there are .json, .csv, .md, .tex, .txt"),
        (["x"], "the ending tells the format"),
        (["x.md", "x.md"], "given twice"),
    ],
)
def test_files_that_cannot_be_are_refused(paths, said):
    with pytest.raises(assay.UsageError, match=said):
        check_comparison_outputs(paths)


def test_a_format_nobody_knows():
    with pytest.raises(assay.UnknownName, match=r"no format of comparisons is called 'tabel'. Did you mean table\?"):
        find_format("tabel")


# What the figures rest on


def by_scores(metric="mrr", provenance=None, failures=None, **systems):
    """A comparison of systems made of scores."""
    bound = parse_metric(metric)
    results = []
    for name, scores in systems.items():
        ids = tuple(f"q{number}" for number in range(len(scores)))
        column = Column.of(np.array(scores, dtype=float), bound.metric.aggregation)
        counts = {"judged": len(ids), "scored": len(ids), "missing": 0, "without_relevant": 0, "extra": 0}
        result = Result(name, ScoreTable(ids, {bound.name: column}), (bound,), counts, Policy())
        failed = dict.fromkeys((failures or {}).get(name, ()), "HTTP 500")
        run = {query: {"d": 1.0} for query in ids if query not in failed}
        results.append(replace(result, provenance=provenance or {}, failures=failed, run=run if failures else {}))
    return results


A = np.random.default_rng(0).uniform(0.2, 0.6, 40)
FEW_LARGE_LOSSES = 0.6 + np.concatenate([0.02 + np.arange(34) * 1e-4, np.full(6, -0.5)])


@pytest.mark.parametrize(
    ("n_moved", "n", "said"),
    [
        (1200, 1200, "randomization test, 100,000 permutations"),
        (8, 1200, "randomization test, all permutations"),
        (40, 40, "randomization test, 100,000 permutations"),
        (16, 16, "randomization test, all permutations"),
    ],
)
def test_the_head_says_how_p_was_counted(n_moved, n, said):
    """2^1024 is more than a float holds; and only queries that moved can change sides."""
    rng = np.random.default_rng(0)
    a = rng.uniform(0, 1, n)
    b = np.where(np.arange(n) < n_moved, a + rng.uniform(-0.1, 0.1, n), a)
    shown = rendered(compare_results(by_scores(a=a, b=b)))
    assert shown.startswith(f"{n:,} queries · {said} · ")


def test_the_head_says_where_some_were_counted_in_full():
    few = np.where(np.arange(40) < 5, A + 0.1, A)
    three = compare_results(by_scores(a=A, b=few, c=A[::-1]), How(baseline="a"))
    assert "· randomization test, up to 100,000 permutations ·" in rendered(three)
    assert "· bootstrap test, 10,000 resamples ·" in rendered(compare_results(by_scores(a=A, b=few), How(test="bootstrap")))


def test_intervals_are_not_corrected_and_that_is_said():
    assert "95 % intervals by bootstrap, not corrected · seed 0" in rendered(comparison())
    assert "95 % intervals by bootstrap · seed 0" in rendered(comparison("old", "new", metrics=("mrr",)))


def test_a_sign_where_the_test_and_the_mean_disagree():
    shown = rendered(compare_results(by_scores(a=[0.6] * 40, b=FEW_LARGE_LOSSES), How(test="sign")))
    assert re.search(r"0\.600   0\.5\d\d ◇", shown)
    assert "◇ differs, but the test and the mean disagree who is better: p ≤ 0.05." in shown
    assert not set("▲▼") & set(shown)
    letters = rendered(compare_results(by_scores(a=[0.6] * 40, b=FEW_LARGE_LOSSES, c=A), How(test="friedman")))
    assert "0.543ᶜ" in letters


def test_failures_are_told_of_in_every_place():
    one = compare_results(by_scores(a=A, b=A + 0.1, failures={"b": ["q3", "q7"]}))
    for form in ("table", "markdown", "latex"):
        assert "40 queries, 38 answered by all" in rendered(one, form)
    for form in ("table", "markdown"):
        assert "b: 2 of 40 queries failed and score 0: HTTP 500 (2×)." in rendered(one, form)
    assert json.loads(rendered(one, "json"))["comparisons"][0]["failed"] == {"a": 0, "b": 2}


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_queries_that_failed_say_why(form):
    scores = A.copy()
    scores[3] = 0
    one = compare_results(by_scores(a=A, b=scores, failures={"b": ["q3"]}))
    shown = rendered(one, form, worst=1)
    assert "b failed: HTTP 500" in shown
    assert "b retrieved nothing" not in shown
    (mover,) = json.loads(rendered(one, "json", worst=1))["comparisons"][0]["movers"]
    assert (mover["error_a"], mover["error_b"]) == (None, "HTTP 500")


def test_the_quickest_is_the_best():
    one = compare_results(by_scores("latency", slow=30 + A, quick=10 + A, middle=20 + A))
    assert places(one, one.metrics[0]) == ({"quick"}, {"middle"})
    assert r"\textbf{10.4 ms}" in rendered(one, "latex")


def test_times_of_batches_have_no_interval_in_any_format():
    one = compare_results(by_scores("latency", {"latency_ms": {"mean": 1.0}}, a=1 + A, b=2 + A))
    row = next(line for line in rendered(one).splitlines() if line.startswith("  latency"))
    assert row.split()[-5:] == ["ms", "–", "–", "–", "–"]
    assert "Nothing can be said about latency (times of batches: nobody timed single queries)." in rendered(one)
    assert "Largest loss" not in rendered(one)  # no query has a time of its own
    assert "lost most" not in rendered(one, worst=3)
    assert "| latency | 1.4 ms | – |" in rendered(one, "markdown").replace("**", "")
    (plain,) = json.loads(rendered(one, "json"))["comparisons"]
    assert plain["intervals"] == {"a": {}, "b": {}}
    assert plain["pairs"][0]["p"] is None
    assert plain["pairs"][0]["untested"].startswith("times of batches")
