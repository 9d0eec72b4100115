"""Slices, the worst of them, and agreement, as every format shows them."""

import csv
import io
import json
from functools import cache

import numpy as np

import assay
from assay.comparison import ComparisonOptions, compare_results, compare_slices, rank_agreements, worst_slices
from assay.model import Query
from assay.reports import ComparisonExtras, ComparisonReport, EvaluationDisplay, Style, render_comparisons, render_evaluation
from assay.text import display_width

N = 60


@cache
def results(names=("base", "new"), tags=("de", "en")):
    """Two systems on queries with one relevant document each; the second loses on the last tag."""
    rng = np.random.default_rng(0)
    queries = [f"q{number}" for number in range(N)]
    qrels = {query: {f"{query}-d": 1} for query in queries}
    made = []
    for place, name in enumerate(names):
        run = {}
        for number, query in enumerate(queries):
            is_last = number % len(tags) == len(tags) - 1
            above = int(rng.integers(0, 2)) + (3 if place and is_last else 0)
            run[query] = [f"x{rank}" for rank in range(above)] + [f"{query}-d"]
        about = {
            query: Query(query, difficulty="easy" if number % 3 else "hard", metadata={"language": tags[number % len(tags)]})
            for number, query in enumerate(queries)
        }
        made.append(assay.evaluate(qrels, run, ["mrr"], name=name).with_fields(run=assay.Run(run), queries=about))
    return tuple(made)


def by_tags(some, form, *by):
    return render_evaluation(some, form, EvaluationDisplay(by=by)).split("\n\n", 2)[-1]


def test_figures_of_slices(snapshots):
    one = results()[0]
    partly = one.with_fields(queries={query: one.queries[query] for query in one.query_ids[:59]})
    counts = assay.evaluate({"q": {"d": 1}, "r": {"d": 1}}, {"q": ["d"]}, ["num_rel"], name="run")
    tagged = counts.with_fields(queries={name: Query(name, metadata={"language": name}) for name in ("q", "r")})
    same = counts.with_fields(queries={name: Query(name, metadata={"language": "de"}) for name in ("q", "r")})
    cases = {
        "one system": ((one,), "language"),
        "two systems": (results(), "language"),
        "crossed": ((one,), "language*difficulty"),
        "without the tag": ((partly,), "language"),
        "totals": ((tagged,), "language"),
        "one slice": ((same,), "language"),
    }
    text = "".join(
        f"## {name}, {form}\n{by_tags(some, form, by)}\n"
        for name, (some, by) in cases.items()
        for form in ("table", "markdown", "latex")
    )
    snapshots.check("reports/slices", text)


def extras(baseline="base"):
    comparison = compare_results(results(), ComparisonOptions(baseline=baseline, interval="t"))
    how = ComparisonOptions(baseline=baseline, interval="t")
    more = ComparisonExtras(
        compare_slices(comparison, ["language", "difficulty"]), worst_slices(results(), how=how), rank_agreements(results())
    )
    return ComparisonReport([comparison], extras=[more])


def test_slices_beside_a_comparison(snapshots):
    forms = ("table", "markdown", "latex", "csv")
    snapshots.check(
        "reports/slices_compared", "".join(f"## {form}\n{render_comparisons(extras(), form)}\n" for form in forms)
    )
    for width in (60, 80, 100):
        text = render_comparisons(extras(), "table", Style(width))
        assert max(map(display_width, text.splitlines())) <= width
        assert "language=en" in text


def test_programs_get_all_of_it():
    (content,) = json.loads(render_comparisons(extras(), "json"))["comparisons"]
    assert {"slices", "worst_slices", "agreement"} <= content.keys()
    rows = list(csv.DictReader(io.StringIO(render_comparisons(extras(), "csv"))))
    assert {row["slice"] for row in rows} == {"", "language=de", "language=en", "difficulty=easy", "difficulty=hard"}
    saved = json.loads(render_evaluation(results(), "json", EvaluationDisplay(by=["language"])))
    assert saved["slices"][0]["by"] == "language"
