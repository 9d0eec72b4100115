"""Write golden.json: the scores of one small run, to stay as they are whatever happens to formulas, references or tools.

Run `python -m tests.metrics.make_golden` only when a metric is new. No value comes from assay: trec_eval's metrics come
from pytrec_eval, the user models from ir_measures with cwl-eval, all others from the plain functions of the tests.
Ties are broken before the tools are asked, as each has rules of its own.
"""

import json
import math
from pathlib import Path

import ir_measures
import pytrec_eval

from . import _references as plain

QRELS = {
    "graded": {"a": 3, "b": 2, "c": 0, "d": 1, "e": 3, "f": 0, "g": -1},
    "ties": {"a": 1, "b": 0, "c": 2, "x": 1},
    "deep": {f"d{number:02}": number % 4 for number in range(0, 40, 3)},
    "nothing relevant": {"a": 0, "b": 0},
    "missing": {"a": 2, "b": 1, "c": 0},
}
RUN = {
    "graded": {"d": 9.5, "u1": 9.0, "a": 8.5, "c": 7.0, "g": 6.5, "b": 6.0, "u2": 5.0},
    "ties": {"b": 1.0, "a": 1.0, "y": 1.0, "c": 0.5, "z": 0.5, "x": 0.25},
    "deep": {f"d{number:02}": float(number * 7 % 31) for number in range(1, 31)},
    "nothing relevant": {"b": 2.0, "u1": 1.0, "a": 0.0},
}
TOP = 3

PYTREC_EVAL = """
    11pt_avg=11pt_avg bing=binG bpref=bpref capped_recall@5=relative_P_5 g=G gm_bpref=gm_bpref gm_map=gm_map hit@1=success_1
    infap=infAP iprec@0.5=iprec_at_recall_0.5 map=map map@5=map_cut_5 mrr=recip_rank ndcg=ndcg ndcg@5=ndcg_cut_5
    ndcg_rel=ndcg_rel num_nonrel_judged_ret=num_nonrel_judged_ret num_q=num_q num_rel=num_rel num_rel_ret=num_rel_ret
    mean_rel_ret=num_rel_ret
    num_ret=num_ret precision@5=P_5 recall@5=recall_5 rndcg=Rndcg rprec=Rprec rprec_mult@1.2=Rprec_mult_1.2 set_f=set_F
    set_map=set_map set_precision=set_P set_recall=set_recall set_relative_precision=set_relative_P utility=utility
"""
IR_MEASURES = {
    "accuracy@5": "Accuracy@5",
    "bpm@5": "BPM(T=1.0, max_rel=3)@5",
    "compatibility(p=0.95)": "Compat(p=0.95)",
    "insq": "INSQ(T=1.0, max_rel=3)",
    "inst": "INST(T=1.0, max_rel=3)",
    "judged@5": "Judged@5",
    "nerr10": "NERR10(p=0.9, max_rel=3)",
    "nerr11": "NERR11(T=1.0, max_rel=3)",
    "nerr8@5": "NERR8(max_rel=3)@5",
    "nerr9@5": "NERR9(max_rel=3)@5",
    "rbp(p=0.8)": "RBP(rel=1)",
    "sdcg@5": "SDCG(max_rel=3)@5",
    "set_f(beta=2)": "SetF(beta=2.0)",
}
PLAIN = {
    "dcg@5": (plain.dcg, {"k": 5}),
    "err@5": (plain.err, {"k": 5, "top": TOP}),
    "f1@5": (plain.f_measure, {"k": 5}),
    "ideal_dcg@5": (plain.ideal_dcg, {"k": 5}),
    "lrap": (plain.average_precision, {}),
    "mrr@2": (plain.reciprocal_rank, {"k": 2}),
    "ndcg(discount=jk2002)@5": (plain.ndcg, {"k": 5, "original": True}),
    "ndcg(gain=exp)@5": (plain.ndcg, {"k": 5, "gain": "exp"}),
    "nerr@5": (plain.nerr, {"k": 5, "top": TOP}),
    "q_measure": (plain.q_measure, {}),
    "rbp(p=0.8, gain=query)": (plain.graded_rbp, {}),
    "rbp_residual(p=0.8)": (plain.rbp_residual, {}),
    "relstring@5": (plain.relstring, {"k": 5}),
    "unjudged@5": (plain.unjudged, {"k": 5}),
    "yaap": (plain.yaap, {}),
    "map_at_r": (plain.map_at_r, {}),
    "mean_rank@5": (plain.rank_of_first, {"k": 5}),
    "median_rank@5": (plain.rank_of_first, {"k": 5}),
    "minp": (plain.minp, {}),
    "rsum": (plain.rsum, {}),
}
WITHOUT_RANKING = {"num_q": 1.0, "num_rel": 2.0}
"""What the query that was not retrieved scores; 0 in all others."""


def ranked(query):
    """Documents, best first; equals by descending id."""
    return sorted(RUN.get(query, {}), key=lambda doc: (RUN[query][doc], doc), reverse=True)


def from_tools():
    """Metric → query → score."""
    run = {query: {doc: 100.0 - place for place, doc in enumerate(ranked(query))} for query in RUN}
    for ours, theirs in (pair.split("=") for pair in PYTREC_EVAL.split()):
        found = pytrec_eval.RelevanceEvaluator(QRELS, {theirs}).evaluate(run)
        scores = {query: next(iter(values.values())) for query, values in found.items()}
        if ours.startswith("gm_"):  # these come as logarithms
            scores = {query: math.exp(value) if value > math.log(1e-5) else 0.0 for query, value in scores.items()}
        yield ours, scores
    for ours, theirs in IR_MEASURES.items():
        found = ir_measures.iter_calc([eval(theirs, dict(vars(ir_measures)))], QRELS, run)
        yield ours, {row.query_id: float(row.value) for row in found if row.query_id in run}


def from_plain():
    """Metric → query → score."""
    for metric, (loop, given) in PLAIN.items():
        scores = {}
        for query, grades in QRELS.items():
            docs = ranked(query)
            missed = [grade for doc, grade in grades.items() if doc not in docs]
            scores[query] = loop([grades.get(doc) for doc in docs], missed, **given)
        yield metric, scores


def main():
    """Collect and write, one line per metric."""
    scores = dict([*from_tools(), *from_plain()])
    rows = {
        metric: [found.get(query, WITHOUT_RANKING.get(metric, 0.0)) for query in QRELS] for metric, found in scores.items()
    }
    lines = ",\n".join(f"  {json.dumps(metric)}: {json.dumps(rows[metric])}" for metric in sorted(rows))
    text = f'{{\n "qrels": {json.dumps(QRELS)},\n "run": {json.dumps(RUN)},\n "scores": {{\n{lines}\n }}\n}}\n'
    Path(__file__).with_name("golden.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
