"""Numbers as few bytes: bit by bit what they were, laid out so that zstandard finds little left to say.

A column of scores has few different values, or single precision, or at least neighbours that are alike. The shortest of
three layouts is taken: a table of the values with a code for each; differences of neighbours in 32 bits; in 64 bits.
Differences are of the bits, not of the numbers, so nothing is ever rounded; bytes of one significance stand together.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.schema import SchemaError

Kind = Literal["u1", "u2", "f4", "f8"]
"""Codes of one byte or two, or differences in 32 bits or 64."""
FEW, SOME = 256, 65_536
"""Different values that a code of one byte, and of two, can tell apart."""
SAMPLE = 131_072
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
    if (table := _different(bits)) is not None:
        codes = np.searchsorted(table, bits).astype("<u1" if len(table) <= FEW else "<u2")
        return PackedNumbers(kind="u1" if codes.itemsize == 1 else "u2", table=table.tobytes(), data=_planes(codes))
    with np.errstate(over="ignore", invalid="ignore"):
        short = numbers.astype("<f4")
        is_exact = np.array_equal(short.astype("<f8").view("<u8"), bits)
    if is_exact:
        return PackedNumbers(kind="f4", data=_differences(short.view("<u4")))
    return PackedNumbers(kind="f8", data=_differences(bits))


def unpack_numbers(packed: PackedNumbers) -> Floats:
    """What `pack_numbers` was given."""
    if packed.table is None:
        bits = _sums(packed.data, f"<u{packed.kind[1]}")
        return bits.view(f"<{packed.kind}").astype(np.float64)
    table, codes = np.frombuffer(packed.table, "<u8"), _from_planes(packed.data, f"<{packed.kind}")
    if len(codes) and codes.max() >= len(table):
        raise SchemaError(f"expected codes below {len(table):,}, found {codes.max():,}")
    return table[codes].view("<f8")


def pack_counts(counts: NDArray[Any]) -> bytes:
    """Whole numbers from 0 to 2³² − 1."""
    return _planes(np.ascontiguousarray(counts, dtype="<u4"))


def unpack_counts(packed: bytes) -> NDArray[np.int64]:
    """What `pack_counts` was given."""
    return _from_planes(packed, "<u4").astype(np.int64)


def _different(bits: NDArray[np.uint64]) -> NDArray[np.uint64] | None:
    """The different values in order, if they are few enough for codes to be worth it."""
    for some in (bits[:SAMPLE], bits):
        table = np.unique(some)
        if len(table) > min(SOME, max(FEW, len(bits) // 4)):
            return None
    return table


def _differences(bits: NDArray[Any]) -> bytes:
    """Each number less the one before it, small differences of either sign as small numbers."""
    signed = np.diff(bits, prepend=bits.dtype.type(0)).view(bits.dtype.str.replace("u", "i"))
    return _planes(((signed << 1) ^ (signed >> (8 * bits.itemsize - 1))).view(bits.dtype))


def _sums(packed: bytes, kind: str) -> NDArray[Any]:
    folded = _from_planes(packed, kind)
    signed = (folded >> 1).view(kind.replace("u", "i")) ^ -(folded & 1).view(kind.replace("u", "i"))
    return np.cumsum(signed.view(kind), dtype=kind)


def _planes(numbers: NDArray[Any]) -> bytes:
    """First the lowest byte of every number, then the next, and so on."""
    return numbers.view("u1").reshape(len(numbers), numbers.itemsize).T.tobytes()


def _from_planes(packed: bytes, kind: str) -> NDArray[Any]:
    width = np.dtype(kind).itemsize
    if len(packed) % width:
        raise SchemaError(f"expected numbers of {width} bytes, found {len(packed):,} bytes")
    planes = np.frombuffer(packed, "u1").reshape(width, -1)
    return np.ascontiguousarray(planes.T).reshape(-1).view(kind)
