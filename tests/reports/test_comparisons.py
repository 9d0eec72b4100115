"""Comparisons in every format, the queries that moved, and what the figures rest on."""

import csv
import io
import json
import re

import numpy as np
import pytest
from tests._results import make_result

import assay
from assay.comparison import ComparisonOptions, compare, compare_results
from assay.evaluation import evaluate_routing
from assay.reports import ComparisonReport, check_fits_csv, notes_side_by_side, render_comparisons
from assay.text import display_width

from ._comparisons import QRELS, SCORES, comparison, ranked, rendered

STYLE = re.compile(r"\x1b\[[0-9;]*m")
TEXT_FORMS = ("table", "markdown", "latex", "csv")


def all_forms(one, **how):
    return "".join(f"## {form}\n{rendered(one, form, **how)}\n" for form in TEXT_FORMS)


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


def by_scores(metric="mrr", failures=None, provenance=None, how=None, **systems):
    """A comparison of systems made of scores."""
    results = []
    for name, scores in systems.items():
        ids = tuple(f"q{number}" for number in range(len(scores)))
        failed = dict.fromkeys((failures or {}).get(name, ()), "HTTP 500")
        run = {query: {"d": 1.0} for query in ids if query not in failed} if failures else {}
        result = make_result({metric: scores}, name, query_ids=ids, queries={})
        results.append(result.with_fields(provenance=provenance or {}, failures=failed, run=run))
    return compare_results(results, how or ComparisonOptions(interval="t"))


def moved():
    qrels = {"q1": {"good": 2, "also": 1, "far": 1}, "q2": {"good": 1}}
    runs = {
        "a": {"q1": ["good", "x1", "x2", "x3", "x4", "also"], "q2": ["good"]},
        "b": {"q1": ["x1", "x2", "x3", "x4", "x5", "good"], "q2": ["good"]},
    }
    asked = {"q1": assay.Query("q1", "how far?")}
    results = [
        assay.evaluate(qrels, run, "mrr", name=name).with_fields(run=assay.Run(run), queries=asked)
        for name, run in runs.items()
    ]
    return compare_results(results, ComparisonOptions(interval="t"))


def test_comparisons_in_every_format(snapshots):
    shorter = {"old": ranked(SCORES["old"]), "new": dict(list(ranked(SCORES["new"]).items())[:6])}
    skipped = compare(QRELS, shorter, "mrr", policy=assay.Policy(missing="skip"), intersect=True, interval="t")
    titled = {"dataset": {"version": "1.0"}}
    cases = {
        "two": all_forms(comparison("old", "new", interval="t")),
        "baseline": all_forms(comparison(baseline="top", metrics=("mrr",), interval="t")),
        "letters": all_forms(comparison(correction="none", interval="t")),
        "intersected": all_forms(skipped),
        "moved": all_forms(moved(), worst=5, best=5),
        "moved_without_rankings": all_forms(comparison("old", "new", interval="t"), worst=1),
        "failures": all_forms(by_scores(a=[0.5] * 6, b=[0.0] + [1.0] * 5, failures={"b": ["q0"]}, provenance=titled)),
        "infinite_effect": rendered(by_scores(a=[0.0] * 8, b=[0.5] * 8)),
        "not_worse": rendered(by_scores(a=[0.5] * 9, b=[0.5, *[0.6] * 8], how=ComparisonOptions(test="non_inferiority"))),
        "bayesian": rendered(by_scores(a=[0.0] * 8, b=[0.5] * 8, how=ComparisonOptions(test="bayesian", interval="t"))),
    }
    for name, text in cases.items():
        snapshots.check(f"reports/comparison_{name}", text)


def test_thirty_systems():
    text = rendered(many(30), width=80)
    lines = text.splitlines()
    assert any(re.match(r"  ad s30 +1\.000ᵃ⁻ᵃᶜ$", line) for line in lines)
    assert any(line.startswith("20 of 435 pairs: the best system") for line in lines)
    assert sum(" → s30" in line for line in lines) == 20
    assert max(map(display_width, lines)) <= 80
    assert r"\textbf{1.000}\textsuperscript{a--ac}" in rendered(many(30), "latex")


def test_it_fits_the_terminal_and_loses_nothing():
    for baseline in (None, "new"):
        one = comparison(baseline=baseline, interval="t")
        words = set(re.findall(r"\S+", rendered(one, worst=2, best=1)))
        for width in (40, 60, 80, 120):
            text = STYLE.sub("", rendered(one, width=width, colour=True, worst=2, best=1))
            assert max(map(display_width, text.splitlines())) <= width
            assert words - set(re.findall(r"\S+", text)) <= {"95"}, width


def test_queries_without_a_score_are_counted_out_and_undefined_figures_are_dashes():
    results = [assay.evaluate(QRELS, ranked(SCORES[name]), ["mrr"], name=name) for name in ("old", "new")]
    results[1].table.columns["mrr"].score[0] = float("nan")
    lines = rendered(compare_results(results, ComparisonOptions(interval="t"))).splitlines()
    assert lines[2].endswith("queries")
    assert lines[3].endswith(" 7")
    for metric in ("mrr", "num_ret"):
        assert "nan" not in rendered(by_scores(metric, a=[float("nan")] * 3, b=[float("nan")] * 3)), metric


def test_programs_get_every_figure(snapshots):
    one = comparison(interval="t")
    rows = list(csv.DictReader(io.StringIO(rendered(one, "csv"))))
    for row, pair in zip(rows, one.pairs, strict=True):
        assert (row["metric"], row["a"], row["b"], int(row["n"])) == (pair.metric, pair.a, pair.b, pair.n)
        assert row["is_in_family"] == str(pair.is_in_family).lower()
        assert float(row["p_corrected"] or "nan") == pytest.approx(pair.p_corrected, nan_ok=True)
    (content,) = json.loads(rendered(one, "json"))["comparisons"]
    assert {name: content[name] for name in one.to_dict()} == one.to_dict()
    snapshots.check("reports/comparison_json", rendered(moved(), "json", worst=1, digits=2))


def test_several_comparisons_follow_each_other():
    results = [assay.evaluate(QRELS, ranked(SCORES[name]), "mrr", name=name) for name in ("old", "new")]
    report = ComparisonReport(
        [
            compare_results([result.with_fields(benchmark=benchmark) for result in results], ComparisonOptions(interval="t"))
            for benchmark in ("first", "second")
        ]
    )
    for form in ("table", "markdown", "latex", "csv", "json"):
        text = render_comparisons(report, form)
        assert text.index("first") < text.index("second"), form


def test_what_is_refused_and_what_should_not_be_compared(snapshots):
    rows = [{"query_id": name, "route": "code", "optimal_expert": "code"} for name in ("q1", "q2")]
    first, fewer = evaluate_routing(rows, name="a"), evaluate_routing(rows[:1], name="c")
    other = evaluate_routing([{**row, "route": "chat"} for row in rows[::-1]], name="b")
    wrong = evaluate_routing([{**row, "optimal_expert": "law"} for row in rows], name="d")
    assert list(notes_side_by_side([first, other])) == []
    notes = list(notes_side_by_side([first, fewer, other, wrong]))
    assert [note.partition(" have ")[0] for note in notes] == ["a and c", "a and d"]
    refused = {
        "no place in csv": lambda: check_fits_csv(["csv"], ["--slices", "--agreement"]),
    }
    snapshots.check_errors("reports/comparison_refused", refused)
