"""Starter columns: the key of a plan that says what the columns of unknown tables mean, as a comment to fill in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.text import printable

if TYPE_CHECKING:
    from assay.datasets import UnknownTable

TO_FILL_IN = """\
# assay does not know the columns below. The column after each role is a guess: correct it, and remove the # and the ?.
# assay datasets formats lists all roles."""
MEANINGS = {
    "query_id": "the id of a query",
    "query": "the text of a query",
    "relevant": "the ids of its relevant documents",
    "doc_id": "the id of a document",
    "text": "the text of a document",
}
"""Role → what its column has."""
MAX_COLUMNS = 20
"""How many columns of a table are listed."""


def columns_to_fill_in(queries: UnknownTable | None, documents: UnknownTable | None) -> str:
    """The key `columns`, with a guess for each role; the columns of the tables come first."""
    tables = [table for table in (queries, documents) if table]
    guesses = _guesses(queries, documents)
    width = max(len(role) + len(printable(name)) for role, name in guesses.items())
    lines = [f"#   {f'{role}: {printable(name)}?'.ljust(width + 3)}   # {MEANINGS[role]}" for role, name in guesses.items()]
    return "\n".join(
        [TO_FILL_IN, *(f"#   {printable(table.path.name)}: {_listed(table)}" for table in tables), "# columns:", *lines]
    )


def _guesses(queries: UnknownTable | None, documents: UnknownTable | None) -> dict[str, str]:
    """Role → the column that probably has it."""
    from assay.datasets import linked_columns

    if queries and documents:
        relevant, doc_id = linked_columns(queries, documents)
    else:
        relevant, doc_id = (table.other_columns[0] if table else "" for table in (queries, documents))
    guesses: dict[str, str] = {}
    if queries:
        query_id = queries.key_column(without=(relevant,))
        guesses |= {"query_id": query_id} if query_id else {}
        guesses |= {"query": queries.text_column, "relevant": relevant}
    if documents:
        guesses |= {"doc_id": doc_id, "text": documents.text_column}
    return guesses


def describe_unknown(table: UnknownTable) -> str:
    """`a table with columns that assay does not know: Frage, Dokument-ID`."""
    return f"a table with columns that assay does not know: {_listed(table)}"


def _listed(table: UnknownTable) -> str:
    more = " …" if len(table.columns) > MAX_COLUMNS else ""
    return ", ".join(map(printable, table.columns[:MAX_COLUMNS])) + more
