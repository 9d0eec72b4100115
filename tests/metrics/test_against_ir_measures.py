"""What ir_measures has, against ir_measures itself (cwl-eval included). Its names are read as ours."""

import importlib
import random

import pytest

import assay

RANDOM = random.Random(7)
GRADES = (-1, 0, 0, 1, 2, 3, 4)
DOCS = [f"doc{number}" for number in range(40)]


def _ranking():
    """Documents with scores that all differ, as ir_measures breaks ties in its own way for each measure.

    One that nobody judged is always near the top: its accuracy fails where everything is relevant.
    """
    docs = RANDOM.sample(DOCS, RANDOM.randint(1, 30))
    docs.insert(RANDOM.randint(0, 5), "unjudged")
    return {doc: float(score) for doc, score in zip(docs, range(1000, 0, -RANDOM.randint(1, 9)), strict=False)}


# the first query holds the ends of the scale; nothing was retrieved for the last
QRELS = {"first": {"doc0": 0, "doc1": 4}, "last": {"doc0": 1}} | {
    f"q{number}": {"doc0": 0} | {doc: RANDOM.choice(GRADES) for doc in RANDOM.sample(DOCS[1:], RANDOM.randint(1, 25))}
    for number in range(18)
}
RUN = {query: _ranking() for query in QRELS if query != "last"}

MEASURES = [
    *("AP", "AP(rel=2)@5", "AP(judged_only=True)"),
    *("Accuracy", "Accuracy(rel=2)", "Accuracy@8"),
    *("BPM(T=1.0, max_rel=4)@10", "BPM(T=2.5, min_rel=1, max_rel=3)@20"),
    *("Bpref", "Bpref(rel=3)"),
    *("Compat(p=0.8)", "Compat(p=0.95, normalize=False)"),
    *("INSQ(T=1.0, max_rel=4)", "INSQ(T=3.0, min_rel=1, max_rel=4)"),
    *("INST(T=1.0, max_rel=4)", "INST(T=3.0, max_rel=2)", "INST(T=0.5, min_rel=1, max_rel=4)"),
    *("IPrec@0.0", "IPrec@0.4", "IPrec(rel=2)@1.0"),
    *("Judged", "Judged@5"),
    *("NERR10(p=0.9, max_rel=4)", "NERR10(p=0.5, max_rel=3)"),
    *("NERR11(T=1.0, max_rel=4)", "NERR11(T=4.0, min_rel=1, max_rel=4)"),
    *("NERR8(max_rel=4)@10", "NERR8(min_rel=1, max_rel=3)@25"),
    *("NERR9(max_rel=4)@10", "NERR9(min_rel=1, max_rel=3)@25"),
    *("NumRel", "NumRet", "NumRet(rel=1)", "NumRelRet"),
    *("P@10", "P(rel=2)@5", "P(judged_only=True)@5"),
    *("R@10", "R(rel=2)@5", "R(judged_only=True)@5"),
    *("RBP(rel=1)", "RBP(rel=3, p=0.5)"),
    *("RR", "RR@3", "RR(rel=2)@10", "RR(judged_only=True)"),
    *("Rprec", "Rprec(rel=2)", "Rprec(judged_only=True)"),
    *("SDCG(max_rel=4)@10", "SDCG(min_rel=1, max_rel=3)@5"),
    *("SetAP", "SetF", "SetF(beta=2.0)", "SetP(rel=2)", "SetRelP", "SetR"),
    *("Success@3", "Success(rel=3)@2"),
    *("infAP", "infAP(rel=2)"),
    *("nDCG", "nDCG@10", "nDCG(judged_only=True)@5", "nDCG(gains={1: 2, 2: 5, 4: 3})@5"),
]


@pytest.fixture
def ir_measures(tmp_path, monkeypatch):
    """The package, imported where the log file of cwl does no harm."""
    monkeypatch.chdir(tmp_path)
    return importlib.import_module("ir_measures")


def test_scores(ir_measures):
    ours = assay.evaluate(QRELS, RUN, MEASURES)
    for name in MEASURES:
        measure = eval(name, dict(vars(ir_measures)))  # its own parser does not run on every Python that we do
        rows = [row for row in ir_measures.iter_calc([measure], QRELS, RUN) if row.query_id in RUN]
        theirs = {row.query_id: float(row.value) for row in rows}
        assert len(theirs) > 10, name
        found = ours.scores(name)
        assert {query: found[query] for query in theirs} == pytest.approx(theirs, rel=1e-9, abs=1e-9), name
