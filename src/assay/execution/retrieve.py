"""`assay.run`: run your own retriever on a benchmark from Python."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypedDict, Unpack

from assay.datasets import (
    AsOfSource,
    BenchmarkDataset,
    BenchmarkSource,
    ColumnNames,
    DocumentSource,
    LenientShare,
    PopularitySource,
    VectorSource,
    load_dataset,
    queries_to_send,
)
from assay.errors import ProviderError, UsageError
from assay.evaluation import Result, TermSource, check_known_documents, default_metrics, open_context, subject_of
from assay.execution.execute import StartTime, check_has_features, score_responses, with_indexed_documents
from assay.execution.plan import Plan, WrittenPlan, make_plan
from assay.execution.progress import Progress
from assay.execution.runner import Part, collect_repeats
from assay.grammar import WrittenName
from assay.metrics import Given, parse_metrics, written_metrics
from assay.model import Policy
from assay.providers import BoundProvider, FunctionRetriever, Provider, adapt, is_retriever, parse_provider
from assay.text import shortened


class RetrieverObject(Protocol):
    """An object with a method `search(queries, k)`."""

    @property
    def search(self) -> Callable[..., Any]:
        """For each query, up to k hits, best first."""


RetrieverSource = str | RetrieverObject | Callable[..., Any] | BoundProvider
"""What `run` sends queries to: a retriever, a function of one query text and k, or the name of a provider."""


class PlanSettings(TypedDict, total=False):
    """The keys of a plan that `run` has as keywords, except labels."""

    dataset_format: str | None
    documents: DocumentSource | None
    columns: ColumnNames | None
    lenient: LenientShare | None
    as_of: AsOfSource
    vectors: VectorSource | None
    popularity: PopularitySource | None
    relevance: str | Mapping[str, Any] | None
    unit: str | None
    id_map: str | Mapping[str, str] | None
    missing_documents: str | None
    profile: str | None
    selection: Mapping[str, Any] | None
    seed: int | None
    timeout: float | None
    index_timeout: float | None
    retries: int | None
    concurrency: int | None
    batch_size: int | None
    repeats: int | None
    statistical_analysis: Mapping[str, Any] | None
    ontology: TermSource | None
    annotations: str | Path | None
    fields: str | Sequence[str] | None
    options: Mapping[str, Any] | None


class RunSettings(PlanSettings, total=False):
    """The settings of `run`, as keywords."""

    labels: str | Path | Sequence[str | Path] | None


class AllRunSettings(RunSettings, total=False):
    """All keywords of `run`, for functions that pass them on."""

    k: int | None
    policy: Policy | None
    name: str


READING_KEYS = ("dataset_format", "documents", "columns", "lenient", "as_of", "vectors", "popularity", "options")
"""Settings that are not passed to the plan as they are."""


def run(
    dataset: BenchmarkSource,
    retriever: RetrieverSource,
    metrics: Given | Iterable[Given] | None = None,
    *,
    k: int | None = None,
    policy: Policy | None = None,
    name: str = "",
    **settings: Unpack[RunSettings],
) -> Result:
    """Run your own retriever on a benchmark, and score it.

    The retriever is an object with `search(queries, k)` and, if it indexes documents, `index(documents)`; a function of
    one query text and k; or the name of a provider. The dataset, with `documents`, `columns`, `lenient`, `as_of`,
    `vectors` and `popularity`, is anything that `load_dataset` reads. `settings` are the keys of a plan: selection,
    relevance, profile, ontology, annotations, labels, fields, timeout, retries, concurrency, batch_size, repeats …;
    `options` are options of other domains, by name. Without a timeout, an object is called in the calling thread.
    """
    chosen = _load(dataset, settings)
    provider = wrap_retriever(retriever, name)
    keys = {key: value for key, value in settings.items() if key not in READING_KEYS}
    content = {"benchmarks": [chosen.name], "providers": [provider], "k": k, **keys, **(settings.get("options") or {})}
    plan = make_plan(WrittenPlan({name: value for name, value in content.items() if value is not None}), "assay.run")
    tool = plan.profile.name
    parsed = default_metrics([chosen.format]) if metrics is None else parse_metrics(written_metrics(metrics), tool)
    depth = max([plan.k, *(metric.params.get("k") or 0 for metric in parsed)])
    plan = replace(plan, metrics=tuple(parsed), k=k or depth)
    if policy is not None:
        plan = replace(plan, profile=replace(plan.profile, policy=policy))
    chosen = with_indexed_documents({chosen.name: chosen}, plan)[chosen.name]
    open_context(subject_of(plan.relevance, chosen, plan.metrics))  # fail now if something is missing, not after all queries
    retry_policy = plan.retry_policy if settings.get("timeout") is not None else replace(plan.retry_policy, timeout=math.inf)
    queries = plan.selection.apply(queries_to_send(chosen))
    check_has_features(chosen, [provider])
    check_known_documents(chosen, parsed)
    depth = plan.depth(chosen) if k is None else plan.k
    part = Part(chosen, provider, queries, depth, retry_policy, plan.batch_size, relevance=plan.relevance)
    return _execute(replace(part, repeats=plan.repeats), plan)


def _load(dataset: BenchmarkSource, settings: RunSettings) -> BenchmarkDataset:
    return load_dataset(
        dataset,
        settings.get("dataset_format"),
        documents=settings.get("documents"),
        columns=settings.get("columns"),
        lenient=settings.get("lenient"),
        as_of=settings.get("as_of"),
        vectors=settings.get("vectors"),
        popularity=settings.get("popularity"),
    )


def _execute(part: Part, plan: Plan) -> Result:
    """The result of a part; a ProviderError if every query failed."""
    start, progress = StartTime(), Progress(part.name, len(part.queries) * part.repeats)
    repeats = collect_repeats(part, [{}] * part.repeats, None, progress)
    result = score_responses(part, plan, repeats, progress, start)[-1]
    if result.is_total_failure:
        query, reason = next(iter(result.failures.items()))
        raise ProviderError(f"{part.name}: every query failed. The first error, for {query}: {reason}")
    return result


def wrap_retriever(retriever: Any, name: str = "") -> BoundProvider:
    """The provider of an object, a function, or the name of a provider."""
    if isinstance(retriever, str):
        return replace(parse_provider(WrittenName(retriever)), label=name)
    if isinstance(retriever, BoundProvider):
        return replace(retriever, label=name or retriever.label)
    if inspect.isclass(retriever):
        raise UsageError(f"{retriever.__name__} is a class. Pass an instance: {retriever.__name__}()")
    if is_retriever(retriever):
        type_name, own = type(retriever).__name__, adapt(retriever)
        make: Any = own.described(type_name).left_open
        indexes, batch = own.indexes, own.batch
    elif callable(retriever):
        type_name, indexes, batch = getattr(retriever, "__name__", type(retriever).__name__), False, 1
        make = partial(FunctionRetriever, type_name, retriever)
    else:
        expected = "an object with search(queries, k), a function or the name of a provider"
        raise ProviderError(f"expected {expected}, found {shortened(retriever)}")
    record = Provider(name or type_name, "your own retriever", make, indexes=indexes, batch=batch)
    return BoundProvider(record, {})
