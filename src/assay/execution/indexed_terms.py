"""Indexed terms: what providers search in, where the documents of a plan's benchmarks are terms: which, and what of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from assay.datasets import (
    FIELDS,
    FORMAT,
    BenchmarkDataset,
    Translation,
    check_one_language,
    check_terms_known,
    language_of,
    read_translations,
    with_terms,
)
from assay.errors import BadParameter, DataError, NothingSelected
from assay.evaluation import known_ontology
from assay.execution.plan import Plan
from assay.ontology import Ontology


def with_indexed_terms(datasets: Mapping[str, BenchmarkDataset], plan: Plan) -> dict[str, BenchmarkDataset]:
    """The datasets, those that search terms with the documents that the plan asks for; files of cases have none.

    HPO cases search terms, and so does a benchmark without documents where an ontology is given. Labels go to the
    benchmarks of their language. What no benchmark can use is refused, and so are cases in several languages.
    """
    given = None if plan.relevance.ontology is None else known_ontology(plan.relevance.ontology)
    searched = {name: _selected(dataset, plan) for name, dataset in datasets.items() if _searches_terms(dataset, given)}
    flags = [flag for flag, value in {"--labels": plan.labels, "--fields": plan.fields}.items() if value]
    if flags and not searched:
        what = "only for HPO cases and for terms of --ontology"
        raise BadParameter(f"{' and '.join(flags)}: {what}, and no benchmark has any")
    for dataset in searched.values():
        check_one_language(dataset)
    if given is not None:
        _refuse_unused(datasets, given)
    labels = _labels(plan.labels, {language_of(dataset) for dataset in searched.values()})
    return {
        name: _indexed(dataset, labels.get(language_of(searched[name])), plan, given) if name in searched else dataset
        for name, dataset in datasets.items()
    }


def _searches_terms(dataset: BenchmarkDataset, given: Ontology | None) -> bool:
    is_bare = given is not None and not dataset.documents and bool(dataset.qrels) and not dataset.spans
    return dataset.format == FORMAT.name or dataset.terms is not None or is_bare


def _selected(dataset: BenchmarkDataset, plan: Plan) -> BenchmarkDataset:
    """The dataset with the queries that are asked; with all, where none is left, which others tell."""
    try:
        return replace(dataset, queries=plan.selection.apply(dataset.queries))
    except NothingSelected:
        return dataset


def _refuse_unused(datasets: Mapping[str, BenchmarkDataset], given: Ontology) -> None:
    """Raise where an ontology is given, and no benchmark expects a term of it; others may have nothing to do with it."""
    strange: list[DataError] = []
    for dataset in datasets.values():
        try:
            check_terms_known(dataset.name, dataset.qrels, given)
        except DataError as error:
            strange.append(error)
    if strange and len(strange) == len(datasets):
        raise strange[0]


def _indexed(dataset: BenchmarkDataset, labels: Translation | None, plan: Plan, given: Ontology | None) -> BenchmarkDataset:
    """The dataset with the terms that the plan wants, where it has others or none."""
    is_needed = not dataset.documents and any(provider.indexes for provider in plan.providers)
    is_other = given is not None and dataset.terms is not None and given is not dataset.terms
    if not (is_needed or is_other or labels or plan.fields):
        return dataset
    fields = plan.fields or dataset.metadata.get("documents", {}).get("fields") or FIELDS
    alone = _selected(dataset, plan) if labels else dataset
    indexed = with_terms(alone, fields=fields, labels=labels, ontology=given or dataset.terms)
    return replace(indexed, queries=dataset.queries)


def _labels(files: Iterable[str], languages: set[str]) -> dict[str, Translation]:
    """Language → its labels, of those that are asked for."""
    found: dict[str, Translation] = {}
    for file in files:
        there = read_translations(file)
        useful = {code: one for code, one in there.items() if code in languages}
        if not useful:
            asked = ", ".join(sorted(languages))
            raise BadParameter(
                f"{file}: has labels in {', '.join(there) or 'no language'}, and the benchmarks are in {asked}"
            )
        found = {**useful, **found}
    return found
