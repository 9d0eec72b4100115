"""Indexed terms: the documents that providers search if a benchmark expects terms of an ontology."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from assay.datasets import BenchmarkDataset
from assay.errors import BadParameter, DataError, NothingSelected
from assay.model import Query
from assay.ontology.hpo import FIELDS, check_one_language, check_terms_known, language_of, with_terms
from assay.ontology.hpo_cases import FORMAT
from assay.ontology.ontology import Ontology
from assay.ontology.translations import Translation, read_translations

Select = Callable[[Mapping[str, Query]], Mapping[str, Query]]
"""All queries → the selected queries."""


def with_indexed_terms(
    datasets: Mapping[str, BenchmarkDataset],
    ontology: Ontology | None,
    label_files: Sequence[str],
    fields: Sequence[str],
    select: Select,
    *,
    is_searched: bool,
) -> dict[str, BenchmarkDataset]:
    """The datasets; those that search terms get terms as documents, because files of cases have no documents.

    HPO cases search terms, and so does a benchmark without documents if an ontology is given. Labels are used for the
    benchmarks in their language. An option that no benchmark can use is an error, and so are cases in several languages.
    """
    searched = {
        name: _with_selected_queries(dataset, select)
        for name, dataset in datasets.items()
        if _searches_terms(dataset, ontology)
    }
    flags = [flag for flag, value in {"--labels": label_files, "--fields": fields}.items() if value]
    if flags and not searched:
        reason = "no benchmark has HPO cases or terms of --ontology"
        raise BadParameter(f"{' and '.join(flags)} cannot be used: {reason}")
    for dataset in searched.values():
        check_one_language(dataset)
    if ontology is not None:
        _check_ontology_is_used(datasets, ontology)
    labels = _read_labels(label_files, {language_of(dataset) for dataset in searched.values()})
    indexed = dict(datasets)
    for name, selected in searched.items():
        dataset, own = datasets[name], labels.get(language_of(selected))
        terms = ontology if ontology is not None else datasets[name].terms
        is_other = ontology is not None and dataset.terms is not None and ontology is not dataset.terms
        if (is_searched and not dataset.documents) or is_other or own or fields:
            chosen = fields or dataset.metadata.get("documents", {}).get("fields") or FIELDS
            made = with_terms(selected if own else dataset, fields=chosen, labels=own, ontology=terms)
            indexed[name] = replace(made, queries=dataset.queries)
    return indexed


def _searches_terms(dataset: BenchmarkDataset, ontology: Ontology | None) -> bool:
    is_bare = ontology is not None and not dataset.documents and bool(dataset.qrels) and not dataset.spans
    return dataset.format == FORMAT.name or isinstance(dataset.terms, Ontology) or is_bare


def _with_selected_queries(dataset: BenchmarkDataset, select: Select) -> BenchmarkDataset:
    """The dataset with the selected queries; with all queries if none is selected, which the caller reports."""
    try:
        return replace(dataset, queries=dict(select(dataset.queries)))
    except NothingSelected:
        return dataset


def _check_ontology_is_used(datasets: Mapping[str, BenchmarkDataset], ontology: Ontology) -> None:
    """Raise if an ontology is given and no benchmark expects a term of it; one benchmark that does is enough."""
    strange: list[DataError] = []
    for dataset in datasets.values():
        try:
            check_terms_known(dataset.name, dataset.qrels, ontology)
        except DataError as error:
            strange.append(error)
    if strange and len(strange) == len(datasets):
        raise strange[0]


def _read_labels(files: Iterable[str], languages: set[str]) -> dict[str, Translation]:
    """Language → its labels, for the given languages."""
    labels: dict[str, Translation] = {}
    for file in files:
        there = read_translations(file)
        useful = {code: translation for code, translation in there.items() if code in languages}
        if not useful:
            asked = ", ".join(sorted(languages))
            languages_text = f"labels in {', '.join(there)}" if there else "no labels"
            raise BadParameter(f"{file}: expected labels in {asked}, like the benchmarks, found {languages_text}")
        labels = {**useful, **labels}
    return labels
