"""A query, and how a provider is asked it."""

from assay import Query
from assay.grammar import mark_written
from assay.providers import parse_provider

QUERY = Query("q1", "lazy dog")


def search(text, query=QUERY, k=3):
    """The hits of a provider that is made for this, and closed again."""
    retriever = parse_provider(mark_written(text)).make()
    try:
        return retriever.search([query], k)[0]
    finally:
        retriever.close()


def ids(hits):
    return [hit.doc_id for hit in hits]
