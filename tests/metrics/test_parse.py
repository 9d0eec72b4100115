"""The metric parser: many spellings in, one metric out."""

import pickle
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import assay
from assay.metrics import GROUPS, all_metrics, parse_metric, parse_metrics, parse_name


def names(texts):
    """Canonical names of what was read."""
    return [metric.name for metric in parse_metrics(texts)]


SPELLINGS = """
    ndcg@10 = ndcg_at_10 NDCG@10 ndcg_10 ndcg_cut_10 ndcg_cut.10 ndcg.10 ndcg(k=10) ndcg(cutoff=10) ndcg@k=10 ndcg10 NDCG10
    ndcg = NDCG ndcg() normalized_dcg
    precision@5 = P_5 P5 p@5 P.5 precision_at_5 prec@5 precision(k=5)
    recall@100 = R@100 recall100 recall_100 recall.100 r_100
    f1@5 = F1@5 f1_at_5 f@5 f_measure@5 f(beta=1)@5 fbeta@5
    hit@3 = hit_rate@3 HitRate@3 success_3 success.3 hit-rate@3
    mrr = RR recip_rank mean_reciprocal_rank
    map@10 = map_cut_10 map_cut.10 AP@10 map_at_10
    rprec = Rprec R-precision r-prec
    rbp(p=0.8) = rbp rbp.8 rbp.80 rbp_p=0.8 rbp.p=0.8 rank_biased_precision
    rbp(p=0.95) = rbp.95 RBP(p=.95) rbp(p='0.95')
    rbp(p=0.5)@10 = rbp(k=10,p=0.5)
    ndcg(gain=exp)@10 = nDCG(dcg='exp-log2')@10 ndcg_burges@10 NDCG_Burges_10 ndcg(gains=exp)@10 ndcg(gain='exp')@10
    dcg(gain=exp) = dcg_burges dcg(gain=EXP)
    precision(rel=2)@5 = P(rel=2)@5 precision@5-l2 P(rel=2.0)@5
    ndcg(rel=2)@10 = ndcg@10-l2 ndcg@10-l2.0
    ndcg(rel=2) = ndcg-l2
    ndcg(gain={1:3.5,2:9}) = ndcg.1=3.5,2=9 ndcg(gain={1:3.5,2:9.0}) ndcg(gains={2:9,1:3.5}) ndcg_cut.2=9,1=3.5
    set_f(beta=2) = set_F.2 SetF(beta=2) set_F.2.0
    utility(weights=[2,-1,0,0]) = utility.2,-1,0,0 utility(weights=(2,-1,0,0))
    utility = utility.1,-1,0,0
    11pt_avg(points=[0.2,0.4]) = 11pt_avg.0.2,0.4 11pt(points=[.2,.4])
    iprec@0.1 = iprec_at_recall_0.10 iprec_at_recall.0.10 iprec(recall=0.1)
    capped_recall@10 = relative_P_10 R_cap@10 relative_P.10
    rbp_residual(p=0.9) = rbp_resid.9 rbp_resid_p=0.9
    relstring@10 = relstring relstring_10 relstring.10
    compatibility(p=0.95,normalize=false) = Compat(normalize=False) compat(normalize=0)
    inst(t=2,max_grade=3) = INST(T=2.0,max_rel=3) inst(max_rel=3,t=2)
    precision(judged_only=true)@5 = P(judged_only=True)@5 P(judged_only=1)@5
    hit@5 = top_k_accuracy@5
    latency = mrt
"""
"""Canonical names without their blanks, and other spellings."""


def test_spellings():
    for canonical, spellings in (line.split(" = ") for line in SPELLINGS.strip().splitlines()):
        for spelling in (canonical.strip(), *spellings.split()):
            name = parse_metric(spelling).name
            assert name.replace(" ", "") == canonical.strip(), spelling
            assert parse_metric(name).name == name
    assert parse_metric("ndcg.2=9,1=3.5").name == "ndcg(gain={1: 3.5, 2: 9})"
    for text, name in {" ndcg @ 10 ": "ndcg@10", "rbp( p = 0.8 )": "rbp(p=0.8)"}.items():  # blanks do not matter
        assert parse_metric(text).name == name


TREC_NAMES = """map=map map@10=map_cut_10 ndcg@10=ndcg_cut_10 mrr=recip_rank set_f=set_F iprec@0.1=iprec_at_recall_0.10
    rprec_mult@1.2=Rprec_mult_1.20 capped_recall@5=relative_P_5 mrr@10=mrr@10 err@5=err@5"""
"""The last two trec_eval does not have."""


def test_what_trec_eval_prints():
    for name, printed in (pair.split("=") for pair in TREC_NAMES.split()):
        assert parse_metric(name).trec_name == printed, name


LISTS = [  # text, names
    ("recall@5,10,100", ["recall@5", "recall@10", "recall@100"]),
    ("P.5,10", ["precision@5", "precision@10"]),
    ("iprec@0,0.5,1", ["iprec@0", "iprec@0.5", "iprec@1"]),
    ("recall@5,10-l2", ["recall(rel=2)@5", "recall(rel=2)@10"]),
    ("ndcg@10,map,recall@5,10,mrr", ["ndcg@10", "map", "recall@5", "recall@10", "mrr"]),
    ("ndcg(gain={1: 2, 2: 5}),mrr", ["ndcg(gain={1: 2, 2: 5})", "mrr"]),
    (["map", "mrr@10"], ["map", "mrr@10"]),
    (["map", "AP", "mrr", "map"], ["map", "mrr"]),  # each once
]


def test_lists():
    for text, expected in LISTS:
        assert names(text) == expected, text


def test_groups():
    assert names("rag") == ["ndcg@10", "recall@10", "precision@5", "mrr", "hit@5", "map"]
    assert names(None) == names("RAG")
    assert len(names("beir")) == 4 * 6
    assert len(names("mteb")) == 6 * 7
    assert names("set")[-5:] == ["set_precision", "set_relative_precision", "set_recall", "set_map", "set_f"]
    assert names("official, err@10")[-2:] == ["precision@1000", "err@10"]
    assert set(names("official")) < set(names("all_trec"))
    assert all(len(names(group)) >= len(members) for group, members in GROUPS.items())


def test_a_metric_that_was_read_may_be_given_again():
    metric = parse_metric("ndcg@10")
    assert parse_metrics(metric) == [metric]
    assert names([metric, "map", "ndcg_cut_10"]) == ["ndcg@10", "map"]
    assert str(metric) == "ndcg@10"
    assert pickle.loads(pickle.dumps(metric)) == metric


NEAR = {
    "ncdg@10": "ndcg@10",
    "ncdg10": "ndcg@10",
    "f15": "f1@15",  # not read as f@15: it could be f1@5
    "reciprocal_rnk": "mrr",
    "recal@10,100": "recall@10,100",
    "precison": "precision@10",
    "rcall(lvl=2)@5": "recall@5",  # keeps what it can
    "alfa_ndgc(alpha=.5)@10": "alpha_ndcg(alpha=.5)@10",
}


def test_an_unknown_name_is_an_error_with_near_matches_that_can_be_read():
    for text, near in NEAR.items():
        with pytest.raises(assay.UnknownName) as caught:
            parse_metrics(text)
        assert near in caught.value.near, text
        assert len(caught.value.near) <= 2
        assert caught.value.name == text
    for text in (*NEAR, "main_score", "f2_score", "x", "happiness"):
        with pytest.raises(assay.UnknownName) as caught:
            parse_metrics(text)
        assert all(parse_metrics(one) and len(one.partition("@")[0]) > 1 for one in caught.value.near), text
    assert caught.value.near == ()


WRONG = """P@0; P@-5; mrr@10.0; mrr@٣; ndcg@ten; ndcg@; recall@5,,10; precision; f1; iprec; iprec@2; rprec@5; rprec_mult@0
    rbp(p=1); rbp(p=half); ndcg(rel=nan); ndcg(rel=1_0); ndcg(gian=exp)@10; num_q(k=5); num_q-l2; ndcg(exp)@10
    ndcg(gain=squared); ndcg(gain={1}); ndcg.1=many; ndcg(discount=none); map(judged_only=maybe); utility.1,2; set_f(beta=0)
    ndcg@10@5; ndcg(gain=exp; ndcg@10 map; @10"""


def test_messages(snapshots):
    wrong = {text: lambda text=text: parse_metrics(text) for text in re.split(r"; |\n *", WRONG)}
    cases = {
        "nothing": lambda: parse_metrics(""),
        "no metric": lambda: parse_metrics([]),
        "a number": lambda: parse_metrics([10]),
        "two instead of one": lambda: parse_metric("recall@5,10"),
        "near": lambda: parse_metrics("precison@5"),
        "near nothing": lambda: parse_name("happiness"),
    }
    snapshots.check_errors("metrics/parse", wrong | cases)


def test_a_definition_may_be_asked_for_without_its_parameters():
    for text in ("precision", "P@5", " precision_5 ", "precision(rel=2)"):
        assert parse_name(text) is all_metrics()["precision"]


# ---- the canonical name reads back, whatever the parameters

finite = st.floats(-1e9, 1e9, allow_nan=False).map(lambda value: value + 0.0)  # no negative zero
FRACTIONS, SWITCHES = st.floats(0, 1), st.booleans()
VALUES = {
    **dict.fromkeys(("threshold", "recall", "alpha"), FRACTIONS),
    **dict.fromkeys(("judged_only", "normalize"), SWITCHES),
    **dict.fromkeys(("rel", "min_grade"), finite),
    **dict.fromkeys(("experts", "tokens"), st.none() | st.integers(1, 10**6)),
    **dict.fromkeys(("t", "beta"), st.floats(1e-6, 1e6)),
    **dict.fromkeys(("k", "depth", "collection"), st.integers(1, 10**6)),
    "n": st.integers(1, 4),
    "words": st.integers(1, 10**6),
    "formula": st.sampled_from(("hybrid", "simple", "wu_palmer", "lin", "jaccard")),
    "max_grade": st.floats(1e-9, 1e9),
    "multiple": st.floats(1e-9, 1e17),
    "seconds": st.floats(0, 1e9),
    "p": st.floats(1e-12, 1, exclude_max=True),
    "points": st.lists(FRACTIONS, min_size=1, max_size=4).map(tuple),
    "weights": st.tuples(finite, finite, finite, finite),
    "gain": st.one_of(
        st.sampled_from(("linear", "exp", "binary")),
        st.dictionaries(finite, finite, min_size=1, max_size=3).map(lambda table: tuple(sorted(table.items()))),
    ),
}
RBP_GAINS = st.sampled_from(("binary", "scale", "query", "grade"))


def _is_one_of_few(param):
    """Whether its words are all it may be; a gain may be a map too, and a formula is more than its name."""
    return bool(param.choices) and param.name not in ("gain", "formula")


DAYS = st.none() | st.floats(1e-3, 1e6)


@st.composite
def bound_metrics(draw):
    """Any metric with any parameters."""
    metric = draw(st.sampled_from(list(all_metrics().values())))
    values = VALUES | {param.name: st.sampled_from(param.choices) for param in metric.params if _is_one_of_few(param)}
    values |= {"gain": RBP_GAINS} if metric.name == "rbp" else {}
    values |= {"beta": VALUES["p"]} if metric.name in ("nrbp", "nnrbp") else {}
    values |= {"half_life": DAYS, "max_age": DAYS}
    settings = {param.name: draw(values[param.name]) for param in metric.params}
    try:
        return metric.bind(**settings)
    except assay.BadParameter:  # fine by themselves, but not together
        assume(False)


def test_every_parameter_is_tried():
    known = {*VALUES, "half_life", "max_age"}
    params = {
        param.name: metric for metric in all_metrics().values() for param in metric.params if not _is_one_of_few(param)
    }
    unknown = {name: metric.name for name, metric in params.items() if name not in known}
    assert not unknown, "add how they are drawn to VALUES in this file"


@given(bound_metrics())
def test_canonical_names_read_back(bound):
    assert parse_metric(bound.name) == bound
    assert parse_metric(bound.name).name == bound.name
