"""Notes: what a reader should know about ids that are obsolete, or no terms at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from assay.ontology._ontology import Ontology
from assay.text import counted, some_of


def notes_on_ids(ontology: Ontology, ids: Iterable[str], kind: str) -> list[str]:
    """At most two sentences about ids of one kind, such as `expected`: those that were replaced, and those nobody knows."""
    found = {one: ontology.find(one) for one in dict.fromkeys(ids) if one not in ontology.number}
    counts = Counter(one.kind for one in found.values())
    notes = []
    if n_replaced := counts["replaced"]:
        names = [f"{one} → {ontology.ids[to.number]}" for one, to in found.items() if to.kind == "replaced"]
        ids_are = f"{counted(n_replaced, f'{kind} id')} {'is' if n_replaced == 1 else 'are'}"
        notes.append(f"{ids_are} obsolete in {ontology.name}, and stands for what replaced it: {some_of(names)}.")
    if n_lost := counts["unknown"] + counts["obsolete"]:
        names = [one for one, to in found.items() if to.kind in ("unknown", "obsolete")]
        ids_are = f"{counted(n_lost, f'{kind} id')} {'is' if n_lost == 1 else 'are'}"
        notes.append(f"{ids_are} no current term of {ontology.name}, and like nothing but itself: {some_of(names)}.")
    return notes
