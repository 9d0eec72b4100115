"""Seed system "Personal RAG Chatbot": relevant ids first, as there, `from assay.compat.ragchat import ndcg_at_k`.

Ids are one text, several separated by `;`, or a list. The conventions are those of the original: precision ÷ what was
retrieved within k, average precision ÷ all relevant. A relevant document that is not in `relevance_grades` has grade 0 for
NDCG and is relevant for all other metrics. Where the original would give another result without an error,
a `DifferenceWarning` says so. `DIFFERENCES` lists all of them, and so does docs/migration/ragchat.md.
"""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
