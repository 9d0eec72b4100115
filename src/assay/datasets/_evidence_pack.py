"""evidence_pack: relevance by evidence ids, for systems that return documents, chunks of them, or bare ids."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence

from assay.model.records import Hit, Pack, Query


def evidence_pack(name: str, documents: Container[str], fields: Sequence[str], respell: Callable[[str], str] = str) -> Pack:
    """A hit covers the evidence that its id, and the ids in these metadata fields, belong to.

    An id belongs to the longest document id that it equals, or extends at a word's end: `d1#0` is in `d1`, `d10` is not.
    It may leave out the scope (`D1:3` for `conv-26/D1:3`). `respell` turns another tool's spelling into the dataset's.
    """

    def is_relevant(query: Query, hit: Hit) -> tuple[str, ...]:
        evidence = set(query.evidence or ())
        owners = (_owner(one, query, documents) or _owner(respell(one), query, documents) for one in _ids_of(hit, fields))
        return tuple(dict.fromkeys(owner for owner in owners if owner in evidence)) if evidence else ()

    return Pack(name, is_relevant, n_evidence)


def n_evidence(query: Query) -> int | None:
    """How many distinct items there are to find."""
    return None if query.evidence is None else len(set(query.evidence))


def _ids_of(hit: Hit, fields: Sequence[str]) -> Iterator[str]:
    """The hit's own id, then those its metadata name."""
    yield hit.doc_id
    if hit.metadata:
        for field in fields:
            value = hit.metadata.get(field)
            for one in value if isinstance(value, list | tuple) else (value,):
                if isinstance(one, str):
                    yield one


def _owner(given: str, query: Query, documents: Container[str]) -> str | None:
    """The document that an id belongs to."""
    evidence = query.evidence or ()
    for full in (given,) if query.scope is None else (given, f"{query.scope}/{given}"):
        for start in _starts(full):
            if start in documents or start in evidence:
                return start
    return None


def _starts(full: str) -> Iterator[str]:
    """The id itself, then ever shorter beginnings of it that end where a word does."""
    yield full
    for end in range(len(full) - 1, 0, -1):
        if not full[end].isalnum():
            yield full[:end]
