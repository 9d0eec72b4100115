"""CSV that commands write: no cell that a spreadsheet would run, numbers as they are, other formats untouched."""

import csv
import io
from pathlib import Path

import pytest

import assay as api
from assay.store import Judgment, Store

FORMULAS = ("=", "+", "-", "@", "\t", "\r")
QUERY, OTHER = "=HYPERLINK(1)", "@SUM(A1)"
COMMANDS = [
    ("score", "qrels.txt", "=evil.run", "-m", "map", "--per-query", "-f", "csv"),
    ("score", "qrels.txt", "=evil.run", "-m", "map", "-f", "csv"),
    ("compare", "qrels.txt", "=evil.run", "+more.run", "-m", "map", "-f", "csv"),
    ("show", "latest", "-f", "csv"),
    ("results", "-f", "csv"),
    ("history", "-m", "map", "-f", "csv"),
    ("judgments", "-f", "csv"),
]
FILES = [
    ("compare", "qrels.txt", "=evil.run", "+more.run", "-m", "map", "-o", "out.csv"),
    ("report", "qrels.txt", "=evil.run", "+more.run", "-m", "map", "-o", "out.csv"),
    ("plot", "bars", "qrels.txt", "=evil.run", "+more.run", "-m", "map", "-o", "out.csv"),
]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(f"{QUERY} 0 d1 1\n{OTHER} 0 d1 1\n")
    for name, rank in (("=evil", 1), ("+more", 2)):
        rows = [
            f"{query} Q0 {doc} 1 {score} t\n" for query in (QUERY, OTHER) for doc, score in (("d1", 3 - rank), ("d2", 1.5))
        ]
        Path(f"{name}.run").write_text("".join(rows))
    with Store.open() as store:
        result = api.evaluate({QUERY: {"d": 1}, OTHER: {"d": 1}}, {QUERY: {"d": 1.0}}, ["map"], name="=evil")
        store.save([result.with_fields(benchmark="-2+cmd")])
        store.judgments.give(Judgment("-2+cmd", QUERY, "d", "@Ana", -1.0, " =1+1"))


def check(text):
    """No cell begins as a formula, yet names that do are there."""
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert any(cell.startswith(("'=", "'+", "'@")) for cell in cells)
    for cell in cells:
        if cell.strip().startswith(FORMULAS):
            float(cell)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_what_is_printed(assay, place, words):
    done = assay(*words)
    assert done.code == 0, done.err
    check(done.out)


@pytest.mark.parametrize("words", FILES, ids=" ".join)
def test_what_is_written(assay, place, words):
    done = assay(*words)
    assert done.code == 0, done.err
    check(Path("out.csv").read_text())


def test_numbers_below_zero_stay_numbers(assay, place):
    (row,) = csv.DictReader(
        io.StringIO(assay("compare", "qrels.txt", "=evil.run", "+more.run", "-m", "map", "-f", "csv").out)
    )
    assert "-0.5" in row.values()
    (row,) = csv.DictReader(io.StringIO(assay("judgments", "-f", "csv").out))
    assert (row["grade"], row["note"], row["judge"]) == ("-1.0", "'=1+1", "'@Ana")


@pytest.mark.parametrize("form", ["json", "trec"])
def test_formats_for_programs_keep_ids_as_they_are(assay, place, form):
    out = assay("score", "qrels.txt", "=evil.run", "-m", "map", "--per-query", "-f", form).out
    assert QUERY in out
    assert f"'{QUERY}" not in out
