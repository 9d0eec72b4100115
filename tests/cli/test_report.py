"""assay report: what it takes, what it writes, and what it refuses."""

import json
import re
from pathlib import Path

import pytest

from assay.cli import main


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


@pytest.mark.slow
def test_stored_results_are_compared_in_every_form(stored, assay):
    Path("gate.yaml").write_text("rules:\n  - mrr >= 0.99\n")
    outputs = ("c.html", "c.md", "c.tex", "c.json")
    flags = ("--gate", "gate.yaml", "--rule", "mrr drops <= 0.9", "--title", "A & B", "--by", "difficulty", "-m", "mrr")
    files = (word for name in outputs for word in ("-o", name))
    done = assay("report", "old=main", "new=latest", *flags, *files, "-f", "markdown")
    assert (done.code, done.err) == (0, f"wrote {', '.join(outputs)}\n"), "a failed gate fails no report"
    page = Path("c.html").read_text()
    texts = ("<title>A &amp; B</title>", "By difficulty", ">old</th>", "✗ fail", "mrr drops &lt;= 0.9", "Wins and losses")
    for text in (*texts, '<span class="words">'):
        assert text in page, text
    assert "definition-ndcg" not in page
    assert done.out == Path("c.md").read_text()
    assert done.out.startswith("## rag-template")
    assert "\\toprule" in Path("c.tex").read_text()
    assert json.loads(Path("c.json").read_text())["comparisons"][0]["systems"] == ["old", "new"]


@pytest.mark.slow
def test_charts_as_files(stored, assay):
    for kind, magic in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        assert assay("report", "main", "latest", "-o", f"{kind}/", "--charts", kind, "-m", "ndcg@10").code == 0
        files = list(Path(kind).iterdir())
        assert any("paired_scatter-ndcg@10" in file.name for file in files), kind
        assert all(file.suffix == f".{kind}" and file.read_bytes().startswith(magic) for file in files), kind


@pytest.mark.slow
def test_the_verdict_is_that_of_eval(stored, assay):
    words = ("--benchmarks", "rag-template", "--providers", "bm25", "tfidf_chars", "--limit", "24", "--store", "both.db")
    shown = assay("eval", *words, "--metrics", "ndcg@10", "mrr", "--quiet").out
    verdict = re.search(r"^tfidf_chars is not shown to differ .*, p = \d\.\d+\.$", shown, re.MULTILINE).group()
    power = re.search(r"With 24 queries like these, the test detects .* in 8 of 10 cases\.|Only .* detect\.", shown).group()
    assert assay("report", "latest", "--store", "both.db", "-o", "p.html").code == 0
    page = Path("p.html").read_text()
    assert verdict in page
    assert "ndcg@10 decides. The other metrics have single intervals and are not tested." in page
    assert power in page
    assert assay("report", "latest", "--store", "both.db", "--correct-metrics", "-o", "p.html").code == 0
    page = Path("p.html").read_text()
    assert "p is corrected: Holm over 2 comparisons (2 metrics)." in page


def test_what_cannot_be_is_refused_and_nothing_is_written(stored, transcript):
    transcript("report/refused")
    assert not Path("r.html").exists()
