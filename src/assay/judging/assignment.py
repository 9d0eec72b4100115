"""Assignment: which pairs of a pool a judge gets, and in which order. The pool decides both, so they never change.

Estimates need that the judged pairs are a random part of the drawn pairs at any time, and that the order reveals nothing
about the ranks. So the order of a random draw stays, but blocks of it are shuffled for each judge. Whole queries stay
together, because a query counts when all its pairs are judged. A draw by rank is shuffled completely.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b

from assay.errors import BadParameter
from assay.judging.design import QUERIES
from assay.judging.pools import Pool, PoolPair
from assay.store import checked_judge
from assay.text import shortened

BLOCK = 20
"""How many pairs of a random draw are shuffled together for each judge."""
MAX_JUDGES = 50
LONGEST_GUIDELINES = 20_000
"""Characters of the guidelines of a pool."""


def share_work(pool: Pool, judges: Sequence[str] = (), overlap: float = 0.0, guidelines: str = "") -> Pool:
    """The same pool with named judges, the share of the work that all of them get, and guidelines for them.

    Its id stays, because estimates do not depend on who judges what. Without judges everyone gets all pairs.
    """
    names = tuple(dict.fromkeys(map(checked_judge, judges)))
    if len(names) < len(judges):
        raise BadParameter(f"each judge must be named once, found {', '.join(map(shortened, judges))}")
    if len(names) > MAX_JUDGES:
        raise BadParameter(f"a pool can have at most {MAX_JUDGES} judges, found {len(names):,}")
    if not 0 <= overlap <= 1:
        raise BadParameter(f"the overlap must be a share from 0 to 1, not {overlap:g}")
    if overlap and len(names) < 2:
        raise BadParameter("an overlap needs at least two judges. Name them, or leave the overlap out")
    if len(guidelines) > LONGEST_GUIDELINES:
        raise BadParameter(f"guidelines can have at most {LONGEST_GUIDELINES:,} characters, found {len(guidelines):,}")
    return replace(pool, judges=names, overlap=float(overlap), guidelines=guidelines.strip())


def pairs_of(pool: Pool, judge: str) -> tuple[PoolPair, ...]:
    """The pairs that a judge gets, in the judge's order; none for a stranger if the pool names judges."""
    mine = _assigned(pool, judge)
    if pool.unit == QUERIES:
        groups = _by_query(mine)
    elif pool.design.unit:
        groups = (mine[start : start + BLOCK] for start in range(0, len(mine), BLOCK))
    else:
        groups = iter([mine])
    return tuple(pair for group in groups for pair in sorted(group, key=partial(_mixed, pool.id, judge)))


def _assigned(pool: Pool, judge: str) -> list[PoolPair]:
    """The pairs of a judge in the order of the draw. Every nth one of the mixed parts goes to all judges."""
    if not pool.judges:
        return list(_in_order(pool))
    if judge not in pool.judges:
        return []
    parts = list(dict.fromkeys(_part(pool, pair) for pair in _in_order(pool)))
    parts.sort(key=lambda part: _digest(pool.id, part))
    mine: set[Hashable] = set()
    n_single = 0
    for number, part in enumerate(parts):
        is_shared = int((number + 1) * pool.overlap + ROUNDING) > int(number * pool.overlap + ROUNDING)
        if is_shared or pool.judges[n_single % len(pool.judges)] == judge:
            mine.add(part)
        n_single += not is_shared
    return [pair for pair in _in_order(pool) if _part(pool, pair) in mine]


ROUNDING = 1e-9
"""What floating point may lose of a share, as in 5 · 0.2."""


def _in_order(pool: Pool) -> Sequence[PoolPair]:
    """The drawn pairs in a random order: that of the draw if it is random; of a draw by rank, with the queries mixed."""
    if pool.design.unit:
        return pool.drawn
    return sorted(pool.drawn, key=lambda pair: (_digest(pool.id, pair.query), pair.query, _digest(pool.id, *pair[:2])))


def _part(pool: Pool, pair: PoolPair) -> Hashable:
    """What goes to a judge as a whole: a pair, or a query of which all pairs were drawn."""
    return pair.query if pool.unit == QUERIES else pair[:2]


def _by_query(pairs: Sequence[PoolPair]) -> Iterator[list[PoolPair]]:
    by_query: dict[str, list[PoolPair]] = {}
    for pair in pairs:
        by_query.setdefault(pair.query, []).append(pair)
    return iter(by_query.values())


def _mixed(pool_id: str, judge: str, pair: PoolPair) -> bytes:
    return _digest(pool_id, judge, *pair[:2])


def _digest(*parts: object) -> bytes:
    """A number that looks random, always the same for the same parts."""
    return blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()
