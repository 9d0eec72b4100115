"""assay report: what it takes, what it writes, and what it refuses."""

import json
from pathlib import Path

import pytest

from assay.cli import main


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
        (["latest", "qrels.txt", "-o", "r.html"], "latest is no file, and others are", 2),
        (["qrels.txt", "-o", "r.html"], "at least two systems are needed", 2),
        (["latest", "--by", "colour", "-o", "r.html"], "no tag is called 'colour'", 2),
        (["latest", "-m", "map", "-o", "r.html"], "map was not scored for tfidf_chars", 2),
        (["latest", "-o", "qrels.txt/"], "there is a file of that name", 2),
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
