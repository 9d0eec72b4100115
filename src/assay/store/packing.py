"""Packing: texts, numbers, rankings and scores as bytes; compressed, with a digest, and checked whenever they are read.

Equal values have equal bytes, and unpacking returns exactly what was packed.
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

CHECK_HINT = "assay store check lists all damage"
"""What to do about damage; the check itself does not print it."""
COMPRESSION_LEVEL = 3
"""The level of compression; higher levels take several times as long for a few per cent."""
DIGEST_BYTES = 16
"""The length of a digest."""


def digest_of(*payloads: bytes) -> str:
    """The digest of payloads: equal if all bytes are equal."""
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for payload in payloads:
        digest.update(len(payload).to_bytes(8, "little"))
        digest.update(payload)
    return digest.hexdigest()


def compress(payload: bytes) -> bytes:
    """The compressed payload."""
    import zstandard

    return zstandard.ZstdCompressor(level=COMPRESSION_LEVEL, write_checksum=True).compress(payload)


def decompress(data: bytes, what: str, digest: str | None = None) -> bytes:
    """The payload, checked against its digest if it is known; a StoreError if it is damaged."""
    import zstandard

    try:
        size = zstandard.get_frame_parameters(data).content_size
        if most_unpacked(len(data)) < size < zstandard.CONTENTSIZE_ERROR:
            raise StoreError(
                f"{what} is too large when unpacked ({size:,} bytes from {len(data):,}). "
                f"If you trust this store, allow more with {VARIABLE}=100000"
            )
        payload = zstandard.ZstdDecompressor().decompress(data)
    except (zstandard.ZstdError, MemoryError) as error:
        raise StoreError(f"{what} is damaged and cannot be read ({error})", hint=CHECK_HINT) from None
    if digest is not None and digest_of(payload) != digest:
        raise StoreError(f"{what} is damaged: the content does not match its digest", hint=CHECK_HINT)
    return payload


@contextmanager
def report_damage(what: str) -> Iterator[None]:
    """Turn errors of unpacking and schema errors into a StoreError about damage."""
    try:
        yield
    except (ValueError, RecursionError) as error:
        message = printable(str(error)) or type(error).__name__
        raise StoreError(f"{what} is damaged: {message}", hint=CHECK_HINT) from None


def pack_json(value: Any) -> bytes:
    """Plain JSON values in one spelling, in the given order. Any text can be packed, even half a surrogate pair.

    A value that is not JSON is written as text, so that an unusual value in the provenance does not prevent saving.
    """
    return json.dumps(value, separators=(",", ":"), default=to_json).encode("ascii")


def unpack_json(payload: bytes) -> Any:
    """The value that `pack_json` packed."""
    return json.loads(payload)


class PackedTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Many short texts as one text, and the number of characters of each."""

    lengths: bytes
    text: bytes


def pack_texts(texts: Iterable[str]) -> PackedTexts:
    """Pack many short texts in order, as one text and the number of characters of each; even half a surrogate pair."""
    every = list(texts)
    lengths = np.fromiter(map(len, every), np.int64, len(every))
    return PackedTexts(pack_counts(lengths), "".join(every).encode("utf-8", "surrogatepass"))


def unpack_texts(packed: PackedTexts | bytes) -> list[str]:
    """The texts that `pack_texts` packed. The first stores have a JSON list instead."""
    if isinstance(packed, bytes):
        return msgspec.convert(json.loads(packed), list[str])
    text = packed.text.decode("utf-8", "surrogatepass")
    ends = list(accumulate(unpack_counts(packed.lengths).tolist(), initial=0))
    if ends[-1] != len(text):
        raise SchemaError(f"expected texts of {ends[-1]:,} characters, found {len(text):,}")
    return [text[start:end] for start, end in pairwise(ends)]


def pack_parts(parts: Any) -> bytes:
    """A record of named parts, most of them bytes, as one payload."""
    return msgspec.msgpack.encode(parts)


def unpack_parts(payload: bytes, kind: type[T]) -> T:
    """The record that `pack_parts` packed."""
    return msgspec.msgpack.decode(payload, type=kind)


# Numbers. A column of scores has few different values, or single precision, or at least similar neighbours. The shortest
# of three layouts is used: a table of the values with a code for each; differences of neighbours in 32 bits; in 64 bits.
# Differences are of the bits, not of the numbers, so nothing is ever rounded. Bytes of the same significance are stored
# together, because zstandard compresses that well.

Kind = Literal["u1", "u2", "f4", "f8"]
"""Codes of one byte or two, or differences in 32 bits or 64."""
ONE_BYTE_CODES, TWO_BYTE_CODES = 256, 65_536
"""The number of values that a code of one byte, and of two bytes, can distinguish."""
SAMPLE_SIZE = 131_072
"""The number of values to check first, because counting all takes time."""


class PackedNumbers(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Codes and the table of their values, or differences of the bits."""

    kind: Kind = msgspec.field(name="as")
    table: bytes | None = None
    data: bytes

    def __post_init__(self) -> None:
        """Check that codes have a table and differences have none."""
        if (self.kind in ("u1", "u2")) != (self.table is not None):
            raise SchemaError(f"expected a table for codes and none for differences, found {self.kind}")


def pack_numbers(values: Floats) -> PackedNumbers:
    """Pack any floating-point numbers, including nan and infinities."""
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
    """The numbers that `pack_numbers` packed."""
    if packed.table is None:
        bits = _undo_differences(packed.data, f"<u{packed.kind[1]}")
        return bits.view(f"<{packed.kind}").astype(np.float64)
    table, codes = np.frombuffer(packed.table, "<u8"), _from_planes(packed.data, f"<{packed.kind}")
    if len(codes) and codes.max() >= len(table):
        raise SchemaError(f"expected codes below {len(table):,}, found {codes.max():,}")
    return table[codes].view("<f8")


def pack_counts(counts: NDArray[Any]) -> bytes:
    """Pack whole numbers from 0 to 2³² − 1."""
    return _to_planes(np.ascontiguousarray(counts, dtype="<u4"))


def unpack_counts(packed: bytes) -> NDArray[np.int64]:
    """The numbers that `pack_counts` packed."""
    return _from_planes(packed, "<u4").astype(np.int64)


def _distinct_values(bits: NDArray[np.uint64]) -> NDArray[np.uint64] | None:
    """The different values in order, if they are few enough for codes."""
    for some in (bits[:SAMPLE_SIZE], bits):
        table = np.unique(some)
        if len(table) > min(TWO_BYTE_CODES, max(ONE_BYTE_CODES, len(bits) // 4)):
            return None
    return table


def _differences(bits: NDArray[Any]) -> bytes:
    """Each number minus the one before it, with small differences of either sign as small numbers."""
    signed = np.diff(bits, prepend=bits.dtype.type(0)).view(bits.dtype.str.replace("u", "i"))
    return _to_planes(((signed << 1) ^ (signed >> (8 * bits.itemsize - 1))).view(bits.dtype))


def _undo_differences(packed: bytes, kind: str) -> NDArray[Any]:
    folded = _from_planes(packed, kind)
    signed = (folded >> 1).view(kind.replace("u", "i")) ^ -(folded & 1).view(kind.replace("u", "i"))
    return np.cumsum(signed.view(kind), dtype=kind)


def _to_planes(numbers: NDArray[Any]) -> bytes:
    """The lowest byte of every number first, then the next byte, and so on."""
    return numbers.view("u1").reshape(len(numbers), numbers.itemsize).T.tobytes()


def _from_planes(packed: bytes, kind: str) -> NDArray[Any]:
    width = np.dtype(kind).itemsize
    if len(packed) % width:
        raise SchemaError(f"expected numbers of {width} bytes, found {len(packed):,} bytes")
    planes = np.frombuffer(packed, "u1").reshape(width, -1)
    return np.ascontiguousarray(planes.T).reshape(-1).view(kind)


# Pairs: a number for each query and document, such as rankings and grades. The id of a document is written once, at its
# first use; later uses refer to it: 0 is the next new id, 3 the id that was new three ids before. Sixty bytes of JSON for
# a hit become about five.

Pairs = Mapping[str, Mapping[str, float]]


class PackedPairs(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The queries, the number of documents of each, the documents, the references to them, and the numbers."""

    queries: PackedTexts | bytes
    sizes: bytes
    docs: PackedTexts | bytes
    back: bytes
    numbers: PackedNumbers
    more: list[PackedPairs] = []
    """Further rankings, if queries were sent several times: the second ranking of each query, the third, and so on."""


Reruns = Mapping[str, Sequence[Mapping[str, float]]]
"""Query → its further rankings."""


def pack_pairs(pairs: Pairs, reruns: Reruns | None = None) -> bytes:
    """Pack query → document → number, and further rankings; the order of queries and documents is kept."""
    further = reruns or {}
    n_most = max(map(len, further.values()), default=0)
    by_place = [{query: some[place] for query, some in further.items() if place < len(some)} for place in range(n_most)]
    return pack_parts(msgspec.structs.replace(_packed_pairs(pairs), more=list(map(_packed_pairs, by_place))))


def _packed_pairs(pairs: Pairs) -> PackedPairs:
    by_query = list(pairs.values())
    docs = list(chain.from_iterable(by_query))
    numbers = np.fromiter(chain.from_iterable(by_doc.values() for by_doc in by_query), np.float64, len(docs))
    sizes = np.fromiter(map(len, by_query), np.int64, len(by_query))
    known = {doc: code for code, doc in enumerate(dict.fromkeys(docs))}
    codes = np.fromiter(map(known.__getitem__, docs), np.int64, len(docs))
    next_new = np.zeros(len(codes), np.int64)
    next_new[1:] = np.maximum.accumulate(codes)[:-1] + 1 if len(codes) else 0
    return PackedPairs(
        queries=pack_texts(pairs),
        sizes=pack_counts(sizes),
        docs=pack_texts(known),
        back=pack_counts(next_new - codes),
        numbers=pack_numbers(numbers),
    )


def unpack_pairs(payload: bytes) -> dict[str, dict[str, float]]:
    """The pairs that `pack_pairs` packed, as plain dicts, without further rankings."""
    return _unpacked_pairs(unpack_parts(payload, PackedPairs))


def unpack_reruns(payload: bytes) -> dict[str, list[dict[str, float]]]:
    """The further rankings that `pack_pairs` packed; a query that was sent several times has a list, even if it is empty."""
    packed = unpack_parts(payload, PackedPairs)
    reruns: dict[str, list[dict[str, float]]] = {}
    for pairs in packed.more:
        for query, ranking in _unpacked_pairs(pairs).items():
            reruns.setdefault(query, []).append(ranking)
    return {query: reruns.get(query, []) for query in unpack_texts(packed.queries)} if packed.more else {}


def _unpacked_pairs(packed: PackedPairs) -> dict[str, dict[str, float]]:
    back, sizes = unpack_counts(packed.back), unpack_counts(packed.sizes)
    is_new = back == 0
    codes = np.cumsum(is_new) - is_new - back
    names, queries = unpack_texts(packed.docs), unpack_texts(packed.queries)
    numbers = unpack_numbers(packed.numbers)
    if len(numbers) != len(codes) or sizes.sum() != len(codes) or len(queries) != len(sizes):
        raise SchemaError("expected as many documents as numbers, and as many queries as lists of documents")
    if len(codes) and not 0 <= codes.min() <= codes.max() < len(names):
        raise SchemaError("expected references to earlier documents, found others")
    docs, values = [names[code] for code in codes.tolist()], numbers.tolist()
    bounds = pairwise(accumulate(sizes.tolist(), initial=0))
    return {
        query: dict(zip(docs[start:end], values[start:end], strict=True))
        for query, (start, end) in zip(queries, bounds, strict=True)
    }


class LazyMapping(Mapping[str, T]):
    """A mapping that is read from its payload on first use, because most readers need only the scores."""

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
"""The scores of one metric, nan if undefined; or texts."""


def columns_of_table(table: ScoreTable) -> dict[str, Values]:
    """Metric → its scores; empty if no query was scored, as in a saved result."""
    if not table.query_ids:
        return {}
    return {name: _values(column.score) for name, column in table.columns.items()}


def _values(scores: NDArray[Any]) -> Values:
    """The scores with every nan replaced by the standard one, so that equal scores have equal bytes."""
    if scores.dtype == object:
        return list(map(str, scores.tolist()))
    numbers = np.asarray(scores, dtype=float)
    return np.where(np.isnan(numbers), np.nan, numbers)


def columns_of_plain(by_query: Mapping[str, Mapping[str, Any]]) -> dict[str, Values]:
    """Metric → its scores, from `per_query` of the plain values of a result."""
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
    """Pack queries and columns in order."""
    return pack_parts(PackedScores(pack_texts(query_ids), [PackedColumn.of(*pair) for pair in columns.items()]))


def unpack_scores(payload: bytes) -> tuple[tuple[str, ...], dict[str, Values]]:
    """The queries and columns that `pack_scores` packed, with every nan as the standard one."""
    packed = unpack_parts(payload, PackedScores)
    query_ids = tuple(unpack_texts(packed.queries))
    columns = {column.name: column.values() for column in packed.columns}
    if odd := [name for name, values in columns.items() if len(values) != len(query_ids)]:
        raise SchemaError(f"expected a score by {odd[0]!r} for each of {counted(len(query_ids), 'query')}")
    return query_ids, columns
