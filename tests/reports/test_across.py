"""Across: systems on several benchmarks side by side; means over languages alone, worked out by hand."""

import pytest

from assay.model.records import Query
from assay.reports.page.head import cross_benchmark_section, cross_benchmark_sheets, cross_benchmark_tables
from assay.reports.renderers.html import benchmark_reports

from ._pages import CAND_RANKS, QRELS, base, cand, result_of


def on(benchmark, result, language=""):
    """The result on another benchmark, its queries in a language."""
    tags = {"language": language} if language else {}
    queries = {query: Query(query, f"what about {query}", metadata=tags) for query in QRELS}
    return result.with_fields(benchmark=benchmark, queries=queries, failures={})


def languages():
    """mrr: base 0.53125 in German and 1 in English, cand 0.625 in both."""
    perfect = result_of("base", dict.fromkeys(QRELS, 1))
    return [
        on("de", base(), "de"),
        on("de", result_of("cand", CAND_RANKS), "de"),
        on("en", perfect, "en"),
        on("en", result_of("cand", CAND_RANKS), "en"),
    ]


def test_mean_and_variance_over_languages():
    mrr, *_ = cross_benchmark_tables(benchmark_reports(languages()))
    assert (mrr.metric.name, mrr.benchmarks, mrr.systems) == ("mrr", ("de", "en"), ("base", "cand"))
    assert mrr.values == ((0.53125, 1.0), (0.625, 0.625))
    assert mrr.macro(0) == pytest.approx((0.53125 + 1) / 2)
    assert mrr.variance(0) == ("0.05493", pytest.approx(((1 - 0.53125) / 2) ** 2))
    assert mrr.variance(1)[1] == 0
    assert all(ends.startswith("[") for row in mrr.intervals for ends in row)


def test_benchmarks_that_are_no_languages_have_no_mean():
    """A mean over unlike benchmarks would say nothing."""
    mrr, *_ = cross_benchmark_tables(benchmark_reports([on("a", base()), on("b", result_of("base", CAND_RANKS))]))
    assert not mrr.are_languages
    (sheet, *_) = cross_benchmark_sheets(benchmark_reports([on("a", base()), on("b", base())]))
    assert sheet.table.head == ["system", "a", "b"]
    same = [on("a", base(), "de"), on("b", base(), "de")]
    assert not cross_benchmark_tables(benchmark_reports(same))[0].are_languages


def test_a_system_that_was_not_run_everywhere_has_no_mean():
    some = languages()[:3]
    mrr, *_ = cross_benchmark_tables(benchmark_reports(some))
    assert mrr.text(mrr.values[1][1]) == "–"
    assert (mrr.text(mrr.macro(1)), mrr.variance(1)[0]) == ("–", "–")
    assert mrr.text(mrr.macro(0)) == "0.766"


def test_one_benchmark_has_nothing_across():
    assert cross_benchmark_tables(benchmark_reports([base(), cand()])) == ()
    assert cross_benchmark_section(benchmark_reports([base()])) is None


def test_on_a_page_and_in_a_file():
    section = cross_benchmark_section(benchmark_reports(languages()))
    assert (section.title, len(section.parts)) == ("Across languages", 3)
    grid = section.parts[0]
    assert [column.head for column in grid.columns] == ["system", "de", "en", "macro mean", "variance"]
    assert [field.text for field in grid.rows[0]] == ["base", "0.531", "1.000", "0.766", "0.05493"]
    assert grid.rows[0][1].beside.startswith("[0.")
    sheets = cross_benchmark_sheets(benchmark_reports(languages()))
    assert [sheet.title for sheet in sheets] == ["mrr by language", "recall@10 by language", "ndcg@10 by language"]
    assert sheets[0].table.rows[0][1].text.startswith("0.531 [0.")
    assert [bool(sheet.notes) for sheet in sheets] == [False, False, True]
