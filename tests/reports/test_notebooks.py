"""Notebooks: what objects show there, and a whole notebook from two frames to a saved report."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import assay
from assay.charts import draw

from ._html import parse
from ._results import HOSTILE

ROOT = Path(__file__).parents[2]
QRELS = {"q1": {"d1": 3, "d3": 1}, "q2": {"d4": 2}, "q3": {"d5": 1}}
RUN = {"q1": ["d2", "d1"], "q2": ["d4", "d1"], "q3": ["d1"]}
OTHER = {"q1": ["d1", "d3"], "q2": ["d1", "d4"], "q3": ["d5"]}


def shown(value):
    return parse(value._repr_html_())


def test_a_result_shows_each_metric_with_its_interval():
    result = assay.evaluate(QRELS, RUN, ["ndcg@10", "mrr"], name="bm25")
    head, *rows = shown(result).one("table").table()
    assert head == ["metric", "value", "95 % CI"]
    low, high = (assay.with_intervals(result).intervals["mrr"].low, assay.with_intervals(result).intervals["mrr"].high)
    assert rows[1] == ["mrr", "0.5000", f"{low:.3f} – {high:.3f}"]
    assert result.intervals == {}


def test_a_result_tells_of_queries_on_which_the_provider_failed():
    def search(query, k):
        if query == "cats":
            raise RuntimeError("no <b>server</b>")
        return ["d2"]

    queries = [{"query": "cats", "relevant_ids": ["d1"]}, {"query": "dogs", "relevant_ids": ["d2"]}]
    documents = [{"id": "d1", "text": "cats"}, {"id": "d2", "text": "dogs"}]
    page = shown(assay.run(queries, search, ["mrr"], documents=documents))
    assert "search: 1 of 2 queries failed and scored 0: " in page.text
    assert "no <b>server</b>" in page.text


def test_notes_on_a_result_without_a_name_call_it_run():
    page = shown(assay.evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": ["a"]}, "mrr"))
    assert page.one("li").text == "run: 1 query is missing from the run and counts as an empty ranking (q2)."


def test_a_result_over_one_query_has_no_intervals():
    head, *_ = shown(assay.evaluate({"q1": {"a": 1}}, {"q1": ["a"]}, "mrr")).one("table").table()
    assert head == ["metric", "value"]


def test_a_comparison_shows_the_verdict_and_the_differences():
    two = assay.compare(QRELS, {"a": RUN, "b": OTHER}, "mrr")
    page = shown(two)
    assert page.one("p", class_="lead").text == two.verdict
    head, row = page.one("table").table()
    assert head[:5] == ["metric", "a", "b", "Δ", "95 % CI of Δ"]
    assert row[:4] == ["mrr", "0.500", "0.833", "+0.333"]
    three = shown(assay.compare(QRELS, {"a": RUN, "b": OTHER, "c": OTHER}, "mrr"))
    systems, pairs = three.all("table")
    assert [row[0].split()[-1] for row in systems.table()] == ["system", "a", "b", "c"]
    assert len(pairs.table()) == 4


def test_a_benchmark_shows_its_sizes_and_its_first_queries():
    sizes, queries = shown(assay.load_dataset("rag-template")).all("table")
    assert ["documents", "224"] in sizes.table()
    assert len(queries.table()) == 11
    assert queries.table()[0][:3] == ["query_id", "query", "relevant_ids"]


def test_the_first_rows_of_a_run_are_those_of_its_frame():
    run = assay.Run({"q0": {}, **{f"q{n}": {f"d{doc}": doc % 3 for doc in range(n)} for n in range(1, 9)}})
    page = shown(run)
    wanted = [[str(field) for field in row] for row in run.to_pandas().head(10).values.tolist()]
    assert page.one("table").table()[1:] == wanted
    assert page.one("li").text == "Run(9 queries, 36 documents): the first 10 of 36 rows"


def test_runs_and_judgments_show_their_first_rows():
    assert shown(assay.Run(RUN)).one("table").table()[1] == ["q1", "d2", "0.0", "1"]
    assert "Qrels(3 queries, 4 judgments)" in shown(assay.Qrels(QRELS)).text


def test_an_explanation_shows_what_gives_the_number():
    found = assay.why(QRELS, RUN, "mrr", 0.5)
    assert str(found).partition(".")[0] in shown(found).text


@pytest.mark.parametrize("text", HOSTILE)
def test_names_are_text_and_never_markup(text):
    dataset = assay.BenchmarkDataset(text or "x")
    dataset.add_query(assay.Query("q1", text))
    dataset.add_judgment(assay.RelevanceJudgment("q1", text or "d", 1))
    values = [
        assay.evaluate({"q1": {"a": 1}}, {"q1": ["a"]}, "mrr", name=text),
        assay.compare(QRELS, {text or "x": RUN, "b": OTHER}, "mrr"),
        assay.Run({text or "q": {text or "d": 1.0}}),
        dataset,
    ]
    for value in values:
        html = value._repr_html_()
        page = parse(html)
        tags = {element.tag for element in page.all()}
        assert tags <= {"div", "style", "h4", "p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}
        assert {name for element in page.all() for name in element.attributes} <= {"class"}
        assert not re.search(r"https?://|url\(|@import", page.one("style").text)


def test_a_chart_is_a_picture(tmp_path):
    results = [assay.evaluate(QRELS, run, "mrr", name=name) for name, run in (("a", RUN), ("b", OTHER))]
    drawing = draw("paired_scatter", results)
    assert drawing._repr_html_().startswith("<svg ")
    assert len(repr(drawing)) < 100
    drawing.save(tmp_path / "chart.svg")
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg ")


CELLS = """\
import pandas as pd
import assay
qrels = pd.DataFrame({"query_id": ["q1", "q1", "q2", "q3"], "doc_id": ["d1", "d3", "d4", "d5"], "relevance": [3, 1, 2, 1]})
found = [("q1", "d2", 2.0), ("q1", "d1", 1.0), ("q2", "d4", 2.0), ("q2", "d1", 1.0), ("q3", "d1", 1.0)]
bm25 = pd.DataFrame(found, columns=["query_id", "doc_id", "score"])
dense = bm25.assign(doc_id=["d1", "d3", "d1", "d4", "d5"])
---
result = assay.evaluate(qrels, bm25, ["ndcg@10", "mrr"], name="bm25")
result
---
comparison = assay.compare(qrels, {"bm25": bm25, "dense": dense}, ["ndcg@10", "mrr"])
comparison
---
comparison.to_pandas()[["metric", "difference", "low", "high", "p"]]
---
from assay.charts import draw
draw("paired_scatter", comparison.results, metric="mrr")
---
comparison.save("report.html")
result.save("scores.parquet")
bm25.to_parquet("run.parquet")
assay.evaluate(qrels, "run.parquet", "mrr")
---
golden = pd.DataFrame({"query": ["cats", "dogs"], "relevant_ids": ["a", "b"]})
assay.run(golden, "bm25", ["mrr"], documents=pd.DataFrame({"id": ["a", "b"], "text": ["cats sleep", "dogs bark"]}))
"""


@pytest.mark.slow
def test_a_notebook_goes_from_frames_to_a_table_a_chart_and_a_saved_report(tmp_path):
    try:
        import nbformat
        from nbclient import NotebookClient
    except ImportError:
        if "all" in os.environ.get("ASSAY_TEST_REQUIRE", "").split(","):
            pytest.fail("ASSAY_TEST_REQUIRE=all, but nbclient is missing")
        pytest.skip("nbclient is missing")
    cells = [nbformat.v4.new_code_cell(text) for text in CELLS.split("---\n")]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    client.execute(env={**os.environ, "PYTHONPATH": str(ROOT / "src")})
    html = [cell.outputs[0]["data"]["text/html"] if cell.outputs else "" for cell in notebook.cells]
    assert parse(html[5]).one("table").table()[1][:2] == ["mrr", "0.5000"]
    assert parse(html[6]).one("table").table()[1][:2] == ["mrr", "1.0000"]
    assert [output for cell in notebook.cells for output in cell.outputs if output.output_type == "stream"] == []
    assert (tmp_path / "scores.parquet").read_bytes().startswith(b"PAR1")
    assert parse(html[1]).one("table").table()[2][:2] == ["mrr", "0.5000"]
    assert parse(html[2]).one("table").table()[2][:4] == ["mrr", "0.500", "0.833", "+0.333"]
    assert "<table" in html[3]
    assert html[4].startswith("<svg ")
    assert "dense" in (tmp_path / "report.html").read_text(encoding="utf-8")
