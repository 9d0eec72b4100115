"""Indexed terms: what providers search in, where a plan's benchmarks are HPO cases: which fields, in which language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.datasets._dataset import BenchmarkDataset
from assay.datasets._hpo import FIELDS, language_of, with_terms
from assay.datasets._translations import Translation, read_translations
from assay.datasets.hpo_cases import FORMAT
from assay.errors import BadParameter
from assay.evaluation.plan import Plan


def with_indexed_terms(datasets: Mapping[str, BenchmarkDataset], plan: Plan) -> dict[str, BenchmarkDataset]:
    """The datasets, HPO cases among them with the documents that the plan asks for; files of cases have none.

    Labels go to the benchmarks of their language; a file of labels that no benchmark can use is refused.
    """
    cases = [dataset for dataset in datasets.values() if dataset.format == FORMAT.name]
    given = {"--labels": plan.labels, "--fields": plan.fields}
    if not cases and (flags := [flag for flag, value in given.items() if value]):
        raise BadParameter(f"{' and '.join(flags)}: only for HPO cases, and no benchmark has any")
    labels = _labels(plan.labels, {language_of(dataset) for dataset in cases})
    return {
        name: _indexed(dataset, labels.get(language_of(dataset)), plan) if dataset in cases else dataset
        for name, dataset in datasets.items()
    }


def _indexed(dataset: BenchmarkDataset, labels: Translation | None, plan: Plan) -> BenchmarkDataset:
    """HPO cases with the terms that the plan wants, where they have others or none."""
    ontology = plan.relevance.ontology if isinstance(plan.relevance.ontology, str) else None
    is_needed = not dataset.documents and any(provider.indexes for provider in plan.providers)
    if not is_needed and not labels and not plan.fields and not (ontology and dataset.documents):
        return dataset
    return with_terms(dataset, fields=plan.fields or FIELDS, labels=labels, ontology=ontology)


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
