"""Packs of memorybench: objects with `isRelevant` and `sealedSemantics`, as packs of assay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay.errors import UsageError
from assay.model import Hit, Pack, Query
from assay.text import type_with_article


def as_pack(pack: Any) -> Pack | None:
    """A pack as memorybench uses it: if its relevance is sealed, it decides about every result without relevant ids.

    The number of relevant items is that of the evidence. Without evidence, it is counted among the contexts. `pack` is an
    `assay.Pack`, or an object or a mapping with `isRelevant({"item", "result"})` or `is_relevant(query, hit)`, and with
    `sealedSemantics`.
    """
    if pack is None:
        return None
    if isinstance(pack, Pack):
        return replace(pack, n_evidence=lambda query: _known_count(pack, query), needs_evidence=False)
    printed, own = _field(pack, "isRelevant"), _field(pack, "is_relevant")
    if not callable(printed) and not callable(own):
        raise UsageError(f"a pack needs isRelevant, or must be an assay.Pack; found {type_with_article(pack)}")

    def is_relevant(query: Query, hit: Hit) -> Any:
        return printed({"item": _item(query), "result": _context(hit)}) if callable(printed) else own(query, hit)

    semantics = _field(pack, "sealedSemantics") or _field(pack, "sealed_semantics") or {}
    name = str(_field(pack, "packId") or _field(pack, "name") or "pack")
    is_sealed = bool(_field(semantics, "relevance"))
    return Pack(name, is_relevant, sealed_relevance=is_sealed, needs_evidence=False)


def _known_count(pack: Pack, query: Query) -> int | None:
    """The number of items to find. A query without evidence whose count is 0 has an unknown number of them."""
    count = pack.count(query)
    return None if query.evidence is None and not count else count


def _field(owner: Any, name: str) -> Any:
    return owner.get(name) if isinstance(owner, Mapping) else getattr(owner, name, None)


def _item(query: Query) -> dict[str, Any]:
    """The benchmark item of a result."""
    known = {"id": query.query_id, "question": query.text, "answer": query.expected or "", "contexts": []}
    return {**known, "metadata": dict(query.metadata or {})}


def _context(hit: Hit) -> dict[str, Any]:
    """The retrieved context of a hit."""
    return {"id": hit.doc_id, "content": hit.text or "", "score": hit.score, "metadata": dict(hit.metadata or {})}
