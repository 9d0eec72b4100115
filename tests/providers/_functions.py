"""Functions of the user's own, put into a module and asked."""

from __future__ import annotations

from assay.model.records import Query

from ._written import parse_provider

Q = Query("q1", "What", scope="s", metadata={"language": "de"})


def ask(module, function, queries=(Q,), k=5):
    module.search = function
    retriever = parse_provider("python:assay_test_module:search").make()
    return retriever.search(list(queries), k)
