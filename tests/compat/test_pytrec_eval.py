"""Evaluators side by side. The original sees only what it survives; what it aborts on is given to the drop-in alone."""

import copy
import math
import pickle
import random
from collections import UserDict

import numpy as np
import pytest
import pytrec_eval as original
from hypothesis import given, settings
from hypothesis import strategies as st

import assay.compat.pytrec_eval as drop_in
from assay.errors import BadParameter, DataError, UnknownName

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
@settings(max_examples=60, deadline=None)
def test_every_measure(qrels, run, level):
    assert_same(qrels, run, EVERYTHING, level)


@given(qrels=QRELS, run=RUNS, level=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_judged_documents_only(qrels, run, level):
    kept = {query: ranked for query, ranked in run.items() if ranked.keys() & qrels.get(query, {}).keys()}
    assert_same(qrels, kept, EVERYTHING, level, True)


@given(qrels=QRELS, run=RUNS, measures=MEASURES)
@settings(max_examples=200, deadline=None)
def test_any_choice_of_measures(qrels, run, measures):
    assert_same(qrels, run, measures)


@given(
    qrels=QRELS,
    run=st.dictionaries(st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(DOCS), st.floats(0, 1), min_size=1)),
)
@settings(max_examples=200, deadline=None)
def test_any_score_in_float32(qrels, run):
    assert_same(qrels, run, EVERYTHING, float32=True)


@pytest.mark.parametrize("seed", range(4))
def test_scores_that_float32_confuses(seed):
    rng = random.Random(seed)
    steps = (1e-9, 3e-8, 1e-7, 1e-3)
    bases = (1.0, -7.0, 1e30, 1e300, 1e-42)
    run = {
        str(q): {f"d{d}": rng.choice(bases) * (1 + rng.randint(0, 5) * rng.choice(steps)) for d in range(30)}
        for q in range(50)
    }
    qrels = {str(q): {f"d{d}": rng.randint(0, 2) for d in rng.sample(range(40), 10)} for q in range(50)}
    assert_same(qrels, run, EVERYTHING, float32=True)


def test_float64_unless_asked():
    qrels, run = {"q": {"b": 1}}, {"q": {"a": 1.00000002, "b": 1.00000001}}
    assert original.RelevanceEvaluator(qrels, ["recip_rank"]).evaluate(run) == {"q": {"recip_rank": 1.0}}
    assert evaluate(["recip_rank"], qrels, run, float32=True) == {"q": {"recip_rank": 1.0}}
    assert evaluate(["recip_rank"], qrels, run) == {"q": {"recip_rank": 0.5}}


def test_names():
    assert set(original.__all__) < set(drop_in.__all__)
    assert drop_in.supported_measures == original.supported_measures
    assert drop_in.supported_nicknames == original.supported_nicknames


@pytest.mark.parametrize("measures", [[], EVERYTHING, ("official", "P_7"), {"P", "P_5"}, {"map": None}, "P"])
def test_measures_in_any_collection(measures):
    assert_same(SMALL_QRELS, SMALL_RUN, measures)


def test_measures_from_a_generator_or_a_single_name():
    assert evaluate(name for name in ("map", "P_1")) == evaluate(["P_1", "map"])
    assert evaluate("map") == evaluate(["map"])


def test_keywords_and_positions():
    by_name = drop_in.RelevanceEvaluator(
        query_relevance=SMALL_QRELS, measures=["map"], relevance_level=2, judged_docs_only_flag=True
    )
    by_place = drop_in.RelevanceEvaluator(SMALL_QRELS, ["map"], 2, True)
    assert by_name.evaluate(scores=SMALL_RUN) == by_place.evaluate(SMALL_RUN)
    assert_same(SMALL_QRELS, SMALL_RUN, ["map"], 2, True)


@pytest.mark.parametrize("qrels", [SMALL_QRELS, {}, {"q1": {}}, {"q1": {}, "q2": {"x": 1}, "q3": {}}])
@pytest.mark.parametrize("run", [SMALL_RUN, {}, None, {"unjudged": {"a": 1.0}}])
def test_queries_that_one_side_lacks(qrels, run):
    assert_same(qrels, run, ["map", "num_q"])


def test_text_measures_are_zero():
    assert evaluate(["runid", "relstring_2"])["q1"] == {"runid": 0.0, "relstring": 0.0}


def test_inputs_stay_as_they_are_and_the_evaluator_can_be_used_again():
    qrels, run = copy.deepcopy(SMALL_QRELS | {"empty": {}}), copy.deepcopy(SMALL_RUN)
    evaluator = drop_in.RelevanceEvaluator(qrels, ["map", "ndcg"], float32=True)
    first = evaluator.evaluate(run)
    assert evaluator.evaluate({"q1": {"c": 1.0}})["q1"]["map"] == 0.5
    assert evaluator.evaluate(run) == first
    assert (qrels, run) == (SMALL_QRELS | {"empty": {}}, SMALL_RUN)
    qrels["q1"]["a"] = 0
    assert evaluator.evaluate(run) == first


def test_pickling():
    evaluator = drop_in.RelevanceEvaluator(SMALL_QRELS, EVERYTHING, 2, judged_docs_only_flag=True)
    again = pickle.loads(pickle.dumps(evaluator))
    assert again.evaluate(SMALL_RUN) == evaluator.evaluate(SMALL_RUN)
    assert pickle.loads(pickle.dumps(evaluator)).evaluate(SMALL_RUN) == again.evaluate(SMALL_RUN)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, int])
def test_numbers_of_any_kind(kind):
    qrels = {"q1": {"a": np.int64(1), "c": np.int32(2)}}
    run = {"q1": {doc: kind(score) for doc, score in {"a": 1, "b": 3, "c": 2}.items()}}
    assert evaluate(["map", "ndcg"], qrels, run) == evaluate(
        ["map", "ndcg"], {"q1": {"a": 1, "c": 2}}, {"q1": {"a": 1.0, "b": 3.0, "c": 2.0}}
    )
    assert evaluate(["map"], qrels, UserDict({"q1": UserDict(run["q1"])})) == evaluate(["map"], qrels, run)


# From here on: what ends, hangs or fools the original.


@pytest.mark.parametrize(
    "measure", ["P_0", "P_5,0", "recall_0", "ndcg_10", "ndcg.1", "G_1", "Rndcg_2", "ndcg_rel_3", "success_0"]
)
def test_measures_the_original_aborts_on(measure):
    with pytest.raises(BadParameter, match=measure.partition("_")[0]):
        evaluate([measure])


@pytest.mark.parametrize(
    "measure",
    [
        "map_10",
        "recip_rank_10",
        "bpref_5",
        "utility_1,2,3,4",
        "num_q_1",
        "P_5.5",
        "set_F_1,2",
        "iprec_at_recall_40",
        5,
        None,
    ],
)
def test_parameters_the_original_ignores(measure):
    with pytest.raises(BadParameter):
        evaluate([measure])


def test_what_may_have_been_meant():
    with pytest.raises(BadParameter, match="map_cut_10"):
        evaluate(["map_10"])
    with pytest.raises(UnknownName, match="ndcg_cut"):
        evaluate(["ncdg_cut"])


@pytest.mark.parametrize(
    "measure", ["foo", "", "P_", "P_5x", "P@5", "p_5", "P_-5", "ndcg.1=3", "utility.1,-1,0,0", "prefs", "qrels_jg"]
)
def test_unknown_measures_are_value_errors(measure):
    with pytest.raises(ValueError, match="measure") as error:
        evaluate([measure])
    assert isinstance(error.value, UnknownName)


@pytest.mark.parametrize("level", [0, -1, math.nan, math.inf, "1", None])
def test_relevance_levels(level):
    with pytest.raises(BadParameter, match="relevance_level"):
        evaluate(["map"], relevance_level=level)


def test_only_negative_grades():
    found = evaluate(EVERYTHING, {"q1": {"a": -1, "b": -2}})["q1"]
    assert found["num_ret"] == 3.0
    assert found["bpref"] == found["ndcg"] == found["infAP"] == 0.0


def test_an_empty_ranking():
    found = evaluate(EVERYTHING, run={"q1": {}, "q2": {"x": 1.0}})
    assert found["q2"]["map"] == 1.0
    assert (found["q1"]["num_q"], found["q1"]["num_rel"]) == (1.0, 2.0)
    assert found["q1"]["gm_map"] == found["q1"]["gm_bpref"] == math.log(1e-5)
    others = found["q1"].keys() - {"num_q", "num_rel", "gm_map", "gm_bpref"}
    assert {found["q1"][name] for name in others} == {0.0}


def test_nothing_judged_is_left():
    found = evaluate(EVERYTHING, run={"q1": {"unjudged": 1.0}}, judged_docs_only_flag=True)["q1"]
    assert found["iprec_at_recall_0.00"] == found["11pt_avg"] == found["num_ret"] == 0.0


def test_grades_of_any_size():
    assert evaluate(["ndcg"], {"q1": {"a": 2**40, "b": 0.5}}, {"q1": {"a": 1.0}})["q1"]["ndcg"] == pytest.approx(1.0)


def test_ids_the_original_cannot_take():
    assert evaluate(["map"], {7: {1: 1}}, {7: {1: 1.0}}) == {"7": {"map": 1.0}}
    assert evaluate(["map"], {"q": {"a\0b": 1, "a\0c": 0}}, {"q": {"a\0c": 2.0, "a\0b": 1.0}}) == {"q": {"map": 0.5}}
    assert evaluate(["map"], {"q": {"\udc80": 1}}, {"q": {"\udc80": 1.0}}) == {"q": {"map": 1.0}}


@pytest.mark.parametrize("score", [math.nan, np.float32("nan"), "1", None])
def test_scores_that_cannot_be_ranked(score):
    with pytest.raises(DataError, match=r"q1.*document a"):
        evaluate(["map"], run={"q1": {"a": score, "b": 1.0}})


@pytest.mark.parametrize("run", [[1], "q1", {"q1": 3}])
def test_runs_that_are_none(run):
    with pytest.raises(DataError):
        evaluate(["map"], run=run)


@pytest.mark.parametrize("qrels", [None, [1], {"q1": 3}, {"q1": {"a": None}}, {"q1": {"a": math.nan}}])
def test_judgments_that_are_none(qrels):
    with pytest.raises(DataError):
        evaluate(["map"], qrels)
