"""Providers as a user writes them, made and asked."""

from assay import Query
from assay.errors import ProviderError
from assay.grammar import mark_written
from assay.providers import EventLoop, RelevanceRule, parse_provider

Q = Query("q1", "what is it", scope="s")


def provider(text):
    """The provider that a text, or a map, of the user's own stands for: only what is marked may name code and files."""
    return parse_provider(mark_written(text))


def ready(text, documents=(), qrels=None, rule=RelevanceRule()):  # noqa: B008 (frozen)
    """A retriever that has its documents, and the judgments where it wants them."""
    retriever = provider(text).make()
    retriever.set_judgments(qrels or {}, rule)
    EventLoop().result(retriever.index(iter(documents)))
    return retriever


def search(text, query=Q, k=3):
    """The answer of a provider that is made for this, and closed again."""
    retriever = provider(text).make()
    try:
        return retriever.search([query], k)[0]
    finally:
        EventLoop().result(retriever.close())


def ids(hits):
    """Ids of documents; the class of an error."""
    return type(hits).__name__ if isinstance(hits, ProviderError) else [hit.doc_id for hit in hits]
