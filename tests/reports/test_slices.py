"""Slices, the worst of them, and agreement, as every format shows them."""

import csv
import io
import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from assay.reports.markup import render_sheets
from assay.reports.sections.comparison_formats import ComparisonExtras, check_fits_csv, render_with_extras, write_with_extras
from assay.reports.text_layout import Style

import assay
from assay.comparison.comparison import compare_results
from assay.comparison.options import ComparisonOptions
from assay.comparison.queries import rank_agreements
from assay.comparison.slice_comparison import compare_slices
from assay.comparison.slice_search import worst_slices
from assay.comparison.slices import slice_results
from assay.comparison.verdict import Figures
from assay.errors import UnknownName, UsageError
from assay.model.records import Query
from assay.reports.sections.comparison import ComparisonReport
from assay.reports.sections.slices import agreement_sheets, render_slices, slice_comparison_sheets, worst_slices_sheets
from assay.text import display_width

from ._results import HOSTILE, controls

PLAIN, NARROW = Style(), Style(80)
N = 60


@cache
def results(names=("base", "new"), tags=("de", "en")):
    """Two systems on queries with one relevant document each; the second loses on the last tag."""
    rng = np.random.default_rng(0)
    queries = [f"q{number}" for number in range(N)]
    qrels = {query: {f"{query}-d": 1} for query in queries}
    found = []
    for place, name in enumerate(names):
        run = {}
        for number, query in enumerate(queries):
            is_last = number % len(tags) == len(tags) - 1
            above = int(rng.integers(0, 2)) + (3 if place and is_last else 0)
            run[query] = [f"x{rank}" for rank in range(above)] + [f"{query}-d"]
        scored = assay.evaluate(qrels, run, ["mrr", "recall@3"], name=name)
        about = {
            query: Query(query, difficulty="easy" if number % 3 else "hard", metadata={"language": tags[number % len(tags)]})
            for number, query in enumerate(queries)
        }
        found.append(scored.with_fields(run=assay.Run(run), queries=about))
    return tuple(found)


def render_slice_comparison(found, form, style):
    return render_sheets(list(slice_comparison_sheets(found, Figures(), style.width)), form, style)


def render_worst_slices(found, form, style):
    return render_sheets(list(worst_slices_sheets(found, Figures(), style.width)), form, style)


def render_agreement(found, form, style, *, per_query=False):
    return render_sheets(agreement_sheets(found, per_query=per_query), form, style)


def all_of(form, style=PLAIN, given=None):
    """Everything in one format."""
    both = given or results()
    comparison = compare_results(both, ComparisonOptions(baseline=both[0].name))
    figures = [
        render_slices(slice_results(both, ["language", "language*difficulty"]), form, style),
        render_slices(slice_results(both[0], "language"), form, style),
    ]
    if form in ("csv", "json"):
        more = ComparisonExtras(
            compare_slices(comparison, ["language", "difficulty"]), worst_slices(both), rank_agreements(both)
        )
        return [*figures, render_with_extras(ComparisonReport([comparison]), [more], form)]
    return [
        *figures,
        render_slice_comparison(compare_slices(comparison, ["language", "difficulty"]), form, style),
        render_worst_slices(worst_slices(both), form, style),
        render_worst_slices(worst_slices(both, how=ComparisonOptions(baseline=both[0].name)), form, style),
        render_agreement(rank_agreements(both), form, style, per_query=True),
    ]


def test_figures_of_one_system():
    (sliced,) = slice_results(results()[0], "language", metrics=["mrr"])
    lines = render_slices([sliced], "table", PLAIN).splitlines()
    assert lines[0] == "base by language"
    assert lines[1].split() == ["language", "queries", "mrr"]
    de = sliced.parts[0].results[0]
    assert lines[2].split()[:3] == ["de", "30", f"{de['mrr']:.3f}"]
    assert f"[{de.intervals['mrr'].low:.3f}, {de.intervals['mrr'].high:.3f}]" in lines[2]
    assert lines[4].split() == ["macro", "mean", f"{sliced.macro('mrr'):.3f}"]
    assert lines[5].split() == ["micro", "mean", "60", f"{sliced.micro('mrr'):.3f}"]
    assert lines[6].split() == ["variance", f"{sliced.variance('mrr'):.5f}"]


def test_figures_of_several_systems_have_a_table_for_each_metric():
    text = render_slices(slice_results(results(), "language"), "markdown", PLAIN)
    assert text.count("| language | queries | base | new |") == 2
    assert "**mrr by language**" in text
    best = [line for line in text.splitlines() if line.startswith("| en |")]
    assert all("**" in line.split("|")[3] and "**" not in line.split("|")[4] for line in best)


def test_queries_without_the_tag_are_told_of():
    both = results(tags=("de", "en"))
    some = both[0].with_fields(queries={query: both[0].queries[query] for query in both[0].query_ids[:59]})
    text = render_slices(slice_results(some, "language"), "table", PLAIN)
    assert "(none)" in text
    assert "1 query lacks the tag" in text


def test_languages_have_means_of_their_own():
    german, english = (
        one.with_fields(
            benchmark=code,
            name="one",
            queries={name: replace(query, metadata={"language": code}) for name, query in one.queries.items()},
        )
        for code, one in zip(("de", "en"), results(), strict=True)
    )
    text = render_slices(slice_results([german, english], "difficulty"), "table", PLAIN)
    names = [" ".join(line.split()[:3]) for line in text.splitlines() if "macro mean " in line or "variance " in line]
    assert [name.rsplit(" ", 1)[0] if "variance" in name else name for name in names[:4]] == [
        "de macro mean",
        "de variance",
        "en macro mean",
        "en variance",
    ]
    assert "\n  macro mean" not in text
    assert "\n  micro mean" not in text


def test_totals_have_no_macro_mean():
    judged = {"q": {"d": 1}, "r": {"d": 1}}
    one = assay.evaluate(judged, {"q": ["d"]}, ["num_rel"])
    tags = {"q": Query("q", metadata={"language": "de"}), "r": Query("r", metadata={"language": "en"})}
    text = render_slices(slice_results(one.with_fields(name="run", queries=tags), "language"), "table", PLAIN)
    assert "micro mean" in text
    assert "\n  macro" not in text


def test_one_slice_that_holds_every_query_is_a_sentence():
    one = assay.evaluate({"q": {"d": 1}, "r": {"d": 1}}, {"q": ["d"]}, ["mrr", "map"])
    tags = {name: Query(name, metadata={"language": "de"}) for name in ("q", "r")}
    found = slice_results(one.with_fields(name="run", queries=tags), "language")
    said = "by language: one slice, de, holds every query (2), so its figures are those over all queries."
    assert render_slices(found, "table", PLAIN) == f"{said}\n"
    assert render_slices(found, "markdown", PLAIN) == f"- {said}\n"
    assert render_slices(found, "latex", PLAIN) == f"% {said}\n"
    assert render_slices(found, "csv", PLAIN).count("\n") == 3


def test_a_slice_that_got_worse_is_marked():
    comparison = compare_results(results(), ComparisonOptions(baseline="base"))
    text = render_slice_comparison(compare_slices(comparison, "language"), "table", PLAIN)
    rows = {line.split()[0]: line for line in text.splitlines() if line.startswith("  language=")}
    assert "▼" in rows["language=en"]
    assert "▼" not in rows["language=de"]
    assert "mrr: new against base, by slice" in text
    assert "(Holm, 4 comparisons)." in text


def test_the_worst_slices_are_marked():
    text = render_worst_slices(worst_slices(results(), how=ComparisonOptions(baseline="base")), "table", PLAIN)
    first = next(line for line in text.splitlines() if "language=en" in line)
    assert "▼" in first
    assert "new: slices that are worse than base on mrr" in text
    text = render_worst_slices(worst_slices(results()), "table", PLAIN)
    assert "new: slices that are worse than elsewhere on mrr" in text


def test_no_worst_slice_is_a_sentence():
    text = render_worst_slices(
        worst_slices([results()[0], results()[0].with_fields(name="same")], how=ComparisonOptions(baseline="base")),
        "table",
        PLAIN,
    )
    assert text.startswith("On mrr, same is not shown to be worse than base in any slice (")


@pytest.mark.parametrize("width", [80, 60])
def test_no_line_is_wider_than_the_terminal(width):
    for text in all_of("table", Style(width)):
        assert max(map(display_width, text.splitlines())) <= width


def test_names_of_slices_stay_whole_where_there_is_room():
    text = render_worst_slices(worst_slices(results()), "table", NARROW)
    assert "…" not in "".join(line.split("   ")[0] for line in text.splitlines())


def test_latex_is_a_tabular():
    for text in all_of("latex"):
        assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") >= 1
        assert all(line.startswith(("%", "\\")) or line.endswith(r"\\") or not line for line in text.splitlines())


def test_csv_has_every_digit():
    (figures, _, compared) = (list(csv.DictReader(io.StringIO(text))) for text in all_of("csv"))
    (sliced, _) = slice_results(results(), ["language", "language*difficulty"])
    assert float(figures[0]["value"]) == sliced.parts[0].results[0]["mrr"]
    assert {row["slice"] for row in figures} >= {"de", "en", "de*hard"}
    assert len(compared) == (1 + 4) * 2
    assert compared[0]["is_significant"] in ("true", "false")
    assert worst_slices(results()).rows()[0]["against"] == "rest"
    (agreement,) = rank_agreements(results())
    assert [row["query"] for row in agreement.rows()] == [f"q{number}" for number in range(N)]


def test_json_is_plain():
    schemas = [json.loads(text)["schema"] for text in all_of("json")]
    assert schemas == [
        "assay.slices/1",
        "assay.slices/1",
        "assay.comparison/1",
    ]


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "csv", "json"])
def test_hostile_names_do_no_harm(form):
    hostile = results(names=("a|b\x1b[31m\n\\end{document}", "<script>&%_"), tags=HOSTILE[:20])
    for text in all_of(form, PLAIN, hostile):
        assert not controls(text)
        if form == "markdown":
            assert "<script>" not in text
        if form == "latex":
            assert r"\end{document}" not in "\n".join(line for line in text.splitlines() if not line.startswith("%"))


def test_an_unknown_format_is_refused():
    with pytest.raises(UnknownName, match="markdown"):
        render_slices(slice_results(results()[0], "language"), "markdwn", PLAIN)


def test_agreement_tells_what_came_and_went():
    lines = render_agreement(rank_agreements(results(), k=3), "table", PLAIN).splitlines()
    assert lines[1].split() == ["rankings", "tau", "tau_ap", "rbo(p=0.9)", "overlap@3", "gained", "lost"]
    assert lines[2].split()[-2:] == ["0", "30"]
    (bare,) = rank_agreements([one.with_fields(relevant={}) for one in results()])
    assert "gained" not in render_agreement([bare], "table", PLAIN, per_query=True)
    assert "the queries ranked least alike" in render_agreement([bare], "table", PLAIN, per_query=True)


# Beside a comparison


def beside():
    comparison = compare_results(results(), ComparisonOptions(baseline="base"))
    more = ComparisonExtras(compare_slices(comparison, "language"), worst_slices(results()), rank_agreements(results()))
    return ComparisonReport([comparison]), [more]


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_a_comparison_comes_first(form):
    text = render_with_extras(*beside(), form)
    assert text.index("by slice") < text.index("worse than elsewhere") < text.index("agreement of rankings")
    assert text.index("mrr") < text.index("by slice")


def test_slices_are_rows_and_keys():
    report, more = beside()
    rows = list(csv.DictReader(io.StringIO(render_with_extras(report, more, "csv"))))
    assert [row["slice"] for row in rows] == ["", "", "language=de", "language=de", "language=en", "language=en"]
    (one,) = json.loads(render_with_extras(report, more, "json"))["comparisons"]
    assert {"pairs", "slices", "worst_slices", "agreement"} <= one.keys()
    assert one["slices"]["n_comparisons"] == 4
    with pytest.raises(UsageError, match="--slices has no place in csv"):
        check_fits_csv(["table", "csv"], ["--slices"])


def test_without_anything_beside_it_the_comparison_is_as_it_was(tmp_path):
    from assay.reports.sections.comparison_formats import render_comparison

    report, more = beside()
    for form in ("table", "markdown", "latex", "csv", "json"):
        assert render_with_extras(report, [ComparisonExtras()], form) == render_comparison(report, form)
    write_with_extras(tmp_path / "report.md", report, more)
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == render_with_extras(report, more, "markdown")
