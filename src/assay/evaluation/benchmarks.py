"""Benchmarks of a plan: loaded, and looked at together before any of them is asked about."""

from __future__ import annotations

from collections.abc import Mapping

from assay.datasets import BenchmarkDataset, load_dataset
from assay.errors import BadParameter, DataError
from assay.evaluation.indexed_terms import with_indexed_terms
from assay.evaluation.plan import Plan
from assay.evaluation.plan_faults import PlanFaults
from assay.model import Tags, asked_for, tags_of


def load_benchmarks(plan: Plan, faults: PlanFaults) -> dict[str, BenchmarkDataset]:
    """Benchmark as the plan has it → dataset, of those that can be read; what is wrong with any of them is noted.

    Two of one name are refused, for results are known by it; so are tags to select by that no query of any of them has,
    and benchmarks without documents for providers that search in those.
    """
    loaded = {name: faults.attempt(load_dataset, name, plan.dataset_format) for name in plan.benchmarks}
    datasets = {name: dataset for name, dataset in loaded.items() if dataset is not None}
    first: dict[str, str] = {}
    for path, dataset in datasets.items():
        if first.setdefault(dataset.name, path) != path:
            both = f"{first[dataset.name]} and {path} are both called {dataset.name}"
            faults.add(BadParameter(f"{both}, and so would be their results; give one another name, or run them apart"))
    indexed = faults.attempt(with_indexed_terms, datasets, plan)
    datasets = datasets if indexed is None else indexed
    for dataset in datasets.values() if indexed is not None else ():
        faults.attempt(_refuse_without_documents, dataset, plan)
    if len(datasets) == len(loaded):
        faults.attempt(plan.selection.check_tags, [dataset.queries for dataset in datasets.values()])
        for by in asked_for(plan.by) if plan.by else ():
            faults.attempt(_tags_of_all(datasets).crossed, by)
    return datasets


def _refuse_without_documents(dataset: BenchmarkDataset, plan: Plan) -> None:
    if dataset.documents:
        return
    if needy := [provider.name for provider in plan.providers if provider.indexes]:
        verb = "needs" if len(needy) == 1 else "need"
        advice = "add them to the benchmark, or choose providers with documents of their own, such as http or replay"
        raise DataError(f"{dataset.name} has no documents, and {', '.join(needy)} {verb} some to search in; {advice}")


def _tags_of_all(datasets: Mapping[str, BenchmarkDataset]) -> Tags:
    """The tags of all queries; the benchmark is one of them."""
    return Tags(
        {
            f"{name}/{query.query_id}": {**tags_of(query), "benchmark": name}
            for name, dataset in datasets.items()
            for query in dataset.queries.values()
        }
    )
