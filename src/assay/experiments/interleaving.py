"""Interleaving: two rankings merged into the list that a user sees, so that clicks tell which ranking is better.

All methods draw from a generator that depends only on the method, the seed and the query. A service can build the same list
again, and a log does not have to store it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, Literal, NamedTuple, overload

from assay.errors import BadParameter, DataError, UnknownName, near_matches
from assay.model import Run, RunSource
from assay.text import shortened

Method = Literal["team_draft", "balanced", "probabilistic"]
TEAM_DRAFT: Final = "team_draft"
BALANCED: Final = "balanced"
PROBABILISTIC: Final = "probabilistic"
Seed = int | str
A, B, NOBODY = "a", "b", ""
"""The team of a shown document: the first ranking, the second, or none because one ranking had no more documents."""
STEEPNESS = 3.0
"""Probabilistic interleaving draws the document at rank r with odds of 1 / r³ (Hofmann et al. 2011)."""


@dataclass(frozen=True)
class Interleaving:
    """The merged list for one query, with all that credit for clicks needs."""

    query: str
    method: Method
    seed: Seed
    ranking: tuple[str, ...]
    """The documents to show, best first."""
    teams: tuple[str, ...]
    """The ranking that each document was drawn from: `a`, `b`, or empty. Empty for all with the balanced method."""
    ranks_a: tuple[int | None, ...]
    """The rank of each document in the first ranking, from 1; None if it is missing there."""
    ranks_b: tuple[int | None, ...]
    sizes: tuple[int, int]
    """The number of documents in both rankings."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, for the log."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in vars(self).items()}

    @classmethod
    def from_dict(cls, record: Any) -> Interleaving:
        """The interleaving that `to_dict` wrote, from a map or from its JSON text. Wrong content is an error."""
        from assay.experiments.saved_interleaving import parse_interleaving

        return parse_interleaving(record)


@overload
def interleave(  # type: ignore[overload-overlap]  # a list of ids is also a source of runs
    run_a: Sequence[str | int],
    run_b: Sequence[str | int],
    method: str = TEAM_DRAFT,
    *,
    seed: Seed = 0,
    query: str = "",
    depth: int | None = None,
) -> Interleaving: ...
@overload
def interleave(
    run_a: RunSource,
    run_b: RunSource,
    method: str = TEAM_DRAFT,
    *,
    seed: Seed = 0,
    query: str = "",
    depth: int | None = None,
) -> dict[str, Interleaving]: ...
def interleave(
    run_a: Any, run_b: Any, method: str = TEAM_DRAFT, *, seed: Seed = 0, query: str = "", depth: int | None = None
) -> Interleaving | dict[str, Interleaving]:
    """Merge two rankings of one query (lists of ids, best first), or two runs with the same queries.

    `method` is `team_draft` (Radlinski et al. 2008), `balanced` (Joachims 2002) or `probabilistic` (Hofmann et al. 2011).
    `depth` is the number of documents to show (default: as many as the longer ranking has). Use another `seed` for every
    search, such as the id of the search, so that each search draws its own teams.
    """
    merge = find_method(method)
    _check(seed, depth)
    if _is_ranking(run_a) and _is_ranking(run_b):
        return _merged(_ids(run_a, "first"), _ids(run_b, "second"), merge, Draw(merge.name, seed, str(query)), depth)
    if _is_ranking(run_a) or _is_ranking(run_b):
        raise DataError("expected two rankings of one query, or two runs, but found one of each")
    a, b = Run(run_a), Run(run_b)
    if missing := sorted(set(a.query_ids) ^ set(b.query_ids)):
        which = "second" if missing[0] in a else "first"
        raise DataError(f"query {missing[0]} is missing from the {which} run; both runs need the same queries")
    ranked_a, ranked_b = _rankings(a), _rankings(b)
    draws = {query: Draw(merge.name, seed, query) for query in ranked_a}
    return {query: _merged(ranking, ranked_b[query], merge, draws[query], depth) for query, ranking in ranked_a.items()}


def _rankings(run: Run) -> dict[str, list[str]]:
    """The documents of each query by descending score; equal scores by descending id, as everywhere."""
    rankings = zip(run.query_ids, run.rankings, strict=True)
    return {query: sorted(sorted(scores, reverse=True), key=scores.__getitem__, reverse=True) for query, scores in rankings}


class Draw(NamedTuple):
    """What random numbers depend on."""

    method: Method
    seed: Seed
    query: str

    @property
    def generator(self) -> random.Random:
        """A new generator: the same seed and query always draw the same numbers."""
        key = "\0".join((self.method, str(self.seed), self.query)).encode("utf-8", "surrogatepass")
        return random.Random(int.from_bytes(blake2b(key, digest_size=16).digest(), "big"))  # noqa: S311 (not a secret)


Picks = list[tuple[str, str]]
"""Documents with their teams."""


class Merge(NamedTuple):
    """A method: its name, and the function that draws the documents to show."""

    name: Method
    draw: Callable[[Sequence[str], Sequence[str], random.Random, int], Picks]


def _check(seed: Seed, depth: int | None) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int | str):
        raise BadParameter(f"the seed must be a whole number or a text, such as the id of a search, not {seed!r}")
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int) or depth < 1):
        raise BadParameter(f"depth must be a whole number of at least 1, not {depth!r}")


def _is_ranking(source: Any) -> bool:
    """Whether it is a list of ids, not a run."""
    return isinstance(source, list | tuple) and all(isinstance(doc, str | int) for doc in source)


def _ids(documents: Sequence[str | int], which: str) -> Sequence[str]:
    """The documents as text; a number as an id is its digits."""
    ranking = [str(doc) for doc in documents]
    if len(set(ranking)) < len(ranking):
        twice = next(doc for place, doc in enumerate(ranking) if doc in ranking[:place])
        raise DataError(f"document {shortened(twice)} appears twice in the {which} ranking")
    return ranking


def _merged(a: Sequence[str], b: Sequence[str], merge: Merge, draw: Draw, depth: int | None) -> Interleaving:
    places_a, places_b = ({doc: rank for rank, doc in enumerate(ranking, 1)} for ranking in (a, b))
    picks = merge.draw(a, b, draw.generator, depth or max(len(a), len(b)))
    docs = tuple(doc for doc, _ in picks)
    teams, ranks_a, ranks_b = tuple(team for _, team in picks), map(places_a.get, docs), map(places_b.get, docs)
    return Interleaving(draw.query, merge.name, draw.seed, docs, teams, tuple(ranks_a), tuple(ranks_b), (len(a), len(b)))


def draw_teams(a: Sequence[str], b: Sequence[str], generator: random.Random, depth: int) -> Picks:
    """Team draft: the team with fewer documents picks its best document that is left; a coin decides if both have as many.

    After one ranking has no documents left, the others are shown for no team, so that a longer ranking has no advantage.
    """
    rankings, picks, taken = {A: iter(a), B: iter(b)}, Picks(), set[str]()
    waiting = {team: _next(ranking, taken) for team, ranking in rankings.items()}
    size = {A: 0, B: 0}
    while len(picks) < depth and any(waiting.values()):
        is_draft = all(waiting.values())
        if is_draft and size[A] != size[B]:
            team = min(size, key=size.__getitem__)
        elif is_draft:
            team = A if generator.random() < 0.5 else B
        else:
            team = A if waiting[A] else B
        doc = waiting[team] or ""
        picks.append((doc, team if is_draft else NOBODY))
        taken.add(doc)
        size[team] += 1
        for name, known in waiting.items():
            if known in taken:
                waiting[name] = _next(rankings[name], taken)
    return picks


def _next(ranking: Any, taken: set[str]) -> str | None:
    """The best document of a ranking that is not shown yet."""
    return next((doc for doc in ranking if doc not in taken), None)


def take_turns(a: Sequence[str], b: Sequence[str], generator: random.Random, depth: int) -> Picks:
    """Balanced: both rankings are read in turns, and a coin decides which is first; documents have no teams."""
    first, second = (a, b) if generator.random() < 0.5 else (b, a)
    longest = max(len(a), len(b))
    turns = (doc for rank in range(longest) for ranking in (first, second) for doc in ranking[rank : rank + 1])
    return [(doc, NOBODY) for doc in list(dict.fromkeys(turns))[:depth]]


def draw_by_rank(a: Sequence[str], b: Sequence[str], generator: random.Random, depth: int) -> Picks:
    """Probabilistic: for each place a coin chooses the ranking, and a document is drawn from it with odds 1 / rank³."""
    left = {team: {doc: rank**-STEEPNESS for rank, doc in enumerate(docs, 1)} for team, docs in ((A, a), (B, b))}
    picks = Picks()
    while len(picks) < depth and any(left.values()):
        is_draft = all(left.values())
        team = (A if generator.random() < 0.5 else B) if is_draft else (A if left[A] else B)
        (doc,) = generator.choices(list(left[team]), list(left[team].values()))
        picks.append((doc, team if is_draft else NOBODY))
        for weights in left.values():
            weights.pop(doc, None)
    return picks


METHODS: Mapping[str, Merge] = {
    merge.name: merge
    for merge in (Merge(TEAM_DRAFT, draw_teams), Merge(BALANCED, take_turns), Merge(PROBABILISTIC, draw_by_rank))
}


def find_method(name: str) -> Merge:
    """The method of that name; hyphens and spaces count as underscores."""
    folded = name.strip().lower().replace("-", "_").replace(" ", "_")
    if folded not in METHODS:
        raise UnknownName("interleaving method", name, near_matches(folded, METHODS), f"choose from {', '.join(METHODS)}")
    return METHODS[folded]
