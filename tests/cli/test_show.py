"""assay show: a stored evaluation as it was printed, and one query of it."""

import json
import re
from pathlib import Path

import pytest

import assay as library
from assay.evaluation import read_results
from assay.metrics import parse_metric
from assay.model import ScoreTable
from assay.store import Store

from ._stored import differences, result_of, saved_and_read

DAY = "2026-11-15T09:30:00+00:00"
EVIL = "\x1b[2J\nowned"


@pytest.fixture
def kept(folder):
    """The id of an evaluation of two providers."""
    with Store.open() as store:
        return store.save([result_of(0, started=DAY), result_of(2, provider="dense", started=DAY)])


def save(*results):
    with Store.open() as store:
        return store.save(list(results))


@pytest.mark.usefixtures("kept")
def test_an_evaluation_and_one_query_of_it(transcript):
    with Store.open() as store:
        store.bless("latest", "main")
        store.tag("latest", "nightly")
        store.note("latest", "new index")
    Path("r.json").write_text("{}")
    transcript("show/shown")


def test_a_file_of_it_is_the_saved_result(assay, kept):
    Path("r.json").write_text(assay("show", kept[:-2], "-f", "json").out)
    first, second = read_results("r.json")
    assert (differences(first, saved_and_read(result_of(0, started=DAY))), second.name) == ({}, "dense")
    assert assay("show", kept[-4:]).out.startswith(kept), "what an id ends in is enough"


def test_grades_are_told_from_what_nobody_judged(assay, kept):
    with Store.open() as store:
        store.save(library.run("rag-template", "dense", metrics=["ndcg@10"]))
    words = ("show", "latest", "--query", "q01", "--top", "0")
    ranking = json.loads(assay(*words, "-f", "json").out)["results"][0]["ranking"]
    grades = {hit["document"]: hit["grade"] for hit in ranking if hit["grade"] is not None}
    assert grades == {"p001": 3.0, "p014": 0.0, "p028": 0.0}
    (line,) = [line for line in assay(*words).out.splitlines() if " p028 " in line]
    assert line.split()[-1] == "0"
    save(saved_and_read(result_of(5)).with_fields(relevant={}))
    assert "grade" not in assay("show", "--query", "q1").out, "grades that nobody knows are not shown"


def test_whether_files_differed_and_nothing_was_kept_and_times(assay, kept):
    result = result_of(1, started=DAY)
    for dirty, said in ((True, "abc with changes"), (False, "abc"), (None, "abc (changes unknown)")):
        save(result.with_fields(provenance={**result.provenance, "repository": {"commit": "abc", "dirty": dirty}}))
        assert f"  commit      {said}\n" in assay("show", "latest").out
    for run, said in (({"q0": {"d0": 1.0}}, "nothing was retrieved"), ({}, "this result has no rankings: ")):
        save(result.with_fields(run=run, failures={}))
        assert assay("show", "--query", "q1").out.splitlines()[-1].startswith(said)
    table = ScoreTable(result.query_ids, {**result.table.columns, "latency": result.table.columns["mrr"]})
    save(result.with_fields(table=table, metrics=(*result.metrics, parse_metric("latency"))))
    assert re.search(r"ndcg@10 \d\.\d{4} · .* · latency \d\.\d+ ms", assay("show", "--query", "q0").out)


def test_relevant_documents_below_the_cut_and_many_of_them(kept, transcript):
    run = {"q1": {f"x{rank:02}": 100.0 - rank for rank in range(40)} | {"d2": 64.5}, "q0": {"d0": 1.0}}
    save(result_of(3).with_fields(run=run))
    run = {"q1": {f"d{rank:02}": 100.0 - rank for rank in range(30)}}
    relevant = {"q1": {f"d{rank:02}": 1.0 for rank in range(30)} | {f"n{number:02}": 2.0 for number in range(12)}}
    save(result_of(3).with_fields(run=run, relevant=relevant))
    transcript("show/cut")


def test_hostile_text_does_no_harm(assay, kept):
    with Store.open() as store:
        store.save([result_of(1, EVIL, EVIL).with_fields(run={"q1": {EVIL: 1.0}}, failures={"q2": EVIL})], {EVIL: EVIL})
        store.note("latest", EVIL)
    for words in (["show"], ["show", "--query", "q1"], ["show", "--query", "q2"], ["results"], ["results", "-f", "csv"]):
        done = assay(*words)
        assert (done.code, "\x1b" in done.out + done.err, "\nowned" in done.out) == (0, False, False), words
