"""Short rankings: a system that never returned as many documents as were requested, so that deep metrics see too few."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from assay.arrays import Ints
from assay.datasets import BenchmarkDataset
from assay.evaluation.completeness import is_local
from assay.evaluation.grader import Grader
from assay.evaluation.result import Result
from assay.metrics import BoundMetric
from assay.text import counted

LONGEST = "longest_ranking"
"""The field of a provenance with the length of the longest ranking, if this length looks like a limit."""
SHORT_SIGN = "†"
"""The mark of a value that is computed from fewer documents than its metric looks at."""
MIN_QUERIES = 3
"""With fewer rankings of the same length, the length may be a coincidence."""
MIN_SHARE = 0.5
"""The share of rankings that must have the length of the longest one."""


class Limit(NamedTuple):
    """The largest number of documents that a system returned for a query, and how many it could have returned."""

    longest: int
    possible: int | None
    """None if it is unknown."""


def find_limit(lengths: Mapping[str, int], possible: Mapping[str, int] | None) -> Limit | None:
    """The limit of a system on the number of documents; None if nothing speaks for a limit.

    `lengths` has the length of each ranking, `possible` how many documents the query could have got. A system has a limit if
    its longest ranking is shorter than possible, and if many rankings have just this length: at least 3, and at least half
    of the rankings that are not empty, of the queries that could have got more. A system that finds only documents with
    matching words returns short rankings too, but of different lengths, and its longest ranking is rarely there twice. If it
    is unknown what was possible, all rankings that are not empty must have the same length.
    """
    longest = max(lengths.values(), default=0)
    open_ended = [query for query, length in lengths.items() if length and (possible is None or possible[query] > longest)]
    at_limit = [query for query in open_ended if lengths[query] == longest]
    share = 1.0 if possible is None else MIN_SHARE
    if len(at_limit) < max(MIN_QUERIES, share * len(open_ended)):
        return None
    return Limit(longest, None if possible is None else max(possible[query] for query in at_limit))


def limit_on(dataset: BenchmarkDataset, lengths: Mapping[str, int], k: int) -> Limit | None:
    """The limit of a system that was to return k documents of a benchmark, or all that a query may search if those are less.

    Documents are counted last, because that may read a large file. Documents that a package would have to download are not
    counted.
    """
    scopes = {query: dataset.queries[query].scope if query in dataset.queries else None for query in lengths}
    if max(lengths.values(), default=k) >= k:
        return None
    limit = find_limit(lengths, dict.fromkeys(lengths, k))
    is_scoped = any(scope is not None for scope in scopes.values())
    if (limit is None and not is_scoped) or not is_local(dataset):
        return limit
    groups = dataset.groups if is_scoped else {}
    n_documents = len(dataset.documents) or k
    sizes = {query: n_documents if scope is None else len(groups.get(scope, ())) for query, scope in scopes.items()}
    return find_limit(lengths, {query: min(k, size) for query, size in sizes.items()})


def with_limited_provider(result: Result, limit: Limit | None) -> Result:
    """The result with a note on the limit of its provider, if it has one."""
    if limit is None:
        return result
    documents = counted(limit.possible or 0, "document")
    return _with_note(result, limit.longest, f"the provider never returned more than {limit.longest:,} of {documents}")


def with_short_run(result: Result, dataset: BenchmarkDataset | None = None, *, is_own_choice: bool = False) -> Result:
    """The result of a run file with a note if the run has a limit, and a metric looks at more documents.

    Without a benchmark, rankings of as many documents as have judgments are not short. `is_own_choice`: the system itself
    chose how many documents to return, so that values are not marked.
    """
    if result.grader is None or len(result.query_ids) < MIN_QUERIES:
        return result
    deepest = max((_cutoff(metric) for metric in result.metrics if metric.name not in result.beside), default=0)
    if dataset is None and not result.run:
        limit = _common_length(result.grader.main_grading(result.settings, result.policy).run.n_retrieved, deepest)
    else:
        lengths = _lengths(result, result.grader)
        if max(lengths.values(), default=0) >= deepest:
            return result
        limit = find_limit(lengths, None) if dataset is None else limit_on(dataset, lengths, deepest)
    if limit is None or (dataset is None and limit.longest >= result.grader.qrels.n_documents):
        return result
    sentence = f"the run has at most {counted(limit.longest, 'document')} per query"
    return _with_note(result, limit.longest, sentence, is_marked=not is_own_choice)


def _common_length(lengths: Ints, deepest: int) -> Limit | None:
    """The same as `find_limit` if it is unknown what was possible, for many queries at once; None if it is deep enough."""
    longest = int(lengths.max(initial=0))
    if longest >= deepest:
        return None
    n_longest, n_filled = int((lengths == longest).sum()), int((lengths > 0).sum())
    return Limit(longest, None) if longest and n_longest >= max(MIN_QUERIES, n_filled) else None


def _lengths(result: Result, grader: Grader) -> dict[str, int]:
    """Query → length of its ranking; of its ranking of chunks, if they were merged into documents."""
    if result.run:
        return {query: len(result.run.get(query, ())) for query in result.query_ids}
    run = grader.main_grading(result.settings, result.policy).run
    return dict(zip(run.query_ids, run.n_retrieved.tolist(), strict=True))


def _with_note(result: Result, longest: int, sentence: str, *, is_marked: bool = True) -> Result:
    """The result with the sentence, with the metrics that are computed from too few documents, and with the length."""
    names = _deeper(result, longest)
    verb, sign = "is" if len(names) == 1 else "are", f" ({SHORT_SIGN})" if is_marked else ""
    consequence = f"; {', '.join(names)} {verb} computed from these{sign}" if names else ""
    provenance = {**result.provenance, **({LONGEST: longest} if is_marked else {})}
    return result.with_fields(notes=(*result.notes, f"{sentence}{consequence}."), provenance=provenance)


def _deeper(result: Result, longest: int) -> list[str]:
    """The requested metrics whose cutoff is larger."""
    return [metric.name for metric in result.metrics if metric.name not in result.beside and _cutoff(metric) > longest]


def is_short(result: Result, metric: BoundMetric) -> bool:
    """Whether the value of a metric is computed from fewer documents than the metric looks at, for every query."""
    longest = result.provenance.get(LONGEST)
    return longest is not None and metric.name not in result.beside and _cutoff(metric) > longest


def _cutoff(metric: BoundMetric) -> int:
    """The cutoff of a metric; 0 if it has none, or if the metric is a share of the retrieved documents."""
    is_share = metric.metric.name == "judged" or metric.params.get("over") == "retrieved"
    return 0 if is_share else metric.params.get("k") or 0
