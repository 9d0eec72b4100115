"""Compressed runs: the compressed bytes are mutated, or what is in them; both readers agree."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable

import zstandard

from fuzz.component import Component
from fuzz.components._documents import RUN_NAMES, RUN_ROWS, parquet, trec_run
from fuzz.components.runs import check_both, line_seeds, trec_seeds

PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda data: gzip.compress(data, 1, mtime=0),
    "zst": zstandard.ZstdCompressor(level=1).compress,
    "xz": lambda data: lzma.compress(data, preset=0),
    "bz2": lambda data: bz2.compress(data, 1),
}
MARK = b"plain:"
"""Begins input that is compressed before it is read."""


def _check(ending: str) -> Callable[[bytes], object]:
    trec, lines = check_both(f"run.txt.{ending}"), check_both(f"run.jsonl.{ending}")
    tables, packed = check_both(f"run.parquet.{ending}"), PACK[ending]

    def check(data: bytes) -> object:
        if not data.startswith(MARK):
            return trec(data)
        inside = data[len(MARK) :]
        read = tables if inside.startswith(b"PAR1") else lines if inside.startswith(b"{") else trec
        return read(packed(inside))

    return check


def _seeds(ending: str) -> list[bytes]:
    inside = [MARK + one for one in (trec_seeds()[0], line_seeds()[0], parquet(RUN_ROWS, RUN_NAMES))]
    bomb = PACK[ending](b"q1 Q0 d1 1 1 t\n" + b"\n" * 20_000)
    return [PACK[ending](trec_run()), PACK[ending](trec_run()[:40]) + PACK[ending](trec_run()[40:]), bomb, *inside]


COMPONENTS = tuple(
    Component(f"run_{ending}", _check(ending), lambda ending=ending: _seeds(ending), "bytes", share=0.5)  # type: ignore[misc]
    for ending in PACK
)
