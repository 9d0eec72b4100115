"""A small ontology with worked values, random ones, and references that go from term to term as the definitions say."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from hypothesis import strategies as st

from assay.ontology import Ontology, Synonym, TermRecord, build_ontology

PARENTS = {
    "X:R": (),
    "X:A": ("X:R",),
    "X:B": ("X:R",),
    "X:C": ("X:A", "X:B"),
    "X:E": ("X:B",),
    "X:F": ("X:C",),
    "X:D": ("X:F", "X:A"),
    "X:S": (),
    "X:T": ("X:S",),
}
"""Two roots. D hangs below A directly and by way of C and F: 4 deep, the longest way, but 2 steps from R."""
LABELS = {"X:R": "Everything", "X:A": "Head pain", "X:B": "Fever", "X:C": "Feverish head pain", "X:E": "High fever"}
SYNONYMS = {"X:A": (Synonym("Headache"), Synonym("Ache", "BROAD")), "X:B": (Synonym("Pyrexia"),)}


def records() -> list[TermRecord]:
    """The terms, children before parents; X:OLD was replaced by X:OLDER and that by X:A, X:GONE by nothing."""
    current = [
        TermRecord(
            one,
            LABELS.get(one, one),
            above,
            SYNONYMS.get(one, ()),
            "Pain in the head." if one == "X:A" else "",
            ("X:ALT",) if one == "X:A" else (),
        )
        for one, above in reversed(PARENTS.items())
    ]
    return [
        *current,
        TermRecord("X:OLD", "obsolete Ache", is_obsolete=True, replaced_by=("X:OLDER",)),
        TermRecord("X:OLDER", "obsolete Pain", is_obsolete=True, replaced_by=("X:A",)),
        TermRecord("X:GONE", "obsolete Chill", is_obsolete=True, consider=("X:B",)),
    ]


def small() -> Ontology:
    """The small ontology."""
    return build_ontology(records(), "small", "1")


def obo(terms: Mapping[str, Iterable[str]], name: str = "small") -> str:
    """An OBO file of terms: id → its other lines."""
    stanzas = ["\n".join(["[Term]", f"id: {one}", *lines, ""]) for one, lines in terms.items()]
    return "\n".join([f"format-version: 1.2\nontology: {name}\n", *stanzas])


TINY = {"R": (), "A": ("R",), "B": ("R",), "C": ("A", "B"), "D": ("C",), "E": ("B",), "S": ()}
"""Depths: R and S 0, A and B 1, C and E 2, D 3."""


def tiny() -> Ontology:
    """The tiny ontology; C2 is another id of C, and OLD was replaced by it."""
    current = [TermRecord(one, parents=above, alternatives=("C2",) if one == "C" else ()) for one, above in TINY.items()]
    return build_ontology([*current, TermRecord("OLD", is_obsolete=True, replaced_by=("C",))], "tiny")


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, tuple[str, ...]]:
    """Term → parents, at random: each term may have any earlier ones as parents, and names say nothing about that."""
    n_terms = draw(st.integers(1, 12))
    names = draw(st.permutations([f"T{number}" for number in range(n_terms)]))
    above = [
        draw(st.lists(st.sampled_from(names[:number]), max_size=3, unique=True)) if number else []
        for number in range(n_terms)
    ]
    return dict(zip(names, map(tuple, above), strict=True))


def ontology_of(parents: dict[str, tuple[str, ...]]) -> Ontology:
    """An ontology of nothing but parents."""
    return build_ontology([TermRecord(one, parents=above) for one, above in parents.items()])


def steps_up(parents: dict[str, tuple[str, ...]], one: str) -> dict[str, int]:
    """Every ancestor of a term, itself included, with the steps of the shortest way up."""
    found, row = {one: 0}, [one]
    for term in row:
        for up in parents[term]:
            if up not in found:
                found[up] = found[term] + 1
                row.append(up)
    return found


def depth(parents: dict[str, tuple[str, ...]], one: str) -> int:
    """The longest way to a root."""
    return max((depth(parents, up) + 1 for up in parents[one]), default=0)


def references(parents: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Every pair of terms and its similarities, each as its definition says."""
    up = {one: steps_up(parents, one) for one in parents}
    deep = {one: depth(parents, one) for one in parents}
    n_below = {one: sum(one in above for above in up.values()) for one in parents}
    total = math.log(len(parents)) or 1.0
    content = {one: 1 - math.log(n_below[one]) / total if len(parents) > 1 else 0.0 for one in parents}
    deepest = max(deep.values()) or 1
    for a in parents:
        for b in parents:
            yield a, b, reference(a, b, up, deep, content, deepest)


def reference(a, b, up, deep, content, deepest) -> dict[str, float]:
    """All similarities of one pair."""
    shared = up[a].keys() & up[b].keys()
    resnik = max((content[one] for one in shared), default=0.0)
    names = ("simple", "hybrid", "wu_palmer", "lin", "jiang_conrath", "jaccard")
    if a == b:
        return dict.fromkeys(names, 1.0) | {"resnik": content[a]}
    if not shared:
        return dict.fromkeys((*names, "resnik"), 0.0)
    lowest = max(deep[one] for one in shared)
    path = min(up[a][one] + up[b][one] for one in shared)
    both = content[a] + content[b]
    return {
        "simple": lowest / deepest,
        "hybrid": 0.7 * lowest / deepest + 0.3 * (1 - path / (deep[a] + deep[b])),
        "wu_palmer": 2 * (lowest + 1) / (deep[a] + deep[b] + 2),
        "resnik": resnik,
        "lin": 2 * resnik / both if both else 0.0,
        "jiang_conrath": 1 - (both - 2 * resnik) / 2,
        "jaccard": len(shared) / len(up[a].keys() | up[b].keys()),
    }
