"""Comparisons in papers, pull requests, programs and files; hostile names do no harm there."""

import csv
import io
import json
import re

import pytest

import assay
from assay.comparison.comparison import compare, compare_results
from assay.comparison.options import ComparisonOptions
from assay.reports.sections.comparison import ComparisonReport
from assay.reports.sections.comparison_formats import (
    FORMATS,
    ComparisonExtras,
    check_comparison_outputs,
    find_format,
    render_comparison,
    write_with_extras,
)

from ._comparisons import QRELS, SCORES, comparison, ranked, rendered
from ._results import HOSTILE, controls

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
        compare_results([result.with_fields(benchmark=benchmark) for result in results], ComparisonOptions(interval="t"))
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
        write_with_extras(path, report, [ComparisonExtras()])
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
