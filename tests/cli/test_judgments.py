"""assay judgments: what people gave, as a list, as qrels, and how far judges agree."""

import csv
import io
import json

import pytest

from assay import Qrels
from assay.store import Judgment, Store

from ._stored import result_of


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    return tmp_path


@pytest.fixture
def judged(folder):
    with Store.open() as store:
        store.save([result_of(1), result_of(2, benchmark="other")])
        for judge, document, grade in (
            ("Ana", "d4", 2),
            ("Ben", "d4", 1),
            ("Ana", "d5", 0),
            ("Ben", "d5", 0),
            ("Ana", "d6", 3),
        ):
            store.judgments.give(Judgment("small", "q0", document, judge, grade, "so\x1b it is" if grade == 3 else ""))


def test_the_list(assay, judged):
    out = assay("judgments").out
    assert out.splitlines()[0].split() == ["benchmark", "query", "document", "grade", "judge", "judged", "(UTC)", "note"]
    assert out.splitlines()[1].split()[:5] == ["small", "q0", "d4", "2", "Ana"]
    assert out.endswith("\n5 judgments\n")
    assert "so\\x1b it is" in out
    plain = json.loads(assay("judgments", "--judge", "Ben", "-f", "json").out)
    assert plain["schema"] == "assay.judgments/1"
    assert [(one["document"], one["grade"]) for one in plain["judgments"]] == [("d4", 1.0), ("d5", 0.0)]


def test_qrels_read_back(assay, judged, folder):
    done = assay("judgments", "export", "-o", "qrels.txt")
    assert done.out == "3 grades for 1 query written to qrels.txt by 2 judges; where they differ, the median\n"
    assert (folder / "qrels.txt").read_text() == "q0 0 d4 1\nq0 0 d5 0\nq0 0 d6 3\n"
    assert dict(Qrels(folder / "qrels.txt")) == {"q0": {"d4": 1.0, "d5": 0.0, "d6": 3.0}}
    assert assay("judgments", "export", "-o", "ana.txt", "--judge", "Ana").out == "3 grades for 1 query written to ana.txt\n"
    assert (folder / "ana.txt").read_text().splitlines()[0] == "q0 0 d4 2"


def test_agreement(assay, judged):
    out = assay("judgments", "agreement").out
    assert out.splitlines()[1].split() == ["Ana", "and", "Ben", "2", "50", "%", "0.333", "0.667"]
    (plain,) = json.loads(assay("judgments", "agreement", "-f", "json").out)["agreement"]
    assert (plain["a"], plain["b"], plain["n_pairs"], plain["n_same"]) == ("Ana", "Ben", 2, 1)
    assert assay("judgments", "agreement", "--judge", "Ana").out == (
        "no two judges have graded the same pair yet (3 judgments)\n"
    )


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["agrement"], 2, "write assay judgments list|export|agreement|withdraw, not 'agrement': agreement?"),
        (["export"], 2, "write assay judgments export -o qrels.txt"),
        (["list", "-o", "x"], 2, "-o is for export"),
        (["export", "-o", "nowhere/x"], 2, "a file in a folder that exists"),
        (["withdraw", "--judge", "Ana"], 2, "add --judge … --query … --document …"),
        (["withdraw", "--judge", "Ana", "--query", "q0", "--document", "d9"], 5, "no judgment has judge Ana and query q0"),
        (["--query", "q00"], 5, "Did you mean q0? (queries: q0)"),
        (["--judge", "Anna"], 5, "no judgment has judge Anna. Did you mean Ana? (judges: Ana, Ben)"),
        (["--benchmark", "smal", "--judge", "Ana"], 5, "no judgment has benchmark smal and judge Ana. Did you mean small?"),
    ],
)
def test_what_is_refused(assay, judged, words, code, said):
    done = assay("judgments", *words)
    assert done.code == code
    assert said in done.err


def test_nobody_has_judged(assay, folder):
    with Store.open() as store:
        store.save([result_of(1)])
    done = assay("judgments")
    assert done.code == 5
    assert "nobody has judged anything in .assay/assay.db yet; assay serve shows" in done.err


def test_several_benchmarks_are_several_files(assay, judged):
    with Store.open() as store:
        store.judgments.give(Judgment("other", "q1", "d1", "Ana", 1))
    done = assay("judgments", "export", "-o", "x.txt")
    assert done.code == 2
    assert "add --benchmark with one of other, small" in done.err
    assert assay("judgments", "export", "-o", "x.txt", "--benchmark", "other").code == 0


def test_one_grade_is_withdrawn(assay, judged):
    pair = ("--query", "q0", "--document", "d4")
    done = assay("judgments", "withdraw", "--judge", "Ana", *pair)
    assert (done.code, done.out) == (0, "withdrawn: the grade 2 of Ana for d4 and q0 on small\n")
    with Store.open() as store:
        assert [(one.judge, one.document) for one in store.judgments.find()] == [
            ("Ben", "d4"),
            ("Ana", "d5"),
            ("Ben", "d5"),
            ("Ana", "d6"),
        ]
    assert assay("judgments", "withdraw", "--judge", "Ana", *pair).code == 5
    assert assay("judgments", *pair).out.splitlines()[1].split()[4] == "Ben"


def test_a_pair_on_several_benchmarks_needs_its_name(assay, judged):
    with Store.open() as store:
        store.judgments.give(Judgment("other", "q0", "d4", "Ana", 1))
    words = ("withdraw", "--judge", "Ana", "--query", "q0", "--document", "d4")
    done = assay("judgments", *words)
    assert (done.code, "add --benchmark with one of other, small" in done.err) == (2, True)
    assert assay("judgments", *words, "--benchmark", "other").code == 0


def test_what_trec_cannot_hold_is_named_and_the_rest_written(assay, judged, folder):
    with Store.open() as store:
        for judge in ("Ana", "Ben"):
            store.judgments.give(Judgment("small", "q0", "d 7", judge, 1))
        infinite = Judgment("small", "q0", "d8", "Ana", float("inf"), "", "2026-11-15T09:30:00+00:00")
        store.judgments.take_over([infinite])
    done = assay("judgments", "export", "-o", "x.txt")
    assert done.code == 0
    assert done.err == (
        "note: TREC files cannot hold 3 grades: Ana gave d8 for q0 the grade inf, which is no finite number; "
        "the id 'd 7' has a blank in it, which TREC files cannot hold; they are left out, and assay judgments -f json "
        "writes them all\n"
    )
    assert (folder / "x.txt").read_text() == "q0 0 d4 1\nq0 0 d5 0\nq0 0 d6 3\n"


def test_an_id_that_trec_cannot_hold(assay, judged, folder):
    with Store.open() as store:
        store.judgments.give(Judgment("other", "q 1", "d1", "Ana", 1))
    done = assay("judgments", "export", "-o", "x.txt", "--benchmark", "other")
    assert done.code == 3
    assert "has a blank in it" in done.err
    assert not (folder / "x.txt").exists()


def test_results_import_tells_of_them(assay, judged, folder):
    assay("results", "export", "all.jsonl.zst")
    out = assay("results", "import", "all.jsonl.zst", "--store", "new.db").out
    assert out.endswith("5 judgments taken over\n")
    assert len(assay("judgments", "--store", "new.db", "-f", "json").out) > 100


def test_csv(assay, judged):
    rows = list(csv.DictReader(io.StringIO(assay("judgments", "-f", "csv").out)))
    assert list(rows[0]) == ["benchmark", "query", "document", "judge", "grade", "note", "judged"]
    assert len(rows) == len(json.loads(assay("judgments", "-f", "json").out)["judgments"])
    assert "a,b,n_pairs,n_same" in assay("judgments", "agreement", "-f", "csv").out
