"""What the records of all adapters share: parameters, and that they are asked one by one for documents of their own."""

from __future__ import annotations

from typing import Any

from assay.grammar import REQUIRED, Param, one_of, positive
from assay.providers._loading import parse_function
from assay.providers._paths import path

ASKED_ALONE: dict[str, Any] = {"batch": 1, "indexes": False}
"""Fields of a record: queries are asked one by one, and documents are not handed over."""

READING = (
    Param(
        "unit",
        one_of("chunk", "document"),
        "chunk",
        "what is judged: each item by itself, or its document by the best chunk",
    ),
    Param(
        "chunk_id", path, "", "field with the id of a chunk; by default chunk_id, else the id the store itself has for it"
    ),
    Param("document_id", path, "", "field with the id of the document; by default doc_id, document_id, … or source"),
    Param("text", path, "", "field with the text; found by its usual names where empty"),
)
"""Where ids and text stand in an item."""
TIMEOUT = Param("timeout", positive, None, "seconds until a coroutine is cancelled; by default what the evaluation allows")
SCOPE = Param("scope", path, "", "field with a document's group; then a query that has a scope searches there alone")


def named_in_code(name: str) -> Param:
    """The parameter that names what is asked, in Python code."""
    return Param(name, parse_function, REQUIRED, "module:name of it, or of a function without parameters that makes it")
