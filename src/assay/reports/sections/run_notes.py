"""Notes on runs: what failed, how long queries took, and the chunks that each chunker created."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.evaluation import Result
from assay.reports.table import Cell, Section, Table, columns, number
from assay.text import counted, printable

MAX_ERRORS = 3
"""Different errors that are listed; the JSON of a result has all of them."""
LONGEST_ERROR = 160
"""Characters of an error in a sentence."""
BEFORE = " before"
"""The end of the name of a reranker's first ranking."""


def failure_notes(results: Sequence[Result], again: str, *, strict: bool | None = None) -> list[str]:
    """A sentence for each provider that failed on queries; `again` says how to retry them, if that may help.

    If `strict` is given, errors follow, and failures that are errors are left out here.
    """
    notes = []
    for result in _with_failures(results):
        if strict is None or not _is_error(result, strict=strict):
            zero = "failed and scored 0" if result.n_repeats == 1 else "failed at least once; a repeat that failed scores 0"
            failed = zero if result.run else "failed"
            text = f"{_share(result)} {failed}: {reasons(result.failures)}{_advice(result, again)}"
            notes.append(f"{result.name}: {text}.")
    return notes


def failure_errors(results: Sequence[Result], again: str = "", *, strict: bool) -> list[str]:
    """A sentence for each provider whose failures are an error: if all queries failed, or any query in strict mode."""
    errors = []
    for result in _with_failures(results):
        if _is_error(result, strict=strict):
            rule = ", but --strict allows no failures" if result.run else ""
            text = f"{_share(result)} failed{rule}: {reasons(result.failures)}{_advice(result, again)}"
            errors.append(printable(f"{result.name} on {result.benchmark}: {text}"))
    return errors


def _is_error(result: Result, *, strict: bool) -> bool:
    return strict or not result.run


def _advice(result: Result, again: str) -> str:
    """How to retry, unless every failure was final."""
    is_final = result.failures.keys() <= set(result.provenance.get("final", ()))
    return f". {again}" if again and not is_final else ""


def reasons(failures: Mapping[str, str]) -> str:
    """The most frequent errors and how often each occurred: `no answer within 5 s (30×), HTTP 500 (7×)`."""
    kinds = Counter(_short(error) for error in failures.values()).most_common()
    texts = [f"{error} ({count:,}×)" for error, count in kinds[:MAX_ERRORS]]
    if left := kinds[MAX_ERRORS:]:
        texts.append(f"{counted(len(left), 'other error')} ({sum(count for _, count in left):,}×)")
    return ", ".join(texts)


def _short(error: str) -> str:
    text = printable(error.strip().rstrip("."))
    return text if len(text) <= LONGEST_ERROR else text[: LONGEST_ERROR - 1] + "…"


def _share(result: Result) -> str:
    """`37 of 500 queries`, `all 12 queries`."""
    n_failed, n_asked = len(result.failures), len(result.failures.keys() | result.run.keys())
    some = "all" if n_failed == n_asked else f"{n_failed:,} of"
    return f"{some} {counted(n_asked, 'query')}"


def _with_failures(results: Sequence[Result]) -> Iterator[Result]:
    """The results with failures; a first ranking fails with its reranker and is not reported twice."""
    known = {(result.benchmark, result.name): result.failures for result in results}
    for result in results:
        reranked = known.get((result.benchmark, result.name.removesuffix(BEFORE)), {})
        if result.failures and not (result.name.endswith(BEFORE) and reranked == result.failures):
            yield result


SIZES = "Sizes are in characters."
UNFAIR = "The number of relevant chunks depends on the chunker, so metrics that count chunks cannot compare chunkers fairly."
CHUNK_COLUMNS = ["run", "chunks", "relevant", "mean", "median", "5–95 %", "largest", "words", "chunking", "indexing"]


def shared_sections(results: Sequence[Result], form: str) -> tuple[Section, ...]:
    """The sections below the values of results; a section that is added here is in every format except CSV."""
    return () if form == "csv" else tuple(_chunk_sections(results))


def _chunk_sections(results: Sequence[Result]) -> Iterator[Section]:
    """A row for each chunker and provider; nothing if whole documents were retrieved."""
    cut = [result for result in results if "chunks" in result.provenance]
    if not cut:
        return
    remarks = {f"{result.name}: {what} ({n:,}×)" for result in cut for what, n in _about(result).get("remarks", {}).items()}
    rows = [(Cell(result.name), *(number(text, value) for text, value in _chunk_figures(result))) for result in cut]
    label = "Chunks, sizes in characters"
    table = Table(columns(*CHUNK_COLUMNS), tuple(rows), label, notes=tuple(sorted(remarks)))
    is_unfair = len({str(_about(result).get("chunker")) for result in cut}) > 1
    yield Section("chunks", "Chunks", (table,), f"{SIZES} {UNFAIR}" if is_unfair else SIZES, level=3)


def _about(result: Result) -> Mapping[str, Any]:
    about: Mapping[str, Any] = result.provenance["chunks"]
    return about


def _chunk_figures(result: Result) -> list[tuple[str, float]]:
    """The columns after the run: as text, and as a number to sort by (nan if unknown)."""
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
    """How long indexing took; `cached` if all rankings were in the cache, so nothing had to be indexed."""
    if seconds := float((result.provenance.get("seconds") or {}).get("indexing") or 0.0):
        return f"{seconds:.2f} s", seconds
    return ("cached" if (result.provenance.get("counts") or {}).get("cached") else "–"), math.nan


def _figure(value: float | None) -> tuple[str, float]:
    return ("–", math.nan) if value is None else (f"{value:,.0f}" if value >= 100 else f"{value:.3g}", float(value))


def latency_notes(results: Sequence[Result]) -> list[str]:
    """One sentence about providers that were queried in batches: only the mean time of their queries is known."""
    names = [printable(result.name) for result in results if result.has_shared_times and _asks_for_quantiles(result)]
    return [f"Queried in batches, so only the mean time per query is known: {', '.join(names)}."] if names else []


def _asks_for_quantiles(result: Result) -> bool:
    return any(metric.name.startswith("latency_p") and metric.name not in result.beside for metric in result.metrics)
