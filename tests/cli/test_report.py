"""assay report: what it takes, what it writes, and what it refuses."""

import csv
import json
import re
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


@pytest.fixture
def stored(tmp_path_factory, monkeypatch):
    """A folder whose store holds two evaluations of the bundled benchmark; the first is the baseline main."""
    folder = tmp_path_factory.mktemp("stored")
    monkeypatch.chdir(folder)
    command = ["eval", "--benchmarks", "rag-template", "--limit", "12", "--metrics", "ndcg@10", "mrr", "--quiet"]
    assert main([*command, "--providers", "bm25"]) == 0
    assert main(["bless", "latest", "--as", "main"]) == 0
    assert main([*command, "--providers", "tfidf_chars"]) == 0
    return folder


def test_the_latest_as_a_page(stored, assay):
    done = assay("report", "latest", "-o", "report.html")
    assert (done.code, done.out, done.err) == (0, "", "wrote report.html\n")
    page = Path("report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "tfidf_chars reaches ndcg@10 of" in page


def test_latest_is_what_is_meant_where_nothing_is_said(stored, assay):
    assert assay("report", "-o", "a.html").code == 0
    assert assay("report", "latest", "-o", "b.html").code == 0
    assert Path("a.html").read_text() == Path("b.html").read_text()


def test_two_references_are_compared_in_every_form(stored, assay):
    done = assay("report", "main", "latest", "-o", "c.html", "-o", "c.md", "-o", "c.tex", "-o", "c.json", "-o", "figures/")
    assert done.code == 0
    assert done.err.startswith("wrote c.html, c.md, c.tex, c.json, figures/ (")
    assert "Wins and losses" in Path("c.html").read_text()
    assert Path("c.md").read_text().startswith("## rag-template")
    assert "\\toprule" in Path("c.tex").read_text()
    assert json.loads(Path("c.json").read_text())["comparisons"][0]["systems"] == ["bm25", "tfidf_chars"]
    names = sorted(file.name for file in Path("figures").iterdir())
    assert any("paired_scatter-ndcg@10" in name for name in names)
    assert all(file.read_text().startswith("<svg") for file in Path("figures").iterdir())


@pytest.mark.parametrize(("kind", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_charts_in_other_forms(stored, assay, kind, magic):
    assert assay("report", "latest", "-o", "out/", "--charts", kind, "-m", "ndcg@10").code == 0
    files = list(Path("out").iterdir())
    assert files
    assert all(file.suffix == f".{kind}" and file.read_bytes().startswith(magic) for file in files)


def test_the_gate_is_shown_and_never_fails_the_report(stored, assay):
    Path("gate.yaml").write_text("rules:\n  - ndcg@10 >= 0.99\n")
    done = assay("report", "main", "latest", "-o", "g.html", "--gate", "gate.yaml", "--rule", "mrr drops <= 0.9")
    assert done.code == 0
    page = Path("g.html").read_text()
    assert "✗ fail" in page
    assert "mrr drops &lt;= 0.9" in page
    assert assay("report", "latest", "-o", "g.html", "--rule", "ndgc >= 1").code == 2


def test_names_title_tags_and_metrics(stored, assay):
    done = assay("report", "old=main", "new=latest", "-o", "n.html", "--title", "A & B", "--by", "difficulty", "-m", "mrr")
    assert done.code == 0
    page = Path("n.html").read_text()
    assert "<title>A &amp; B</title>" in page
    assert "By difficulty" in page
    assert ">old</th>" in page
    assert "definition-ndcg" not in page


def test_the_same_provider_twice_is_told_apart(stored, assay):
    assert assay("report", "main", "latest~1", "-o", "t.html").code == 0
    assert "main/bm25" in Path("t.html").read_text()


def test_judgments_and_one_run_or_several(files, assay):
    assert assay("report", "qrels.txt", "good.run", "-m", "map", "-o", "one.html").code == 0
    assert "good reaches map of 1.000" in Path("one.html").read_text()
    assert assay("report", "qrels.txt", "good.run", "poor.run", "-m", "map", "-o", "two.html", "-o", "two.csv").code == 0
    assert "Query by query" in Path("two.html").read_text()
    assert assay("report", "qrels.txt", "good.run", "-o", "one.md").code == 0


def test_names_may_be_written_as_providers_are(files, assay):
    words = ("bm25(k1=1.2,b=0.75)=good.run", "poor(k1=0)=poor.run")
    assert assay("report", "qrels.txt", *words, "-m", "map", "-o", "named.json").code == 0
    assert json.loads(Path("named.json").read_text())["comparisons"][0]["systems"] == ["bm25(k1=1.2,b=0.75)", "poor(k1=0)"]
    lost = assay("report", "qrels.txt", "bm25(k1=1.2)=lost.run", "-o", "named.html")
    assert (lost.code, lost.err) == (3, "error: lost.run: no such file\n")


def test_a_spreadsheet_runs_nothing_of_a_table(files, assay):
    for words in (("@sum(1)=poor.run", "-m", "map"), ("@sum(1)=poor.run", "good.run", "-m", "map")):
        assert assay("report", "qrels.txt", *words, "-o", "t.csv").code == 0
        rows = list(csv.reader(Path("t.csv").read_text().splitlines()))
        cells = [cell for row in rows for cell in row]
        assert "'@sum(1)" in cells
        assert "@sum(1)" not in cells
    assert assay("report", "qrels.txt", "good.run", "poor.run", "-m", "map", "-o", "t.csv").code == 0
    (row,) = csv.DictReader(Path("t.csv").read_text().splitlines())
    assert float(row["difference"]) == -0.875, "numbers are no formulas"


def test_p_is_that_of_eval_once_the_correction_is_explained(stored, assay):
    words = ("--benchmarks", "rag-template", "--providers", "bm25", "tfidf_chars", "--limit", "12")
    told = assay("eval", *words, "--metrics", "ndcg@10", "mrr", "--quiet").out
    p = re.search(r"p = \d\.\d+", told).group()
    power = re.search(r"12 queries like these can tell .* apart from a difference of about [\d.]+ on", told).group()
    assert assay("report", "latest", "-o", "p.html").code == 0
    page = Path("p.html").read_text()
    assert f"(Holm over 2); ndcg@10 alone, as assay eval says it: {p}." in page
    assert power in page
    assert assay("report", "latest", "-m", "ndcg@10", "-o", "p.html").code == 0
    page = Path("p.html").read_text()
    assert p in page
    assert "p is corrected" not in page


def test_documents_have_words_where_the_benchmark_is_at_hand(stored, assay):
    assert assay("report", "latest", "-o", "bundled.html").code == 0
    assert '<span class="words">' in Path("bundled.html").read_text()
    Path("own.json").write_text(json.dumps(OWN))
    Path("own.run").write_text("q1 Q0 d2 1 9 x\nq1 Q0 d1 2 8 x\n")
    assert assay("report", "--dataset", "own.json", "own.run", "-m", "mrr", "-o", "own.html").code == 0
    page = Path("own.html").read_text()
    assert 'd1 <span class="words">&lt;b&gt;fish&lt;/b&gt; swim</span>' in page
    assert "long " * 22 in page
    assert "long " * 30 not in page.partition("<script>")[0]


def test_saved_results(files, assay):
    Path("a.json").write_text(assay("score", "qrels.txt", "good.run", "-f", "json", "-m", "map").out)
    assert assay("report", "a.json", "-o", "a.html").code == 0
    assert "good reaches map of 1.000" in Path("a.html").read_text()


@pytest.mark.parametrize(
    ("words", "said", "code"),
    [
        (["latest"], "say where the report goes: assay report latest -o report.html", 2),
        (["latest", "-o", "r.pptx"], "-o r.pptx: the ending tells the format; there are .html, .json", 2),
        (["latest", "-o", "r.html", "-o", "r.html"], "the same file is given twice", 2),
        (["nobody", "-o", "r.html"], "no stored evaluation is called 'nobody'", 2),
        (["nobody.json", "-o", "r.html"], "nobody.json: no such file", 3),
        (["latest", "--by", "colour", "-o", "r.html"], "no tag is called 'colour'", 2),
        (["latest", "-m", "map", "-o", "r.html"], "map was not scored for tfidf_chars", 2),
        (["latest", "-o", "qrels.txt/"], "there is a file of that name", 2),
        (["latest", "--charts", "png", "-o", "r.html"], "--charts png is about a folder of charts, and -o names none", 2),
        (["latest", "-o", "/nowhere/r.html"], "-o /nowhere/r.html: there is no folder /nowhere", 2),
        (["latest", "-o", "/nowhere/figures/"], "-o /nowhere/figures/: there is no folder /nowhere", 2),
        (["latest", "--charts", "gif", "-o", "f/"], "invalid choice: 'gif'", 2),
        (["qrels.txt", "good.run", "--rule", "map >= 1", "-o", "r.html"], "rules are about results", 2),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(stored, assay, words, said, code):
    Path("qrels.txt").write_text("q1 0 d1 1\n")
    Path("good.run").write_text("q1 Q0 d1 1 9 good\n")
    done = assay("report", *words)
    assert (done.code, said in done.err) == (code, True), done.err
    assert not Path("r.html").exists()


def test_without_the_extra_there_is_one_line_that_helps(stored, assay, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "jinja2", None)
    done = assay("report", "latest", "-o", "r.html")
    assert done.code == 2
    assert done.err == "error: reports as HTML need jinja2: pip install 'assay[report]'\n"
