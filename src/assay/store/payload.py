"""Payloads: what the store keeps as bytes; known by what they say, compressed, and checked whenever they are read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate, pairwise
from typing import Any, TypeVar

import msgspec
import numpy as np

from assay.errors import StoreError
from assay.files import VARIABLE, most_unpacked
from assay.schema import SchemaError
from assay.store.numbers import pack_counts, unpack_counts
from assay.text import printable

T = TypeVar("T")

LISTS_ALL = "; assay store check lists all such"
"""What to do about damage; the check itself leaves it out."""
LEVEL = 3
"""Of compression: higher ones cost several times the time for a few percent."""
DIGITS = 16
"""Bytes of a digest."""


def digest_of(*payloads: bytes) -> str:
    """What a payload is known by: equal where every byte is."""
    digest = hashlib.blake2b(digest_size=DIGITS)
    for payload in payloads:
        digest.update(len(payload).to_bytes(8, "little"))
        digest.update(payload)
    return digest.hexdigest()


def compressed(payload: bytes) -> bytes:
    """The payload in fewer bytes."""
    import zstandard

    return zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress(payload)


def decompressed(data: bytes, what: str, digest: str | None = None) -> bytes:
    """The payload, of that digest where it is known; anything else is damage, and is told."""
    import zstandard

    try:
        size = zstandard.get_frame_parameters(data).content_size
        if most_unpacked(len(data)) < size < zstandard.CONTENTSIZE_ERROR:
            raise StoreError(
                f"{what} becomes too large when unpacked ({size:,} bytes out of {len(data):,}); "
                f"if the store is yours, allow more with {VARIABLE}=100000"
            )
        payload = zstandard.ZstdDecompressor().decompress(data)
    except (zstandard.ZstdError, MemoryError) as error:
        raise StoreError(f"{what} is damaged and cannot be read ({error}){LISTS_ALL}") from None
    if digest is not None and digest_of(payload) != digest:
        raise StoreError(f"{what} is damaged: it does not say what it said{LISTS_ALL}")
    return payload


@contextmanager
def damage_in(what: str) -> Iterator[None]:
    """What cannot be unpacked, or does not fit its schema, is damage, and is told."""
    try:
        yield
    except (ValueError, RecursionError) as error:
        said = printable(str(error)) or type(error).__name__
        raise StoreError(f"{what} is damaged: {said}{LISTS_ALL}") from None


def pack_json(value: Any) -> bytes:
    """Plain JSON values in one spelling, in the order given. Any text goes, even half a character.

    What is no JSON value is written as text: a result is not refused for something odd in its provenance.
    """
    return json.dumps(value, separators=(",", ":"), default=_plain).encode("ascii")


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return dict(value) if isinstance(value, Mapping) else str(value)


def unpack_json(payload: bytes) -> Any:
    """What `pack_json` was given."""
    return json.loads(payload)


class PackedTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Many short texts as one, and how many characters each has."""

    lengths: bytes
    text: bytes


def pack_texts(texts: Iterable[str]) -> PackedTexts:
    """Many short texts, in order: all of them as one, and how many characters each has. Even half a character goes."""
    every = list(texts)
    lengths = np.fromiter(map(len, every), np.int64, len(every))
    return PackedTexts(pack_counts(lengths), "".join(every).encode("utf-8", "surrogatepass"))


def unpack_texts(packed: PackedTexts | bytes) -> list[str]:
    """What `pack_texts` was given. The first stores have a list in JSON instead."""
    if isinstance(packed, bytes):
        return msgspec.convert(json.loads(packed), list[str])
    text = packed.text.decode("utf-8", "surrogatepass")
    ends = list(accumulate(unpack_counts(packed.lengths).tolist(), initial=0))
    if ends[-1] != len(text):
        raise SchemaError(f"expected texts of {ends[-1]:,} letters, found {len(text):,}")
    return [text[start:end] for start, end in pairwise(ends)]


def pack_parts(parts: Any) -> bytes:
    """A record of named parts, most of them bytes, as one payload."""
    return msgspec.msgpack.encode(parts)


def unpack_parts(payload: bytes, kind: type[T]) -> T:
    """What `pack_parts` was given."""
    return msgspec.msgpack.decode(payload, type=kind)
