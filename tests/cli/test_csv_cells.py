"""CSV that commands write: no cell that a spreadsheet would run, numbers as they are, other formats untouched."""

import csv
import io
import math
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


@pytest.mark.usefixtures("place")
def test_no_cell_is_a_formula_in_what_is_printed_or_written(assay):
    for words in (*COMMANDS, *FILES):
        done = assay(*words)
        assert done.code == 0, (words, done.err)
        cells = [cell for row in csv.reader(io.StringIO(done.out if words in COMMANDS else written())) for cell in row]
        assert any(cell.startswith(("'=", "'+", "'@")) for cell in cells), words
        for cell in cells:
            assert not cell.strip().startswith(FORMULAS) or math.isfinite(float(cell)), words


def written():
    """The text of the file, which is then gone."""
    text = Path("out.csv").read_text()
    Path("out.csv").unlink()
    return text


@pytest.mark.usefixtures("place")
def test_numbers_below_zero_and_formats_for_programs_stay_as_they_are(assay):
    (row,) = csv.DictReader(io.StringIO(assay(*COMMANDS[2]).out))
    assert "-0.5" in row.values()
    (row,) = csv.DictReader(io.StringIO(assay("judgments", "-f", "csv").out))
    assert (row["grade"], row["reason"], row["judge"]) == ("-1.0", "'=1+1", "'@Ana")
    for form in ("json", "trec"):
        out = assay(*COMMANDS[0][:-1], form).out
        assert (QUERY in out, f"'{QUERY}" in out) == (True, False), form
