"""A service on loopback that is asked, and the error that it leads to."""

from __future__ import annotations

import pytest

from assay.errors import ProviderError
from assay.model.records import Query
from assay.providers.catalog.http import HttpRetriever

from ._service import serving

Q = Query("q1", "what is it")


def two(*_):
    return {"results": [{"id": "a", "score": 2}, {"id": "b", "score": 1}]}


def ask(script, query=Q, k=10, path="", **settings):
    """The hits and what the service saw."""
    with serving(script) as service:
        retriever = HttpRetriever(service.url + path, **settings)
        try:
            return retriever.search([query], k)[0], service
        finally:
            service.released.set()
            retriever.close()


def failing(script, **settings):
    """The error that a script leads to."""
    with pytest.raises(ProviderError) as caught:
        ask(script, **settings)
    return caught.value
