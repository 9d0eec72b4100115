"""Packing: texts, numbers, rankings and scores as bytes; compressed, known by a digest, and checked whenever they are read.

The bytes of equal values are equal, and what comes back is bit by bit what went in.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate, chain, pairwise
from typing import Any, Literal, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.errors import StoreError
from assay.files import VARIABLE, most_unpacked
from assay.model import ScoreTable
from assay.schema import SchemaError
from assay.serialize import to_json
from assay.text import counted, printable

T = TypeVar("T")

CHECK_HINT = "assay store check lists all such"
"""What to do about damage; the check itself leaves it out."""
COMPRESSION_LEVEL = 3
"""Of compression: higher ones cost several times the time for a few percent."""
DIGEST_BYTES = 16
"""Bytes of a digest."""


def digest_of(*payloads: bytes) -> str:
    """What a payload is known by: equal where every byte is."""
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for payload in payloads:
        digest.update(len(payload).to_bytes(8, "little"))
        digest.update(payload)
    return digest.hexdigest()


def compress(payload: bytes) -> bytes:
    """The payload in fewer bytes."""
    import zstandard

    return zstandard.ZstdCompressor(level=COMPRESSION_LEVEL, write_checksum=True).compress(payload)


def decompress(data: bytes, what: str, digest: str | None = None) -> bytes:
    """The payload, checked against its digest where that is known; anything else is a StoreError about damage."""
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
        raise StoreError(f"{what} is damaged and cannot be read ({error})", hint=CHECK_HINT) from None
    if digest is not None and digest_of(payload) != digest:
        raise StoreError(f"{what} is damaged: it does not say what it said", hint=CHECK_HINT)
    return payload


@contextmanager
def report_damage(what: str) -> Iterator[None]:
    """Turn errors of unpacking and of the schema into a StoreError about damage."""
    try:
        yield
    except (ValueError, RecursionError) as error:
        message = printable(str(error)) or type(error).__name__
        raise StoreError(f"{what} is damaged: {message}", hint=CHECK_HINT) from None


def pack_json(value: Any) -> bytes:
    """Plain JSON values in one spelling, in the order given. Any text goes, even half a character.

    What is no JSON value is written as text: a result is not refused for something odd in its provenance.
    """
    return json.dumps(value, separators=(",", ":"), default=to_json).encode("ascii")


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


# Numbers. A column of scores has few different values, or single precision, or at least neighbours that are alike. The
# shortest of three layouts is taken: a table of the values with a code for each; differences of neighbours in 32 bits; in
# 64 bits. Differences are of the bits, not of the numbers, so nothing is ever rounded; bytes of one significance stand
# together, which zstandard compresses well.

Kind = Literal["u1", "u2", "f4", "f8"]
"""Codes of one byte or two, or differences in 32 bits or 64."""
ONE_BYTE_CODES, TWO_BYTE_CODES = 256, 65_536
"""Different values that a code of one byte, and of two, can distinguish."""
SAMPLE_SIZE = 131_072
"""Numbers that are looked at before all are counted, which takes time."""


class PackedNumbers(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Codes and the table of their values, or differences of the bits."""

    kind: Kind = msgspec.field(name="as")
    table: bytes | None = None
    data: bytes

    def __post_init__(self) -> None:
        """Codes have a table, differences have none."""
        if (self.kind in ("u1", "u2")) != (self.table is not None):
            raise SchemaError(f"expected a table beside codes alone, found {self.kind}")


def pack_numbers(values: Floats) -> PackedNumbers:
    """Any floating-point numbers, nan and infinities included."""
    numbers = np.ascontiguousarray(values, dtype="<f8")
    bits = numbers.view("<u8")
    if (table := _distinct_values(bits)) is not None:
        codes = np.searchsorted(table, bits).astype("<u1" if len(table) <= ONE_BYTE_CODES else "<u2")
        return PackedNumbers(kind="u1" if codes.itemsize == 1 else "u2", table=table.tobytes(), data=_to_planes(codes))
    with np.errstate(over="ignore", invalid="ignore"):
        short = numbers.astype("<f4")
        is_exact = np.array_equal(short.astype("<f8").view("<u8"), bits)
    if is_exact:
        return PackedNumbers(kind="f4", data=_differences(short.view("<u4")))
    return PackedNumbers(kind="f8", data=_differences(bits))


def unpack_numbers(packed: PackedNumbers) -> Floats:
    """What `pack_numbers` was given."""
    if packed.table is None:
        bits = _undo_differences(packed.data, f"<u{packed.kind[1]}")
        return bits.view(f"<{packed.kind}").astype(np.float64)
    table, codes = np.frombuffer(packed.table, "<u8"), _from_planes(packed.data, f"<{packed.kind}")
    if len(codes) and codes.max() >= len(table):
        raise SchemaError(f"expected codes below {len(table):,}, found {codes.max():,}")
    return table[codes].view("<f8")


def pack_counts(counts: NDArray[Any]) -> bytes:
    """Whole numbers from 0 to 2³² − 1."""
    return _to_planes(np.ascontiguousarray(counts, dtype="<u4"))


def unpack_counts(packed: bytes) -> NDArray[np.int64]:
    """What `pack_counts` was given."""
    return _from_planes(packed, "<u4").astype(np.int64)


def _distinct_values(bits: NDArray[np.uint64]) -> NDArray[np.uint64] | None:
    """The different values in order, if they are few enough for codes to be worth it."""
    for some in (bits[:SAMPLE_SIZE], bits):
        table = np.unique(some)
        if len(table) > min(TWO_BYTE_CODES, max(ONE_BYTE_CODES, len(bits) // 4)):
            return None
    return table


def _differences(bits: NDArray[Any]) -> bytes:
    """Each number less the one before it, small differences of either sign as small numbers."""
    signed = np.diff(bits, prepend=bits.dtype.type(0)).view(bits.dtype.str.replace("u", "i"))
    return _to_planes(((signed << 1) ^ (signed >> (8 * bits.itemsize - 1))).view(bits.dtype))


def _undo_differences(packed: bytes, kind: str) -> NDArray[Any]:
    folded = _from_planes(packed, kind)
    signed = (folded >> 1).view(kind.replace("u", "i")) ^ -(folded & 1).view(kind.replace("u", "i"))
    return np.cumsum(signed.view(kind), dtype=kind)


def _to_planes(numbers: NDArray[Any]) -> bytes:
    """First the lowest byte of every number, then the next, and so on."""
    return numbers.view("u1").reshape(len(numbers), numbers.itemsize).T.tobytes()


def _from_planes(packed: bytes, kind: str) -> NDArray[Any]:
    width = np.dtype(kind).itemsize
    if len(packed) % width:
        raise SchemaError(f"expected numbers of {width} bytes, found {len(packed):,} bytes")
    planes = np.frombuffer(packed, "u1").reshape(width, -1)
    return np.ascontiguousarray(planes.T).reshape(-1).view(kind)


# Pairs: a number for each query and document, as rankings and grades are. A document's id is written where it occurs
# first, and referred to after that: 0 is the next new one, 3 the one that was new three before. Sixty bytes of JSON for a
# hit become about five.

Pairs = Mapping[str, Mapping[str, float]]


class PackedPairs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Queries, how many documents each has, the documents, where each was new, and the numbers."""

    queries: PackedTexts | bytes
    sizes: bytes
    docs: PackedTexts | bytes
    back: bytes
    numbers: PackedNumbers


def pack_pairs(pairs: Pairs) -> bytes:
    """Query → document → number; order is kept, of queries and of documents."""
    by_query = list(pairs.values())
    docs = list(chain.from_iterable(by_query))
    numbers = np.fromiter(chain.from_iterable(by_doc.values() for by_doc in by_query), np.float64, len(docs))
    sizes = np.fromiter(map(len, by_query), np.int64, len(by_query))
    known = {doc: code for code, doc in enumerate(dict.fromkeys(docs))}
    codes = np.fromiter(map(known.__getitem__, docs), np.int64, len(docs))
    next_new = np.zeros(len(codes), np.int64)
    next_new[1:] = np.maximum.accumulate(codes)[:-1] + 1 if len(codes) else 0
    packed = PackedPairs(
        queries=pack_texts(pairs),
        sizes=pack_counts(sizes),
        docs=pack_texts(known),
        back=pack_counts(next_new - codes),
        numbers=pack_numbers(numbers),
    )
    return pack_parts(packed)


def unpack_pairs(payload: bytes) -> dict[str, dict[str, float]]:
    """What `pack_pairs` was given, as plain dicts."""
    packed = unpack_parts(payload, PackedPairs)
    back, sizes = unpack_counts(packed.back), unpack_counts(packed.sizes)
    is_new = back == 0
    codes = np.cumsum(is_new) - is_new - back
    names, queries = unpack_texts(packed.docs), unpack_texts(packed.queries)
    numbers = unpack_numbers(packed.numbers)
    if len(numbers) != len(codes) or sizes.sum() != len(codes) or len(queries) != len(sizes):
        raise SchemaError("expected as many documents as numbers, and as many queries as lists of them")
    if len(codes) and not 0 <= codes.min() <= codes.max() < len(names):
        raise SchemaError("expected documents that were named before, found others")
    docs, values = [names[code] for code in codes.tolist()], numbers.tolist()
    bounds = pairwise(accumulate(sizes.tolist(), initial=0))
    return {
        query: dict(zip(docs[start:end], values[start:end], strict=True))
        for query, (start, end) in zip(queries, bounds, strict=True)
    }


class LazyMapping(Mapping[str, T]):
    """A mapping that is read from its payload at the first access; most readers need the scores alone."""

    def __init__(self, read: Any) -> None:
        self._read = read
        self._content: Mapping[str, T] | None = None

    @property
    def content(self) -> Mapping[str, T]:
        """The mapping itself."""
        if self._content is None:
            self._content = self._read()
        return self._content

    def __getitem__(self, key: str) -> T:
        return self.content[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.content)

    def __len__(self) -> int:
        return len(self.content)

    def __repr__(self) -> str:
        return repr(dict(self.content))


# Scores: one column of numbers or of texts for each metric.

Values = Floats | list[str]
"""The scores of one metric, nan where undefined; or text."""


def columns_of_table(table: ScoreTable) -> dict[str, Values]:
    """Metric → its scores; none at all where no query was scored, as in a saved result."""
    if not table.query_ids:
        return {}
    return {name: _values(column.score) for name, column in table.columns.items()}


def _values(scores: NDArray[Any]) -> Values:
    """Every nan as the usual one, so that equal scores have equal bytes."""
    if scores.dtype == object:
        return list(map(str, scores.tolist()))
    numbers = np.asarray(scores, dtype=float)
    return np.where(np.isnan(numbers), np.nan, numbers)


def columns_of_plain(by_query: Mapping[str, Mapping[str, Any]]) -> dict[str, Values]:
    """The same from `per_query` of a result's plain values."""
    rows = list(by_query.values())
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    return {name: scores if _is_text(scores) else _floats(scores) for name, scores in columns.items()}


def _is_text(scores: Sequence[Any]) -> bool:
    return any(isinstance(score, str) for score in scores)


def _floats(scores: Sequence[Any]) -> Floats:
    return np.array([np.nan if score is None else float(score) for score in scores], dtype=float)


class PackedColumn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The scores of a metric: texts, or numbers."""

    name: str
    text: PackedTexts | bytes | None = None
    kind: Kind | None = msgspec.field(name="as", default=None)
    table: bytes | None = None
    data: bytes | None = None

    @classmethod
    def of(cls, name: str, values: Values) -> PackedColumn:
        """The scores, packed."""
        if isinstance(values, list):
            return cls(name=name, text=pack_texts(values))
        packed = pack_numbers(values)
        return cls(name=name, kind=packed.kind, table=packed.table, data=packed.data)

    def values(self) -> Values:
        """The scores."""
        if self.text is not None:
            return unpack_texts(self.text)
        if self.kind is None or self.data is None:
            raise SchemaError(f"expected texts or numbers for {self.name!r}, found neither")
        return unpack_numbers(PackedNumbers(kind=self.kind, table=self.table, data=self.data))


class PackedScores(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Queries, and a column of scores for each metric."""

    queries: PackedTexts | bytes
    columns: list[PackedColumn]


def pack_scores(query_ids: Sequence[str], columns: Mapping[str, Values]) -> bytes:
    """Queries and columns, in order."""
    return pack_parts(PackedScores(pack_texts(query_ids), [PackedColumn.of(*pair) for pair in columns.items()]))


def unpack_scores(payload: bytes) -> tuple[tuple[str, ...], dict[str, Values]]:
    """What `pack_scores` was given. Nan comes back as the one usual nan."""
    packed = unpack_parts(payload, PackedScores)
    query_ids = tuple(unpack_texts(packed.queries))
    columns = {column.name: column.values() for column in packed.columns}
    if odd := [name for name, values in columns.items() if len(values) != len(query_ids)]:
        raise SchemaError(f"expected a score of {odd[0]!r} for each of {counted(len(query_ids), 'query')}")
    return query_ids, columns
