"""assay plot: charts of files, of the store, of runs; and what is refused."""

import csv
import io
import json

import pytest

from assay.store import Store

from ._nights import night, save_nights


@pytest.fixture
def place(files, monkeypatch):
    """Judgments and runs, and two saved results of them: map is 1 and 1/8."""
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    return files


@pytest.fixture
def saved(place, assay):
    for name in ("good", "poor"):
        out = assay("score", "qrels.txt", f"{name}.run", "-m", "map", "recall@1", "recall@2", "-f", "json").out
        (place / f"{name}.json").write_text(out)
    return place


def test_kinds_are_listed(assay):
    outcome = assay("plot")
    assert outcome.code == 0
    assert [line.split()[0] for line in outcome.out.splitlines()[1:]] == [
        *("bars", "by_k", "critical_difference", "difference_histogram", "heat_map"),
        *("history", "paired_scatter", "pareto", "precision_recall", "slices"),
    ]
    assert "2 results" in outcome.out


def test_saved_results_as_every_kind_of_file(assay, saved):
    names = [f"out/fig.{ending}" for ending in ("svg", "png", "pdf", "json", "csv")]
    outcome = assay(
        "plot", "bars", "good.json", "base=poor.json", "-m", "AP", *(word for name in names for word in ("-o", name))
    )
    assert (outcome.code, outcome.err) == (0, f"wrote {', '.join(names)}\n")
    assert outcome.out.startswith("Bars of map: good 1.000 [")
    assert "base 0.125 [" in outcome.out
    starts = {name: (saved / name).read_bytes()[:5] for name in names}
    assert starts["out/fig.png"] == b"\x89PNG\r"
    assert starts["out/fig.pdf"] == b"%PDF-"
    assert starts["out/fig.svg"] == b"<svg "
    rows = json.loads((saved / "out/fig.json").read_text())["data"]["values"]
    assert [(row["system"], row["value"]) for row in rows] == [("good", 1.0), ("base", 0.125)]
    table = list(csv.DictReader(io.StringIO((saved / "out/fig.csv").read_text())))
    assert [row["system"] for row in table] == ["good", "base"]


def test_size_title_and_theme(assay, saved):
    assay(
        "plot", "bars", "good.json", "-o", "x.json", "--width", 300, "--height", "200", "--title", "Ours", "--theme", "dark"
    )
    spec = json.loads((saved / "x.json").read_text())
    assert (spec["width"], spec["height"], spec["title"]["text"]) == (300, 200, ["Ours"])
    assert spec["config"]["background"] == "#15181b"


def test_runs_and_judgments(assay, place):
    outcome = assay("plot", "paired_scatter", "qrels.txt", "poor.run", "good.run", "-m", "map")
    assert (outcome.code, outcome.err) == (0, "")
    assert "poor across and good up. 2 queries better, 0 the same, 0 worse" in outcome.out
    curve = assay("plot", "precision_recall", "qrels.txt", "good.run")
    assert curve.out == "Interpolated precision by recall: good 1.000 at 0.0, 1.000 at 0.5, 1.000 at 1.0.\n"


def test_cutoffs(assay, place):
    outcome = assay("plot", "by_k", "qrels.txt", "good.run", "-m", "recall@1", "--k", 1, 2)
    assert "good 0.750 at 1, 1.000 at 2. Scored again at each cutoff" in outcome.out


def test_cutoffs_that_a_file_without_rankings_has(assay, saved):
    outcome = assay("plot", "by_k", "good.json")
    assert "good 0.750 at 1, 1.000 at 2. At the cutoffs that the results have" in outcome.out


def test_stored_references(assay, place):
    with Store.open() as store:
        store.save([night(0, 0.5), night(0, 0.75, provider="dense")])
        store.save([night(1, 1.0)])
        store.bless("latest~1", "main")
    assert "Bars of mrr: bm25 1.000" in assay("plot", "bars").out
    assert "main/bm25 0.500" in assay("plot", "bars", "main", "latest").out
    outcome = assay("plot", "paired_scatter", "main#bm25", "latest")
    assert "main/bm25 across and latest/bm25 up. 4 queries better" in outcome.out
    several = assay("plot", "paired_scatter", "main", "latest")
    assert several.code == 2
    assert "here are 3 results (main/bm25, dense, latest/bm25); one is chosen by its name behind a #" in several.err


def test_history(assay, place):
    with Store.open() as store:
        save_nights(store, [0.8] * 15 + [0.6] * 4)
        save_nights(store, [0.7], provider="dense", benchmark="other")
        store.bless("latest~3", "main")
    outcome = assay("plot", "history", "-m", "RR", "--benchmark", "rag", "-o", "h.csv")
    assert outcome.code == 0
    assert "rag · bm25 worse from 0.800 to 0.600 on 2026-10-01" in outcome.out
    assert "other" not in outcome.out
    rows = list(csv.DictReader(io.StringIO((place / "h.csv").read_text())))
    assert len(rows) == 19
    assert [row["mark"] for row in rows].index("worse") == 15
    assert [row["blessed as"] for row in rows].index("main") == 16
    mixed = assay("plot", "history", "-m", "RR")
    assert (mixed.code, mixed.out) == (2, "")
    assert "history shows one benchmark, for others have another scale: --benchmark " in mixed.err
    assert assay("plot", "history", "-m", "RR", "--provider", "dense").code == 0
    nothing = assay("plot", "history", "-m", "mrr", "--provider", "dnese")
    assert (nothing.code, nothing.out) == (5, "")
    assert "Did you mean dense?" in nothing.err
    assert assay("plot", "history", "--store", place / "none.db").code == 6


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("bras", "good.json"), 2, "no chart is called 'bras'. Did you mean bars?"),
        (("paired_scatter", "good.json"), 2, "paired_scatter is drawn of 2 results, and here is 1 result (good)"),
        (("bars", "good.json", "-m", "mrr"), 2, "no metric of good is called 'mrr'.   (it has map, recall@1, recall@2)"),
        (("bars", "good.json", "-m", "ncdg"), 2, "no metric is called 'ncdg'"),
        (
            ("bars", "good.json", "-m", "map", "recall@1"),
            2,
            "bars shows one metric, not map recall@1; heat_map shows several",
        ),
        (
            ("bars", "good.json", "-o", "x.gif"),
            2,
            "-o x.gif: the ending tells the format; there are svg, png, pdf, json, csv",
        ),
        (("bars", "good.json", "-o", "x.svg", "-o", "x.svg"), 2, "-o x.svg: given twice"),
        (("bars", "good.json", "-o", "good.json/x.csv"), 3, "good.json/x.csv: cannot be written: "),
        (("bars", "good.json", "--by", "difficulty"), 2, "--by: bars has no use for it"),
        (("bars", "good.json", "--k", "3"), 2, "--k: bars has no use for it"),
        (("bars", "good.json", "--since", "3d"), 2, "--since: bars has no use for it"),
        (("precision_recall", "good.json", "-m", "map"), 2, "-m: precision_recall has no use for it"),
        (("history", "good.json"), 2, "history is about all evaluations of the store, not good.json; choose by --benchmark"),
        (("slices", "good.json"), 2, "error: slices need a tag: assay plot slices latest --by difficulty\n"),
        (("pareto", "good.json"), 2, "good: no times were taken; assay eval takes them"),
        (("bars", "none.json"), 3, "none.json: no such file"),
        (("by_k", "good.json", "--k", "0"), 2, "a whole number from 1 to"),
        (("bars", "good.json", "--width", "3"), 2, "a whole number from 50 to 10,000"),
        (("bars", "good.json", "--theme", "pink"), 2, "pink"),
        (("-m", "map", "bars", "good.json"), 2, "which chart? Its kind comes first: assay plot bars latest"),
        (("bars", "--dataset", "rag-template"), 2, "assay plot bars --dataset rag-template bm25.run"),
    ],
)
def test_what_is_refused(assay, saved, words, code, said):
    outcome = assay("plot", *words)
    assert (outcome.code, outcome.out) == (code, "")
    assert said in outcome.err


def test_a_folder_is_no_file(assay, saved):
    (saved / "x.svg").mkdir()
    assert (
        "-o x.svg: a file is needed; there is a folder of that name" in assay("plot", "bars", "good.json", "-o", "x.svg").err
    )


def test_several_metrics_in_a_heat_map(assay, saved):
    outcome = assay("plot", "heat_map", "good.json", "poor.json", "-m", "recall@2", "map")
    assert "2 systems by 2 metrics. Best on recall@2: good 1.000; map: good 1.000" in outcome.out


def test_without_the_extra_it_says_so_before_anything_is_read(assay, place, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    outcome = assay("plot", "bars", "nosuch.json", "-o", "x.svg")
    assert (outcome.code, outcome.err) == (2, "error: charts need vl-convert-python: pip install 'assay[report]'\n")
    assert "no such file" in assay("plot", "bars", "nosuch.json", "-o", "x.csv").err
