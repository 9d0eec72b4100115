"""Metrics of tools: which metrics each tool has, and the parameters that users can set."""

from __future__ import annotations

from collections.abc import Mapping

Takes = Mapping[str, tuple[str, ...]]
"""Metric → the parameters that users can set."""

LEVEL = ("rel",)
"""trec_eval's -l, and similar options."""
CONDENSED = ("rel", "judged_only")
"""The same and -J."""
SCALE = ("min_grade", "max_grade")


def _each(names: str, takes: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return dict.fromkeys(names.split(), takes)


METRICS_OF_PYTREC_EVAL: Takes = {
    **_each("runid num_q ndcg_rel rndcg g", ()),
    **_each("num_ret num_rel num_rel_ret num_nonrel_judged_ret gm_map bpref gm_bpref infap 11pt_avg bing", LEVEL),
    **_each("set_precision set_relative_precision set_map", CONDENSED),
    "set_recall": LEVEL,
    **_each("precision recall hit capped_recall", ("k!", *CONDENSED)),
    **_each("rprec mrr", CONDENSED),
    "map": ("k", *CONDENSED),
    "ndcg": ("k", "judged_only"),
    "iprec": ("recall", *CONDENSED),
    "rprec_mult": ("multiple", "rel"),
    "utility": ("weights", "rel"),
    "relstring": ("k",),
    "set_f": ("beta", *CONDENSED),
}
"""The metrics of trec_eval 9.0.8 that need only judgments. Reciprocal rank has no cutoff, ndcg has no level."""
METRICS_OF_TREC_EVAL_9: Takes = {
    **METRICS_OF_PYTREC_EVAL,
    **_each("ndcg_rel rndcg g dcg ideal_dcg", ("gain={}",)),
    "ndcg": ("k", "gain={}", "judged_only"),
    "11pt_avg": ("points", "rel"),
    "yaap": LEVEL,
}
METRICS_OF_TREC_EVAL_10: Takes = {
    **METRICS_OF_TREC_EVAL_9,
    "rbp": ("p", "rel", "gain={}"),
    "rbp_residual": ("p",),
    "unjudged": ("k!",),
}
METRICS_OF_RANX: Takes = {
    **_each("hit precision recall f mrr map", ("k", "rel")),
    **_each("ndcg dcg", ("k", "rel", "gain=exp")),
    **_each("set_precision set_f rprec bpref", LEVEL),
    "mean_rel_ret": ("k", "rel"),
    "rbp": ("p", "rel"),
}
METRICS_OF_IR_MEASURES: Takes = {
    **_each("precision recall hit", ("k!", *CONDENSED)),
    **_each("map mrr", ("k", *CONDENSED)),
    **_each("bpref infap num_rel num_ret num_rel_ret set_recall", LEVEL),
    **_each("set_map set_precision set_relative_precision", CONDENSED),
    **_each("inst insq nerr11", ("t", *SCALE)),
    **_each("nerr8 nerr9 sdcg", ("k", *SCALE)),
    **_each("judged err", ("k",)),
    "nerr10": ("p", *SCALE),
    "bpm": ("k", "t", *SCALE),
    "ndcg": ("k", "gain=exp", "gain={}", "judged_only"),
    "rprec": CONDENSED,
    "iprec": ("recall", *CONDENSED),
    "rbp": ("k", "p", "rel"),
    "accuracy": ("k", "rel"),
    "compatibility": ("p", "normalize"),
    "set_f": ("beta", *CONDENSED),
    "num_q": (),
    **_each("err_ia nerr_ia precision_ia", ("k!", *CONDENSED)),
    **_each("alpha_dcg alpha_ndcg", ("k!", "alpha", *CONDENSED)),
    **_each("nrbp nnrbp", ("alpha", "beta", "rel")),
    "subtopic_recall": ("k!", "rel"),
    "map_ia": CONDENSED,
}
METRICS_OF_SENTENCE_TRANSFORMERS: Takes = _each("ndcg map recall precision mrr hit", ("k!",))
"""Scored only at cutoffs; no other parameter can be set."""
METRICS_OF_BEIR: Takes = {**METRICS_OF_SENTENCE_TRANSFORMERS, "capped_recall": ("k!",)}
METRICS_OF_MTEB = METRICS_OF_BEIR
METRICS_OF_LIGHTGBM: Takes = {"ndcg": ("k!", "gain={}"), "map": ("k!",)}
METRICS_OF_XGBOOST: Takes = {"ndcg": ("k", "gain=linear"), "map": ("k",), "precision": ("k!",), "set_precision": ()}
METRICS_OF_SCIKIT_LEARN: Takes = {"ndcg": ("k",), "dcg": ("k",), "lrap": ()}
