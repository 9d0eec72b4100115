"""assay as a provider of ir_measures, beside the providers that ir_measures comes with."""

from __future__ import annotations

import importlib
import math
import random
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
import assay.compat.ir_measures as drop_in
from assay.errors import BadParameter, DataError, UnknownName, UsageError

MEASURES = [
    *("nDCG", "nDCG@10", "nDCG(gains={1: 1, 2: 5})@5", "nDCG(judged_only=True)@5"),
    *("AP", "AP(rel=2)", "AP@5", "RR", "RR(rel=2)", "RR@3", "P@5", "P(rel=2)@3", "R@5", "R(rel=2)@10", "Success@3"),
    *("Bpref", "Bpref(rel=2)", "infAP", "Rprec", "Rprec(rel=2)", "SetP", "SetP(rel=2)", "SetR", "SetF", "SetF(beta=2.0)"),
    *("SetP(relative=True)", "SetP(relative=True, rel=2)", "SetP(rel=2, relative=True, judged_only=True)", "SetRelP"),
    *(
        "SetP(judged_only=True)",
        "SetP(judged_only=True, rel=2)",
        "SetF(judged_only=True)",
        "SetF(beta=2.0, judged_only=True)",
    ),
    *("SetAP(judged_only=True)", "SetAP(rel=2, judged_only=True)", "SetP(relative=False)"),
    *("SetAP", "Judged@10", "RBP(p=0.8, rel=1)", "RBP(p=0.5, rel=2)", "IPrec@0.4", "Compat(p=0.8)"),
    *("NumRet", "NumRet(rel=2)", "NumRelRet"),
]


@pytest.fixture
def ir_measures(tmp_path, monkeypatch):
    """The package, imported where the log file of cwl does no harm; its providers are left as they were."""
    monkeypatch.chdir(tmp_path)
    package = importlib.import_module("ir_measures")
    monkeypatch.setattr(package.DefaultPipeline, "providers", list(package.DefaultPipeline.providers))
    monkeypatch.setattr(package.providers, "registry", dict(package.providers.registry))
    return package


def measure(ir_measures, text):
    return eval(text, dict(vars(ir_measures)))  # its own parser does not run on every Python that we do


def data(seed=3, n_queries=30):
    """Judgments and a run without ties; the last query has no results, and an unjudged document is always retrieved."""
    rng = random.Random(seed)
    docs = [f"d{number}" for number in range(30)]
    qrels = {f"q{n}": {doc: rng.choice((0, 0, 1, 2, 3)) for doc in rng.sample(docs, 12)} for n in range(n_queries)}
    run = {
        query: {
            doc: score / 8 for doc, score in zip(["unjudged", *rng.sample(docs, 15)], rng.sample(range(99), 16), strict=True)
        }
        for query in list(qrels)[:-1]
    }
    return qrels, run


QRELS, RUN = data()


def test_the_values_of_its_own_providers(ir_measures):
    for text in MEASURES:
        wanted = measure(ir_measures, text)
        theirs = {row.query_id: row.value for row in ir_measures.iter_calc([wanted], QRELS, RUN)}
        found = {row.query_id: row.value for row in drop_in.provider().iter_calc([wanted], QRELS, RUN)}
        assert found == pytest.approx(theirs, rel=1e-9, abs=1e-9), text
        whole = drop_in.provider().calc(iter([wanted]), QRELS, RUN)
        assert whole.aggregated[wanted] == pytest.approx(ir_measures.calc_aggregate([wanted], QRELS, RUN)[wanted]), text
        assert len(whole.per_query) == len(QRELS)


@given(
    st.dictionaries(
        st.sampled_from("pqr"), st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 3), min_size=1), min_size=1
    ),
    st.permutations("abcdefg"),
)
def test_any_judgments(qrels, order):
    ir_measures = sys.modules.get("ir_measures") or importlib.import_module("ir_measures")
    run = {query: {doc: float(-rank) for rank, doc in enumerate(order)} for query in qrels}
    wanted = [ir_measures.nDCG @ 3, ir_measures.AP, ir_measures.RR, ir_measures.P @ 2, ir_measures.Judged @ 4]
    theirs = ir_measures.calc_aggregate(wanted, qrels, run)
    assert drop_in.provider().calc_aggregate(wanted, qrels, run) == pytest.approx(theirs)


def test_where_its_own_providers_fail_or_differ(ir_measures):
    provider = drop_in.provider()
    wanted = [ir_measures.NumQ, ir_measures.NumRel, ir_measures.NumRet]
    with pytest.warns(drop_in.DifferenceWarning, match="NumQ"):
        found = provider.calc_aggregate(wanted, {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 1.0}})
    assert found == dict(zip(wanted, (2, 2, 1), strict=True)), "counts include a query without results"
    for source in (ir_measures, provider):
        assert math.isnan(source.calc_aggregate([ir_measures.nDCG @ 10], {}, RUN)[ir_measures.nDCG @ 10])
    qrels, run, wanted = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, [ir_measures.RR, ir_measures.RR @ 10]
    with pytest.warns(drop_in.DifferenceWarning, match="scores are equal"):
        found = provider.calc_aggregate(wanted, qrels, run)
    assert set(found.values()) == {0.5}, "all measures break ties alike"
    assert set(ir_measures.calc_aggregate(wanted, qrels, run).values()) == {0.5, 1.0}
    with pytest.warns(drop_in.DifferenceWarning, match="scale up to grade 4"):
        found = provider.calc_aggregate([ir_measures.ERR @ 5], {"x-1": {"a": 1}}, {"x-1": {"b": 2.0, "a": 1.0}})
    assert found[ir_measures.ERR @ 5] == pytest.approx(0.25)  # without Perl, for any query id


def test_frames_namedtuples_and_generators(ir_measures):
    import pandas as pd

    qrels = [ir_measures.Qrel(query, doc, grade) for query, judged in QRELS.items() for doc, grade in judged.items()]
    run = [ir_measures.ScoredDoc(query, doc, score) for query, ranked in RUN.items() for doc, score in ranked.items()]
    wanted = [ir_measures.nDCG @ 10]
    expected = drop_in.provider().calc_aggregate(wanted, QRELS, RUN)
    for shape in (list, iter, pd.DataFrame):
        assert drop_in.provider().calc_aggregate(wanted, shape(qrels), shape(run)) == pytest.approx(expected)


def test_an_evaluator_serves_many_runs(ir_measures):
    evaluator = drop_in.provider().evaluator([ir_measures.RR], {"q": {"a": 1}})
    runs = ({"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1.0, "b": 2.0}}, {})
    assert [evaluator.calc_aggregate(run)[ir_measures.RR] for run in runs] == [1.0, 0.5, 0.0]


def test_registered_it_is_asked_first_and_others_do_the_rest(ir_measures, monkeypatch):
    first = drop_in.register()
    assert drop_in.register() is first is drop_in.provider()
    assert [one.NAME for one in ir_measures.DefaultPipeline.providers].count("assay") == 1
    assert ir_measures.providers.registry["assay"] is first
    other = ir_measures.Accuracy @ 3
    monkeypatch.setattr(type(first), "supports", lambda self, measure: measure != other)
    found = ir_measures.calc_aggregate(
        [ir_measures.RBP(p=0.8) @ 3, other], {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 0.5}}
    )
    assert found == pytest.approx({ir_measures.RBP(p=0.8) @ 3: 0.2, other: 1.0})


def test_measures_of_diversity_read_the_iteration_as_the_subtopic(ir_measures):
    provider = drop_in.provider()
    qrels = [ir_measures.Qrel("q", doc, 1, subtopic) for doc, subtopic in (("x", "1"), ("x", "2"), ("y", "1"), ("z", "3"))]
    run = [ir_measures.ScoredDoc("q", doc, score) for doc, score in (("y", 3.0), ("z", 2.0), ("x", 1.0))]
    measures = [ir_measures.StRecall @ 2, ir_measures.P_IA @ 1, ir_measures.alpha_nDCG(alpha=1.0) @ 1]
    assert all(map(provider.supports, measures))
    assert provider.calc_aggregate(measures, qrels, run) == pytest.approx(
        dict(zip(measures, (2 / 3, 1 / 3, 1 / 2), strict=True))
    )
    with pytest.raises(DataError):
        provider.calc_aggregate(measures, {"q": {"x": 1}}, run)


def test_faults_are_said_in_words(ir_measures):
    with pytest.raises(BadParameter):
        drop_in.provider().calc_aggregate([ir_measures.P @ 0], QRELS, RUN)
    with pytest.raises(DataError):
        drop_in.provider().calc_aggregate([ir_measures.RR], {"q": {"a": 1}}, {"q": {"a": float("nan")}})
    with pytest.raises(UnknownName):
        drop_in.metric_of("nDCQ@10")
    with pytest.raises(AssertionError):
        drop_in.provider().supports(ir_measures.P)  # its own check: P needs a cutoff


def test_assay_reads_measure_objects(ir_measures):
    wanted = [ir_measures.nDCG @ 10, ir_measures.AP(rel=2), ir_measures.P(rel=2, judged_only=True) @ 5, "recall@3"]
    result = assay.evaluate(QRELS, RUN, wanted)
    assert [metric.name for metric in result.metrics] == [
        *("ndcg@10", "map(rel=2)", "precision(rel=2, judged_only=true)@5", "recall@3")
    ]
    assert assay.evaluate(QRELS, RUN, ir_measures.nDCG @ 10).metrics[0].name == "ndcg@10"
    relative = assay.evaluate(QRELS, RUN, [ir_measures.SetP(relative=True, rel=2), ir_measures.SetAP(judged_only=True)])
    assert [metric.name for metric in relative.metrics] == ["set_relative_precision(rel=2)", "set_map(judged_only=true)"]
    with pytest.raises(BadParameter):
        assay.evaluate(QRELS, RUN, [type(ir_measures.AP)])


def test_without_the_package_one_line_says_what_to_install(monkeypatch):
    drop_in.provider.cache_clear()
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(UsageError, match="ir-measures"):
        drop_in.provider()
    with pytest.raises(UsageError, match="ir-measures"):
        drop_in.register()
