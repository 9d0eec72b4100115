"""What `assay ontology` prints: a term, search results, the similarity of two terms, and faults of a benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from assay.ontology import BoundSimilarity, Match, Ontology, TermFault
from assay.reports import BOLD, DIM, MARGIN, Cell, Style, Table, with_prose
from assay.text import counted, printable, wrapped

MAX_CHILDREN = 20
"""Children that are named; JSON has all."""
NAME_WIDTH = 14
"""Columns for what a line is about."""


def term_to_dict(ontology: Ontology, number: int, note: str) -> dict[str, Any]:
    """All about a term as plain JSON values."""
    term = ontology.term(number)
    return {
        "id": term.id,
        "label": term.label,
        "note": note or None,
        "definition": term.definition or None,
        "synonyms": [{"text": synonym.text, "scope": synonym.scope.lower()} for synonym in term.synonyms],
        "parents": _labelled(ontology, term.parents),
        "children": _labelled(ontology, term.children),
        "depth": term.depth,
        "max_depth": ontology.max_depth,
        "num_ancestors": int(ontology.ancestors.n_above[number]) - 1,
        "num_descendants": int(ontology.ancestors.n_below[number]) - 1,
        "alternative_ids": list(term.alternatives),
        "ontology": {"name": ontology.name, "version": ontology.version},
    }


def _labelled(ontology: Ontology, ids: Iterable[str]) -> list[dict[str, str]]:
    return [{"id": term_id, "label": ontology.labels[ontology.number[term_id]]} for term_id in ids]


def render_term(ontology: Ontology, number: int, note: str, style: Style) -> str:
    """A term in lines, each with what it is about."""
    about = term_to_dict(ontology, number, note)
    children = about["children"]
    child_lines = [*map(_id_and_label, children[:MAX_CHILDREN])]
    if len(children) > MAX_CHILDREN:
        child_lines.append(f"… {len(children) - MAX_CHILDREN} more: -f json")
    below = counted(about["num_descendants"], "term")
    lines = [
        ("note", [note] if note else []),
        ("definition", [about["definition"]] if about["definition"] else []),
        ("synonyms", [f"{synonym['text']} ({synonym['scope']})" for synonym in about["synonyms"]]),
        ("parents", list(map(_id_and_label, about["parents"]))),
        ("children", child_lines),
        ("depth", [f"{about['depth']} of {about['max_depth']}, the longest way to a root; {below} below"]),
        ("alternatives", [" ".join(about["alternative_ids"])] if about["alternative_ids"] else []),
        ("ontology", [f"{ontology.name} {ontology.version}".rstrip()]),
    ]
    head = style.styled(printable(f"{about['id']}  {about['label']}"), BOLD)
    return "\n".join([head, *(_block(name, texts, style) for name, texts in lines if texts)]) + "\n"


def _id_and_label(term: dict[str, str]) -> str:
    return f"{term['id']}  {term['label']}"


def _block(name: str, texts: Sequence[str], style: Style) -> str:
    """Texts below each other, the name beside the first."""
    room = max(20, style.width - len(MARGIN) - NAME_WIDTH) if style.width else None
    lines = [line for text in texts for line in (wrapped(printable(text), room) if room else printable(text)).split("\n")]
    names = [name, *[""] * (len(lines) - 1)]
    return "\n".join(
        f"{MARGIN}{style.styled(name.ljust(NAME_WIDTH), DIM)}{line}" for name, line in zip(names, lines, strict=True)
    )


def render_matches(ontology: Ontology, matches: Sequence[Match], style: Style) -> str:
    """Terms that were found, and the synonym they were found by."""
    rows = [
        [
            Cell(ontology.ids[match.number]),
            Cell(printable(ontology.labels[match.number] + ("" if match.is_label else f"   (synonym: {match.name})"))),
        ]
        for match in matches
    ]
    return with_prose(Table(["term", "label"], rows, frozenset({0, 1})), style) + "\n"


def similarity_to_dict(ontology: Ontology, a: int, b: int, formulas: Sequence[BoundSimilarity]) -> dict[str, Any]:
    """How alike two terms are, and what they share, as plain JSON values."""
    pair = np.array([a]), np.array([b])
    common = next(ontology.ancestors.common(*pair))
    lowest = int(common.lowest[0])
    terms = [
        {"id": ontology.ids[number], "label": ontology.labels[number], "depth": int(ontology.depth[number])}
        for number in (a, b, lowest)
    ]
    return {
        "a": terms[0],
        "b": terms[1],
        "lowest_common_ancestor": None if lowest < 0 else terms[2],
        "path": None if lowest < 0 else int(common.shortest[0]),
        "max_depth": ontology.max_depth,
        "similarity": {formula.name: float(formula.of_pairs(ontology, *pair)[0]) for formula in formulas},
    }


def render_similarity(
    content: dict[str, Any], notes: Sequence[str], formulas: Sequence[BoundSimilarity], style: Style
) -> str:
    """The terms, what they share, and a row for each formula."""
    lowest = content["lowest_common_ancestor"]
    path = "" if lowest is None else f"{counted(content['path'], 'step')} apart; "
    shared = "nothing above both" if lowest is None else f"{_id_and_label(lowest)}, depth {lowest['depth']}"
    lines = [
        ("first", [f"{_id_and_label(content['a'])}, depth {content['a']['depth']}"]),
        ("second", [f"{_id_and_label(content['b'])}, depth {content['b']['depth']}"]),
        ("in common", [f"{shared}; {path}the ontology is {content['max_depth']} deep"]),
        ("note", list(notes)),
    ]
    rows = [
        [Cell(formula.name), Cell(f"{content['similarity'][formula.name]:.4f}"), Cell(formula.similarity.formula)]
        for formula in formulas
    ]
    table = with_prose(Table(["formula", "similarity", "how"], rows, frozenset({0, 2})), style)
    return "\n".join([*(_block(name, texts, style) for name, texts in lines if texts), "", table]) + "\n"


def render_faults(head: str, faults: Sequence[TermFault], n_undescribed: int, style: Style) -> str:
    """Answer first; then errors, then warnings. Cases without a description are counted: nobody could check them."""
    counts = [
        counted(number, kind) for kind in ("error", "warning") if (number := sum(fault.severity == kind for fault in faults))
    ]
    sound = "all exist and are current" if n_undescribed else "all exist, are current and are described"
    more = f"; {counted(n_undescribed, 'case')} without a description" if n_undescribed else ""
    verdict = style.styled(style.wrapped(f"{head}: {', '.join(counts) or sound}{more}"), BOLD)
    ordered = sorted(faults, key=lambda fault: fault.severity != "error")
    rows = [
        [Cell(printable(fault.case)), Cell(fault.severity), Cell(printable(_describe_fault(fault)))] for fault in ordered
    ]
    if not rows:
        return verdict + "\n"
    return f"{verdict}\n\n{with_prose(Table(['case', '', 'what'], rows, frozenset({0, 1, 2})), style)}\n"


def _describe_fault(fault: TermFault) -> str:
    return f"{fault.what}; {fault.suggestion}" if fault.suggestion else fault.what
