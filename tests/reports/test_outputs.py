"""Outputs: the ending of a file tells its format."""

import json

import pytest

import assay
from assay.evaluation import read_results
from assay.reports import ENDINGS, check_outputs, new_folders, write_output

RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d9": 0.5}}


def result(name="bm25", benchmark="small", **more):
    scored = assay.evaluate({"q1": {"d1": 1}, "q2": {"d2": 1}}, RUN, ["mrr"], name=name)
    return scored.with_fields(benchmark=benchmark, run=RUN, **more)


@pytest.mark.parametrize("path", ["r.xlsx", "r", "r.json.gz", "json", ".json/x"])
def test_an_ending_nobody_knows_is_refused(path):
    with pytest.raises(assay.UsageError, match=rf"-o {path}: the ending tells the format; there are \.json"):
        check_outputs(["fine.json", path])


def test_known_endings_in_any_case():
    check_outputs([f"x{ending}" for ending in (*ENDINGS, ".trec", ".run")] + ["R.JSON", "R.Trec"])


@pytest.mark.parametrize(
    ("paths", "told"),
    [
        (["folder.json"], "-o folder.json: a file is needed; there is a folder of that name"),
        (["file.json/new/r.json"], "-o file.json/new/r.json: a file is needed; file.json is no folder"),
        (["r.json", "r.csv", "./r.json"], "-o r.json: given twice"),
    ],
)
def test_what_could_not_be_written_is_refused(tmp_path, monkeypatch, paths, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "file.json").write_text("{}")
    with pytest.raises(assay.UsageError, match=told):
        check_outputs(paths)
    check_outputs(["file.json", "new/r.json", "folder.json/r.json"])


@pytest.mark.parametrize("ending", ENDINGS)
def test_each_ending_is_written_with_every_benchmark(tmp_path, ending):
    path = tmp_path / "new" / f"r{ending}"
    assert write_output(path, [result(), result("dense", "large")]) == [path]
    text = path.read_text()
    assert "bm25" in text
    assert "dense" in text
    if ending != ".csv":
        assert "small" in text
        assert "large" in text


def test_json_reads_back_with_everything(tmp_path):
    one = result(failures={"q2": "down"}, provenance={"k": 5}, relevance={"strategy": "qrels"})
    write_output(tmp_path / "r.json", [one])
    (back,) = read_results(tmp_path / "r.json")
    for name in ("name", "benchmark", "failures", "run", "provenance", "relevance", "summary"):
        assert getattr(back, name) == getattr(one, name)
    (plain,) = json.loads((tmp_path / "r.json").read_text())["results"]
    assert {"benchmark", "run", "failures", "provenance"} <= set(plain)


def test_one_ranking_is_one_file(tmp_path):
    write_output(tmp_path / "run.trec", [result("hybrid(bm25, dense)")])
    assert (tmp_path / "run.trec").read_text() == (
        "q1 Q0 d1 1 2.0 hybrid(bm25,dense)\nq1 Q0 d2 2 1.0 hybrid(bm25,dense)\nq2 Q0 d9 1 0.5 hybrid(bm25,dense)\n"
    )


def test_several_rankings_are_several_files_no_two_of_one_name(tmp_path):
    names = ["bm25", "bm25(k1=0.9)", "http('http://x/a')", "http(http://x/a)", "x" * 300, "x" * 299 + "y", "ü/../z"]
    written = write_output(tmp_path / "run.trec", [result(name) for name in names])
    found = sorted(path.name for path in tmp_path.iterdir())
    assert found == sorted(path.name for path in written)
    assert len(found) == len(names)
    assert "run-small-bm25.trec" in found
    assert "run-small-bm25_k1_0.9.trec" in found


def test_rankings_score_as_they_did(tmp_path):
    write_output(tmp_path / "run.run", [result()])
    scored = assay.evaluate({"q1": {"d1": 1}, "q2": {"d2": 1}}, tmp_path / "run.run", ["mrr"])
    assert scored["mrr"] == result()["mrr"]


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.access", lambda path, how: path != tmp_path)
    with pytest.raises(assay.UsageError, match=f"-o new/r.json: the folder {tmp_path} cannot be written to; choose another"):
        check_outputs(["new/r.json"])


def test_a_folder_that_is_missing_at_the_root_is_refused():
    with pytest.raises(assay.UsageError, match=r"-o /no-such/deep/r\.json: there is no folder /no-such; make it first"):
        check_outputs(["/no-such/deep/r.json"])


def test_folders_that_will_be_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old").mkdir()
    paths = ["r.json", "old/r.json", "new/deep/r.json", "new/r.csv", "old/more/r.md", str(tmp_path / "far" / "r.tex")]
    assert list(map(str, new_folders(paths))) == ["new", "old/more", str(tmp_path / "far")]
