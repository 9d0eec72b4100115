"""assay score under every policy: ties, duplicates, missing and extra queries, levels and grades."""

import json

import pytest

pytestmark = pytest.mark.usefixtures("files")


def test_policies_are_flags(assay):
    arguments = ("-m", "ndcg@10", "--ties", "docid_asc", "--missing", "skip", "--rel", "2", "--judged-only")
    code, out, err = assay("score", "qrels.txt", "poor.run", *arguments, "--format", "json")
    assert (code, err) == (0, "")
    (result,) = json.loads(out)["results"]
    assert result["policy"] == {
        "ties": "docid_asc",
        "precision": "float64",
        "missing": "skip",
        "extra": "skip",
        "no_relevant": "zero",
        "rel": 2.0,
        "judged_only": True,
        "negatives": "unjudged",
        "drop_self": False,
        "max_grade": 2.0,
        "duplicates": "error",
    }
    assert list(result["per_query"]) == ["q1"]


@pytest.mark.parametrize("word", ["keep-best", "keep_best"])
def test_duplicates_can_keep_the_best(assay, files, word):
    (files / "twice.run").write_text("q1 Q0 d1 1 1 t\nq1 Q0 d2 2 5 t\nq1 Q0 d1 3 9 t\n")
    arguments = ("score", "qrels.txt", "twice.run", "-m", "mrr", "-f", "json")
    assert assay(*arguments)[:2] == (3, "")
    (result,) = json.loads(assay(*arguments, "--duplicates", word).out)["results"]
    assert result["per_query"]["q1"] == {"mrr": 1.0}
    assert result["policy"]["duplicates"] == "keep_best"


@pytest.mark.parametrize(("ties", "mrr"), [("docid_desc", 1 / 3), ("docid_asc", 1.0), ("input_order", 1 / 2)])
def test_ties(assay, files, ties, mrr):
    (files / "one.qrels").write_text("q 0 a 1\n")
    (files / "tied.run").write_text("q Q0 c 1 5 t\nq Q0 a 2 5 t\nq Q0 b 3 5 t\n")
    out = assay("score", "one.qrels", "tied.run", "-m", "mrr", "--ties", ties, "-f", "csv", "--ci", "none").out
    assert float(out.split(",")[-1]) == pytest.approx(mrr)


@pytest.mark.parametrize(
    ("missing", "code", "out"), [("zero", 0, "poor,2,0.125"), ("skip", 0, "poor,1,0.25"), ("error", 3, "")]
)
def test_missing(assay, missing, code, out):
    done = assay("score", "qrels.txt", "poor.run", "-m", "map", "--missing", missing, "-f", "csv", "--ci", "none")
    assert done.code == code
    assert done.out == (f"run,queries,map\n{out}\n" if out else "")
    assert "q2" in done.err
    assert done.err.startswith("error: poor.run:" if code else "note: poor:")


def test_extra(assay, files):
    (files / "extra.run").write_text((files / "good.run").read_text() + "q9 Q0 d1 1 1 t\n")
    assert "extra: 1 query of the run without judgments, left out." in assay("score", "qrels.txt", "extra.run").out
    code, out, err = assay("score", "qrels.txt", "extra.run", "--extra", "error")
    assert (code, out) == (3, "")
    assert "extra.run: 1 query of the run without judgments: q9" in err


def test_no_relevant(assay):
    arguments = ("score", "qrels.txt", "good.run", "-m", "mrr", "--rel", "2", "-f", "csv", "--ci", "none")
    assert assay(*arguments).out == "run,queries,mrr\ngood,2,0.5\n"
    assert assay(*arguments, "--no-relevant", "skip").out == "run,queries,mrr\ngood,1,1.0\n"


def test_nothing_scored_is_no_error(assay):
    arguments = ("score", "qrels.txt", "good.run", "-m", "map", "--rel", "9", "--no-relevant", "skip")
    code, out, err = assay(*arguments)
    assert (code, err) == (0, "")
    assert "good: 0 of 2 judged queries are scored." in out
    assert json.loads(assay(*arguments, "-f", "json").out)["results"][0]["summary"] == {"map": None}


def test_max_grade(assay):
    arguments = ("score", "qrels.txt", "good.run", "-m", "err@1", "-f", "csv", "--ci", "none")
    assert assay(*arguments).out == f"run,queries,err@1\ngood,2,{(3 / 4 + 1 / 4) / 2}\n"
    assert assay(*arguments, "--max-grade", "3").out == f"run,queries,err@1\ngood,2,{(3 / 8 + 1 / 8) / 2}\n"


def test_judged_only(assay, files):
    (files / "gaps.run").write_text("q1 Q0 x 1 9 t\nq1 Q0 y 2 8 t\nq1 Q0 d1 3 7 t\nq2 Q0 d4 1 1 t\n")
    arguments = ("score", "qrels.txt", "gaps.run", "-m", "mrr", "-f", "csv", "--ci", "none")
    assert float(assay(*arguments).out.split(",")[-1]) == pytest.approx((1 / 3 + 1) / 2)
    assert assay(*arguments, "--judged-only").out == "run,queries,mrr\ngaps,2,1.0\n"


def test_a_level_that_gains_do_not_heed_is_said_so(assay):
    out = assay("score", "qrels.txt", "good.run", "-m", "ndcg@10", "map", "--rel", "2").out
    assert "the level does not change ndcg@10, which weighs every grade; ndcg(rel=2)@10 does." in out
    assert "level does not" not in assay("score", "qrels.txt", "good.run", "-m", "ndcg(rel=2)@10", "--rel", "2").out
