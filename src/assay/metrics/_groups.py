"""Named groups of metrics: what a tool or a field usually reports together."""

from __future__ import annotations

CUTS = "5,10,15,20,30,100,200,500,1000"
POINTS = "0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1"
COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret")

OFFICIAL = (
    *("runid", *COUNTS, "map", "gm_map", "rprec", "bpref", "mrr"),
    *(f"iprec@{POINTS}", f"precision@{CUTS}"),
)
SETS = ("set_precision", "set_relative_precision", "set_recall", "set_map", "set_f")

GROUPS: dict[str, tuple[str, ...]] = {
    "rag": ("ndcg@10", "recall@10", "precision@5", "mrr", "hit@5", "map"),
    "beir": ("ndcg@1,3,5,10,100,1000", "map@1,3,5,10,100,1000", "recall@1,3,5,10,100,1000", "precision@1,3,5,10,100,1000"),
    "mteb": tuple(f"{name}@1,3,5,10,20,100,1000" for name in ("ndcg", "map", "recall", "precision", "mrr", "hit")),
    "official": OFFICIAL,
    "set": ("runid", *COUNTS, "utility", *SETS),
    "all_trec": (
        *OFFICIAL,
        *("relstring", f"recall@{CUTS}", "infap", "gm_bpref", "rprec_mult@0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2"),
        *("utility", "11pt_avg", "bing", "g", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "rndcg"),
        *(f"ndcg@{CUTS}", f"map@{CUTS}", f"capped_recall@{CUTS}", "hit@1,5,10", *SETS),
        *("num_nonrel_judged_ret", "yaap", "rbp(p=0.9, gain=query)", "rbp_residual(p=0.9)", "unjudged@5,10,20"),
    ),
}
DEFAULT_GROUP = "rag"
