"""Ontology cache: parsed ontologies as flat arrays on disk; a damaged cache costs time but never changes a result."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.arrays import Ints
from assay.atomic_write import atomic_write, cache_folder
from assay.errors import DataError
from assay.ontology.ontology import Obsolete, Ontology, Synonym

if TYPE_CHECKING:
    from collections.abc import Sequence

CACHE_HEADER = b"assay ontology 2\n"
"""The first line of a cached ontology; the number grows when the layout changes."""
DIGEST_SIZE = 16
SEPARATOR = "\n"
"""Between texts; texts that contain it are stored as a list."""


def digest_of(content: bytes) -> str:
    """A hash of the content of a file."""
    return hashlib.blake2b(content, digest_size=DIGEST_SIZE).hexdigest()


def read_cached(digest: str) -> Ontology | None:
    """The ontology with this content; None if it is not cached or the cached file is damaged."""
    try:
        content = _path(digest).read_bytes()
    except (OSError, RuntimeError):  # no such file, or no home
        return None
    body = content[len(CACHE_HEADER) + DIGEST_SIZE :]
    if not content.startswith(CACHE_HEADER) or content[len(CACHE_HEADER) : len(CACHE_HEADER) + DIGEST_SIZE] != _checksum(
        body
    ):
        return None
    try:
        return unpack_ontology(body, digest)
    except (ValueError, RecursionError):
        return None


def write_cached(ontology: Ontology, digest: str) -> None:
    """Cache the ontology, if possible; the file appears complete or not at all."""
    with suppress(OSError, RuntimeError, DataError, UnicodeEncodeError):
        body = pack_ontology(ontology)
        with atomic_write(_path(digest), is_text=False) as file:
            file.write(CACHE_HEADER + _checksum(body) + body)


def _path(digest: str) -> Path:
    return cache_folder() / "ontologies" / f"{digest}.bin"


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=DIGEST_SIZE, key=CACHE_HEADER).digest()


def pack_ontology(ontology: Ontology) -> bytes:
    """The ontology as MessagePack: joined texts, and numbers with 32 bits."""
    import msgspec

    gone = ontology.obsolete
    return msgspec.msgpack.encode(
        {
            "name": ontology.name,
            "version": ontology.version,
            "texts": [
                *map(_join, (ontology.ids, ontology.labels, ontology.definitions)),
                _join([synonym.text for synonym in ontology.synonyms]),
                _join([synonym.scope for synonym in ontology.synonyms]),
            ],
            "arrays": [
                array.astype("<i4").tobytes()
                for array in (ontology.synonym_start, ontology.parent_start, ontology.parents, ontology.depth)
            ],
            "notes": list(ontology.notes),
            "alternatives": dict(ontology.alternatives),
            "obsolete": {term: [gone[term].label, *map(list, gone[term][1:])] for term in gone},
        }
    )


def _form() -> Any:
    """The type that `pack_ontology` writes; created when needed, because most commands read no ontology."""
    import msgspec

    texts = list[str] | str
    return msgspec.defstruct(
        "PackedOntology",
        [
            ("name", str),
            ("version", str),
            ("texts", tuple[texts, texts, texts, texts, texts]),
            ("arrays", tuple[bytes, bytes, bytes, bytes]),
            ("notes", list[str]),
            ("alternatives", dict[str, int]),
            ("obsolete", dict[str, tuple[str, list[str], list[str]]]),
        ],
        forbid_unknown_fields=True,
    )


def unpack_ontology(body: bytes, digest: str) -> Ontology:
    """The ontology that was packed. ValueError if its parts do not fit together."""
    import msgspec

    content = msgspec.msgpack.decode(body, type=_form())
    ids, labels, definitions, synonyms, scopes = map(_split, content.texts)
    synonym_start, parent_start, parents, depth = map(_numbers, content.arrays)
    n_terms = len(ids)
    lengths = {len(labels), len(definitions), len(depth), len(synonym_start) - 1, len(parent_start) - 1}
    if lengths != {n_terms} or len(scopes) != len(synonyms):
        raise ValueError("the parts differ in length")
    if not _are_starts(parent_start, len(parents)) or not _are_starts(synonym_start, len(synonyms)):
        raise ValueError("the positions do not fit the parts")
    if len(parents) and not 0 <= parents.min() <= parents.max() < n_terms:
        raise ValueError("a parent is not a term")
    if not all(0 <= number < n_terms for number in content.alternatives.values()):
        raise ValueError("an alternative is not a term")
    return Ontology(
        name=content.name,
        version=content.version,
        ids=tuple(ids),
        labels=tuple(labels),
        definitions=tuple(definitions),
        synonym_start=synonym_start,
        synonyms=tuple(map(Synonym, synonyms, scopes)),
        parent_start=parent_start,
        parents=parents,
        depth=depth,
        alternatives=content.alternatives,
        obsolete={term: Obsolete(label, tuple(by), tuple(others)) for term, (label, by, others) in content.obsolete.items()},
        digest=digest,
        notes=tuple(content.notes),
    )


def _are_starts(starts: Ints, n: int) -> bool:
    """Whether these are positions from 0 to n in ascending order."""
    return bool(starts[0] == 0 and starts[-1] == n and (np.diff(starts) >= 0).all())


def _join(texts: Sequence[str]) -> list[str] | str:
    """The texts joined into one, which is faster to read; unchanged if a text contains the separator."""
    return SEPARATOR.join(texts) if texts and not any(SEPARATOR in text for text in texts) else list(texts)


def _split(texts: list[str] | str) -> list[str]:
    return texts.split(SEPARATOR) if isinstance(texts, str) else texts


def _numbers(content: bytes) -> Ints:
    return np.frombuffer(content, "<i4").astype(np.int64)
