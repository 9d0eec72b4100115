"""Chunks of a page: how many, how large, and how many of them are relevant."""

from assay.comparison.comparison import compare_results
from assay.reports.page.provenance import chunks_section
from assay.reports.page.subject import BenchmarkReport
from assay.reports.sections.comparison import ComparisonReport
from assay.reports.sections.comparison_formats import render_markdown

from ._pages import base, cand


def cut(result, chunker, n, relevant):
    sizes = {"mean": 100.5, "median": 90, "p5": 10, "p95": 300, "max": 1234}
    about = {"chunker": chunker, "n": n, "characters": sizes, "tokens": {"mean": 20}, "seconds": 0.25}
    provenance = {"chunks": about, "seconds": {"indexing": 0.5}}
    return result.with_fields(provenance=provenance, relevance={"strategy_used": "span", "relevant": relevant})


def test_a_row_for_each_system():
    results = (cut(base(), "fixed_lines", 1500, 12), cut(cand(), "syntax_tree", 900, 8))
    section = chunks_section(BenchmarkReport(results, compare_results(results)))
    assert section.title == "Chunks"
    assert "differs between chunkers" in section.lead
    (grid,) = section.parts
    assert [column.head for column in grid.columns][:3] == ["system", "chunks", "relevant"]
    assert [field.text for field in grid.rows[0]] == [
        *("base", "1,500", "12", "100", "90", "10–300", "1,234", "20", "0.25 s", "0.50 s"),
    ]
    assert [row[1].sort for row in grid.rows] == [1500, 900]


def test_one_chunker_is_fair_to_itself_and_documents_have_no_section():
    section = chunks_section(BenchmarkReport((cut(base(), "fixed_lines", 10, 1),)))
    assert "differs" not in section.lead
    assert chunks_section(BenchmarkReport((base(),))) is None


def test_in_markdown():
    results = (cut(base(), "fixed_lines", 1500, 12), cut(cand(), "syntax_tree", 900, 8))
    text = render_markdown(ComparisonReport([compare_results(results)]))
    assert "### small: chunks, sizes in characters" in text
    assert "| base | 1,500 | 12 |" in text
    assert "chunks, sizes" not in render_markdown(ComparisonReport([compare_results([base(), cand()])]))
