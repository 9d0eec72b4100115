"""The form of a pool in a file: JSON lines (`assay.pool/1`), a head and then a line for each pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec

from assay.errors import AssayError, BadParameter, DataError
from assay.judging.assignment import share_work
from assay.judging.pools import Pool, PoolPair, pool_metric
from assay.schema import Count, decode_json
from assay.serialize import dumps

SCHEMA = "assay.pool/1"


class SavedPool(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """The first line of a pool: how it was drawn."""

    schema: str
    id: str
    how: str
    seed: Count
    metric: str
    depth: Annotated[int, msgspec.Meta(ge=1)]
    systems: list[str]
    queries: list[str]
    n_drawn: Count
    n_pairs: Count
    benchmark: str = ""
    is_complete: bool = False
    judges: list[str] = []
    overlap: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0
    guidelines: str = ""
    extends: list[str] = []


class SavedPoolPair(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """A further line of a pool: a pair that could be drawn, and its place in the order of judging if it was drawn."""

    query: str
    document: str
    probability: Annotated[float, msgspec.Meta(gt=0, le=1)]
    place: Count | None = None


def pool_lines(pool: Pool) -> Iterator[str]:
    """The lines of a pool, without line ends: the head, the drawn pairs in the order of judging, then all others."""
    head = {
        "schema": SCHEMA,
        "id": pool.id,
        **{name: getattr(pool, name) for name in ("how", "seed", "metric", "depth", "benchmark", "is_complete")},
        "n_drawn": len(pool.drawn),
        "n_pairs": len(pool.pairs),
        "systems": list(pool.systems),
        "queries": list(pool.queries),
        **({"judges": list(pool.judges), "overlap": pool.overlap} if pool.judges else {}),
        **({"guidelines": pool.guidelines} if pool.guidelines else {}),
        **({"extends": list(pool.extends)} if pool.extends else {}),
    }
    yield dumps(head)
    for pair in (*pool.drawn, *(pair for pair in pool.pairs if pair.place is None)):
        yield dumps({name: value for name, value in pair._asdict().items() if value is not None})


def pool_from_lines(lines: Iterable[str | bytes], source: str = "a pool") -> Pool:
    """The pool that `pool_lines` describes; a DataError with file and line if a line is wrong or pairs are missing."""
    texts = [line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line for line in lines]
    numbered = [(number, text) for number, text in enumerate(texts, 1) if text.strip()]
    if not numbered:
        raise DataError(f"expected a pool ({SCHEMA}), found an empty file", source=source)
    head = decode_json(numbered[0][1], SavedPool, f"{source}:{numbered[0][0]}")
    if head.schema != SCHEMA:
        raise DataError(f"expected the schema {SCHEMA}, found {head.schema!r}", source=f"{source}:{numbered[0][0]}")
    rows = [decode_json(text, SavedPoolPair, f"{source}:{number}") for number, text in numbered[1:]]
    pairs = tuple(sorted(PoolPair(row.query, row.document, row.probability, row.place) for row in rows))
    pool = Pool(
        head.how,
        head.seed,
        head.metric,
        head.depth,
        tuple(head.systems),
        tuple(head.queries),
        pairs,
        head.benchmark,
        head.is_complete,
        extends=tuple(head.extends),
    )
    _check(pool, head, source)
    try:
        return share_work(pool, head.judges, head.overlap, head.guidelines)
    except BadParameter as error:
        raise DataError(str(error), source=f"{source}:{numbered[0][0]}") from None


def _check(pool: Pool, head: SavedPool, source: str) -> None:
    """Raise if a pool is not what it says: an unknown design or metric, or pairs that were added, removed or changed."""
    try:
        described: Any = (pool.design.name, pool_metric(pool.metric, pool.depth).name)
    except AssayError as error:
        raise DataError(str(error), source=source) from None
    if described != (pool.how, pool.metric) or pool.id != head.id:
        raise DataError(
            f"the pool was changed after it was drawn: its id is {head.id}, but its content has the id {pool.id}. Estimates "
            "need the pool as it was drawn",
            source=source,
        )
