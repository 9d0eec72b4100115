"""Saved results: what was written is what is read."""

import contextlib
import io
import json
from pathlib import Path

import pytest
from fuzz.changes import CHANGES, mutated, places, written
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.cli import main
from assay.errors import DataError
from assay.evaluation import read_results
from assay.files import is_saved_result
from assay.reports import Report, render_scores

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "x": 1.0}}
METRICS = ["map", "ndcg@10", "num_ret", "gm_map", "relstring", "rbp(p=0.5)"]


def save(path, *results, **how):
    path.write_text(render_scores(Report(results, **how), "json"))
    return path


def test_one_of_several_by_name(tmp_path):
    results = [assay.evaluate(QRELS, RUN, "map", name=name) for name in ("bm25", "dense", "a#b")]
    path = save(tmp_path / "r.json", *results)
    assert [result.name for result in read_results(path)] == ["bm25", "dense", "a#b"]
    for name in ("bm25", "dense", "a#b"):
        assert [result.name for result in read_results(f"{path}#{name}")] == [name]
    signed = save(tmp_path / "run#2.json", results[0])  # a file may have that sign in its own name
    for reference in (signed, f"{signed}#bm25"):
        assert is_saved_result(reference)
        assert [result.name for result in read_results(reference)] == ["bm25"]


def plain(**changed):
    return assay.evaluate(QRELS, RUN, "map", name="x").to_dict() | changed


NO_RESULTS = {
    "a list": "[]",
    "an object": "{}",
    "another version": '{"schema": "assay.result/99", "results": []}',
    "no results": '{"schema": "assay.result/1"}',
    "a number for results": '{"schema": "assay.result/1", "results": 3}',
    "a number for a result": '{"schema": "assay.result/1", "results": [3]}',
    "an empty result": '{"schema": "assay.result/1", "results": [{}]}',
    "scores in a list": json.dumps({"schema": "assay.result/1", "results": [plain(per_query=[1, 2])]}),
}


def test_what_is_no_result_is_told_with_its_file(tmp_path, snapshots):
    def read(content):
        (tmp_path / "r.json").write_text(content)
        return read_results(tmp_path / "r.json")

    path = save(tmp_path / "two.json", *(assay.evaluate(QRELS, RUN, "map", name=name) for name in ("bm25", "dense", "a#b")))
    cases = {
        **{name: lambda content=content: read(content) for name, content in NO_RESULTS.items()},
        "no file": lambda: read_results(tmp_path / "gone.json"),
        "a folder": lambda: read_results(tmp_path),
        "another name": lambda: read_results(f"{path}#bm52"),
    }
    snapshots.check_errors("result/files", cases)
    for content in ("", "\udc80\udcff", "[" * 100_000, json.dumps({"results": [plain(per_query={"q1": {"map@0": 1}})]})):
        (tmp_path / "r.json").write_bytes(content.encode("utf-8", "surrogateescape"))
        with pytest.raises(DataError, match=r"r\.json"):
            read_results(tmp_path / "r.json")


def test_figures_of_a_metric_that_nobody_knows_here_are_read(tmp_path):
    """It may be somebody's own, or of a later version."""
    file = tmp_path / "r.json"
    found = plain(summary={"theirs(x=1)@3": 0.75}, per_query={"q1": {"theirs(x=1)@3": 0.5}, "q2": {"theirs(x=1)@3": 1.0}})
    file.write_text(json.dumps({"schema": "assay.result/1", "results": [found]}), "utf-8")
    (back,) = read_results(file)
    assert back.summary == {"theirs(x=1)@3": 0.75}


WRITTEN = Path(__file__).with_name("first_version.json").read_bytes()
"""Two results with everything that one may have, as the first version wrote them."""
FILE = json.loads(WRITTEN)
PLACES = sorted(places(FILE), key=repr)
COMMANDS = (
    ("report", "r.json", "-o", "out.md"),
    ("report", "r.json", "-o", "out.html"),
    ("compare", "r.json"),
    ("compare", "base.json#bm25", "r.json#dense", "--by", "language"),
    ("gate", "r.json", "--baseline", "base.json", "--rule", "failed <= 9", "--rule", "mrr drops <= 0.1"),
    ("plot", "bars", "r.json", "-m", "mrr", "-o", "p.json"),
    ("power", "r.json"),
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_STORE", str(tmp_path / "none.db"))
    (tmp_path / "base.json").write_bytes(written(FILE))
    return tmp_path


def run(argv):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(argv))
    return code, err.getvalue()


def changed(place, change, folder):
    tree = mutated(FILE, place, change)
    (folder / "r.json").write_bytes(written(tree))
    return folder / "r.json"


def test_a_file_of_the_first_version_is_read(folder):
    first, second = read_results(folder / "base.json")
    assert (first.name, second.name) == ("bm25", "dense")
    assert first.scores("relstring@10") == {"q0": "10", "q1": "01", "q2": ""}
    assert second["ndcg@10"] - first["ndcg@10"] == pytest.approx(0.125)
    plain = json.loads(json.dumps(first.to_dict()))
    assert {name: plain[name] for name in plain if name != "summary"} == {
        name: value for name, value in FILE["results"][0].items() if name not in ("nonrelevant", "ties", "summary")
    }


@given(st.sampled_from(PLACES), st.sampled_from(CHANGES))
def test_any_change_is_read_or_refused_with_the_file(tmp_path_factory, place, change):
    path = changed(place, change, tmp_path_factory.getbasetemp())
    try:
        for result in read_results(path):
            json.dumps(result.to_dict())
    except DataError as error:
        assert str(error).startswith(f"{path}:")  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017


WITHOUT = {
    "no schema": written({"results": FILE["results"]}),
    "one result": written(FILE["results"][0]),
    "wrong schema": written({**FILE, "schema": 5}),
    "empty": b"\n",
    "null": b"null",
}


def test_a_result_without_its_schema_is_never_taken_for_judgments(folder, snapshots):
    (folder / "base.json").write_bytes(written(FILE))
    texts = {}
    for name, content in WITHOUT.items():
        (folder / "r.json").write_bytes(content)
        outcomes = [run(argv) for argv in COMMANDS]
        assert {code for code, _ in outcomes} == {3}, name
        texts[name] = {err for _, err in outcomes}
    snapshots.check("result/no_schema", "".join(f"## {name}\n{''.join(sorted(said))}" for name, said in texts.items()))


FAULTS = [
    (("results", 0, "counts", "without_relevant"), "delete"),
    (("results", 1, "counts", "judged"), "word"),
    (("results", 0, "per_query", "q1", "mrr"), "long"),
    (("results", 0, "per_query", "q1", "mrr"), "delete"),
    (("results", 0, "per_query", "q1", "mrr"), "word"),
    (("results", 0, "queries", "q2", "text"), "list"),
    (("results", 0, "run", "q0", "d1"), "empty"),
    (("results", 0, "summary"), "object of one"),
    (("results", 0, "policy", "ties"), "list"),
    (("results", 0, "policy"), "add"),
    (("results", 0), "add"),
    (("results", 0, "provenance", "routing", "gate", "saved"), "delete"),
    (("results", 0, "provenance", "selection"), "less deep"),
    (("results", 0, "said", "q0", "answer"), "deep"),
]
"""Places in a file, and what is done to them."""
MADE_OF = {
    "one row": {"ndcg@10": [[1.0, 2.0]]},
    "rows of different lengths": {"ndcg@10": [[1.0, 2.0], [1.0], [1.0, 2.0]]},
    "another metric": {"map": []},
}


def test_every_fault_is_told_with_its_place(folder, snapshots):
    def read(tree):
        (folder / "r.json").write_bytes(written(tree))
        return read_results(folder / "r.json")

    cases = {
        f"{change} {'.'.join(map(str, place))}": lambda place=place, change=change: read(mutated(FILE, place, change))
        for place, change in FAULTS
    }
    for name, made_of in MADE_OF.items():
        tree = json.loads(WRITTEN)
        tree["results"][1]["made_of"] = made_of
        cases[f"made of {name}"] = lambda tree=tree: read(tree)
    snapshots.check_errors("result/faults", cases)
    changed(*FAULTS[0], folder)
    assert run(("report", "r.json", "-o", "out.html"))[0] == 3


def test_a_repository_whose_changes_nobody_knows_is_read(folder):
    tree = json.loads(WRITTEN)
    tree["results"][0]["provenance"]["repository"] = {"commit": "a1b2c3", "dirty": None}
    (folder / "r.json").write_bytes(written(tree))
    assert read_results(folder / "r.json")[0].provenance["repository"]["dirty"] is None
