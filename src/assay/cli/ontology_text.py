"""The output of `assay ontology`: a term, search results, the similarity of two terms, and faults of a benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from assay.ontology import BoundSimilarity, Match, Ontology, TermFault
from assay.reports import Cell, Column, Mark, Paragraph, Section, Table, cells, table_section, text_columns
from assay.text import counted

MAX_CHILDREN = 20
"""The number of children that are shown; JSON has all."""


def term_to_dict(ontology: Ontology, number: int, note: str) -> dict[str, Any]:
    """A term with all details, as plain JSON values."""
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


def term_section(ontology: Ontology, number: int, note: str) -> Section:
    """A term as lines with labels."""
    about = term_to_dict(ontology, number, note)
    children = about["children"]
    child_lines = [*map(_id_and_label, children[:MAX_CHILDREN])]
    if len(children) > MAX_CHILDREN:
        child_lines.append(f"… {len(children) - MAX_CHILDREN} more (-f json shows all)")
    below = counted(about["num_descendants"], "descendant")
    lines = [
        ("note", [note] if note else []),
        ("definition", [about["definition"]] if about["definition"] else []),
        ("synonyms", [f"{synonym['text']} ({synonym['scope']})" for synonym in about["synonyms"]]),
        ("parents", list(map(_id_and_label, about["parents"]))),
        ("children", child_lines),
        ("depth", [f"{about['depth']} of {about['max_depth']} (longest path to a root); {below}"]),
        ("alternative ids", [" ".join(about["alternative_ids"])] if about["alternative_ids"] else []),
        ("ontology", [f"{ontology.name} {ontology.version}".rstrip()]),
    ]
    return table_section(_lines_table(lines, f"{about['id']}  {about['label']}"))


def _id_and_label(term: dict[str, str]) -> str:
    return f"{term['id']}  {term['label']}"


def _lines_table(lines: Iterable[tuple[str, Sequence[str]]], title: str = "") -> Table:
    """Texts below each other, with the label next to the first one."""
    rows = [
        (Cell(name if place == 0 else "", mark=Mark.MUTED), Cell(text))
        for name, texts in lines
        for place, text in enumerate(texts)
    ]
    return Table(text_columns("", "", prose=True), tuple(rows), title=title)


def matches_section(ontology: Ontology, matches: Sequence[Match]) -> Section:
    """Terms that were found, with the synonym that matched."""
    rows = [
        cells(
            ontology.ids[match.number],
            ontology.labels[match.number] + ("" if match.is_label else f"   (synonym: {match.name})"),
        )
        for match in matches
    ]
    return table_section(Table(text_columns("term", "label", prose=True), tuple(rows)))


def similarity_to_dict(ontology: Ontology, a: int, b: int, formulas: Sequence[BoundSimilarity]) -> dict[str, Any]:
    """How similar two terms are, and what they share, as plain JSON values."""
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


def similarity_section(content: dict[str, Any], notes: Sequence[str], formulas: Sequence[BoundSimilarity]) -> Section:
    """The terms, what they share, and a row for each formula."""
    lowest = content["lowest_common_ancestor"]
    path = "" if lowest is None else f"{counted(content['path'], 'step')} apart; "
    shared = "none" if lowest is None else f"{_id_and_label(lowest)}, depth {lowest['depth']}"
    lines = [
        ("first", [f"{_id_and_label(content['a'])}, depth {content['a']['depth']}"]),
        ("second", [f"{_id_and_label(content['b'])}, depth {content['b']['depth']}"]),
        ("common ancestor", [f"{shared}; {path}the ontology has depth {content['max_depth']}"]),
        ("note", list(notes)),
    ]
    rows = [
        cells(formula.name, f"{content['similarity'][formula.name]:.4f}", formula.similarity.formula) for formula in formulas
    ]
    heads = (Column("formula", kind="text"), Column("similarity"), Column("definition", kind="prose"))
    return Section(parts=(_lines_table(lines), Table(heads, tuple(rows))))


def faults_section(head: str, faults: Sequence[TermFault], n_undescribed: int) -> Section:
    """The verdict first, then errors, then warnings. Cases without a description are counted: they cannot be checked."""
    counts = [
        counted(number, kind) for kind in ("error", "warning") if (number := sum(fault.severity == kind for fault in faults))
    ]
    sound = "all terms exist and are current"
    sound += "" if n_undescribed else ", and the descriptions contain their labels"
    more = f"; {counted(n_undescribed, 'case')} without a description" if n_undescribed else ""
    ordered = sorted(faults, key=lambda fault: fault.severity != "error")
    rows = tuple(cells(fault.case, fault.severity, _describe_fault(fault)) for fault in ordered)
    verdict = Paragraph(f"{head}: {', '.join(counts) or sound}{more}", Mark.BEST)
    return Section(parts=(verdict, Table(text_columns("case", "", "problem", prose=True), rows)))


def _describe_fault(fault: TermFault) -> str:
    return f"{fault.what}; {fault.suggestion}" if fault.suggestion else fault.what
