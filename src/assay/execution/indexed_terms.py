"""Indexed terms: the documents that providers search where a plan's benchmarks ask for terms of an ontology."""

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
    ontology = None if plan.relevance.ontology is None else known_ontology(plan.relevance.ontology)
    searched = {
        name: _with_selected_queries(dataset, plan)
        for name, dataset in datasets.items()
        if _searches_terms(dataset, ontology)
    }
    flags = [flag for flag, value in {"--labels": plan.labels, "--fields": plan.fields}.items() if value]
    if flags and not searched:
        what = "only for HPO cases and for terms of --ontology"
        raise BadParameter(f"{' and '.join(flags)}: {what}, and no benchmark has any")
    for dataset in searched.values():
        check_one_language(dataset)
    if ontology is not None:
        _check_ontology_is_used(datasets, ontology)
    labels = _read_labels(plan.labels, {language_of(dataset) for dataset in searched.values()})
    return {
        name: _with_indexed_terms(dataset, labels.get(language_of(searched[name])), plan, ontology)
        if name in searched
        else dataset
        for name, dataset in datasets.items()
    }


def _searches_terms(dataset: BenchmarkDataset, ontology: Ontology | None) -> bool:
    is_bare = ontology is not None and not dataset.documents and bool(dataset.qrels) and not dataset.spans
    return dataset.format == FORMAT.name or dataset.terms is not None or is_bare


def _with_selected_queries(dataset: BenchmarkDataset, plan: Plan) -> BenchmarkDataset:
    """The dataset with the queries that are asked; with all, where none is left, which others tell."""
    try:
        return replace(dataset, queries=plan.selection.apply(dataset.queries))
    except NothingSelected:
        return dataset


def _check_ontology_is_used(datasets: Mapping[str, BenchmarkDataset], ontology: Ontology) -> None:
    """Raise where an ontology is given, and no benchmark expects a term of it; others may have nothing to do with it."""
    strange: list[DataError] = []
    for dataset in datasets.values():
        try:
            check_terms_known(dataset.name, dataset.qrels, ontology)
        except DataError as error:
            strange.append(error)
    if strange and len(strange) == len(datasets):
        raise strange[0]


def _with_indexed_terms(
    dataset: BenchmarkDataset, labels: Translation | None, plan: Plan, ontology: Ontology | None
) -> BenchmarkDataset:
    """The dataset with the terms that the plan wants, where it has others or none."""
    is_needed = not dataset.documents and any(provider.indexes for provider in plan.providers)
    is_other = ontology is not None and dataset.terms is not None and ontology is not dataset.terms
    if not (is_needed or is_other or labels or plan.fields):
        return dataset
    fields = plan.fields or dataset.metadata.get("documents", {}).get("fields") or FIELDS
    alone = _with_selected_queries(dataset, plan) if labels else dataset
    indexed = with_terms(alone, fields=fields, labels=labels, ontology=ontology or dataset.terms)
    return replace(indexed, queries=dataset.queries)


def _read_labels(files: Iterable[str], languages: set[str]) -> dict[str, Translation]:
    """Language → its labels, of those that are asked for."""
    labels: dict[str, Translation] = {}
    for file in files:
        there = read_translations(file)
        useful = {code: translation for code, translation in there.items() if code in languages}
        if not useful:
            asked = ", ".join(sorted(languages))
            raise BadParameter(
                f"{file}: has labels in {', '.join(there) or 'no language'}, and the benchmarks are in {asked}"
            )
        labels = {**useful, **labels}
    return labels
