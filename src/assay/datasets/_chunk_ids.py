"""Ids of chunks: what tools hang on a document's id to name a part of it."""

from __future__ import annotations

import re

PART = re.compile(r"(?:[#@|]|::|/chunk[-_]?|[-_]chunk[-_]?)\d+$|#[^#]*$")
"""doc7#3, doc7::3, doc7_chunk_3, doc7/chunk3 …"""


def document_of(chunk_id: str) -> str:
    """The id of the document that a chunk's id seems to name; the id itself where it names no part."""
    return PART.sub("", chunk_id)
