"""Domains: knowledge about documents, such as a vocabulary of terms, that plug-ins add to an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from assay.catalog import Entries, load_entries
from assay.datasets import BenchmarkDataset
from assay.errors import UsageError
from assay.evaluation.grader import VIEWS, MakeViews, View
from assay.metrics import BoundMetric
from assay.model import Query, RankRule, Run
from assay.relevance import parse_resolver

if TYPE_CHECKING:
    from assay.datasets import Finding

Judgments = Mapping[str, Mapping[str, float]]
"""Query → document → grade."""
Select = Callable[[Mapping[str, Query]], Mapping[str, Query]]
"""All queries → the selected ones; raises NothingSelected if none is left."""


@dataclass(frozen=True)
class Subject:
    """What is scored: the judgments, the options of domains, the metrics, and the benchmark if there is one."""

    qrels: Judgments
    options: Mapping[str, Any] = field(default_factory=dict)
    metrics: Sequence[BoundMetric] = ()
    dataset: BenchmarkDataset | None = None
    by: str = "auto"
    """The resolver that decides about relevance, as the user wrote it."""


class DomainContext:
    """What a domain knows about one subject. This base class knows nothing; domains override its methods."""

    has_canonical_ids = False
    """Whether `canonical` returns the canonical id of a document; else ids are compared as they are."""
    has_views = False
    """Whether `views` creates views for the metrics of this subject."""

    def canonical(self, doc_id: str) -> str:
        """The canonical id of a document."""
        return doc_id

    def views(
        self,
        qrels: Judgments,  # noqa: ARG002
        run: Run,  # noqa: ARG002
        query_ids: tuple[str, ...],  # noqa: ARG002
        rule: RankRule,  # noqa: ARG002
        metrics: Sequence[BoundMetric],  # noqa: ARG002
    ) -> Mapping[str, View]:
        """Name → view over these queries, for each view that at least one of the metrics reads."""
        return {}

    def notes(self, expected: Iterable[str], retrieved: Iterable[str]) -> Iterable[str]:  # noqa: ARG002
        """Notes on the ids as they were written: the relevant ids, and the retrieved ids."""
        return ()

    def describe(self) -> dict[str, Any]:
        """What scores are based on, as plain values; results store it with how relevance was decided."""
        return {}


class Domain:
    """A plug-in, registered in the entry-point group `assay.domains`. It overrides the methods that it needs."""

    name = ""
    keys: Mapping[str, Callable[[Any, str], Any]] = {}
    """Option (also a key of plans) → the function that checks its value; the second argument is the place for errors."""

    def open(self, subject: Subject) -> DomainContext | None:  # noqa: ARG002
        """What the domain knows about the subject, which has only its options; None if the domain does not apply."""
        return None

    def read(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """The options with their files read, so that several runs share them."""
        return options

    def check(self, name: str, qrels: Judgments, options: Mapping[str, Any]) -> None:
        """Raise an error if the options do not fit the judgments of that name."""

    def findings(self, dataset: BenchmarkDataset) -> Iterable[Finding]:  # noqa: ARG002
        """What is wrong with a benchmark of this domain: findings for `assay datasets check`."""
        return ()

    def documents(
        self,
        datasets: Mapping[str, BenchmarkDataset],
        options: Mapping[str, Any],  # noqa: ARG002
        select: Select,  # noqa: ARG002
        *,
        is_searched: bool,  # noqa: ARG002
    ) -> Mapping[str, BenchmarkDataset]:
        """The benchmarks of a plan with the documents to index; `is_searched` says whether any provider needs them."""
        return datasets

    def describe(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options as plain values, for provenance."""
        return dict(options)


@cache
def all_domains() -> Entries[Domain]:
    """Name → domain, sorted by name. All of them are plug-ins."""
    return load_entries("", Domain, "assay.domains")


def domain_keys() -> dict[str, Callable[[Any, str], Any]]:
    """Option of any domain → the function that checks its value."""
    return {key: check for domain in all_domains().values() for key, check in domain.keys.items()}


def open_context(subject: Subject) -> DomainContext:
    """What the first domain that applies knows about the subject. Domains are loaded only if something needs them."""
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
        or needs_domain(subject.metrics)
        or is_decided_by_domain(subject.by)
        or (subject.dataset is not None and has_domain(subject.dataset))
    )


def needs_domain(metrics: Iterable[BoundMetric]) -> bool:
    """Whether a metric reads a view that only a domain can create."""
    return any(metric.metric.view not in VIEWS for metric in metrics)


def _check_known(options: Mapping[str, Any]) -> None:
    if unknown := [key for key in options if key not in domain_keys()]:
        raise UsageError(f"no installed plug-in accepts {', '.join(unknown)} (installed domains: {_domain_names()})")


def _domain_names() -> str:
    return ", ".join(all_domains()) or "none"


def is_decided_by_domain(by: str) -> bool:
    """Whether the resolver reads what a domain knows."""
    return by.strip() != "auto" and parse_resolver(by).resolver.needs_domain


def has_domain(dataset: BenchmarkDataset) -> bool:
    """Whether a domain knows the documents of the benchmark, or provides those that its format leaves out."""
    from assay.datasets import known_format

    format_ = known_format(dataset.format)
    return dataset.terms is not None or (format_ is not None and format_.needs_domain)


def domain_findings(dataset: BenchmarkDataset) -> list[Finding]:
    """What domains find wrong with a benchmark whose documents they know; none for any other benchmark."""
    domains = all_domains().values() if has_domain(dataset) else ()
    return [finding for domain in domains for finding in domain.findings(dataset)]


def read_options(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """The given options, with their files read."""
    parts = (domain.read(own) for domain, own in _owners(options))
    return {key: value for part in parts for key, value in part.items()}


def check_options(name: str, qrels: Judgments, options: Mapping[str, Any]) -> None:
    """Raise an error if the options do not fit the judgments of that name."""
    for domain, own in _owners(options):
        domain.check(name, qrels, own)


def describe_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as plain values."""
    return {key: value for domain, own in _owners(options) for key, value in domain.describe(own).items()}


def _owners(options: Mapping[str, Any]) -> Iterator[tuple[Domain, dict[str, Any]]]:
    """Each domain that has options here, with its options; options that are None are ignored."""
    known = {key: value for key, value in options.items() if value is not None}
    _check_known(known)
    for domain in all_domains().values() if known else ():
        if own := {key: value for key, value in known.items() if key in domain.keys}:
            yield domain, own


def with_domain_documents(
    datasets: Mapping[str, BenchmarkDataset], options: Mapping[str, Any], select: Select, *, is_searched: bool
) -> Mapping[str, BenchmarkDataset]:
    """The benchmarks with the documents that domains create for indexing."""
    if not options and not any(map(has_domain, datasets.values())):
        return datasets
    for domain in all_domains().values():
        own = {key: value for key, value in options.items() if key in domain.keys}
        datasets = domain.documents(datasets, own, select, is_searched=is_searched)
    return datasets


def bind_views(
    context: DomainContext, qrels: Judgments, run: Any, duplicates: str
) -> tuple[MakeViews | None, tuple[str, ...]]:
    """The function that creates the views of a domain for a run; and notes on the ids, unless they were made before."""
    if not context.has_views:
        return None, ()
    read = run if isinstance(run, Run) else Run(run, duplicates=duplicates)
    retrieved = chain.from_iterable(read.rankings)
    notes = () if context.has_canonical_ids else tuple(context.notes(expected_ids(qrels), retrieved))
    return partial(context.views, qrels, read), notes


def expected_ids(qrels: Judgments) -> list[str]:
    """The ids of documents that are relevant to at least one query."""
    return [doc for judged in qrels.values() for doc, grade in judged.items() if grade > 0]
