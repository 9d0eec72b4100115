"""Names as other tools read them: what `P`, `rbp@95` or `hits@3` mean there and not here."""

from __future__ import annotations

import re

from assay.metrics._groups import CUTS, POINTS

TREC_FAMILIES = {
    **dict.fromkeys(("P", "recall", "ndcg_cut", "map_cut", "relative_P"), CUTS),
    "success": "1,5,10",
    "iprec_at_recall": POINTS,
    "Rprec_mult": "0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2",
}
"""trec_eval's measures with one value per parameter → the parameters it takes where none are given."""
_TREC = {name: f"{name}.{cuts}" for name, cuts in TREC_FAMILIES.items()}
_RANX = (
    (re.compile(r"rbp[.@](\d+)((?:-l\d+)?)", re.ASCII), r"rbp(p=0.\1)\2"),
    (re.compile(r"precision((?:-l\d+)?)", re.ASCII), r"set_precision\1"),
    (re.compile(r"f1((?:-l\d+)?)", re.ASCII), r"set_f\1"),
    (re.compile(r"hits((?:@\d+)?(?:-l\d+)?)", re.ASCII), r"mean_rel_ret\1"),
)
"""ranx's spelling → ours. A persistence stands behind `@`; without a cutoff everything retrieved counts."""


def as_read_by(profile: str, text: str) -> str:
    """What a profile's tool means by a metric, in our words; the text itself where that is the same, or no tool is named."""
    if profile.startswith("trec_eval-") or profile == "pytrec_eval":
        return _TREC.get(text, text)
    if profile == "ranx":
        return next((shape.sub(ours, text) for shape, ours in _RANX if shape.fullmatch(text)), text)
    return text
