"""Metrics of rankings: worked out by hand, as plain loops have them, and figures over several queries."""

from math import isclose, log, log2, sqrt

import pytest

import assay

from . import _references as plain
from ._cases import CASES, TOP, Case, as_dicts, close, score, scores, summary

LOG3 = log2(3)
EPSILON = 0.00001
"""infap's smoothing."""
LIKELY, UNLIKELY = (1 + EPSILON) / (1 + 2 * EPSILON), EPSILON / (1 + 2 * EPSILON)
OVERLAP = 0 + 0.5 * 2 / 2 + 0.25 * 2 / 3
NDCG_REL_AT_3 = (1 + 2 / log2(4)) / (2 + 1 / LOG3 + 1 / log2(4))
# rndcg: the ideal is 2 2 1, the ranking 1 2 …
RNDCG_AT_2 = (1 + 2 / LOG3) / (2 + 2 / LOG3)
RNDCG_AT_3 = (1 + 2 / LOG3) / (2 + 2 / LOG3 + 1 / log2(4))
RNDCG_AT_5 = (1 + 2 / LOG3 + 2 / log2(6)) / (2 + 2 / LOG3 + 1 / log2(4))

WORKED_OUT = [  # metric, grades down the ranking, grades of what was missed, score; and a policy, where it has one
    # ---- precision and recall
    ("precision@10", [1, 0, 1, None], [], 2 / 10),  # a short ranking is still divided by k
    ("precision(over=retrieved)@10", [1, 0, 1, None], [], 2 / 4),
    ("precision(over=retrieved)@5", [], [1], 0),
    ("precision(judged_only=true)@1", [-1, 1], [], 1),
    ("precision@1", [0.5], [], 1),  # any grade above 0 is relevant
    ("precision(rel=1)@1", [0.5], [], 0),
    ("precision(rel=0)@3", [0, None, -1], [], 1 / 3),
    ("precision@2", [1, 2], [], 1 / 2, {"rel": 2}),  # the policy sets the level
    ("precision(rel=1)@2", [1, 2], [], 1, {"rel": 2}),  # … unless the metric does
    ("recall@1", [1, 1], [], 1 / 2),  # a full score is out of reach where k is below R
    ("recall", [1, 0, 2, 1], [1], 3 / 4),
    ("capped_recall@2", [1, 0, 1], [1, 1], 1 / 2),  # k is the smaller, then R
    ("capped_recall@5", [1, 0, 1], [1, 1], 2 / 4),
    ("f(beta=2)@5", [1, 0, 1], [1], 5 * (2 / 5) * (2 / 3) / (4 * 2 / 5 + 2 / 3)),  # precision 2/5, recall 2/3
    ("hit@2", [0, 0, 1], [], 0),
    ("hit", [None] * 50 + [1], [], 1),  # without a cutoff the whole ranking counts
    ("rprec", [1, None, 0, 2, 1], [1], 2 / 4),  # R = 4, and two of the first four are relevant
    ("rprec", [1], [1, 1], 1 / 3),  # ÷ R, although fewer were retrieved
    ("rprec_mult@0.4", [1, 0, 0, 1], [1], 1 / 2),  # R = 3: ⌊1.2 + 0.9⌋ = 2 ranks
    ("rprec_mult@0.05", [1], [], 0),  # ⌊0.05 + 0.9⌋ = 0 ranks
    ("mrr@3", [0, 0, 1], [], 1 / 3),
    # ---- the first and the last relevant document; the rank of a query without one is k + 1
    ("mean_rank", [0, None, 1, 1], [], 3),
    ("mean_rank@2", [0, None, 1], [], 3),
    ("mean_rank", [], [1], 1001),
    ("median_rank@5", [0, 2], [1], 2),
    ("median_rank(rel=2)@5", [1, 0], [2], 6),
    ("rsum", [None, 1], [], 100 * (0 + 1 + 1)),
    ("rsum", [None] * 10 + [1], [], 0),
    ("rsum", [2], [1, 1], 300),  # one relevant document is enough
    ("cmc@2", [0, 0, 1], [], 0),
    # map_at_r: R = 3, so the relevant document at rank 4 does not count
    ("map_at_r", [1, None, 1, 1], [], (1 / 1 + 2 / 3) / 3),
    ("map_at_r", [1, 1], [1, 1], (1 + 1) / 4),
    ("minp", [1, 0, None, 1], [], 2 / 4),
    ("minp", [1], [1], 0),  # one was not retrieved, so its rank is not known
    ("minp(rel=2)", [1, 2], [1], 1 / 2),
    # ---- average precision
    ("map", [1, 0, 1, None, 1], [1], (1 / 1 + 2 / 3 + 3 / 5) / 4),
    ("map@2", [1, 0, 1], [1, 1], 1 / 4),  # ÷ R, although only two could be found
    ("map(norm=min)@2", [1, 0, 1], [1, 1], 1 / 2),
    ("map(norm=found)@2", [1, 0, 1], [1, 1], 1.0),
    ("map(norm=found)", [1, 0, 1], [1, 1], (1 + 2 / 3) / 2),
    ("map(norm=min)", [1, 0, 1], [1, 1], (1 + 2 / 3) / 4),  # without a cutoff R is the smaller
    ("lrap", [1, 0, 1, None, 1], [1], (1 / 1 + 2 / 3 + 3 / 5) / 4),  # without ties it is map
    ("lrap(rel=2)", [1, 2], [], 1 / 2),
    ("gm_map", [1, 0, 1, None, 1], [1], (1 / 1 + 2 / 3 + 3 / 5) / 4),  # of one query it is map
    # precision is 1/2 at the first relevant document, 2/3 at the second, 3/6 at the third
    ("iprec@0", [0, 1, 1, 0, None, 1], [], 2 / 3),
    ("iprec@0.4", [1, 0, 1, 0, 1], [], 2 / 3),  # rounded as in trec_eval 9; trec_eval 10 gives 1 here
    ("iprec@0.8", [1, 0, 1, 0, 1], [], 3 / 5),  # … and 2/3
    # R = 3, found at ranks 1, 3 and 5 with precision 1, 2/3 and 3/5. Recall 0 … 0.3 asks for at most one of them
    # (⌊0.3 · 3 + 0.9⌋ = 1), 0.4 … 0.7 for two (trec_eval 9 rounds 1.2 + 0.9 down), 0.8 … 1 for three
    ("11pt_avg", [1, 0, 1, 0, 1], [], (4 * 1 + 4 * 2 / 3 + 3 * 3 / 5) / 11),
    ("11pt_avg(points=[0, 1])", [0, 1], [1], (1 / 2 + 0) / 2),
    # one of the two above was judged, and relevant; so both are thought to be
    ("infap", [1, -1, 1], [1], (1 + (1 + 2 * LIKELY) / 3) / 3),
    ("infap", [-1, -2, 1], [], 1 / 3 + 2 / 3 * 1 / 2),  # pooled documents nobody judged are half a chance each
    ("infap", [None, 1], [], 1 / 2),  # not in the pool, so not relevant
    ("yaap", [], [1], 0),  # no document at all, as in trec_eval 9 with -c
    ("yaap", [0], [1], log(1 / 2)),
    # ---- cascades; with grades up to 2 a document of grade 2 satisfies with 3/4, of grade 1 with 1/4
    ("err", [1, None, 2], [], 1 / 4 + 3 / 4 * 3 / 4 / 3),
    ("err", [1], [4], 1 / 16),  # the scale is that of all judgments, retrieved or not
    ("err", [1], [], 1 / 16, {"max_grade": 4}),  # the policy sets the top of the scale
    ("err(max_grade=2)", [1], [], 1 / 4, {"max_grade": 4}),  # … unless the metric does
    ("err", [4] * 1000, [], plain.err([4] * 1000, [])),
    ("nerr", [1, 2, 0], [], (1 / 4 + 3 / 4 * 3 / 4 / 2) / (3 / 4 + 1 / 4 * 1 / 4 / 2)),
    ("nerr(max_grade=1)", [1, 4], [], 1),  # grades above the scale are its top
    # ---- gains
    ("dcg", [3, None, 2, 0, 1], [3], 3 / log2(2) + 2 / log2(4) + 1 / log2(6)),
    ("dcg(gain={1: 3.5, 2: 9})", [2, 1, 3], [], 9 + 3.5 / LOG3 + 3 / log2(4)),  # other grades stay linear
    ("dcg(rel=2)", [1, 2], [], 2 / LOG3),
    ("dcg", [1, 2], [], 1 + 2 / LOG3, {"rel": 2}),  # the level of the policy does not matter
    ("ideal_dcg", [0, None, 2], [3, 1], 3 / log2(2) + 2 / LOG3 + 1 / log2(4)),
    ("ideal_dcg(gain={1: 9, 3: 2})", [3, 1], [], 9 + 2 / LOG3),  # gains, not grades, are sorted
    ("ndcg", [1, None, 3, 0], [2, 1], (1 + 3 / log2(4)) / (3 + 2 / LOG3 + 1 / log2(4) + 1 / log2(5))),
    ("ndcg", [-1, 1], [], 1 / LOG3),  # a negative grade gains nothing, and costs nothing
    ("ndcg@5", [1], [1, 1], 1 / (1 + 1 / LOG3 + 1 / log2(4))),  # the ideal holds what was missed
    ("ndcg@1", [1], [1, 1], 1),  # … as far as it fits into k
    ("ndcg(gain=exp)@2", [1, 2], [], (1 + 3 / LOG3) / (3 + 1 / LOG3)),
    ("ndcg(gain={0: 1, 1: 5})", [0, 1], [], (1 + 5 / LOG3) / (5 + 1 / LOG3)),
    ("ndcg(gain={1: 9, 3: 2})@1", [3, 1], [], 2 / 9),  # the best gain comes first, not the best grade
    ("ndcg(discount=jk2002)", [1, 2], [], 1),  # the first two ranks weigh the same
    ("ndcg@3", [1, 2, 0], [], (1 + 2 / LOG3) / (2 + 1 / LOG3), {"rel": 2}),  # trec_eval ignores its level here
    ("sdcg@3", [1, None, 2, 2], [], (1 / 2 + 1 / log2(4)) / (1 + 1 / LOG3 + 1 / log2(4))),
    ("sdcg@1", [1], [], 1 / 4, {"max_grade": 4}),
    # the ideal has gained 3, 5, 6, 6 after the first four ranks
    ("q_measure", [2, None, 0, 3], [1], ((1 + 2) / (1 + 3) + (2 + 5) / (4 + 6)) / 3),
    ("q_measure@1", [1, 1], [], 1 / 2),  # ÷ R, although only one fits
    ("q_measure(gain={1: 0})", [1, 2], [], (1 + 2) / (2 + 2)),  # what gains nothing is not relevant
    # above the three relevant documents stand 0, 1 and 3 others; one relevant document is missing
    ("bing", [1, 0, 1, 0, None, 1], [1], (1 / log2(2) + 1 / LOG3 + 1 / log2(5)) / 4),
    # the ideal gains 2, then 1, then 1; the run gains 1 at rank 1 and 2 at rank 3, and misses one document
    ("ndcg_rel", [1, None, 2], [1], (1 / 2 + NDCG_REL_AT_3 + NDCG_REL_AT_3) / 3),
    ("ndcg_rel(gain=exp)", [0, 2], [], 1 / LOG3),
    ("ndcg_rel(gain={0: 1})", [0], [], 1),
    # due: 3, 3 + 1, 3 + 1 + 1; got: 1, 1, 4. So the ranking is 2 behind at its first document, 1 at its second
    ("g", [1, None, 3], [], (1 / log2(2 + 3 - 1) + 3 / log2(2 + 5 - 4)) / 4),
    ("g", [0.5], [], 1 / log2(2.5)),  # the first rank should have gained 1
    ("g(gain=exp)", [0, 2], [], 1 / log2(2 + 4 - 3)),
    ("g(gain={1: 0})", [1, 2], [], 1 / log2(2 + 3 - 2)),
    # the ideal drops after rank 2 and after rank 3; the ranking of five goes on after that
    ("rndcg", [1, 2, None, 0, 2], [], (RNDCG_AT_2 + RNDCG_AT_3 + RNDCG_AT_5) / 3),
    ("rndcg", [1, 2, None, 0], [2], (RNDCG_AT_2 + RNDCG_AT_3) / 2),  # a ranking that hardly goes on does not count as such
    ("rndcg(gain=binary)", [1, 2], [], 1),
    ("rndcg(rel=2)", [1], [], 0),  # nothing is relevant at that level
    # ---- preference: relevant at ranks 1 and 3, others at 2 and 4: four pairs, of which only (3, 2) is the wrong way round
    ("accuracy", [1, 0, 1, None], [], 3 / 4),
    ("accuracy@3", [1, 0, 1, 0], [], 1 / 2),  # a relevant document may lower it by entering the first k
    # R = 3 and N = 2; above the relevant documents stand 0, 1 and 2 judged others
    ("bpref", [1, 0, None, 1, 0, 1], [], (1 + (1 - 1 / 2) + (1 - 2 / 2)) / 3),
    ("bpref", [None, 1], [1], 1 / 2),  # nothing was judged non-relevant: what is found counts fully
    ("bpref", [-1, -2, 1], [], 1),  # a negative grade is no judgment
    ("bpref", [0, 0, 0, 1], [0], 0),  # only the first R others count, and R is 1
    ("gm_bpref", [1, 0], [1], 1 / 2),  # of one query it is bpref
    # ---- users who go on with chance p; trec_eval 10 has rbp.p=0.9 for the query's own scale; ranx would multiply by 3
    ("rbp(p=0.9, gain=query)", [1, None, 3, 0], [2, 1, 0], 0.1 * (1 / 3 + 0.9**2 * 3 / 3)),
    ("rbp(p=0.9, gain=scale)", [1, None, 3, 0], [2, 1, 0], 0.1 * (1 / 4 + 0.9**2 * 3 / 4), {"max_grade": 4}),
    ("rbp", [1], [], 0.2),  # p is 0.8, as in ir_measures
    # ranks 1, 3 and 4 are judged; trec_eval 10 gives 0.7461 for this ranking
    ("rbp_residual(p=0.9)", [1, None, 3, 0], [], 1 - 0.1 * (1 + 0.9**2 + 0.9**3)),
    ("rbp_residual(p=0.5)", [-1, 0], [], 0.75),  # a negative grade is no judgment
    # the ideal is (b, a): at depth 1 nothing is shared, at depth 2 both are, at depth 3 two of three
    ("compatibility(p=0.5)", [1, 2, 0], [], OVERLAP / (1 + 0.5 + 0.25 * 2 / 3)),
    ("compatibility(p=0.5, normalize=false)", [1, 2, 0], [], OVERLAP / (1 + 0.5 + 0.25)),
    ("compatibility", [1, 1, 1], [], 1),  # equal grades stand in the order of the run
    # one more useless document may raise it: overlap is looked at as deep as the ranking goes, and there it has all
    ("compatibility(p=0.5)", [0, 1], [], 0.25 / (1 + 0.25)),
    ("compatibility(p=0.5)", [0, 1, 0], [], (0.25 + 0.25 / 3) / (1 + 0.25 + 0.25 / 3)),
    # ---- users who want so much; gains 1/4, 0, 1: after three documents the user has 5/4 of the 1 they want
    ("bpm(max_grade=4)@10", [1, None, 4, 4], [], 5 / 4 / 3),
    ("bpm(t=2)@5", [1], [], 1 / 5),  # never satisfied, so all five ranks are read
    ("bpm@5", [2], [4], 2 / 4 / 5),  # the scale ends at the largest grade of all judgments
    ("bpm@5", [2], [4], 1, {"max_grade": 2}),
    # with t = 1 the user goes on with (2/3)² after rank 1 and (3/4)² after rank 2, so reaches rank 3 with (2/4)²
    ("insq(depth=3)", [2, None, 1], [], (1 + (2 / 4) ** 2 * 1 / 2) / (1 + (2 / 3) ** 2 + (2 / 4) ** 2)),
    # c is 1 + 2 − 1 = 2 after a perfect first document, so the second is read with (1/2)²;
    # c is then 2 + 2 − 1 = 3, so the third is read with (1/2)² · (2/3)²
    ("inst(depth=3)", [2, None, 1], [], (1 + 1 / 4 * 4 / 9 / 2) / (1 + 1 / 4 + 1 / 4 * 4 / 9)),
    # gains 1/2, 0, 1: rank 2 is reached with 1/2, rank 3 too, rank 4 never
    ("nerr8@4", [1, None, 2, 2], [], (1 / 2 + 1 / 2) / (1 + 1 / 2 + 1 / 2)),
    ("nerr9@4", [1, None, 2, 2], [], (1 / 2 + 1 / 6) / (1 + 1 / 4 + 1 / 6)),  # rank 2 with 1/2 · 1/2, rank 3 with 2/3 of it
    ("nerr10(p=0.8)", [1, None, 2, 2], [], (1 / 2 + 0.32) / (1 + 0.4 + 0.32)),  # 0.8 · 1/2, then with 0.8 of it
    # rank 2 is reached with (2/3)² · 1/2, rank 3 with (3/4)² of that, rank 4 never
    ("nerr11", [1, None, 2, 2], [], (1 / 2 + 2 / 9 * 9 / 16) / (1 + 2 / 9 + 2 / 9 * 9 / 16)),
    *((f"{name}(depth=1, min_grade=1)", [2], [3], 1 / 2) for name in ("insq", "inst", "nerr10", "nerr11")),
    *((f"{name}(depth=1)", [1], [], 1 / 4, {"max_grade": 4}) for name in ("insq", "inst", "nerr10", "nerr11")),
    # ---- sets
    ("set_precision", [1, 0, None, 1, -1], [1], 2 / 5),
    ("set_recall", [1, 0, None, 1], [1], 2 / 3),
    ("set_f(beta=2)", [1, 0], [1, 1, 1], 3 * 1 / 2 * 1 / 4 / (1 / 4 + 2 * 1 / 2)),  # β is not squared
    ("set_f(beta=4)", [1, 0], [1, 1, 1], 5 / 18),  # the F2 of the textbook
    ("set_map", [1, 0, 1], [1, 1], 2 / 3 * 2 / 4),
    ("set_relative_precision", [1], [1, 1], 1),
    # found 2, retrieved 3 others, missed 1, and 100 − 6 others were rightly left alone
    ("utility(weights=[3, -2, -1, 0.5], collection=100)", [1, 0, None, 2, -1], [1, 0], 3 * 2 - 2 * 3 - 1 + 0.5 * 94),
    # ---- counts
    ("num_q", [0, None], [], 1),
    ("num_ret", [1, None], [], 2, {"rel": 2}),  # the level of the policy does not matter
    ("num_ret", [1, None, -1, 0], [], 2, {"judged_only": True}),  # condensed rankings are shorter
    ("num_rel(rel=-1)", [-1, 0], [], 1),  # a negative grade is never relevant
    ("num_rel_ret@1", [1, 1], [], 1),
    ("mean_rel_ret@1", [1, 1], [], 1),
    ("num_nonrel_judged_ret(rel=2)", [0, 1, 2, -1], [], 2),
    ("judged@10", [1, 1, 0, None], [], 3 / 4),  # ÷ what was retrieved, not ÷ k
    ("judged@2", [-1, -2], [], 1),  # a negative grade is a judgment here, as in ir_measures
    ("unjudged@10", [1, None, 3, 0], [], 1 / 10),
    ("unjudged@2", [-1, None], [], 1),  # a negative grade is no judgment, as in trec_eval 10
    ("relstring", [1, None, 0, -1, 9, 10, 2.7], [], "1-0.9>2"),
    ("runid", [1], [], ""),  # a run without a tag
]

REFERENCES = [  # metric, a plain loop, what it is told beside the ranking; the others are compared with other tools
    ("precision(rel=2, over=retrieved)@10", plain.precision_of_retrieved, {"k": 10, "rel": 2}),
    ("f1@5", plain.f_measure, {"k": 5}),
    ("f(beta=0.5, rel=2)@3", plain.f_measure, {"k": 3, "rel": 2, "beta": 0.5}),
    ("mrr(rel=2)@5", plain.reciprocal_rank, {"k": 5, "rel": 2}),
    ("map(norm=min)@3", plain.average_precision, {"k": 3, "most": 3}),
    ("gm_map", plain.average_precision, {}),
    ("yaap(rel=2)", plain.yaap, {"rel": 2}),
    ("err", plain.err, {}),
    ("err(max_grade=2)@10", plain.err, {"k": 10, "top": 2}),
    ("nerr@3", plain.nerr, {"k": 3}),
    ("nerr(max_grade=2)@10", plain.nerr, {"k": 10, "top": 2}),
    ("dcg(gain=exp)@10", plain.dcg, {"k": 10, "gain": "exp"}),
    ("dcg(gain={0: 1, 2: 7}, rel=1)", plain.dcg, {"gain": {0: 1, 2: 7}, "rel": 1}),
    ("dcg(gain=binary)", plain.dcg, {"gain": "binary"}),
    ("ideal_dcg(gain={1: 9, 2: 0}, rel=1)@3", plain.ideal_dcg, {"k": 3, "gain": {1: 9, 2: 0}, "rel": 1}),
    ("ndcg(gain=exp)@10", plain.ndcg, {"k": 10, "gain": "exp"}),
    ("ndcg(gain={1: 9, 2: 0}, rel=1)@5", plain.ndcg, {"k": 5, "gain": {1: 9, 2: 0}, "rel": 1}),
    ("ndcg(discount=jk2002)@5", plain.ndcg, {"k": 5, "original": True}),
    ("q_measure(beta=10)@5", plain.q_measure, {"k": 5, "beta": 10}),
    ("q_measure(gain={1: 9, 2: 0})@8", plain.q_measure, {"k": 8, "gain": {1: 9, 2: 0}}),
    ("q_measure(beta=0)", plain.average_precision, {}),  # what is left without gain
    ("rbp(p=0.8, gain=query)", plain.graded_rbp, {}),
    ("rbp(p=0.9, gain=scale)", plain.graded_rbp, {"p": 0.9, "top": TOP}),
    ("rbp_residual(p=0.5)", plain.rbp_residual, {"p": 0.5}),
    ("unjudged@5", plain.unjudged, {"k": 5}),
    ("relstring@4", plain.relstring, {"k": 4}),
    ("mean_rank(rel=2)@4", plain.rank_of_first, {"k": 4, "rel": 2}),
    ("median_rank", plain.rank_of_first, {"k": 1000}),
    ("rsum", plain.rsum, {}),
    ("map_at_r(rel=2)", plain.map_at_r, {"rel": 2}),
    ("minp", plain.minp, {}),
]


def test_worked_out_by_hand():
    for metric, ranked, missed, expected, *policy in WORKED_OUT:
        found = score(metric, ranked, missed, **(policy[0] if policy else {}))
        assert found == (expected if isinstance(expected, str) else close(expected)), (metric, ranked, missed)


def test_agrees_with_a_plain_loop():
    result = assay.evaluate(*as_dicts(CASES), [metric for metric, _, _ in REFERENCES])
    for metric, loop, told in REFERENCES:
        for case, found in zip(CASES, result.scores(metric).values(), strict=True):
            expected = loop(*case, **told)
            assert found == expected or isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12), (metric, case, expected)


SUMMARIES = [  # metric, cases, the figure over them; and a policy, where it has one
    ("map", [Case([1]), Case([0])], 1 / 2),
    ("map", [Case([1]), Case([0])], 1, {"no_relevant": "skip"}),
    ("num_q", [Case([1]), Case([0])], 1, {"no_relevant": "skip"}),
    ("ndcg@10", [Case([2]), Case([], [1])], 1 / 2),  # queries that were not retrieved count
    ("gm_map", [Case([0, 1]), Case([1], [1] * 7)], sqrt(1 / 2 * 1 / 8)),
    ("gm_map", [Case([1]), Case([], [1])], sqrt(1 * 0.00001)),  # no query counts as less
    ("gm_bpref", [Case([1, 0], [1]), Case([1, 0], [1] * 7)], sqrt(1 / 2 * 1 / 8)),
    ("utility", [Case([1, 1]), Case([0])], (2 - 1) / 2),
    ("mean_rank@9", [Case([1]), Case([0, 1]), Case([], [1])], (1 + 2 + 10) / 3),
    ("median_rank@9", [Case([1]), Case([0, 1]), Case([], [1])], 2),
    ("median_rank@9", [Case([1]), Case([0, 1])], 1.5),  # between the two in the middle
]


def test_summaries():
    for metric, cases, expected, *policy in SUMMARIES:
        assert summary(metric, cases, **(policy[0] if policy else {})) == close(expected), metric
    cases = [Case([1, 0]), Case([2, 2], [1]), Case([])]
    counts = ("num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "mean_rel_ret")
    assert [summary(name, cases) for name in counts] == [3, 4, 4, 3, 1, 3 / 3]  # they are added up, but for one


def test_text_is_shown_for_each_query_and_has_no_summary(tmp_path):
    assert scores("relstring", [Case([1, 1, 1]), Case([], [1]), Case([0])]) == ["111", "", "0"]
    (tmp_path / "a.run").write_text("a Q0 d 1 1.0 my-run\n", "utf-8")
    result = assay.evaluate({"a": {"d": 1}, "b": {"d": 1}}, tmp_path / "a.run", ["relstring", "map", "runid"])
    assert result.scores("runid") == {"a": "my-run", "b": "my-run"}
    assert list(result.summary) == ["map"]
    with pytest.raises(assay.UsageError, match="relstring@10"):
        result["relstring"]


def test_equal_scores_are_ordered_as_the_policy_says():
    run = {"q": {"d2": 1.0, "d4": 1.0, "d1": 1.0, "d3": 1.0}}
    for ties, expected in (("docid_desc", 1 / 4), ("docid_asc", 1), ("input_order", 1 / 3)):
        assert assay.evaluate({"q": {"d1": 1}}, run, "mrr", policy=assay.Policy(ties=ties))["mrr"] == close(expected), ties
