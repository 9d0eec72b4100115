"""The metric parser: many spellings in, one metric out."""

import pickle

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import assay
from assay.errors import BadParameter, UnknownName
from assay.metrics.parsing import parse_metric, parse_metrics, parse_name
from assay.metrics.registry import GROUPS, all_metrics
from assay.ontology.similarity import FORMULA


def names(texts):
    """Canonical names of what was read."""
    return [metric.name for metric in parse_metrics(texts)]


@pytest.mark.parametrize(
    ("canonical", "spellings"),
    [
        (
            "ndcg@10",
            "ndcg_at_10 NDCG@10 nDCG@10 ndcg_10 ndcg_cut_10 ndcg_cut.10 ndcg.10 ndcg(k=10) ndcg(cutoff=10) ndcg@k=10",
        ),
        ("ndcg", "nDCG NDCG ndcg() normalized_dcg"),
        ("precision@5", "P_5 p@5 P@5 P.5 precision_at_5 Precision@5 prec@5 precision(k=5)"),
        ("recall@100", "R@100 recall_100 recall.100 recall_at_100 Recall@100 r_100"),
        ("recall", "R"),
        ("f1@5", "F1@5 f1_at_5 f@5 f_measure@5 f(beta=1)@5 fbeta@5"),
        ("hit@3", "hit_rate@3 HitRate@3 hit_at_3 success@3 success_3 Success@3 success.3 hit-rate@3"),
        ("mrr", "RR MRR recip_rank reciprocal_rank mean_reciprocal_rank"),
        ("mrr@10", "RR@10 mrr_at_10 MRR_10 recip_rank_10"),
        ("map", "AP MAP average_precision mean_average_precision"),
        ("map@10", "map_cut_10 map_cut.10 AP@10 map_at_10"),
        ("rprec", "Rprec R-precision r_precision RPrec r-prec"),
        ("bpref", "Bpref BPref binary_preference"),
        ("err@10", "ERR@10 expected_reciprocal_rank@10"),
        ("rbp(p=0.8)", "rbp RBP rbp(p=0.8) rbp.8 rbp.80 rbp_p=0.8 rbp.p=0.8 rank_biased_precision"),
        ("rbp(p=0.95)", "rbp.95 RBP(p=.95) rbp(p='0.95')"),
        ("rbp(p=0.5)@10", "rbp(p=0.5)@10 rbp(k=10,p=0.5)"),
        (
            "ndcg(gain=exp)@10",
            "nDCG(dcg='exp-log2')@10 ndcg_burges@10 NDCG_Burges_10 ndcg(gains=exp)@10 ndcg(gain='exp')@10",
        ),
        ("dcg(gain=exp)", "dcg_burges dcg(gain=EXP)"),
        ("precision(rel=2)@5", "P(rel=2)@5 precision@5-l2 P(rel=2.0)@5"),
        ("ndcg(rel=2)@10", "ndcg@10-l2 nDCG(rel=2)@10 ndcg@10-l2.0"),
        ("ndcg(rel=2)", "ndcg-l2"),
        ("ndcg(gain={1: 3.5, 2: 9})", "ndcg.1=3.5,2=9 ndcg(gain={1:3.5,2:9.0}) ndcg(gains={2:9,1:3.5}) ndcg_cut.2=9,1=3.5"),
        ("set_f(beta=2)", "set_F.2 SetF(beta=2) set_F.2.0"),
        ("utility(weights=[2, -1, 0, 0])", "utility.2,-1,0,0 utility(weights=[2,-1,0,0]) utility(weights=(2,-1,0,0))"),
        ("utility", "utility.1,-1,0,0"),
        ("11pt_avg", "11pt 11-pt_avg eleven_point_average"),
        ("11pt_avg(points=[0.2, 0.4])", "11pt_avg.0.2,0.4 11pt(points=[.2,.4])"),
        ("iprec@0.1", "IPrec@0.1 iprec_at_recall_0.10 iprec_at_recall.0.10 iprec(recall=0.1)"),
        ("rprec_mult@0.2", "Rprec_mult_0.20 Rprec_mult.0.2"),
        ("capped_recall@10", "relative_P_10 R_cap@10 recall_cap@10 relative_P.10"),
        ("num_rel_ret@5", "NumRelRet@5 num_rel_ret_5"),
        ("q_measure", "Q Q-measure qmeasure"),
        ("unjudged@5", "unj_5 unj.5"),
        ("rbp_residual(p=0.9)", "rbp_resid.9 rbp_resid_p=0.9"),
        ("relstring@10", "relstring relstring_10 relstring.10"),
        ("compatibility(p=0.95)", "Compat compat(p=0.95)"),
        ("compatibility(p=0.95, normalize=false)", "Compat(normalize=False) compat(normalize=0)"),
        ("inst(t=2, max_grade=3)", "INST(T=2.0,max_rel=3) inst(max_rel=3,t=2)"),
        ("precision(judged_only=true)@5", "P(judged_only=True)@5 P(judged_only=1)@5"),
    ],
)
def test_spellings(canonical, spellings):
    for spelling in (canonical, *spellings.split(" ")):
        assert parse_metric(spelling).name == canonical, spelling


@pytest.mark.parametrize(
    ("name", "trec_name"),
    [
        *(("map", "map"), ("map@10", "map_cut_10"), ("ndcg", "ndcg"), ("ndcg@10", "ndcg_cut_10"), ("mrr", "recip_rank")),
        *(("iprec@0.1", "iprec_at_recall_0.10"), ("rprec_mult@1.2", "Rprec_mult_1.20"), ("capped_recall@5", "relative_P_5")),
        *(("hit@5", "success_5"), ("unjudged@5", "unj_5"), ("rbp(p=0.9)", "rbp(p=0.9)"), ("set_f", "set_F")),
        *(
            ("mrr@10", "mrr@10"),
            ("ndcg(gain=exp)@10", "ndcg(gain=exp)@10"),
            ("err@5", "err@5"),
        ),  # trec_eval has none of these
    ],
)
def test_what_trec_eval_prints(name, trec_name):
    assert parse_metric(name).trec_name == trec_name


def test_a_bound_metric_can_be_sent_to_another_process():
    metric = parse_metric("ndcg(gain={1: 3.5})@10")
    assert pickle.loads(pickle.dumps(metric)) == metric


def test_blanks_do_not_matter():
    assert names(" ndcg @ 10 ") == ["ndcg@10"]
    assert names("rbp( p = 0.8 )") == ["rbp(p=0.8)"]
    assert names("ndcg( gain = {1: 2} , rel = 2 )@5") == ["ndcg(gain={1: 2}, rel=2)@5"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("recall@5,10,100", ["recall@5", "recall@10", "recall@100"]),
        ("recall@5, 10", ["recall@5", "recall@10"]),
        ("P.5,10", ["precision@5", "precision@10"]),
        ("P_5,10", ["precision@5", "precision@10"]),
        ("success.1,5,10", ["hit@1", "hit@5", "hit@10"]),
        ("iprec@0,0.5,1", ["iprec@0", "iprec@0.5", "iprec@1"]),
        ("ndcg(gain=exp)@5,10", ["ndcg(gain=exp)@5", "ndcg(gain=exp)@10"]),
        ("recall@5,10-l2", ["recall(rel=2)@5", "recall(rel=2)@10"]),
        ("ndcg@10, map", ["ndcg@10", "map"]),
        ("ndcg@10,map,recall@5,10,mrr", ["ndcg@10", "map", "recall@5", "recall@10", "mrr"]),
        ("ndcg(gain={1: 2, 2: 5}),mrr", ["ndcg(gain={1: 2, 2: 5})", "mrr"]),
        (["map", "mrr@10"], ["map", "mrr@10"]),
        (["map", "AP", "mrr", "map"], ["map", "mrr"]),  # each once
    ],
)
def test_lists(text, wanted):
    assert names(text) == wanted


def test_groups():
    assert names("rag") == ["ndcg@10", "recall@10", "precision@5", "mrr", "hit@5", "map"]
    assert names(None) == names("RAG")
    assert len(names("beir")) == 4 * 6
    assert len(names("mteb")) == 6 * 7
    assert names("set")[-5:] == ["set_precision", "set_relative_precision", "set_recall", "set_map", "set_f"]
    assert names("official, err@10")[-2:] == ["precision@1000", "err@10"]
    assert set(names("official")) < set(names("all_trec"))


@pytest.mark.parametrize("group", GROUPS)
def test_every_member_of_a_group_reads(group):
    assert len(names(group)) >= len(GROUPS[group])


def test_a_metric_that_was_read_may_be_given_again():
    metric = parse_metric("ndcg@10")
    assert parse_metrics(metric) == [metric]
    assert names([metric, "map", "ndcg_cut_10"]) == ["ndcg@10", "map"]
    assert str(metric) == "ndcg@10"


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("ncdg@10", "ndcg@10"),
        ("ndgc_10", "ndcg@10"),
        ("precison@5", "precision@5"),
        ("reciprocal_rnk", "mrr"),
        ("recal@10,100", "recall@10,100"),
        ("bperf", "bpref"),
    ],
)
def test_an_unknown_name_is_an_error_with_near_matches(text, near):
    with pytest.raises(assay.UnknownName, match="no metric is called") as caught:
        parse_metrics(text)
    assert near in caught.value.near
    assert len(caught.value.near) <= 2
    assert f"Did you mean {caught.value.near[0]}" in str(caught.value)
    assert caught.value.name == text


def test_an_unknown_name_near_nothing():
    with pytest.raises(assay.UnknownName) as caught:
        parse_metrics("happiness")
    assert caught.value.near == ()
    assert str(caught.value) == f"no metric is called 'happiness'.   (assay metrics lists all {len(all_metrics())})"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P@0", "P@0: k is a whole number from 1 up, not '0'"),
        ("P@-5", "k is a whole number from 1 up, not '-5'"),
        ("mrr@10.0", "k is a whole number from 1 up, not '10.0'"),
        ("mrr@1e3", "k is a whole number from 1 up"),
        ("mrr@٣", "k is a whole number from 1 up"),
        ("ndcg@ten", "k is a whole number from 1 up, not 'ten'"),
        ("ndcg@", "k is a whole number from 1 up, not ''"),
        ("recall@5,,10", "k is a whole number from 1 up, not ''"),
        ("precision", "precision needs k, as in precision@10. set_precision is precision over everything retrieved."),
        ("f1", "f1: f1 needs k, as in f1@10."),
        ("iprec", "iprec needs recall, as in iprec@0.5."),
        ("iprec@2", "recall is a number from 0 to 1, not '2'"),
        ("rprec@5", "rprec takes no cutoff"),
        ("rprec_mult@0", "multiple is a number above 0, not '0'"),
        ("rbp(p=0)", "p is a number between 0 and 1, not '0'"),
        ("rbp(p=1)", "p is a number between 0 and 1, not '1'"),
        ("rbp(p=half)", "p is a number, not 'half'"),
        ("ndcg(rel=nan)", "rel is a finite number, not 'nan'"),
        ("ndcg(rel=1_0)", "rel is a finite number, not '1_0'"),
        (
            "ndcg(gian=exp)@10",
            "ndcg has no parameter 'gian' (it has: k, gain, discount, rel, ideal, judged_only). Did you mean gain?",
        ),
        ("num_q(k=5)", "num_q has no parameter 'k' (it has: none)."),
        ("num_q-l2", "num_q has no parameter 'rel'"),
        ("ndcg(exp)@10", "write parameters as name=value, not 'exp'"),
        ("ndcg(gain=squared)", "gain is one of linear, exp, binary, or a map such as {1: 3.5, 2: 9}, not 'squared'"),
        ("ndcg(gain={1})", "gain is a map from grade to gain such as {1: 3.5, 2: 9}, not '{1}'"),
        ("ndcg.1=many", "gain is a map from grade to gain such as {1: 3.5, 2: 9}"),
        ("ndcg(discount=none)", "discount is one of log2, jk2002, not 'none'"),
        ("map(judged_only=maybe)", "judged_only is true or false, not 'maybe'"),
        ("utility.1,2", "weights is four numbers"),
        ("set_f(beta=0)", "beta is a number above 0"),
        ("ndcg@10@5", "'ndcg@10@5' is not a metric; write name@k or name(parameter=value)@k, such as ndcg@10"),
        ("ndcg(gain=exp", "is not a metric"),
        ("ndcg@10 map", "k is a whole number from 1 up, not '10 map'"),
        ("", "'' is not a metric"),
        ("@10", "'@10' is not a metric"),
    ],
)
def test_errors_say_what_is_expected(text, message):
    with pytest.raises(assay.UsageError) as caught:
        parse_metrics(text)
    assert message in str(caught.value)


def test_no_metric_at_all():
    with pytest.raises(assay.BadParameter, match="no metric was given"):
        parse_metrics([])


def test_a_metric_is_named_by_text():
    with pytest.raises(assay.BadParameter, match=r"a metric is given by its name, or made by assay\.metric, not by 10"):
        parse_metrics([10])


def test_where_one_metric_is_wanted():
    with pytest.raises(assay.BadParameter, match=r"'recall@5,10' stands for 2 metrics \(recall@5, recall@10 …\)"):
        parse_metric("recall@5,10")


@pytest.mark.parametrize("text", ["precision", "P", "P@5", " precision_5 ", "P(rel=2)@5", "precision(rel=2)"])
def test_a_definition_may_be_asked_for_without_its_parameters(text):
    assert parse_name(text) is all_metrics()["precision"]


def test_an_unknown_definition():
    with pytest.raises(assay.UnknownName, match="Did you mean precision@5"):
        parse_name("precison@5")


# ---- the canonical name reads back, whatever the parameters

finite = st.floats(-1e9, 1e9, allow_nan=False).map(lambda value: value + 0.0)  # no negative zero
VALUES = {
    "k": st.integers(1, 10**6),
    "depth": st.integers(1, 10**4),
    "n": st.integers(1, 4),
    "threshold": st.floats(0, 1),
    "experts": st.none() | st.integers(1, 10**6),
    "tokens": st.none() | st.integers(1, 10**6),
    "unit": st.sampled_from(("gold", "lines", "characters")),
    "formula": st.sampled_from(("hybrid", "simple", "wu_palmer", "lin", "jaccard")).map(FORMULA.parse),
    "collection": st.integers(1, 10**9),
    "rel": finite,
    "min_grade": finite,
    "max_grade": st.floats(1e-9, 1e9),
    "multiple": st.floats(1e-9, 1e17),
    "recall": st.floats(0, 1),
    "p": st.floats(1e-12, 1, exclude_max=True),
    "t": st.floats(1e-6, 1e6),
    "alpha": st.floats(0, 1),
    "beta": st.floats(1e-6, 1e6),
    "judged_only": st.booleans(),
    "normalize": st.booleans(),
    "points": st.lists(st.floats(0, 1), min_size=1, max_size=4).map(tuple),
    "weights": st.tuples(finite, finite, finite, finite),
    "discount": st.sampled_from(("log2", "jk2002")),
    "norm": st.sampled_from(("relevant", "min")),
    "over": st.sampled_from(("k", "retrieved")),
    "ideal": st.sampled_from(("judged", "retrieved", "uncut")),
    "rounding": st.sampled_from(("up", "nearest")),
    "empty": st.sampled_from(("zero", "odds")),
    "complete": st.sampled_from(("tail", "zero")),
    "gain": st.one_of(
        st.sampled_from(("linear", "exp", "binary")),
        st.dictionaries(finite, finite, min_size=1, max_size=3).map(lambda table: tuple(sorted(table.items()))),
    ),
}
RBP_GAINS = st.sampled_from(("binary", "scale", "query", "grade"))


def _is_one_of_few(param):
    """Whether its words are all it may be; a gain may be a map too, and a formula is more than its name."""
    return bool(param.choices) and param.name not in ("gain", "formula")


@st.composite
def bound_metrics(draw):
    """Any metric with any parameters."""
    metric = draw(st.sampled_from(list(all_metrics().values())))
    values = VALUES | {param.name: st.sampled_from(param.choices) for param in metric.params if _is_one_of_few(param)}
    values |= {"gain": RBP_GAINS} if metric.name == "rbp" else {}
    values |= {"beta": VALUES["p"]} if metric.name in ("nrbp", "nnrbp") else {}
    settings = {param.name: draw(values[param.name]) for param in metric.params}
    try:
        return metric.bind(**settings)
    except BadParameter:  # fine by themselves, but not together
        assume(False)


@given(bound_metrics())
def test_canonical_names_read_back(bound):
    assert parse_metric(bound.name) == bound
    assert parse_metric(bound.name).name == bound.name


@pytest.mark.parametrize(
    "text", ["alfa_ndgc(alpha=.5)@10", "main_score", "precison", "ndgc@5", "recal(rel=2)@5", "f2_score", "x"]
)
def test_what_is_suggested_can_be_read(text):
    with pytest.raises(UnknownName) as caught:
        parse_metric(text)
    for suggestion in caught.value.near:
        assert parse_metrics(suggestion)
        assert len(suggestion.partition("@")[0]) > 1


@pytest.mark.parametrize(
    ("text", "near"),
    [("precison", "precision@10"), ("recal(rel=2)@5", "recall(rel=2)@5"), ("rcall(lvl=2)@5", "recall@5"), ("ndgc", "ndcg")],
)
def test_a_suggestion_keeps_what_it_can(text, near):
    with pytest.raises(UnknownName) as caught:
        parse_metric(text)
    assert caught.value.near[0] == near


def test_names_of_other_tools():
    assert parse_metric("top_k_accuracy@5").name == "hit@5"
    assert parse_metric("mrt").name == "latency"
