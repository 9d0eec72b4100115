"""assay compare --by, --slices and --agreement."""

import csv
import io
import json

import pytest

import assay as library
from assay.reports import Report, render_scores


@pytest.fixture
def saved(tmp_path, monkeypatch):
    """Two results on rag-template, in one file each."""
    monkeypatch.chdir(tmp_path)
    dataset = library.load_dataset("rag-template")
    for name in ("bm25", "tfidf_chars"):
        result = library.run(dataset, name, ["ndcg@10", "mrr"])
        (tmp_path / f"{name}.json").write_text(render_scores(Report([result]), "json"), encoding="utf-8")
        lines = [f"{q} Q0 {doc} 1 {score} {name}" for q, run in result.run.items() for doc, score in run.items()]
        (tmp_path / f"{name}.run").write_text("\n".join(lines) + "\n")
    return tmp_path


BOTH = ("compare", "bm25.json", "tfidf_chars.json")


def test_slices_of_saved_results(saved, assay):
    done = assay(*BOTH, "--by", "difficulty", "type*length")
    assert (done.code, done.err) == (0, "")
    assert "ndcg@10: tfidf_chars against bm25, by slice" in done.out
    assert "difficulty=hard" in done.out
    assert "type=factual length=long" in done.out  # as it was asked for
    assert "query_type" not in done.out
    assert done.out.rstrip().endswith("slices (Holm, 20 comparisons).")


def test_the_worst_slices(saved, assay):
    done = assay(*BOTH, "--slices")
    assert done.code == 0
    assert "tfidf_chars is not shown to be worse than bm25 in any slice" in " ".join(done.out.split())


def test_agreement_with_and_without_judgments(saved, assay):
    done = assay(*BOTH, "--agreement")
    assert done.code == 0
    assert "agreement of rankings" in done.out
    assert "gained" in done.out  # the file knows what is relevant
    done = assay(
        "compare", "--dataset", "rag-template", "bm25.run", "tfidf_chars.run", "-m", "ndcg@10", "--agreement", "--by", "type"
    )
    assert done.code == 0, done.err
    assert "gained" in done.out
    assert "type=factual" in done.out
    assert "query_type" not in done.out


@pytest.mark.parametrize("word", ["type", "category", "query_type"])
def test_rows_are_called_as_the_tag_was_asked_for(saved, assay, word):
    done = assay(*BOTH, "--by", word)
    assert f"  {word}=factual" in done.out
    rows = list(csv.DictReader(io.StringIO(assay(*BOTH, "--by", word, "-f", "csv").out)))
    assert {row["slice"].partition("=")[0] for row in rows} == {"", word}
    (one,) = json.loads(assay(*BOTH, "--by", word, "-f", "json").out)["comparisons"]
    assert {row["by"] for row in one["slices"]["slices"]} == {"query_type"}  # data keep the name that the tag has
    assert f"{word}=" in one["slices"]["verdict"] or "any of" in one["slices"]["verdict"]


def test_formats_and_files(saved, assay):
    done = assay(*BOTH, "--by", "difficulty", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["slice"] for row in rows[::2]] == ["", "difficulty=easy", "difficulty=medium", "difficulty=hard"]
    done = assay(*BOTH, "--by", "difficulty", "--slices", "--agreement", "-f", "json", "-o", "report.md", "-o", "all.json")
    (one,) = json.loads(done.out)["comparisons"]
    assert {"pairs", "slices", "worst_slices", "agreement"} <= one.keys()
    assert json.loads((saved / "all.json").read_text())["comparisons"] == [one]
    assert "by slice" in (saved / "report.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--by", "dificulty"), 2, "no tag is called 'dificulty'. Did you mean difficulty?"),
        (("--slices", "-f", "csv"), 2, "--slices has no place in csv"),
        (("--agreement", "-o", "x.csv"), 2, "--agreement has no place in csv"),
        (("--by", "difficulty", "bm25.json"), 2, "what follows --by is taken as a tag: bm25.json"),
        (("--by", ","), 2, "say what to slice by"),
    ],
)
def test_what_is_refused(saved, assay, arguments, code, words):
    done = assay(*BOTH, *arguments)
    assert (done.code, done.out) == (code, "")
    assert words in done.err


def test_judgments_and_runs_know_nothing_about_queries(files, assay):
    done = assay("compare", "qrels.txt", "good.run", "poor.run", "-m", "map", "--by", "language")
    assert done.code == 2
    assert "nothing is known about the queries" in done.err


def test_it_fits_a_terminal(saved, terminal):
    done = terminal(*BOTH, "--by", "difficulty", "type", "--slices", "--agreement", env={"NO_COLOR": "1"})
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
