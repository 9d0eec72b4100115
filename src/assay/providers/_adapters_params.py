"""Parameters that all adapters share."""

from __future__ import annotations

from assay.grammar import Param, one_of, positive
from assay.providers._paths import path

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
