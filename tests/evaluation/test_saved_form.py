"""Saved results that somebody, or a disk, has changed: every one is read, or refused in one line that names the place."""

import contextlib
import io
import json

import pytest
from fuzz.changes import CHANGES, mutated, places, written
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.cli import main
from assay.errors import DataError
from assay.evaluation.saved import read_results

from ._saved_forms import saved_file

FILE = saved_file()
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


@pytest.fixture(autouse=True)
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


@pytest.mark.parametrize("argv", COMMANDS, ids=" ".join)
def test_every_command_takes_it(argv, folder):
    (folder / "r.json").write_bytes(written(FILE))
    code, err = run(argv)
    assert code == 0, err


@settings(max_examples=100)
@given(st.sampled_from(PLACES), st.sampled_from(CHANGES))
def test_any_change_is_read_or_refused_with_the_file(tmp_path_factory, place, change):
    path = changed(place, change, tmp_path_factory.getbasetemp())
    try:
        for result in read_results(path):
            json.dumps(result.to_dict())
    except DataError as error:
        said = str(error)
    else:
        said = f"{path}:"
    assert said.startswith(f"{path}:")
    assert "\n" not in said


@settings(max_examples=10)
@given(st.sampled_from(PLACES), st.sampled_from(CHANGES), st.sampled_from(COMMANDS))
def test_any_change_ends_in_a_documented_exit_code(tmp_path_factory, place, change, argv):
    folder = tmp_path_factory.getbasetemp()
    changed(place, change, folder)
    (folder / "base.json").write_bytes(written(FILE))
    with contextlib.chdir(folder):
        code, err = run(argv)
    assert code in (0, 1, 2, 3, 5), err


@pytest.mark.slow
@pytest.mark.parametrize("argv", COMMANDS, ids=" ".join)
@settings(max_examples=400)
@given(st.sampled_from(PLACES), st.sampled_from(CHANGES))
def test_many_changes_end_in_a_documented_exit_code(tmp_path_factory, argv, place, change):
    folder = tmp_path_factory.getbasetemp()
    changed(place, change, folder)
    (folder / "base.json").write_bytes(written(FILE))
    with contextlib.chdir(folder):
        code, err = run(argv)
    assert code in (0, 1, 2, 3, 5), err


WITHOUT = {
    "no schema": (written({"results": FILE["results"]}), 'schema is missing; a saved result has "schema": "assay.result/1"'),
    "one result": (written(FILE["results"][0]), "schema is missing"),
    "wrong schema": (written({**FILE, "schema": 5}), "schema: expected a text, found a whole number"),
    "empty": (b"\n", "the file is empty"),
    "null": (b"null", "the file holds null alone"),
}


@pytest.mark.parametrize(("content", "said"), WITHOUT.values(), ids=WITHOUT)
@pytest.mark.parametrize("argv", COMMANDS, ids=" ".join)
def test_a_result_without_its_schema_is_never_taken_for_judgments(argv, content, said, folder):
    (folder / "r.json").write_bytes(content)
    (folder / "base.json").write_bytes(written(FILE))
    code, err = run(argv)
    assert code == 3
    assert err.startswith(f"error: r.json: {said}")


FOUND = [
    (("results", 0, "counts", "without_relevant"), "delete", "results[0].counts.without_relevant: is missing"),
    (("results", 1, "counts", "judged"), "word", "results[1].counts.judged: expected a whole number, found a text"),
    (("results", 0, "counts", "extra"), "negative", "results[0].counts.extra: expected a whole number >= 0"),
    (("results", 0, "per_query", "q1", "mrr"), "long", "results[0].per_query.q1.mrr: number out of range"),
    (("results", 0, "per_query", "q1", "mrr"), "delete", "results[0].per_query.q1: expected the metrics of 'q0'"),
    (("results", 0, "per_query", "q1", "mrr"), "word", "results[0]: per_query: expected numbers or texts for 'mrr'"),
    (("results", 0, "intervals", "ndcg@10", "low"), "long", 'results[0].intervals["ndcg@10"].low: number out of range'),
    (("results", 0, "failures", "q2"), "half", "results[0].failures.q2: expected a text, found a number"),
    (("results", 0, "queries", "q2", "text"), "list", "results[0].queries.q2.text: expected a text, found a list"),
    (("results", 0, "queries", "q2", "tags"), "word", "results[0].queries.q2.tags: expected an object, found a text"),
    (("results", 0, "run", "q0", "d1"), "empty", "results[0].run.q0.d1: expected a number, found a text"),
    (("results", 0, "relevant", "q0", "d1"), "null", "results[0].relevant.q0.d1: expected a number, found null"),
    (("results", 0, "fingerprints"), "half", "results[0].fingerprints: expected an object, found a number"),
    (("results", 0, "summary"), "object of one", "results[0].summary.word: no query has a score of it"),
    (("results", 0, "policy", "ties"), "list", "results[0].policy: ties is one of"),
    (("results", 0, "policy"), "add", "results[0].policy: no convention is called 'unheard_of'"),
    (("results", 0), "add", "results[0].unheard_of: unknown field"),
    (("results", 0, "provenance", "dataset"), "word", "results[0].provenance.dataset: expected an object, found a text"),
    (("results", 0, "provenance", "latency_ms", "mean"), "long", "results[0].provenance.latency_ms.mean: number out of"),
    (("results", 0, "provenance", "chunks", "n"), "delete", "results[0].provenance.chunks.n: is missing"),
    (("results", 0, "provenance", "routing", "gate", "saved"), "delete", "provenance.routing.gate.saved: is missing"),
    (("results", 0, "provenance", "selection"), "less deep", "results[0].provenance: nested too deeply"),
    (("results", 0, "said", "q0", "answer"), "deep", "nested too deeply"),
    (("results", 0, "relevance", "strategy_counts"), "delete", "results[0].relevance.strategy_counts: is missing"),
]


@pytest.mark.parametrize(("place", "change", "said"), FOUND, ids=[f"{one[1]} {'.'.join(map(str, one[0]))}" for one in FOUND])
def test_what_used_to_end_in_a_traceback_names_its_place(place, change, said, folder):
    path = changed(place, change, folder)
    with pytest.raises(DataError) as found:
        read_results(path)
    assert str(found.value).startswith(f"{path}:")
    assert said.replace("results[0]: ", "results[0].") in str(found.value)
    code, err = run(("report", "r.json", "-o", "out.html"))
    assert code == 3
    assert err.startswith("error: r.json:")


def test_a_repository_whose_changes_nobody_knows_is_read(folder):
    tree = saved_file()
    tree["results"][0]["provenance"]["repository"] = {"commit": "a1b2c3", "dirty": None}
    (folder / "r.json").write_bytes(written(tree))
    assert read_results(folder / "r.json")[0].provenance["repository"]["dirty"] is None
    assert run(("report", "r.json", "-o", "out.html"))[0] == 0


@pytest.mark.parametrize(
    ("made_of", "said"),
    [
        ({"ndcg@10": [[1.0, 2.0]]}, 'made_of["ndcg@10"]: expected 2 numbers for each of 3 queries'),
        ({"ndcg@10": [[1.0, 2.0], [1.0], [1.0, 2.0]]}, 'made_of["ndcg@10"]: expected 2 numbers for each of 3 queries'),
        ({"map": []}, "made_of.map: no query has a score of it"),
    ],
)
def test_parts_are_as_many_as_queries(made_of, said, folder):
    tree = saved_file()
    tree["results"][1]["made_of"] = made_of
    (folder / "r.json").write_bytes(written(tree))
    with pytest.raises(DataError) as found:
        read_results(folder / "r.json")
    assert f"r.json: results[1].{said}" in str(found.value)
