"""Outputs: the ending of a file tells its format."""

import assay
from assay.evaluation import read_results
from assay.reports import ENDINGS, check_outputs, new_folders, write_output

QRELS = {"q1": {"d1": 1}, "q2": {"d2": 1}}
RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d9": 0.5}}


def result(name="bm25", benchmark="small", **more):
    scored = assay.evaluate(QRELS, RUN, ["mrr"], name=name)
    return scored.with_fields(benchmark=benchmark, run=RUN, **more)


def test_what_could_not_be_written_is_refused(tmp_path, monkeypatch, snapshots):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "locked").mkdir()
    (tmp_path / "file.json").write_text("{}")
    monkeypatch.setattr("os.access", lambda path, how: path != tmp_path / "locked")
    check_outputs([f"x{ending}" for ending in (*ENDINGS, ".trec", ".run")] + ["R.JSON", "R.Trec"])
    check_outputs(["file.json", "new/r.json", "folder.json/r.json"])
    wrong = ("r.xlsx", "r", "r.json.gz", ".json/x", "folder.json", "file.json/new/r.json", "/no-such/deep/r.json")
    cases = {path: lambda path=path: check_outputs(["fine.json", path]) for path in (*wrong, "locked/new/r.json")}
    cases["one file twice"] = lambda: check_outputs(["r.json", "r.csv", "./r.json"])
    snapshots.check_errors("reports/outputs", cases)


def test_each_ending_is_written_with_every_benchmark(tmp_path):
    for ending in ENDINGS:
        path = tmp_path / "new" / f"r{ending}"
        assert write_output(path, [result(), result("dense", "large")]) == [path]
        text = path.read_text()
        for word in ("bm25", "dense", *(("small", "large") if ending != ".csv" else ())):
            assert word in text, (ending, word)


def test_json_reads_back_with_everything(tmp_path):
    one = result(failures={"q2": "down"}, provenance={"k": 5}, relevance={"strategy": "qrels"})
    write_output(tmp_path / "r.json", [one])
    (back,) = read_results(tmp_path / "r.json")
    for name in ("name", "benchmark", "failures", "run", "provenance", "relevance", "summary"):
        assert getattr(back, name) == getattr(one, name)


def test_one_ranking_is_one_file_and_several_are_several(tmp_path):
    write_output(tmp_path / "run.run", [result("hybrid(bm25, dense)")])
    assert (tmp_path / "run.run").read_text() == (
        "q1 Q0 d1 1 2.0 hybrid(bm25,dense)\nq1 Q0 d2 2 1.0 hybrid(bm25,dense)\nq2 Q0 d9 1 0.5 hybrid(bm25,dense)\n"
    )
    assert assay.evaluate(QRELS, tmp_path / "run.run", ["mrr"])["mrr"] == result()["mrr"]
    names = ["bm25", "bm25(k1=0.9)", "http('http://x/a')", "http(http://x/a)", "x" * 300, "x" * 299 + "y", "ü/../z"]
    written = write_output(tmp_path / "several" / "run.trec", [result(name) for name in names])
    found = sorted(path.name for path in (tmp_path / "several").iterdir())
    assert found == sorted(path.name for path in written)
    assert len(found) == len(names)
    assert {"run-small-bm25.trec", "run-small-bm25_k1_0.9.trec"} <= set(found)


def test_files_of_systems_that_differ_in_case_are_two_files_everywhere(tmp_path):
    """As on macOS and Windows, whose file systems ignore the case of names."""
    written = write_output(tmp_path / "out.run", [result("BM25"), result("bm25"), result("dense")])
    assert [path.name for path in written] == ["out-small-BM25-1.run", "out-small-bm25-2.run", "out-small-dense.run"]


def test_folders_that_will_be_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old").mkdir()
    paths = ["r.json", "old/r.json", "new/deep/r.json", "new/r.csv", "old/more/r.md", str(tmp_path / "far" / "r.tex")]
    assert list(map(str, new_folders(paths))) == ["new", "old/more", str(tmp_path / "far")]
