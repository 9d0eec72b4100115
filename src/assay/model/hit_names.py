"""Names that systems and files give to the parts of a hit."""

from __future__ import annotations

IDS = ("doc_id", "document_id", "chunk_id", "id", "_id", "docid", "docno")
TEXTS = ("content", "text", "page_content", "body", "chunk", "passage")
SCORES = ("score", "similarity", "relevance_score", "relevance")
