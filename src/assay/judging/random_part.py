"""Random part: the grades by people that estimates may use, because their pairs are a random part of the drawn ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from assay.errors import DataError
from assay.judging.assignment import pairs_of
from assay.judging.pools import Pool, PoolPair
from assay.store import Judgment
from assay.text import counted, printable

MOST_OPEN = 0.2
"""The largest share of pairs without a grade in the part that was judged in order: pairs that judges skipped."""
Ids = tuple[str, str]
NOT_RANDOM = (
    "{graded} of the {drawn} of the pool {id} have a grade, but {why}. Such pairs say nothing about the others. Judge the "
    "pairs in the order of the pool (assay serve, then /queue/{id}), or grade all of them"
)


def grades_in_order(pool: Pool, judgments: Iterable[Judgment], shared: Pool | None = None) -> list[Judgment]:
    """The grades by people for the pairs that were judged in the order of the pool; a DataError if there is no such part.

    If all drawn pairs have a grade, all count, wherever they were given. Otherwise a judge's part are the first pairs of
    the judge's order, as far as the judge graded through the pool and few of them are open. In it, grades from elsewhere
    count too. `shared` is the same pool with the judges who share the work, if `pool` does not name them. A pool without
    grades, or that allows no estimates, is not checked.
    """
    listed = list(judgments)
    drawn = {_ids(pair) for pair in pool.drawn}
    graded = {pair for judgment in listed if (pair := _ids(judgment)) in drawn}
    if not pool.unit or not graded or len(graded) == len(drawn):
        return listed
    own: dict[str, set[Ids]] = {}
    for judgment in listed:
        if judgment.pool == printable(pool.id) and not judgment.is_settled and _ids(judgment) in drawn:
            own.setdefault(judgment.judge, set()).add(_ids(judgment))
    through = set().union(*own.values())
    part = _first_part([_ids(pair) for pair in pool.drawn], through, graded) if pool.design.unit else set()
    for judge, pairs in own.items():
        part |= max((_first_part(order, pairs, graded) for order in _orders(shared or pool, judge)), key=len)
    if not through or 2 * len(through & part) < len(through):
        why = "they were not judged in its order" if through else "none was given through this pool"
        n_drawn = counted(len(drawn), "drawn pair")
        raise DataError(NOT_RANDOM.format(graded=f"{len(graded):,}", drawn=n_drawn, id=pool.id, why=why))
    return [judgment for judgment in listed if _ids(judgment) in part]


def _orders(pool: Pool, judge: str) -> Iterator[list[Ids]]:
    """The orders in which a judge may have got the pairs: the queue's, and that of a form for everybody."""
    unshared = replace(pool, judges=())
    for pairs in (pairs_of(pool, judge), pairs_of(unshared, judge), pairs_of(unshared, "")):
        yield [_ids(pair) for pair in pairs]


def _first_part(order: Sequence[Ids], own: Collection[Ids], graded: AbstractSet[Ids]) -> set[Ids]:
    """The longest first part that ends with a pair of the judge's own and has few pairs without a grade."""
    n_open = n_best = 0
    for n, pair in enumerate(order, 1):
        n_open += pair not in graded
        if pair in own and n_open <= MOST_OPEN * n:
            n_best = n
    return set(order[:n_best])


def _ids(pair: PoolPair | Judgment) -> Ids:
    """Query and document as the store has them."""
    return printable(pair.query), printable(pair.document)
