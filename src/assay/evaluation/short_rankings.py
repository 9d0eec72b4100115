"""Short rankings: a system that never returned as many documents as were requested, so that deep metrics see too few."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from assay.datasets import BenchmarkDataset
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
    possible: int


def find_limit(lengths: Mapping[str, int], possible: Mapping[str, int]) -> Limit | None:
    """The limit of a system on the number of documents; None if nothing speaks for a limit.

    `lengths` has the length of each ranking, `possible` how many documents the query could have got: k, or the number of
    documents that it may search if that is less. A system has a limit if its longest ranking is shorter than possible, and
    if many rankings have just this length: at least 3, and at least half of the rankings that are not empty, of the queries
    that could have got more. A system that finds only documents with matching words returns short rankings too, but of
    different lengths, and its longest ranking is rarely there twice.
    """
    longest = max(lengths.values(), default=0)
    open_ended = [query for query, length in lengths.items() if length and possible[query] > longest]
    at_limit = [query for query in open_ended if lengths[query] == longest]
    if len(at_limit) < max(MIN_QUERIES, MIN_SHARE * len(open_ended)):
        return None
    return Limit(longest, max(possible[query] for query in at_limit))


def with_limited_provider(result: Result, limit: Limit | None) -> Result:
    """The result with a note on the limit of its provider, if it has one."""
    if limit is None:
        return result
    documents = counted(limit.possible, "document")
    return _with_note(result, limit.longest, f"the provider never returned more than {limit.longest:,} of {documents}")


def with_short_run(result: Result, dataset: BenchmarkDataset | None = None) -> Result:
    """The result of a run file with a note if all rankings have the same length, and a metric looks at more documents.

    A ranking of all documents of the benchmark is not short; without a benchmark, one with as many documents as have
    judgments is not. Documents are counted only if the rankings have the same length, because that may read a large file.
    """
    if result.grader is None or len(result.query_ids) < MIN_QUERIES:
        return result
    lengths = result.grader.main_grading(result.settings, result.policy).run.n_retrieved
    lengths = lengths[lengths > 0]
    if len(lengths) < MIN_QUERIES or lengths.min() != lengths.max():
        return result
    longest = int(lengths[0])
    if not _deeper(result, longest) or longest >= _n_known(result.grader, dataset):
        return result
    return _with_note(result, longest, f"the run has at most {counted(longest, 'document')} per query")


def _n_known(grader: Grader, dataset: BenchmarkDataset | None) -> int:
    """How many documents the benchmark has; if they are unknown, how many have judgments."""
    return len(dataset.documents if dataset is not None else ()) or len(set(grader.qrels.docs))


def _with_note(result: Result, longest: int, sentence: str) -> Result:
    """The result with the sentence, with the metrics that are computed from too few documents, and with the length."""
    names = _deeper(result, longest)
    verb = "is" if len(names) == 1 else "are"
    consequence = f"; {', '.join(names)} {verb} computed from these ({SHORT_SIGN})" if names else ""
    return result.with_fields(
        notes=(*result.notes, f"{sentence}{consequence}."), provenance={**result.provenance, LONGEST: longest}
    )


def _deeper(result: Result, longest: int) -> list[str]:
    """The requested metrics whose cutoff is larger."""
    return [metric.name for metric in result.metrics if metric.name not in result.beside and _cutoff(metric) > longest]


def is_short(result: Result, metric: BoundMetric) -> bool:
    """Whether the value of a metric is computed from fewer documents than the metric looks at, for every query."""
    longest = result.provenance.get(LONGEST)
    return longest is not None and metric.name not in result.beside and _cutoff(metric) > longest


def _cutoff(metric: BoundMetric) -> int:
    """The cutoff of a metric; 0 if it has none."""
    return metric.params.get("k") or 0
