"""trec_eval's measures: the order in which it prints them, its groups, and its default cutoffs.

Facts from trec_eval's published source: measures.c (`te_trec_measures` and the nicknames) and the default parameters in the
m_*.c files, https://github.com/usnistgov/trec_eval, versions 9.0.8 and 10.0.
"""

from __future__ import annotations

from assay.metrics.registry import CUTS, POINTS

_COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret")
_OFFICIAL = ("runid", *_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P")
_SETS = ("set_P", "set_relative_P", "set_recall", "set_map", "set_F")
_RANKED = (
    *("relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G"),
    *("dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success"),
)
_NEW_IN_10 = ("rbp", "rbp_resid", "unj")
TREC_MEASURES = (*_OFFICIAL, *_RANKED, *_SETS, "num_nonrel_judged_ret", "yaap", *_NEW_IN_10)
"""Every measure of trec_eval that needs only judgments, in the order in which it is printed, whatever the user asked."""
_IN_NO_GROUP = ("dcg", "ideal_dcg", "yaap")
_ALL_IN_9 = tuple(name for name in TREC_MEASURES if name not in (*_IN_NO_GROUP, *_NEW_IN_10))
_SHARED_GROUPS = {"official": _OFFICIAL, "set": ("runid", *_COUNTS, "utility", *_SETS)}
TREC_GROUPS = {
    "trec_eval-9": {**_SHARED_GROUPS, "all_trec": _ALL_IN_9},
    "pytrec_eval": {**_SHARED_GROUPS, "all_trec": _ALL_IN_9},
    "trec_eval-10": {**_SHARED_GROUPS, "all_trec": (*_ALL_IN_9, *_NEW_IN_10)},
}
"""Profile → nickname → its measures."""
TREC_FAMILIES = {
    **dict.fromkeys(("P", "recall", "ndcg_cut", "map_cut", "relative_P"), CUTS),
    "success": "1,5,10",
    "iprec_at_recall": POINTS,
    "Rprec_mult": "0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2",
    "unj": "5,10,20",
}
"""Measures of trec_eval with one value per parameter → the parameters it uses by default."""


def with_default_cuts(measure: str) -> str:
    """The measure with all its default cutoffs: `P` → `P.5,10,…`; other names do not change."""
    return f"{measure}.{TREC_FAMILIES[measure]}" if measure in TREC_FAMILIES else measure
