"""What stands side by side and should not be compared: results about other queries, or held against other truths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.evaluation import Result


def notes_side_by_side(results: Sequence[Result]) -> Iterator[str]:
    """A sentence for each result that cannot be compared with the first one."""
    for other in results[1:]:
        names = f"{results[0].name} and {other.name}"
        if set(other.query_ids) != set(results[0].query_ids):
            yield f"{names} are not about the same queries: their figures cannot be compared."
        elif _truth(other) != _truth(results[0]):
            yield f"{names} are held against different truths: their figures cannot be compared."


def _truth(result: Result) -> str | None:
    return result.fingerprints.get("judgments")
