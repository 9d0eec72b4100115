"""Measures: what pytrec_eval calls them, and which metric each name stands for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from assay.errors import BadParameter, UnknownName, near_matches
from assay.metrics import TREC_FAMILIES, BoundMetric, find_metrics

_COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret")
_OFFICIAL = ("runid", *_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P")
_SETS = ("set_P", "set_relative_P", "set_recall", "set_map", "set_F")
_IN_ORDER = (
    *(*_OFFICIAL, "relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G"),
    *("ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", *_SETS, "num_nonrel_judged_ret"),
)
"""trec_eval's order, which is the order of the keys of a result."""
_PREFS = ("num_prefs_poss", "num_prefs_ful", "num_prefs_ful_ret", "simp", "pair", "avgjg")
_MORE_PREFS = (
    *("avgjg_Rnonrel", "simp_ret", "pair_ret", "avgjg_ret", "avgjg_Rnonrel_ret"),
    *("simp_imp", "pair_imp", "avgjg_imp"),
)

supported_measures: set[str] = set(_IN_ORDER)
"""Every measure, without parameters."""
supported_nicknames: dict[str, set[str]] = {
    "official": set(_OFFICIAL),
    "set": {"runid", *_COUNTS, "utility", *_SETS},
    "all_trec": set(_IN_ORDER),
    "all_prefs": {"runid", "num_q", *(f"prefs_{name}" for name in (*_PREFS, *_MORE_PREFS))},
    "prefs": {"runid", "num_q", *(f"prefs_{name}" for name in _PREFS)},
    "qrels_jg": {"runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"},
}
"""Groups of measures. As in the original, the last three are known by name but hold measures it cannot compute."""

_TAKES_PARAMETERS = {*TREC_FAMILIES, "relstring", "11pt_avg", "set_F"}
_WITH_PARAMETERS = re.compile(
    rf"({'|'.join(sorted(map(re.escape, _IN_ORDER)))})[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)", re.ASCII
)


def metrics_by_key(measures: Iterable[str]) -> dict[str, BoundMetric]:
    """Key in the result → metric, in trec_eval's order. `P` beside `P_5` means `P_5` alone."""
    wanted: dict[str, set[str]] = defaultdict(set)
    for measure in measures:
        for text in sorted(supported_nicknames.get(measure, {measure})) if isinstance(measure, str) else [measure]:
            name, parameters = _split(text)
            wanted[name].update(parameters)
    found: dict[str, BoundMetric] = {}
    for name in filter(wanted.__contains__, _IN_ORDER):
        cuts = ",".join(sorted(wanted[name], key=float)) or TREC_FAMILIES.get(name)
        for metric in find_metrics(f"{name}.{cuts}" if cuts else name):
            found[metric.trec_name if name in TREC_FAMILIES else name] = metric
    return found


def _split(text: Any) -> tuple[str, list[str]]:
    """`ndcg_cut.5,10` → ndcg_cut, [5, 10]."""
    if not isinstance(text, str):
        raise BadParameter(f"a measure is given by its name, not by {text!r}")
    if text in supported_measures:
        return text, []
    shape = _WITH_PARAMETERS.fullmatch(text)
    if not shape:
        raise UnknownName("measure", text, near_matches(text, _IN_ORDER, most=2), "supported_measures holds all")
    name, parameters = shape[1], shape[2]
    if name not in _TAKES_PARAMETERS:
        instead = f"; {name}_cut_{parameters} is cut" if f"{name}_cut" in TREC_FAMILIES else ""
        raise BadParameter(f"{text}: {name} takes no parameter here{instead}")
    return name, parameters.split(",")
