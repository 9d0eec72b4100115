"""Metrics of a page: figures with intervals, differences, and what the gate says."""

from dataclasses import replace

from assay.comparison.comparison import compare_results
from assay.comparison.options import ComparisonOptions
from assay.monitoring.gating import gate
from assay.reports.page.charts import Figures
from assay.reports.page.metrics import definitions_section, metrics_section
from assay.reports.page.subject import BenchmarkReport

from ._pages import base, cand, many, two


def rows(grid):
    return [[field.text for field in row] for row in grid.rows]


def heads(grid):
    return [column.head for column in grid.columns]


def test_two_systems_side_by_side_with_intervals_and_differences():
    grid = metrics_section(two()).parts[0]
    assert heads(grid)[:4] == ["metric", "base", "cand", "Δ"]
    mrr = grid.rows[0]
    assert [field.text for field in mrr[:4]] == ["mrr", "0.531", "0.625", "+0.094"]
    assert mrr[1].beside.startswith("[0.")
    assert mrr[1].sort == 0.53125
    assert mrr[-1].text == "4 / 2 / 2"
    assert mrr[0].href == "#definition-mrr"


def test_against_a_baseline_every_system_has_a_row():
    results = many().results
    matter = BenchmarkReport(results, compare_results(results, ComparisonOptions(baseline="base")))
    grid = metrics_section(matter).parts[0]
    assert heads(grid)[:4] == ["metric", "system", "base", "figure"]
    assert [row[1] for row in rows(grid)][:2] == ["cand", "third"]


def test_the_best_figure_of_many_is_bold():
    grid = metrics_section(many()).parts[0]
    assert [row[1].tone for row in grid.rows] == ["", "", "best"]
    assert rows(grid)[0][0] == "ᵃ base"


def test_one_result_says_what_its_figures_mean():
    grid = metrics_section(BenchmarkReport((base(),))).parts[0]
    assert heads(grid) == ["metric", "base", "what it tells"]
    assert rows(grid)[0] == ["mrr", "0.531", "one over the rank of the first relevant document."]


def test_the_gate_has_a_column_and_a_table():
    report = gate(cand(), base(), ["mrr >= 0.9", "mrr >= 0.1", "recall@10 drops <= 0.5"], name="main")
    section = metrics_section(replace(two(), gate=report))
    assert heads(section.parts[0])[-1] == "gate"
    assert [row[-1].text for row in section.parts[0].rows] == ["✗ fail", "✓ pass", ""]
    assert [row[1].text for row in section.parts[1].rows] == ["✗ fail", "✓ pass", "✓ pass"]
    assert section.parts[1].notes[0] == "1 rule failed. Baseline main."


def test_every_metric_is_defined_once_out_of_its_record():
    (definitions,) = definitions_section(two()).parts
    assert [term.name for term in definitions.terms] == ["mrr", "recall@10", "ndcg@10"]
    assert all(term.meaning and term.facts for term in definitions.terms)
    assert definitions.terms[2].formula.startswith("DCG@k")


def test_the_correction_is_said_beside_the_table_with_p_of_the_metric_alone():
    compared = two()
    alone = compare_results(compared.results, metrics=["mrr"]).pairs[0].p_corrected
    corrected = compared.comparison.pairs[0].p_corrected
    assert alone < corrected
    grid = metrics_section(compared).parts[0]
    told = f"(Holm over 3); mrr alone, as assay eval says it: p = {alone:.3f}."
    assert any(note.endswith(told) for note in grid.notes)
    p = grid.rows[0][heads(grid).index("p")]
    assert (p.text, p.title) == (f"{corrected:.3f}", f"p = {alone:.3f} without correction")
    single = BenchmarkReport(compared.results, compare_results(compared.results, metrics=["mrr"]))
    assert not any("corrected" in note for note in metrics_section(single).parts[0].notes)


def test_two_systems_have_bars_and_from_three_on_a_chart_joins_those_that_are_not_told_apart():
    def kinds(matter):
        parts = metrics_section(matter).parts
        return [figure.kind_of_chart for part in parts if isinstance(part, Figures) for figure in part.figures]

    assert kinds(many()) == ["bars", "heat_map", "critical_difference"]
    assert kinds(two()) == ["bars"]
    assert kinds(BenchmarkReport((base(),))) == []
