"""pairing: which result of a baseline each result is held against."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from assay.errors import DataError
from assay.evaluation import Result


@dataclass(frozen=True)
class Pairing:
    """A result and the one of the baseline it is held against, if there is one; and what could not be paired, in words."""

    pairs: tuple[tuple[Result, Result | None], ...]
    notes: tuple[str, ...] = field(default=())


def pair_results(now: Sequence[Result], before: Sequence[Result], name: str = "the baseline") -> Pairing:
    """By benchmark, and by provider only where several remain; where that leaves a choice, it is an error that names it.

    A result that does not say what it is about goes with the only benchmark there is.
    """
    found: list[tuple[Result, Result | None]] = []
    notes: list[str] = []
    theirs, ours = _by_benchmark(before, now), _by_benchmark(now, before)
    for benchmark, results in ours.items():
        others = theirs.get(benchmark, [])
        if others:
            found += _paired(results, others, name)
        else:
            found += [(result, None) for result in results]
            notes.append(f"{name} has nothing about {benchmark or 'this benchmark'} (it is about {_listed(theirs)})")
    if found and before and all(other is None for _, other in found):
        here = ", ".join(dict.fromkeys(_address(result) for result, _ in found))
        there = ", ".join(dict.fromkeys(map(_address, before)))
        raise DataError(f"nothing can be compared: here is {here}, and {name} has {there}")
    notes += [
        f"{_address(result)} is not in {name}, so nothing is compared with it"
        for result, other in found
        if other is None and theirs.get(_key(result, before))
    ]
    used = {id(other) for _, other in found}
    left = [_address(result) for result in before if id(result) not in used]
    if left:
        notes.append(f"{name} also has {', '.join(left)}, which was not evaluated now")
    return Pairing(tuple(found), tuple(notes))


def _key(result: Result, others: Sequence[Result]) -> str:
    benchmarks = {other.benchmark for other in others if other.benchmark}
    return result.benchmark or (next(iter(benchmarks)) if len(benchmarks) == 1 else "")


def _by_benchmark(results: Sequence[Result], others: Sequence[Result]) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(_key(result, [*results, *others]), []).append(result)
    return found


def _paired(results: Sequence[Result], others: Sequence[Result], name: str) -> list[tuple[Result, Result | None]]:
    """Results and the baseline's on one benchmark."""
    if len(results) == len(others) == 1:
        return [(results[0], others[0])]
    by_provider: dict[str, list[Result]] = {}
    for other in others:
        by_provider.setdefault(other.name, []).append(other)
    for provider, same in by_provider.items():
        if len(same) > 1:
            raise DataError(f"{name} has {len(same)} results called {provider}, so none of them can be meant")
    found = [(result, next(iter(by_provider.get(result.name, [])), None)) for result in results]
    if all(other is None for _, other in found):
        raise DataError(_which(results, others, name))
    return found


def _which(results: Sequence[Result], others: Sequence[Result], name: str) -> str:
    """Ask which is meant, on the side that has a choice; what has a part behind a # already gets another."""
    here, there = (", ".join(sorted({one.name for one in some})) for some in (results, others))
    whole = name.partition("#")[0]
    said = [f"assay gate 'latest#{results[0].name}'"] if len(results) > 1 else []
    said += [f"--baseline '{whole}#{others[0].name}'"] if len(others) > 1 else []
    return (
        f"several results remain, and no provider is in both: here is {here}, and {name} has {there}.\n"
        f"  Say which is meant behind a #, as in {' and '.join(said)}"
    )


def _address(result: Result) -> str:
    return f"{result.benchmark}/{result.name}" if result.benchmark else result.name


def _listed(names: Iterable[str]) -> str:
    return ", ".join(name or "an unnamed benchmark" for name in names)
