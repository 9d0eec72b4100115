"""Failures as people read them: how many queries a provider failed on, and with which errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from assay.evaluation import Result
from assay.text import counted, printable

MOST = 3
"""Different errors that are told; the JSON of a result has all of them."""
LONGEST = 160
"""Letters of an error in a sentence."""
BEFORE = " before"
"""What the name of a reranker's first ranking ends in."""


def failure_notes(results: Sequence[Result], again: str, *, strict: bool | None = None) -> list[str]:
    """A sentence for each provider that failed on queries; `again` says how they are asked once more, if that may help.

    Where `strict` is given, errors follow, and what they tell is not told here.
    """
    found = []
    for result in _with_failures(results):
        if strict is None or not _is_error(result, strict=strict):
            failed = "failed and score 0" if result.run else "failed"
            said = f"{_share(result)} {failed}: {reasons(result.failures)}{_advice(result, again)}"
            found.append(f"{result.name}: {said}.")
    return found


def failure_errors(results: Sequence[Result], again: str = "", *, strict: bool) -> list[str]:
    """A sentence for each provider whose failures make the evaluation fail: all of them, or any where it is strict."""
    found = []
    for result in _with_failures(results):
        if _is_error(result, strict=strict):
            rule = ", and --strict allows none" if result.run else ""
            said = f"{_share(result)} failed{rule}: {reasons(result.failures)}{_advice(result, again)}"
            found.append(printable(f"{result.name} on {result.benchmark}: {said}"))
    return found


def _is_error(result: Result, *, strict: bool) -> bool:
    return strict or not result.run


def _advice(result: Result, again: str) -> str:
    """How to ask again, unless every refusal was final."""
    is_final = result.failures.keys() <= set(result.provenance.get("final", ()))
    return f"; {again}" if again and not is_final else ""


def reasons(failures: Mapping[str, str]) -> str:
    """The most frequent errors and how often each occurred: `no answer within 5 s (30×), HTTP 500 (7×)`."""
    kinds = Counter(_short(error) for error in failures.values()).most_common()
    told = [f"{error} ({count:,}×)" for error, count in kinds[:MOST]]
    if left := kinds[MOST:]:
        told.append(f"{counted(len(left), 'other error')} ({sum(count for _, count in left):,}×)")
    return ", ".join(told)


def _short(error: str) -> str:
    text = printable(error.strip().rstrip("."))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _share(result: Result) -> str:
    """`37 of 500 queries`, `all 12 queries`."""
    n_failed, n_asked = len(result.failures), len(result.failures) + len(result.run)
    some = "all" if n_failed == n_asked else f"{n_failed:,} of"
    return f"{some} {counted(n_asked, 'query')}"


def _with_failures(results: Sequence[Result]) -> Iterator[Result]:
    """Those that failed somewhere; a first ranking fails with its reranker, and is not told of twice."""
    known = {(result.benchmark, result.name): result.failures for result in results}
    for result in results:
        reranked = known.get((result.benchmark, result.name.removesuffix(BEFORE)), {})
        if result.failures and not (result.name.endswith(BEFORE) and reranked == result.failures):
            yield result
