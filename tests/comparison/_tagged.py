"""What the tests of slices share: results with scores and tags written down by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests._results import make_result

from assay import Query, Result


def tagged(
    name: str,
    scores: Mapping[str, Sequence[float]],
    tags: Mapping[str, Sequence[str | None]] | None = None,
    benchmark: str = "",
) -> Result:
    """Metric → scores of q0, q1, …; tag → its value for each of them, None where a query lacks it."""
    ids = [f"q{number}" for number in range(len(next(iter(scores.values()))))]
    made = make_result(scores, name, query_ids=ids, tags=tags, benchmark=benchmark)
    return made.with_fields(queries={name: Query(name, metadata=query.metadata) for name, query in made.queries.items()})
