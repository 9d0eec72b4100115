"""assay plot: charts of files, of the store, of runs; and what is refused."""

import csv
import io
import json
import sys

import pytest

from assay.store import Store

from ._nights import night, save_nights


@pytest.fixture
def saved(files, assay, monkeypatch):
    """Judgments and runs, and two saved results of them: map is 1 and 1/8."""
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    for name in ("good", "poor"):
        words = ("-m", "map", "recall@1", "recall@2", "-o", f"{name}.json")
        assert assay("score", "qrels.txt", f"{name}.run", *words).code == 0
    return files


def test_what_charts_say(saved, transcript):
    transcript("plot/said")


def test_every_kind_of_file(assay, saved):
    names = [f"out/fig.{ending}" for ending in ("svg", "png", "pdf", "json", "csv")]
    outputs = [word for name in names for word in ("-o", name)]
    words = ("plot", "bars", "good.json", "base=poor.json", "-m", "AP", "--width", 300, "--height", 200, "--title", "Ours")
    done = assay(*words, *outputs, "--theme", "dark", "-f", "svg")
    assert (done.code, done.err, done.out[:5]) == (0, f"wrote {', '.join(names)}\n", "<svg ")
    starts = {name: (saved / name).read_bytes()[:5] for name in names[:3]}
    assert starts == {"out/fig.png": b"\x89PNG\r", "out/fig.pdf": b"%PDF-", "out/fig.svg": b"<svg "}
    content = json.loads((saved / "out/fig.json").read_text())
    assert [(row["system"], row["value"]) for row in content["data"]["values"]] == [("good", 1.0), ("base", 0.125)]
    assert (content["width"], content["height"], content["title"]["text"]) == (300, 200, ["Ours"])
    assert [row["system"] for row in csv.DictReader(io.StringIO((saved / "out/fig.csv").read_text()))] == ["good", "base"]
    printed = assay(*words, "-f", "json", "-o", "out/fig", "--quiet")
    assert (printed.err, json.loads(printed.out)) == ("", json.loads((saved / "out/fig").read_text()))


def test_stored_results_and_history(assay, saved, transcript):
    with Store.open() as store:
        store.save([night(0, 0.5), night(0, 0.75, provider="dense")])
        store.save([night(1, 1.0)])
        store.bless("latest~1", "main")
    transcript("plot/stored")
    with Store.open("nights.db") as store:
        save_nights(store, [0.8] * 15 + [0.6] * 4)
        save_nights(store, [0.7], provider="dense", benchmark="other")
        store.bless("latest~3", "main")
    transcript("plot/history")
    rows = list(csv.DictReader(io.StringIO((saved / "h.csv").read_text())))
    marks = [
        [row[name] for row in rows].index(word) for name, word in (("mark", "on these queries only"), ("blessed as", "main"))
    ]
    assert (len(rows), marks) == (19, [15, 16])


def test_what_is_refused(saved, transcript):
    (saved / "x.png").mkdir()
    transcript("plot/refused")


def test_without_the_extra_it_says_so_before_anything_is_read(saved, transcript, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    transcript("plot/without_extra")
