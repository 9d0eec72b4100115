"""Findings about cases: the faults of expected terms, as `assay datasets check` reports them."""

from __future__ import annotations

from collections.abc import Iterator

from assay.datasets import BenchmarkDataset, Cases, Finding
from assay.errors import UsageError
from assay.ontology.ontology import Ontology
from assay.ontology.reading import shared_ontology
from assay.ontology.search import Case, TermFault, check_cases
from assay.text import counted

CODES = {
    "unknown": ("term-unknown", "is not a term of", "are not terms of"),
    "obsolete": ("term-obsolete", "is obsolete in", "are obsolete in"),
    "replaced": ("term-obsolete", "is obsolete in", "are obsolete in"),
    "alternative": ("term-alternative", "is not the main id of its term in", "are not the main ids of their terms in"),
    "label": (
        "term-label",
        "does not fit the description by its label in",
        "do not fit the descriptions by their labels in",
    ),
}
"""Code of a fault → code of the finding, and its message for one expected id and for several. Equal texts have a finding
without the ontology."""
NOT_CHECKED = "terms-not-checked"


def cases_of(dataset: BenchmarkDataset) -> list[Case]:
    """The queries of a benchmark with their expected ids and descriptions."""
    return [
        Case(
            query.query_id,
            query.text,
            tuple(doc for doc, grade in dataset.qrels.get(query.query_id, {}).items() if grade > 0),
            str((query.metadata or {}).get("description") or ""),
        )
        for query in dataset.queries.values()
    ]


def term_findings(dataset: BenchmarkDataset, other_id: str = "") -> list[Finding]:
    """The findings about expected terms. `other_id` is an expected id, if the terms are those of another ontology than HPO.

    Without the ontology, the only finding says that the terms were not checked, and what to do.
    """
    own = dataset.terms if isinstance(dataset.terms, Ontology) else None
    if own is None and other_id:
        command = f"assay ontology check {dataset.path or 'FILE'} --ontology FILE"
        return _not_checked(f"they are not terms of HPO (such as {other_id!r}). To check them: {command}")
    try:
        ontology = own or shared_ontology(None)
    except UsageError as error:
        return _not_checked(str(error))
    return list(_grouped(check_cases(ontology, cases_of(dataset)), ontology))


def _not_checked(reason: str) -> list[Finding]:
    return [Finding(NOT_CHECKED, f"the expected terms were not checked: {reason}")]


def _grouped(faults: list[TermFault], ontology: Ontology) -> Iterator[Finding]:
    """One finding for each code, in the order of CODES."""
    for code in dict.fromkeys(code for code, _, _ in CODES.values()):
        cases = Cases(code)
        messages = {}
        for fault in faults:
            if fault.code in CODES and CODES[fault.code][0] == code:
                cases.about_judgment(fault.case, fault.id, "; ".join(filter(None, (fault.what, fault.suggestion))))
                messages[code] = CODES[fault.code][1:]
        if code in messages:
            singular, plural = messages[code]
            verb = singular if len(cases) == 1 else plural
            yield from cases.finding(f"{counted(len(cases), 'expected id')} {verb} {ontology.name or ontology.source}")
