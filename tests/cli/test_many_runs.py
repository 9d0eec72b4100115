"""Very many runs in one command: the table has the best, files have all, and nothing but scores stays in memory."""

import csv
import io
import json

import duckdb
import pytest

N_RUNS = 130


@pytest.fixture
def many(tmp_path):
    """Run number n has the only relevant document at rank n + 1 for one query, and one rank later for the other."""
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d1 1\n")
    for number in range(N_RUNS):
        docs = {query: [f"x{place}" for place in range(number + more)] + ["d1"] for more, query in enumerate(("q1", "q2"))}
        lines = [f"{query} Q0 {doc} 0 {-place} t\n" for query in docs for place, doc in enumerate(docs[query])]
        (tmp_path / f"run{number:03}.run").write_text("".join(lines))
    return tmp_path, [str(path) for path in sorted(tmp_path.glob("*.run"), reverse=True)]


def test_the_table_has_the_best_runs_and_says_so(many, assay, monkeypatch):
    folder, runs = many
    monkeypatch.chdir(folder)
    done = assay("score", folder / "qrels.txt", *runs, "-m", "mrr")
    words = [line.split()[0] for line in done.out.splitlines() if line.strip()]
    assert [word for word in words if word[:4] in ("run0", "run1")] == [f"run{number:03}" for number in range(100)]
    assert "The best 100 of 130 runs are shown. To write all of them, add -o scores.csv or -o scores.parquet." in done.out
    assert "assay compare" not in done.out, "a command with 130 files helps nobody"
    done = assay("score", folder / "qrels.txt", *runs, "-m", "mrr", "-o", "table.txt", "-o", "scores.parquet")
    assert "The best 100 of 130 runs are shown. All are in scores.parquet." in done.out


@pytest.mark.parametrize("more", [(), ("--per-query",)])
def test_a_parquet_file_has_the_table_of_csv(many, assay, more):
    folder, runs = many
    target = folder / "scores.parquet"
    done = assay("score", folder / "qrels.txt", *runs[:5], "-m", "mrr", "recall@10", "-f", "csv", "-o", target, *more)
    table = duckdb.sql(f"SELECT * FROM '{target}'")
    head, *rows = csv.reader(io.StringIO(done.out))
    assert table.columns == head
    for found, expected in zip(table.fetchall(), rows, strict=True):
        assert ["" if value is None else value for value in found] == [
            type(value)(text) if text else text for value, text in zip(found, expected, strict=True)
        ]


def test_other_commands_do_not_write_parquet(many, assay):
    folder, runs = many
    done = assay("compare", folder / "qrels.txt", *runs[:2], "-m", "mrr", "-o", folder / "verdict.parquet")
    assert done.code == 2
    assert "the file extension must be one of" in done.err


def test_without_rankings_the_scores_are_the_same(many, assay, monkeypatch):
    folder, runs = many
    before = json.loads(assay("score", folder / "qrels.txt", *runs, "-m", "mrr", "-f", "json").out)
    monkeypatch.setattr("assay.cli.loading.MAX_RUNS_KEPT", 10)
    after = json.loads(assay("score", folder / "qrels.txt", *runs, "-m", "mrr", "-f", "json").out)
    for result in before["results"]:
        del result["ties"]  # which need the rankings
    assert after == before


def test_of_many_systems_the_best_are_compared(many, assay):
    folder, runs = many
    done = assay("compare", folder / "qrels.txt", *runs, "-m", "mrr")
    assert "note: the best 50 of 130 systems by mrr are compared, the others are left out" in done.err
    assert "run049" in done.out
    assert "run050" not in done.out
    against_one = assay("compare", folder / "qrels.txt", *runs, "-m", "mrr", "--baseline", "run129")
    assert "left out" not in against_one.err
    assert "run000" in against_one.out


def test_every_output_says_how_many_systems_were_left_out(many, assay):
    folder, runs = many
    outputs = [folder / f"verdict{ending}" for ending in (".json", ".md", ".tex")]
    flags = [word for output in outputs for word in ("-o", output)]
    done = assay("compare", folder / "qrels.txt", *runs, "-m", "mrr", *flags)
    (plain,) = json.loads(outputs[0].read_text())["comparisons"]
    assert (len(plain["systems"]), plain["n_left_out"]) == (50, 80)
    for text in (done.out, *(output.read_text() for output in outputs[1:])):
        assert "best 50 of 130 systems · 2 queries · " in text
    few = json.loads(assay("compare", folder / "qrels.txt", *runs[:3], "-m", "mrr", "-f", "json").out)
    assert "n_left_out" not in few["comparisons"][0]


@pytest.mark.slow
def test_the_title_of_a_report_says_how_many_systems_were_left_out(many, assay):
    folder, runs = many
    page = folder / "report.html"
    done = assay("report", folder / "qrels.txt", *runs[:60], "-m", "mrr", "-o", page)
    assert "the best 50 of 60 systems by mrr are compared" in done.err
    assert "<h1>Best 50 of 60 systems</h1>" in page.read_text()


@pytest.mark.parametrize(
    "words", [("-m", "mrr", "{runs}"), ("{runs}", "-m", "mrr", "--baseline", "nobody"), ("{runs}", "--by", "{runs}")]
)
def test_errors_name_only_a_few_of_many_files(many, assay, words):
    folder, runs = many
    arguments = [part for word in words for part in (runs if word == "{runs}" else [word])]
    done = assay("compare", folder / "qrels.txt", *arguments)
    assert (done.code, done.out) == (2, "")
    assert "…" in done.err
    assert done.err.count("run") <= 25
