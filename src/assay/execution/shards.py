"""Shards: results over different queries of one benchmark, merged into the result over all these queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations, pairwise
from operator import itemgetter
from typing import Any

import numpy as np

from assay.errors import BadParameter
from assay.evaluation import Evidence, Result, Scores, with_intervals
from assay.metrics import BoundMetric
from assay.model import MEAN
from assay.text import counted, some_of

RESAMPLED = ("bootstrap", "bca")
"""Interval methods of means that are never chosen automatically."""
SAME_PROVENANCE = ("dataset", "provider", "k", "chunks", "repeats", "files", "assay", "packages")
"""What all shards must have in common, besides how they were scored."""

GAP = "of the benchmark are in none of the merged results."
"""How the note on queries between the shards ends."""
Range = tuple[int, int | None]
"""Positions of queries: the first, and the one after the last; None if the range has no end."""


def merge_shards(shards: Sequence[Result]) -> Result:
    """The result over the queries of all shards. It equals the result of one evaluation of all these queries.

    Shards must have different queries, and otherwise the same benchmark, provider and settings. Fingerprints of rankings and
    bands are left out, because they cannot be computed from parts.
    """
    if len(shards) < 2:
        raise BadParameter("merging needs at least two results")
    ordered = sorted(shards, key=_first_position)
    for first, second in combinations(ordered, 2):
        _check_fits(first, second)
    merged = replace(
        ordered[0],
        all_scores=Scores.stacked([("", shard.all_scores) for shard in ordered]),
        evidence=Evidence.stacked([replace(shard.evidence, grader=None) for shard in ordered]),
        origin=replace(
            ordered[0].origin,
            policy=max((shard.policy for shard in ordered), key=lambda policy: policy.max_grade or 0.0),
            relevance=_added([shard.relevance for shard in ordered]),
            notes=_notes(ordered),
            provenance=_provenance(ordered),
            recorded={},
        ),
    )
    return _with_intervals(merged, ordered)


def _notes(shards: Sequence[Result]) -> tuple[str, ...]:
    """The notes of all shards, each once, and which queries between them are missing now."""
    known = (note for shard in shards for note in shard.notes if not note.endswith(GAP))
    return tuple(dict.fromkeys((*known, *_gap_notes(shards))))


def _first_position(shard: Result) -> int:
    """Where the range of a shard starts; 0 if it has no range, so that the order of the shards counts."""
    return min((start for start, _ in _ranges_of(shard)), default=0)


def _ranges_of(shard: Result) -> list[Range]:
    """The positions of the queries of a shard: `0:20`, or `0:20,30:48` if it was merged and has gaps."""
    text = str((shard.provenance.get("selection") or {}).get("range") or "")
    ends = [part.partition(":") for part in text.split(",") if part]
    return [(int(start or 0), int(end) if end else None) for start, _, end in ends]


def _joined(shards: Sequence[Result]) -> list[Range]:
    """The positions of the queries of all shards: ranges that follow each other become one. Empty if one has no range."""
    every = [_ranges_of(shard) for shard in shards]
    joined: list[Range] = []
    for start, end in sorted(chain.from_iterable(every), key=itemgetter(0)) if all(every) else ():
        if joined and joined[-1][1] == start:
            start, _ = joined.pop()
        joined.append((start, end))
    return joined


def _gap_notes(shards: Sequence[Result]) -> list[str]:
    gaps = [f"{end}:{start}" for (_, end), (start, _) in pairwise(_joined(shards)) if end is not None and end < start]
    return [f"the queries at {', '.join(gaps)} {GAP}"] if gaps else []


def _check_fits(first: Result, second: Result) -> None:
    """An error that names everything that does not fit."""
    if differences := list(_differences(first, second)):
        raise BadParameter(f"these results are not shards of one evaluation: {'; '.join(differences)}")
    if shared := sorted(set(first.query_ids) & set(second.query_ids)):
        are = "is" if len(shared) == 1 else "are"
        raise BadParameter(
            f"{counted(len(shared), 'query')} {are} in several results: {some_of(shared)}. Merge results without overlap"
        )


def _differences(first: Result, second: Result) -> Iterator[str]:
    facts = {
        "benchmark": (first.benchmark, second.benchmark),
        "provider": (first.name, second.name),
        "metrics": tuple(", ".join(result.table.columns) for result in (first, second)),
        "profile": (first.profile or "none", second.profile or "none"),
    }
    yield from (f"the {name} {_is(name)} {ours} and {theirs}" for name, (ours, theirs) in facts.items() if ours != theirs)
    ours, theirs = (result.policy.to_dict() for result in (first, second))
    for name in dict.fromkeys((*ours, *theirs)):
        matters = name != "max_grade" or any(map(_reads_scale, first.metrics))
        if matters and ours.get(name) != theirs.get(name):
            yield f"{name.replace('_', ' ')} is {ours.get(name)} and {theirs.get(name)}"
    for name in SAME_PROVENANCE:
        a, b = first.provenance.get(name), second.provenance.get(name)
        if a != b:
            yield f"{name} is {a} and {b}" if not isinstance(a, Mapping) else f"the {name} {_is(name)} different"


def _is(name: str) -> str:
    return "are" if name.endswith("s") else "is"


def _reads_scale(metric: BoundMetric) -> bool:
    """Whether scores depend on the highest grade, which each shard finds in its own judgments."""
    return "max_grade" in metric.params or metric.params.get("gain") == "scale"


def _added(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Facts of several parts: counts are added, anything else is that of the first part that has it."""
    added: dict[str, Any] = {}
    for part in parts:
        for name, value in part.items():
            known = added.get(name)
            if isinstance(value, Mapping):
                added[name] = _added([known or {}, value])
            elif _is_count(value) and _is_count(known):
                added[name] = known + value
            elif known is None:
                added[name] = value
    if len({part.get("strategy_used") for part in parts}) > 1:
        added["strategy_used"] = "mixed"
    return added


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _provenance(shards: Sequence[Result]) -> dict[str, Any]:
    """The provenance of the first shard, with what is about all queries computed again or left out."""
    every = [shard.provenance for shard in shards]
    merged = {name: value for name, value in every[0].items() if name not in ("evaluation", "queries_per_second")}
    for name in ("counts", "seconds"):
        if any(facts.get(name) for facts in every):
            names = dict.fromkeys(key for facts in every for key in facts.get(name) or {})
            merged[name] = {key: sum((facts.get(name) or {}).get(key) or 0 for facts in every) for key in names}
    for name, choose in (("started", min), ("finished", max)):
        if moments := [facts[name] for facts in every if facts.get(name)]:
            merged[name] = choose(moments)
    if "latency_ms" in merged:
        merged["latency_ms"] = _latency(shards)
    if "selection" in merged:
        merged["selection"] = _selection(shards)
    if any("final" in facts for facts in every):
        merged["final"] = [query for facts in every for query in facts.get("final", ())]
    return merged


def _latency(shards: Sequence[Result]) -> dict[str, float | None]:
    """The mean over all queries. Percentiles cannot be computed from parts."""
    means = [(len(shard.query_ids), (shard.provenance.get("latency_ms") or {}).get("mean")) for shard in shards]
    known = [(n, mean) for n, mean in means if mean is not None]
    total = sum(n for n, _ in known)
    return {"mean": float(np.dot(*np.array(known).T) / total) if total else None}


def _selection(shards: Sequence[Result]) -> dict[str, Any]:
    """What all shards have in common, and the positions of all their queries."""
    first, *others = (shard.provenance.get("selection") or {} for shard in shards)
    same = {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}
    ranges = [f"{start}:{'' if end is None else end}" for start, end in _joined(shards)]
    return same | ({"range": ",".join(ranges)} if ranges else {})


def _with_intervals(merged: Result, shards: Sequence[Result]) -> Result:
    """Intervals for the metrics that have one in every shard, by the same method and at the same level."""
    names = [name for name in shards[0].intervals if all(name in shard.intervals for shard in shards)]
    if not names:
        return merged
    first = shards[0].intervals[names[0]]
    means = [name for name in names if merged.table.columns[name].aggregation is MEAN]
    used = [shard.intervals[name].method for shard in shards for name in means]
    method = next((method for method in used if method in RESAMPLED), "auto")
    seed = merged.provenance.get("seed")
    seed = seed if isinstance(seed, int) else 0
    return with_intervals(merged, method, first.level, seed, set(names), first.cluster or None)
