"""Domains: bodies of knowledge about documents, such as a vocabulary of terms, that plug-ins bring to an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import chain
from typing import Any

from assay.catalog import Entries, load_entries
from assay.datasets import BenchmarkDataset, known_format
from assay.errors import UsageError
from assay.evaluation.grader import VIEWS, MakeViews, View
from assay.metrics import BoundMetric
from assay.model import Query, RankRule, Run
from assay.relevance import parse_resolver

Judgments = Mapping[str, Mapping[str, float]]
"""Query → document → grade."""
Select = Callable[[Mapping[str, Query]], Mapping[str, Query]]
"""All queries → those that will be asked; NothingSelected where none is left."""


@dataclass(frozen=True)
class Subject:
    """What is scored: judgments, and the benchmark they are of, if any; with options of domains, by which metrics."""

    qrels: Judgments
    options: Mapping[str, Any] = field(default_factory=dict)
    metrics: Sequence[BoundMetric] = ()
    dataset: BenchmarkDataset | None = None
    by: str = "auto"
    """The resolver that decides about relevance, as it was written."""


class DomainContext:
    """What a domain knows about one subject. As it stands it knows nothing; a domain overrides what it has to say."""

    has_canonical_ids = False
    """Whether `canonical` tells the id that a document goes by; else ids are compared as they are."""
    has_views = False
    """Whether `views` makes what metrics of this subject read."""

    def canonical(self, doc_id: str) -> str:
        """The id that a document goes by."""
        return doc_id

    def views(
        self,
        qrels: Judgments,  # noqa: ARG002
        run: Run,  # noqa: ARG002
        query_ids: tuple[str, ...],  # noqa: ARG002
        rule: RankRule,  # noqa: ARG002
        metrics: Sequence[BoundMetric],  # noqa: ARG002
    ) -> Mapping[str, View]:
        """Name of a view → the view over these queries, as far as one of the metrics reads it."""
        return {}

    def notes(self, expected: Iterable[str], retrieved: Iterable[str]) -> Iterable[str]:  # noqa: ARG002
        """What a reader should know about ids, as they were written: the relevant ones, and those that were retrieved."""
        return ()

    def describe(self) -> dict[str, Any]:
        """What figures rest on, as plain values; results keep it beside how relevance was decided."""
        return {}


class Domain:
    """A plug-in, announced in the entry-point group `assay.domains`. It overrides what it has to do with an evaluation."""

    name = ""
    keys: Mapping[str, Callable[[Any, str], Any]] = {}
    """Option, which is a key of plans → what checks its value; the second argument is the place that an error names."""

    def open(self, subject: Subject) -> DomainContext | None:  # noqa: ARG002
        """What is known about the subject, whose options are the domain's own; None where it is none of its business."""
        return None

    def read(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """The options with their files read, once for several runs."""
        return options

    def check(self, name: str, qrels: Judgments, options: Mapping[str, Any]) -> None:
        """Raise where options do not belong to the judgments that go by that name."""

    def documents(
        self,
        datasets: Mapping[str, BenchmarkDataset],
        options: Mapping[str, Any],  # noqa: ARG002
        select: Select,  # noqa: ARG002
        *,
        is_searched: bool,  # noqa: ARG002
    ) -> Mapping[str, BenchmarkDataset]:
        """The benchmarks of a plan with the documents that providers index; `is_searched` where one of them needs some."""
        return datasets

    def describe(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options as plain values, for provenance."""
        return dict(options)


@cache
def all_domains() -> Entries[Domain]:
    """Name → domain, sorted by name; plug-ins, all of them."""
    return load_entries("", Domain, "assay.domains")


def domain_keys() -> dict[str, Callable[[Any, str], Any]]:
    """Option of any domain → what checks its value."""
    return {key: check for domain in all_domains().values() for key, check in domain.keys.items()}


def open_context(subject: Subject) -> DomainContext:
    """What the first domain that the subject concerns knows about it; no domain is loaded where nothing needs one."""
    if not _needs_domain(subject):
        return DomainContext()
    _check_known(subject.options)
    for domain in all_domains().values():
        own = {key: value for key, value in subject.options.items() if key in domain.keys}
        if (context := domain.open(replace(subject, options=own))) is not None:
            return context
    return DomainContext()


def _needs_domain(subject: Subject) -> bool:
    return (
        bool(subject.options)
        or any(metric.metric.view not in VIEWS for metric in subject.metrics)
        or is_decided_by_domain(subject.by)
        or (subject.dataset is not None and has_domain(subject.dataset))
    )


def _check_known(options: Mapping[str, Any]) -> None:
    if unknown := [key for key in options if key not in domain_keys()]:
        raise UsageError(f"{', '.join(unknown)}: no plug-in that is installed takes it; domains of assay: {_domain_names()}")


def _domain_names() -> str:
    return ", ".join(all_domains()) or "none"


def is_decided_by_domain(by: str) -> bool:
    """Whether the resolver reads what a domain knows."""
    return by.strip() != "auto" and parse_resolver(by).resolver.needs_domain


def has_domain(dataset: BenchmarkDataset) -> bool:
    """Whether a domain knows the benchmark's documents, or those that its format leaves out."""
    format_ = known_format(dataset.format)
    return dataset.terms is not None or (format_ is not None and format_.needs_domain)


def read_options(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """The options that are there, with their files read."""
    parts = (domain.read(own) for domain, own in _owners(options))
    return {key: value for part in parts for key, value in part.items()}


def check_options(name: str, qrels: Judgments, options: Mapping[str, Any]) -> None:
    """Raise where options do not belong to the judgments that go by that name."""
    for domain, own in _owners(options):
        domain.check(name, qrels, own)


def describe_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as plain values."""
    return {key: value for domain, own in _owners(options) for key, value in domain.describe(own).items()}


def _owners(options: Mapping[str, Any]) -> Iterator[tuple[Domain, dict[str, Any]]]:
    """Each domain that has options here, and these; what is None was not said."""
    known = {key: value for key, value in options.items() if value is not None}
    _check_known(known)
    for domain in all_domains().values() if known else ():
        if own := {key: value for key, value in known.items() if key in domain.keys}:
            yield domain, own


def with_domain_documents(
    datasets: Mapping[str, BenchmarkDataset], options: Mapping[str, Any], select: Select, *, is_searched: bool
) -> Mapping[str, BenchmarkDataset]:
    """The benchmarks with the documents that domains make for providers to index."""
    if not options and not any(map(has_domain, datasets.values())):
        return datasets
    for domain in all_domains().values():
        own = {key: value for key, value in options.items() if key in domain.keys}
        datasets = domain.documents(datasets, own, select, is_searched=is_searched)
    return datasets


def bind_views(
    context: DomainContext, qrels: Judgments, run: Any, duplicates: str
) -> tuple[MakeViews | None, tuple[str, ...]]:
    """What makes the views of a domain out of a run; and notes on its ids, where they were not noted on the way."""
    if not context.has_views:
        return None, ()
    read = run if isinstance(run, Run) else Run(run, duplicates=duplicates)
    retrieved = chain.from_iterable(read.rankings)
    notes = () if context.has_canonical_ids else tuple(context.notes(expected_ids(qrels), retrieved))
    return partial(context.views, qrels, read), notes


def expected_ids(qrels: Judgments) -> list[str]:
    """The ids that are relevant to any query."""
    return [doc for judged in qrels.values() for doc, grade in judged.items() if grade > 0]
