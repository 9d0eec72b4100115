"""Evaluators side by side. The original sees only what it survives; what it aborts on is given to the drop-in alone."""

import copy
import io
import math
import pickle
import random
from collections import UserDict

import numpy as np
import pytest
import pytrec_eval as original
from hypothesis import given
from hypothesis import strategies as st

import assay.compat.pytrec_eval as drop_in
from assay.errors import DataError, UnknownName

DOCS = [*"abcXYZé漢", *(f"doc{number}" for number in range(8))]
QUERIES = ["q1", "q2", "q10", "Q1"]
GRADES = st.integers(0, 3) | st.integers(0, 127)
QRELS = st.dictionaries(st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(DOCS[:10]), GRADES), min_size=1)
SCORES = st.integers(0, 2) | st.integers(-50, 50) | st.integers(-50, 50).map(lambda number: number / 4)
RUNS = st.dictionaries(st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(DOCS), SCORES, min_size=1))
TEXT = {"runid", "relstring"}
EVERYTHING = sorted(original.supported_measures)
WITH_PARAMETERS = [
    *("P_5", "P.5", "P_3,1,20", "recall_05", "ndcg_cut.5,10", "ndcg_cut_7", "map_cut_2", "success_2", "relative_P_4"),
    *("iprec_at_recall_0.4", "iprec_at_recall.0.25,1", "Rprec_mult_0.3", "Rprec_mult.1,1.5", "set_F_2"),
    *("11pt_avg_0.5", "11pt_avg.0,0.5,1", "relstring_3", "recall_1000000", "P_999999999"),
]
MEASURES = st.lists(st.sampled_from([*EVERYTHING, *WITH_PARAMETERS, "official", "set", "all_trec"]), unique=True)

RUN_FILE = "q1 Q0 a 1 2.5 tag\nq1\tQ0\tb\t2\t-1e3\ttag\r\n  q2 Q0 a 1 inf tag  \n"
QREL_FILE = "q1 0 a 1\nq1\t0\tb\t-2\r\nq2 0 a 127"
SMALL_QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"x": 1}}
SMALL_RUN = {"q2": {"y": 1.0, "x": 0.5}, "q1": {"a": 1.0, "b": 2.0, "z": 1.5}, "unjudged": {"a": 1.0}}


def assert_same(qrels, run, measures, *options, **more):
    theirs = original.RelevanceEvaluator(qrels, measures, *options).evaluate(run)
    ours = drop_in.RelevanceEvaluator(qrels, measures, *options, **more).evaluate(run)
    assert list(ours) == list(theirs)
    for query, values in theirs.items():
        assert list(ours[query]) == list(values)
        assert {type(value) for value in ours[query].values()} <= {float}
        for name in values.keys() - TEXT:
            assert ours[query][name] == pytest.approx(values[name], rel=1e-9, abs=1e-9), (query, name)


def evaluate(measures, qrels=SMALL_QRELS, run=SMALL_RUN, **options):
    return drop_in.RelevanceEvaluator(qrels, measures, **options).evaluate(run)


@given(qrels=QRELS, run=RUNS, level=st.integers(1, 3))
def test_every_measure(qrels, run, level):
    assert_same(qrels, run, EVERYTHING, level)


@given(qrels=QRELS, run=RUNS, level=st.integers(1, 3))
def test_judged_documents_only(qrels, run, level):
    kept = {query: ranked for query, ranked in run.items() if ranked.keys() & qrels.get(query, {}).keys()}
    assert_same(qrels, kept, EVERYTHING, level, True)


@given(qrels=QRELS, run=RUNS, measures=MEASURES)
def test_any_choice_of_measures(qrels, run, measures):
    assert_same(qrels, run, measures)


@given(
    qrels=QRELS,
    run=st.dictionaries(st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(DOCS), st.floats(0, 1), min_size=1)),
)
def test_any_score_in_float32(qrels, run):
    assert_same(qrels, run, EVERYTHING, float32=True)


def test_scores_that_float32_confuses():
    rng = random.Random(0)
    steps = (1e-9, 3e-8, 1e-7, 1e-3)
    bases = (1.0, -7.0, 1e30, 1e300, 1e-42)
    run = {
        str(q): {f"d{d}": rng.choice(bases) * (1 + rng.randint(0, 5) * rng.choice(steps)) for d in range(30)}
        for q in range(50)
    }
    qrels = {str(q): {f"d{d}": rng.randint(0, 2) for d in rng.sample(range(40), 10)} for q in range(50)}
    assert_same(qrels, run, EVERYTHING, float32=True)


@pytest.mark.filterwarnings("ignore::assay.compat.pytrec_eval.DifferenceWarning")
def test_float64_unless_asked():
    qrels, run = {"q": {"b": 1}}, {"q": {"a": 1.00000002, "b": 1.00000001}}
    assert original.RelevanceEvaluator(qrels, ["recip_rank"]).evaluate(run) == {"q": {"recip_rank": 1.0}}
    assert evaluate(["recip_rank"], qrels, run, float32=True) == {"q": {"recip_rank": 1.0}}
    assert evaluate(["recip_rank"], qrels, run) == {"q": {"recip_rank": 0.5}}


def test_names():
    assert set(original.__all__) < set(drop_in.__all__)
    assert drop_in.supported_measures == original.supported_measures
    assert drop_in.supported_nicknames == original.supported_nicknames


def test_measures_in_any_collection_and_arguments_by_name():
    for measures in ([], EVERYTHING, ("official", "P_7"), {"P", "P_5"}, {"map": None}, "P"):
        assert_same(SMALL_QRELS, SMALL_RUN, measures)
    assert evaluate(name for name in ("map", "P_1")) == evaluate(["P_1", "map"])
    assert evaluate("map") == evaluate(["map"])
    assert evaluate(["runid", "relstring_2"])["q1"] == {"runid": 0.0, "relstring": 0.0}, "text measures"
    named = {"query_relevance": SMALL_QRELS, "measures": ["map"], "relevance_level": 2, "judged_docs_only_flag": True}
    by_place = drop_in.RelevanceEvaluator(SMALL_QRELS, ["map"], 2, True)
    assert drop_in.RelevanceEvaluator(**named).evaluate(scores=SMALL_RUN) == by_place.evaluate(SMALL_RUN)


def test_queries_that_one_side_lacks():
    for qrels in (SMALL_QRELS, {}, {"q1": {}}, {"q1": {}, "q2": {"x": 1}, "q3": {}}):
        for run in (SMALL_RUN, {}, None, {"unjudged": {"a": 1.0}}):
            assert_same(qrels, run, ["map", "num_q"])


def test_inputs_stay_as_they_are_and_the_evaluator_can_be_used_again():
    qrels, run = copy.deepcopy(SMALL_QRELS | {"empty": {}}), copy.deepcopy(SMALL_RUN)
    evaluator = drop_in.RelevanceEvaluator(qrels, ["map", "ndcg"], float32=True)
    first = evaluator.evaluate(run)
    assert pickle.loads(pickle.dumps(evaluator)).evaluate(run) == first
    assert evaluator.evaluate({"q1": {"c": 1.0}})["q1"]["map"] == 0.5
    assert evaluator.evaluate(run) == first
    assert (qrels, run) == (SMALL_QRELS | {"empty": {}}, SMALL_RUN)
    qrels["q1"]["a"] = 0
    assert evaluator.evaluate(run) == first


def test_numbers_of_any_kind():
    qrels = {"q1": {"a": np.int64(1), "c": np.int32(2)}}
    plain = evaluate(["map", "ndcg"], {"q1": {"a": 1, "c": 2}}, {"q1": {"a": 1.0, "b": 3.0, "c": 2.0}})
    for kind in (np.float32, np.float64, np.int64, int):
        ranking = {doc: kind(score) for doc, score in {"a": 1, "b": 3, "c": 2}.items()}
        assert evaluate(["map", "ndcg"], qrels, {"q1": ranking}) == plain, kind
        assert evaluate(["map", "ndcg"], qrels, UserDict({"q1": UserDict(ranking)})) == plain, kind


# From here on: what ends, hangs or fools the original.
ABORTED_ON = ("P_0", "P_5,0", "recall_0", "ndcg_10", "ndcg.1", "G_1", "Rndcg_2", "ndcg_rel_3", "success_0")
IGNORED = (
    *("map_10", "recip_rank_10", "bpref_5", "utility_1,2,3,4", "num_q_1", "P_5.5", "set_F_1,2", "iprec_at_recall_40"),
    *(5, None),
)
"""Measures with parameters of which the original takes no notice."""
UNKNOWN = ("foo", "", "P_", "P_5x", "P@5", "p_5", "P_-5", "ndcg.1=3", "utility.1,-1,0,0", "prefs", "qrels_jg", "ncdg_cut")


def test_what_the_original_does_not_survive(snapshots):
    cases = {f"measure {name}": lambda name=name: evaluate([name]) for name in (*ABORTED_ON, *IGNORED, *UNKNOWN)}
    levels = (0, -1, math.nan, math.inf, "1", None)
    cases |= {f"level {level!r}": lambda level=level: evaluate(["map"], relevance_level=level) for level in levels}
    for score in (math.nan, np.float32("nan"), "1", None):
        run = {"q1": {"a": score, "b": 1.0}}
        cases[f"score {type(score).__name__} {score}"] = lambda run=run: evaluate(["map"], run=run)
    cases |= {f"run {run!r}": lambda run=run: evaluate(["map"], run=run) for run in ([1], "q1", {"q1": 3})}
    for qrels in (None, [1], {"q1": 3}, {"q1": {"a": None}}, {"q1": {"a": math.nan}}):
        cases[f"judgments {qrels!r}"] = lambda qrels=qrels: evaluate(["map"], qrels)
    for line in ("a 1 2.5", "a 1 2.5 my run", "a 1 high run", "a 1 nan run", "z 1 3 run"):
        cases[f"line of a run: {line}"] = lambda line=line: drop_in.parse_run(["q1 Q0 z 1 1.0 run", "", f"q1 Q0 {line}"])
    for line in ("a", "a 1.5", "z 1"):
        cases[f"line of judgments: {line}"] = lambda line=line: drop_in.parse_qrel(["q1 0 z 1", f"q1 0 {line}"])
    for lines in (RUN_FILE, RUN_FILE.encode(), io.BytesIO(RUN_FILE.encode())):
        cases[f"lines as {type(lines).__name__}"] = lambda lines=lines: drop_in.parse_run(lines)
    cases["aggregation"] = lambda: drop_in.compute_aggregated_measure("map", ["high"])
    snapshots.check_errors("compat/pytrec_eval", cases)
    for name in UNKNOWN:
        with pytest.raises(UnknownName) as caught:
            evaluate([name])
        assert isinstance(caught.value, ValueError)


@pytest.mark.filterwarnings("ignore::assay.compat.pytrec_eval.DifferenceWarning")
def test_data_that_the_original_cannot_take():
    found = evaluate(EVERYTHING, {"q1": {"a": -1, "b": -2}})["q1"]
    assert (found["num_ret"], found["bpref"], found["ndcg"], found["infAP"]) == (3.0, 0.0, 0.0, 0.0), "negative grades alone"
    found = evaluate(EVERYTHING, run={"q1": {}, "q2": {"x": 1.0}})
    assert found["q2"]["map"] == 1.0, "an empty ranking beside it"
    assert (found["q1"]["num_q"], found["q1"]["num_rel"]) == (1.0, 2.0)
    assert found["q1"]["gm_map"] == found["q1"]["gm_bpref"] == math.log(1e-5)
    others = found["q1"].keys() - {"num_q", "num_rel", "gm_map", "gm_bpref"}
    assert {found["q1"][name] for name in others} == {0.0}
    found = evaluate(EVERYTHING, run={"q1": {"unjudged": 1.0}}, judged_docs_only_flag=True)["q1"]
    assert found["iprec_at_recall_0.00"] == found["11pt_avg"] == found["num_ret"] == 0.0, "nothing judged is left"
    large = evaluate(["ndcg"], {"q1": {"a": 2**40, "b": 0.5}}, {"q1": {"a": 1.0}})
    assert large["q1"]["ndcg"] == pytest.approx(1.0)
    assert evaluate(["map"], {7: {1: 1}}, {7: {1: 1.0}}) == {"7": {"map": 1.0}}
    assert evaluate(["map"], {"q": {"a\0b": 1, "a\0c": 0}}, {"q": {"a\0c": 2.0, "a\0b": 1.0}}) == {"q": {"map": 0.5}}
    assert evaluate(["map"], {"q": {"\udc80": 1}}, {"q": {"\udc80": 1.0}}) == {"q": {"map": 1.0}}


# Files and aggregation
def test_parsing(tmp_path):
    assert drop_in.parse_run(io.StringIO(RUN_FILE)) == original.parse_run(io.StringIO(RUN_FILE))
    assert drop_in.parse_qrel(QREL_FILE.splitlines()) == original.parse_qrel(QREL_FILE.splitlines())
    assert drop_in.parse_run([]) == drop_in.parse_qrel(["\n", " "]) == {}
    assert drop_in.parse_run([])["not there"] == {}
    path = tmp_path / "my.qrels"
    path.write_text("q1 0 z 1\nq1 0 a\n")
    with path.open() as file, pytest.raises(DataError) as caught:
        drop_in.parse_qrel(file)
    assert [fault.place for fault in caught.value.faults] == [f"{path}:2"]
    for n, n_told in ((3, 3), (1000, 20)):
        with pytest.raises(DataError) as caught:
            drop_in.parse_run(["bad"] * n)
        assert len(caught.value.faults) == n_told


def test_aggregation():
    for measure in ("map", "num_ret", "gm_map", "gm_bpref", "P_5", "unheard_of"):
        for values in ([0.5], [-1.0, -0.5, -11.5], [1, 2, 3], (0.1,) * 7, np.array([0.25, 0.5])):
            ours = drop_in.compute_aggregated_measure(measure, values)
            assert type(ours) is float
            assert ours == pytest.approx(original.compute_aggregated_measure(measure, values), rel=1e-14), measure
    assert drop_in.compute_aggregated_measure("map", {"q1": 0.5, "q2": 1.0}.values()) == 0.75
    assert drop_in.compute_aggregated_measure("map", (value for value in (0.5, 1.0))) == 0.75
    assert drop_in.compute_aggregated_measure("num_q", []) == 0.0
    assert math.isnan(drop_in.compute_aggregated_measure("map", []))
    assert math.isnan(drop_in.compute_aggregated_measure("gm_map", []))
