"""Evidence packs: relevance by evidence ids, for systems that return documents, chunks of them, or bare ids."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from typing import Any

from assay.model import Hit, Pack, Query

FIELDS = (
    *("evidence", "dia_id", "dia_ids", "turn_id", "turn_ids", "session_id", "session_ids", "answerCorpusIds"),
    "answer_corpus_ids",
)
"""Metadata fields of a hit that may name the items it was made from."""
TURN = re.compile(r"_([0-9]+)(?!\w)")
"""A turn as LongMemEval writes it: session_3 for session/3."""


def evidence_pack(name: str, documents: Container[str], metadata: Mapping[str, Mapping[str, Any]] | None = None) -> Pack:
    """A hit covers the evidence that its id, or an id in its metadata, belongs to. `metadata` is for hits without their own.

    An id belongs to the longest document id that it equals or extends at the end of a word: `d1#0` is in `d1`, `d10` is not.
    It may omit the scope (`D1:3` for `conv-26/D1:3`), and write a turn as `session_3`.
    """

    def is_relevant(query: Query, hit: Hit) -> tuple[str, ...]:
        evidence = set(query.evidence or ())
        spellings = ((doc_id, TURN.sub(r"/\1", doc_id)) for doc_id in _ids_of(hit, (metadata or {}).get(hit.doc_id)))
        owners = (_owner(doc_id, query, documents) or _owner(other, query, documents) for doc_id, other in spellings)
        return tuple(dict.fromkeys(owner for owner in owners if owner in evidence)) if evidence else ()

    return Pack(name, is_relevant, n_evidence)


def n_evidence(query: Query) -> int | None:
    """The number of different items to find; None if the query has no evidence."""
    return None if query.evidence is None else len(set(query.evidence))


def evidence_documents(query: Query, documents: Container[str]) -> list[str]:
    """The documents that the evidence of a query names, each once. Evidence that is not in the corpus is left out."""
    return [doc_id for doc_id in dict.fromkeys(query.evidence or ()) if doc_id in documents]


def _ids_of(hit: Hit, metadata: Mapping[str, Any] | None) -> Iterator[str]:
    """The hit's own id, then the ids in its metadata."""
    yield hit.doc_id
    if known := hit.metadata or metadata:
        for field in FIELDS:
            value = known.get(field)
            for doc_id in value if isinstance(value, list | tuple) else (value,):
                if isinstance(doc_id, str):
                    yield doc_id


def _owner(doc_id: str, query: Query, documents: Container[str]) -> str | None:
    """The document that an id belongs to."""
    evidence = query.evidence or ()
    for full in (doc_id,) if query.scope is None else (doc_id, f"{query.scope}/{doc_id}"):
        for start in _starts(full):
            if start in documents or start in evidence:
                return start
    return None


def _starts(full: str) -> Iterator[str]:
    """The id itself, then shorter and shorter prefixes that end at the end of a word."""
    yield full
    for end in range(len(full) - 1, 0, -1):
        if not full[end].isalnum():
            yield full[:end]
