"""assay report: what it takes, what it writes, and what it refuses."""

import csv
import json
import re
import sys
from pathlib import Path

import pytest

from assay.cli import main

OWN = {
    "metadata": {"dataset_name": "own", "version": "1.0"},
    "queries": {"q1": {"text": "who swims"}},
    "documents": {"d1": {"text": "<b>fish</b>\nswim"}, "d2": {"text": "long " * 900}},
    "qrels": {"q1": {"d1": 1}},
}
"""A benchmark of one query; a document has markup in it, another is long."""


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    """A folder whose store holds two evaluations of the bundled benchmark; the first is the baseline main."""
    folder = tmp_path_factory.mktemp("stored")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        plan = ["eval", "--benchmarks", "rag-template", "--limit", "12", "--metrics", "ndcg@10", "mrr", "--quiet"]
        for words in ([*plan, "--providers", "bm25"], ["bless", "latest"], [*plan, "--providers", "tfidf_chars"]):
            assert main(words) == 0, words
    return folder


@pytest.fixture
def stored(evaluated, monkeypatch):
    monkeypatch.chdir(evaluated)
    return evaluated


def test_pages_of_stored_results(stored, assay):
    done = assay("report", "latest", "-o", "report.html")
    assert (done.code, done.out, done.err) == (0, "", "wrote report.html\n")
    page = Path("report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "tfidf_chars reaches ndcg@10 of" in page
    assert '<span class="words">' in page, "documents have words where the benchmark comes with assay"
    assert assay("report", "-o", "latest.html", "--quiet") == (0, "", "")
    assert Path("latest.html").read_text() == page
    assert assay("report", "main", "latest~1", "-o", "twice.html").code == 0
    assert "main/bm25" in Path("twice.html").read_text()


def test_two_results_are_compared_in_every_form(stored, assay):
    outputs = ("c.html", "c.md", "c.tex", "c.json", "figures/")
    done = assay("report", "main", "latest", *(word for name in outputs for word in ("-o", name)), "-f", "markdown")
    assert (done.code, done.err.startswith(f"wrote {', '.join(outputs)} (")) == (0, True)
    assert done.out == Path("c.md").read_text()
    assert "Wins and losses" in Path("c.html").read_text()
    assert done.out.startswith("## rag-template")
    assert "\\toprule" in Path("c.tex").read_text()
    assert json.loads(Path("c.json").read_text())["comparisons"][0]["systems"] == ["bm25", "tfidf_chars"]
    figures = list(Path("figures").iterdir())
    assert any("paired_scatter-ndcg@10" in file.name for file in figures)
    assert all(file.read_text().startswith("<svg") for file in figures)


@pytest.mark.slow
def test_charts_in_other_forms(stored, assay):
    for kind, magic in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
        assert assay("report", "latest", "-o", f"{kind}/", "--charts", kind, "-m", "ndcg@10").code == 0
        files = list(Path(kind).iterdir())
        assert files
        assert all(file.suffix == f".{kind}" and file.read_bytes().startswith(magic) for file in files), kind


def test_the_gate_is_shown_and_never_fails_the_report(stored, assay):
    Path("gate.yaml").write_text("rules:\n  - ndcg@10 >= 0.99\n")
    assert assay("report", "main", "latest", "-o", "g.html", "--gate", "gate.yaml", "--rule", "mrr drops <= 0.9").code == 0
    page = Path("g.html").read_text()
    assert ("✗ fail" in page, "mrr drops &lt;= 0.9" in page) == (True, True)


def test_names_title_tags_and_metrics(stored, assay):
    words = ("old=main", "new=latest", "-o", "n.html", "--title", "A & B", "--by", "difficulty", "-m", "mrr")
    assert assay("report", *words).code == 0
    page = Path("n.html").read_text()
    for text, is_there in {
        "<title>A &amp; B</title>": True,
        "By difficulty": True,
        ">old</th>": True,
        "definition-ndcg": False,
    }.items():
        assert (text in page) == is_there, text


def test_judgments_and_runs(files, assay):
    for words, text in {
        "good.run -o one.html": "good reaches map of 1.000",
        "good.run poor.run -o two.html -o two.csv": "Query by query",
    }.items():
        assert assay("report", "qrels.txt", *words.split(), "-m", "map").code == 0
        assert text in Path(words.split("-o ")[1].split()[0]).read_text()
    words = ("bm25(k1=1.2,b=0.75)=good.run", "poor(k1=0)=poor.run")
    assert assay("report", "qrels.txt", *words, "-m", "map", "-o", "named.json").code == 0
    assert json.loads(Path("named.json").read_text())["comparisons"][0]["systems"] == ["bm25(k1=1.2,b=0.75)", "poor(k1=0)"]


def test_a_spreadsheet_runs_nothing_of_a_table(files, assay):
    for words in (("@sum(1)=poor.run",), ("@sum(1)=poor.run", "good.run")):
        assert assay("report", "qrels.txt", *words, "-m", "map", "-o", "t.csv").code == 0
        cells = [cell for row in csv.reader(Path("t.csv").read_text().splitlines()) for cell in row]
        assert ("'@sum(1)" in cells, "@sum(1)" in cells) == (True, False), words
    assert assay("report", "qrels.txt", "good.run", "poor.run", "-m", "map", "-o", "t.csv").code == 0
    (row,) = csv.DictReader(Path("t.csv").read_text().splitlines())
    assert float(row["difference"]) == -0.875, "numbers are no formulas"


def test_p_is_that_of_eval_once_the_correction_is_explained(stored, assay):
    words = ("--benchmarks", "rag-template", "--providers", "bm25", "tfidf_chars", "--limit", "12", "--store", "both.db")
    shown = assay("eval", *words, "--metrics", "ndcg@10", "mrr", "--quiet").out
    p = re.search(r"p = \d\.\d+", shown).group()
    power = re.search(r"12 queries like these can tell .* apart from a difference of about [\d.]+ on", shown).group()
    assert assay("report", "latest", "--store", "both.db", "-o", "p.html").code == 0
    page = Path("p.html").read_text()
    assert f"(Holm over 2); ndcg@10 alone, as assay eval says it: {p}." in page
    assert power in page
    assert assay("report", "latest", "--store", "both.db", "-m", "ndcg@10", "-o", "p.html").code == 0
    page = Path("p.html").read_text()
    assert (p in page, "p is corrected" in page) == (True, False)


def test_documents_have_words_where_the_benchmark_is_at_hand(files, assay):
    Path("own.json").write_text(json.dumps(OWN))
    Path("own.run").write_text("q1 Q0 d2 1 9 x\nq1 Q0 d1 2 8 x\n")
    assert assay("report", "--dataset", "own.json", "own.run", "-m", "mrr", "-o", "own.html").code == 0
    page = Path("own.html").read_text()
    assert 'd1 <span class="words">&lt;b&gt;fish&lt;/b&gt; swim</span>' in page
    assert ("long " * 22 in page, "long " * 30 in page.partition("<script>")[0]) == (True, False)


def test_what_cannot_be_is_refused_and_nothing_is_written(stored, told):
    told(
        "report/refused",
        """
        > qrels.txt q1 0 d1 1\\n
        > good.run q1 Q0 d1 1 9 good\\n
        report latest
        report latest -o r.pptx
        report latest -o r.html -o r.html
        report nobody -o r.html
        report nobody.json -o r.html
        report latest --by colour -o r.html
        report latest -m map -o r.html
        report latest -o qrels.txt/
        report latest --charts png -o r.html
        report latest --charts gif -o f/
        report latest -o /nowhere/r.html
        report latest -o /nowhere/figures/
        report latest -f trec
        report latest -o r.html --rule 'ndgc >= 1'
        report qrels.txt good.run --rule 'map >= 1' -o r.html
        """,
    )
    assert not Path("r.html").exists()


def test_without_the_extra_there_is_one_line_that_helps(stored, told, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    told("report/without_extra", "report latest -o r.html")
