"""What each chunker made of a benchmark: how many chunks, how large, and how long it took to cut and to index them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.evaluation import Result
from assay.reports._cells import Cell, Table
from assay.reports._sheets import Sheet

HEAD = ["run", "chunks", "relevant", "mean", "median", "5–95 %", "largest", "words", "cut", "indexed"]


def chunk_sheets(results: Sequence[Result]) -> list[Sheet]:
    """One table, a row for each chunker and provider; nothing where documents were retrieved as they are."""
    cut = [result for result in results if "chunks" in result.provenance]
    if not cut:
        return []
    remarks = {f"{result.name}: {what} ({n:,}×)" for result in cut for what, n in _about(result).get("remarks", {}).items()}
    return [
        Sheet(f"{cut[0].benchmark}: chunks, sizes in characters", Table(HEAD, [*map(_row, cut)]), tuple(sorted(remarks)))
    ]


def _about(result: Result) -> Mapping[str, Any]:
    about: Mapping[str, Any] = result.provenance["chunks"]
    return about


def _row(result: Result) -> list[Cell]:
    return [Cell(result.name), *(Cell(text) for text, _ in chunk_figures(result))]


def chunk_figures(result: Result) -> list[tuple[str, float]]:
    """What stands in each column after the run: in words, and as a number to sort by, nan where nobody knows."""
    about = _about(result)
    characters, words = about.get("characters") or {}, about.get("tokens") or {}
    mean, median, low, high, largest = (_figure(characters.get(size)) for size in ("mean", "median", "p5", "p95", "max"))
    seconds = float(about["seconds"])
    return [
        (f"{about['n']:,}", float(about["n"])),
        _figure(result.relevance.get("relevant")),
        mean,
        median,
        (f"{low[0]}–{high[0]}" if characters else "–", low[1]),
        largest,
        _figure(words.get("mean")),
        (f"{seconds:.2f} s", seconds),
        _indexed(result),
    ]


def _indexed(result: Result) -> tuple[str, float]:
    """How long indexing took; `cached` where all answers were at hand, so that nothing had to be indexed."""
    if seconds := float((result.provenance.get("seconds") or {}).get("indexing") or 0.0):
        return f"{seconds:.2f} s", seconds
    return ("cached" if (result.provenance.get("counts") or {}).get("cached") else "–"), math.nan


def _figure(value: float | None) -> tuple[str, float]:
    return ("–", math.nan) if value is None else (f"{value:,.0f}" if value >= 100 else f"{value:.3g}", float(value))
