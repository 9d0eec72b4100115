"""Faults: rows of a table that cannot be scored, and what errors say about them.

Which fault is the first one does not depend on the order of rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from assay.errors import DataError
from assay.model import EMPTY_ID, KEEP_BEST

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.spark.run_table import RunTable

SEVERAL_RUNS = "if the rows belong to several runs, name their column with run_col, or --run-col"


class RowFault(NamedTuple):
    """What is wrong with a row, and where it is."""

    run: str
    query: str
    document: str
    what: str

    @classmethod
    def of_row(cls, run: str, query: str | None, document: str | None, score: float | None) -> RowFault:
        """The fault of a row without an id, or without a number as its score."""
        return cls(run, query or "", document or "", _describe(query, document, score))

    @classmethod
    def of_duplicate(cls, run: str, query: str, document: str) -> RowFault:
        """The fault of a document that appears twice for a query."""
        what = f"document {document} appears twice; to use the better score, {KEEP_BEST}"
        return cls(run, query, document, what if run else f"{what}; {SEVERAL_RUNS}")


def _describe(query: str | None, document: str | None, score: float | None) -> str:
    if query and document:
        return f"the score of document {document} must be a number, not {'null' if score is None else score}"
    if "" in (query, document):
        return EMPTY_ID
    missing, other = ("document", "") if query else ("query", f" (its document is {document})" if document else "")
    return f"the id of a {missing} is null{other}; fill it in"


def raise_first(faults: Iterable[RowFault], table: RunTable) -> None:
    """Raise for the first fault by run, query and document, if there is one."""
    first = min(faults, default=None)
    if first is not None:
        place = table.label(first.run)
        raise DataError(first.what, source=f"{place}, query {first.query}" if first.query else place)
