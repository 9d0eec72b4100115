"""assay power, called in process."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import assay as library
from assay.stats.power_analysis import analyse_power, queries_needed

EXAMPLES = Path(__file__).parents[2] / "examples"
QRELS, BM25, DENSE = (EXAMPLES / name for name in ("qrels.txt", "bm25.run", "dense.run"))

pytestmark = pytest.mark.usefixtures("files")


def differences(metric):
    first, second = (library.evaluate(QRELS, run, metric).array(metric) for run in (BM25, DENSE))
    return second - first


def test_a_paragraph(assay):
    code, out, err = assay("power", QRELS, BM25, DENSE, "-m", "ndcg@10", "--effect", "0.01")
    assert (code, err) == (0, "")
    theirs = analyse_power(differences("ndcg@10"), 0.01)
    assert out.startswith(
        "ndcg@10: from bm25 to dense the mean changes by +0.155 over 40 queries (standard deviation 0.279). "
    )
    assert theirs.sentence in out
    assert "to find 0.010 you need about " in out
    assert out.endswith(f" again {100 * theirs.achieved:.0f} % of the time (paired t-test, alpha 0.05).\n")


def test_the_difference_seen_and_a_small_one(assay):
    out = assay("power", QRELS, BM25, DENSE, "-m", "ndcg@10").out
    seen, needed = analyse_power(differences("ndcg@10")), queries_needed(differences("ndcg@10"), 0.01)
    assert f"to find 0.155 you need about {seen.needed} queries; to find 0.010 you need about {needed:,} queries." in out
    (study,) = json.loads(assay("power", QRELS, BM25, DENSE, "-m", "ndcg@10", "-f", "json").out)["studies"]
    assert (study["needed"], study["others"]) == (seen.needed, [{"target": 0.01, "needed": needed}])
    (alone,) = json.loads(assay("power", QRELS, BM25, DENSE, "-m", "map", "--effect", "0.1", "-f", "json").out)["studies"]
    assert alone["others"] == []


@pytest.mark.parametrize(("times", "code"), [({"mean": 2.0, "p50": 2.0}, 0), ({"mean": 2.0}, 2)])
def test_times_have_their_unit_unless_nobody_took_them(assay, times, code):
    for name, run in (("a", BM25), ("b", DENSE)):
        content = json.loads(assay("score", QRELS, run, "-m", "map", "-f", "json").out)
        (result,) = content["results"]
        for number, scores in enumerate(result["per_query"].values()):
            scores["latency"] = 10.0 + number % 7 * (name == "b")
        result["provenance"] = {"latency_ms": times}
        Path(f"{name}.json").write_text(json.dumps(content))
    done = assay("power", "a.json", "b.json", "-m", "latency")
    assert done.code == code
    if code:
        assert "latency: times of batches: nobody timed single queries" in done.err
    else:
        assert re.search(r"a difference of [\d.]+ ms or more would be found 80 %", done.out)
        assert "0.010" not in done.out


def test_json(assay):
    flags = ("--power", "0.9", "--alpha", "0.01", "--seed", "3")
    content = json.loads(assay("power", QRELS, BM25, DENSE, "-m", "map", "mrr", *flags, "-f", "json").out)
    assert content["schema"] == "assay.power/1"
    first, second = content["studies"]
    theirs = analyse_power(differences("map"), None, 0.9, 0.01, 3)
    assert (first["metric"], first["a"], first["b"]) == ("map", "bm25", "dense")
    assert (first["n"], first["needed"], first["detectable"]) == (40, theirs.needed, theirs.detectable)
    assert (first["wanted"], first["alpha"], second["metric"]) == (0.9, 0.01, "mrr")
    assert first["sd"] == pytest.approx(np.std(differences("map"), ddof=1))


def test_results_and_the_first_metric_they_share(assay):
    for name, run in (("a", BM25), ("b", DENSE)):
        Path(f"{name}.json").write_text(assay("score", QRELS, run, "-m", "map", "mrr", "-f", "json").out)
    (study,) = json.loads(assay("power", "a.json", "x=b.json", "-f", "json").out)["studies"]
    assert (study["metric"], study["a"], study["b"]) == ("map", "bm25", "x")
    assert assay("power", "a.json", "x=b.json").out == assay("power", QRELS, BM25, f"x={DENSE}", "-m", "map").out


def test_equal_systems(assay):
    out = assay("power", QRELS, f"a={BM25}", f"b={BM25}", "-m", "map").out
    assert "any difference at all would be found" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"{QRELS} {BM25} {DENSE} -m gm_map", "power is about means over queries, and gm_map is none"),
        (f"{QRELS} {BM25} {DENSE} -m ncdg", "Did you mean ndcg"),
        (f"{QRELS} {BM25} {DENSE} -m map --power 2", "power"),
        (f"{QRELS} {BM25} {DENSE} -m map --effect x", "invalid float value"),
    ],
)
def test_mistakes(assay, words, said):
    code, out, err = assay("power", *shlex.split(words))
    assert (code, out) == (2, "")
    assert said in err
