"""Findings about cases: the faults of expected terms, as `assay datasets check` reports them."""

from __future__ import annotations

from collections.abc import Iterator

from assay.datasets import BenchmarkDataset, Cases, Finding
from assay.errors import UsageError
from assay.ontology.ontology import Ontology
from assay.ontology.reading import shared_ontology
from assay.ontology.search import Case, TermFault, check_cases
from assay.text import counted

CODES = {"replaced": "term-obsolete"}
"""Code of a fault → code of its finding, if it is not `term-` with the code of the fault."""
MESSAGES = {
    "term-unknown": ("is not a term of", "are not terms of"),
    "term-obsolete": ("is obsolete in", "are obsolete in"),
    "term-alternative": ("is an alternative id in", "are alternative ids in"),
    "term-label": (
        "has a label that its description does not contain, in",
        "have labels that their descriptions do not contain, in",
    ),
}
"""Code of a finding → its message for one expected id, and for several. Equal texts have a finding without the ontology."""
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
    """One finding for each code, in the order of MESSAGES."""
    by_code = {code: Cases(code) for code in MESSAGES}
    for fault in faults:
        code = CODES.get(fault.code, f"term-{fault.code}")
        if code in by_code:
            by_code[code].about_judgment(fault.case, fault.id, "; ".join(filter(None, (fault.what, fault.suggestion))))
    for code, cases in by_code.items():
        verb = MESSAGES[code][len(cases) != 1]
        yield from cases.finding(f"{counted(len(cases), 'expected id')} {verb} {ontology.name or ontology.source}")
