"""Notes: what a reader should know about ids that are obsolete, or no terms at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from assay.ontology._ontology import Ontology
from assay.text import counted

MOST = 5
"""Ids that are named."""


def notes_on_ids(ontology: Ontology, ids: Iterable[str], kind: str) -> list[str]:
    """At most two sentences about ids of one kind, such as `expected`: those that were replaced, and those nobody knows."""
    found = {one: ontology.find(one) for one in dict.fromkeys(ids) if one not in ontology.number}
    counts = Counter(one.kind for one in found.values())
    notes = []
    if n_replaced := counts["replaced"]:
        names = [f"{one} → {ontology.ids[to.number]}" for one, to in found.items() if to.kind == "replaced"]
        notes.append(
            f"{counted(n_replaced, f'{kind} id')} obsolete in {ontology.name}, read as the replacement{_some(names)}."
        )
    if n_lost := counts["unknown"] + counts["obsolete"]:
        names = [one for one, to in found.items() if to.kind in ("unknown", "obsolete")]
        notes.append(
            f"{counted(n_lost, f'{kind} id')} without a current term in {ontology.name}, like no other{_some(names)}."
        )
    return notes


def _some(names: list[str]) -> str:
    return f"{', such as' if len(names) > MOST else ':'} {', '.join(names[:MOST])}"
