"""A new version of a benchmark: its own judgments with the grades by people, which replace those that they overrule.

With the data of the benchmark it is a whole benchmark with its own version and fingerprint. Without them, it is the
judgments that a stored result has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay._version import __version__
from assay.datasets import BenchmarkDataset, has_ground_truth
from assay.errors import DataError
from assay.evaluation import Grades, MergedGrades, Result, merge_grades
from assay.model import Qrels, RelevanceJudgment
from assay.store.judgment import Judgment, combined, restore_ids
from assay.text import counted, printable, some_of

PROVENANCE = "merged_judgments"
"""The name under which the metadata of a new version say where its judgments come from."""


@dataclass(frozen=True)
class MergedJudgments:
    """The judgments of a benchmark with the grades by people, and where they come from."""

    qrels: Grades
    about: Mapping[str, Any]
    """From which version, how many were added and overruled, by whom and when."""
    notes: tuple[str, ...] = ()
    """What is missing, in words."""


def merged_version(
    dataset: BenchmarkDataset, judgments: Sequence[Judgment], version: str = ""
) -> tuple[BenchmarkDataset, MergedJudgments]:
    """The next version of a benchmark: its judgments with the grades by people. The given dataset does not change.

    Without a `version`, it is the old one followed by the fingerprint of the new judgments.
    """
    if not dataset.qrels and any(has_ground_truth(dataset, key, query) for key, query in dataset.queries.items()):
        raise DataError(f"{dataset.name} has no judgments of documents, so grades cannot be merged into them")
    grades = restore_ids(combined(judgments), {query: dataset.qrels.get(query, {}) for query in dataset.queries})
    unknown = [query for query in grades if query not in dataset.queries]
    grades = {query: by_document for query, by_document in grades.items() if query in dataset.queries}
    merged = merge_grades(dataset.qrels, grades)
    qrels = {**{query: dict(by_document) for query, by_document in dataset.qrels.items()}, **merged.by_query}
    new_print = Qrels(qrels).fingerprint
    about = {
        "from_version": dataset.version,
        "from_fingerprint": dataset.fingerprint("judgments"),
        **_about(merged, judgments, new_print),
    }
    new = replace(
        dataset,
        version=version or f"{dataset.version}+people.{new_print[:8]}",
        metadata={**dataset.metadata, PROVENANCE: about},
        qrels=qrels,
        judgments=_judges(dataset, judgments, grades),
        subtopics={pair: dict(some) for pair, some in dataset.subtopics.items() if pair[1] not in grades.get(pair[0], {})},
        _fingerprints={},
    )
    return new, MergedJudgments(qrels, about, tuple(_notes_on_data(dataset, grades, unknown)))


def merged_from_result(result: Result, judgments: Sequence[Judgment]) -> MergedJudgments:
    """The merged judgments of what a stored result has, if the benchmark itself is not available."""
    queries = dict.fromkeys([*result.relevant, *result.nonrelevant])
    own = {query: {**result.nonrelevant.get(query, {}), **result.relevant.get(query, {})} for query in queries}
    known = {query: [*result.run.get(query, ()), *own.get(query, ())] for query in (*queries, *result.run)}
    merged = merge_grades(own, restore_ids(combined(judgments), known))
    qrels = {**own, **merged.by_query}
    dataset = result.provenance.get("dataset") or {}
    about = {
        "from_version": str(dataset.get("version", "")),
        "from_fingerprint": str((dataset.get("fingerprints") or {}).get("judgments", "")),
        **_about(merged, judgments, Qrels(qrels).fingerprint),
    }
    note = (
        "Without the data of the benchmark, documents that it judged not relevant and that this result did not retrieve are "
        "missing, and so are queries that this result does not have. Name the data to write all judgments"
    )
    return MergedJudgments({query: by_document for query, by_document in qrels.items() if by_document}, about, (note,))


def _about(merged: MergedGrades, judgments: Iterable[Judgment], new_print: str) -> dict[str, Any]:
    """Where merged judgments come from."""
    times = sorted(judgment.judged for judgment in judgments)
    judges = sorted({judgment.judge_label for judgment in judgments})
    described = merged.describe("people", new_print)
    return {
        **described,
        "judges": judges,
        "first": times[0] if times else "",
        "newest": times[-1] if times else "",
        "assay": __version__,
    }


def _judges(
    dataset: BenchmarkDataset, judgments: Sequence[Judgment], grades: Grades
) -> dict[tuple[str, str], RelevanceJudgment]:
    """Who judged a pair and when: for pairs with grades by people, all of them and the newest time."""
    by_pair: dict[tuple[str, str], list[Judgment]] = {}
    for judgment in judgments:
        by_pair.setdefault((judgment.query, judgment.document), []).append(judgment)
    known = dict(dataset.judgments)
    for query, by_document in grades.items():
        for document, grade in by_document.items():
            some = by_pair.get((printable(query), printable(document)), [])
            judge = ", ".join(judgment.judge for judgment in some)
            known[query, document] = RelevanceJudgment(
                query, document, grade, judge=judge, timestamp=max(judgment.judged for judgment in some)
            )
    return known


def _notes_on_data(dataset: BenchmarkDataset, grades: Grades, unknown: Sequence[str]) -> Iterable[str]:
    if unknown:
        yield f"{counted(len(unknown), 'query')} with grades not in these data, left out: {some_of(unknown)}"
    missing = [doc for by_document in grades.values() for doc in by_document if doc not in dataset.documents]
    if missing and dataset.documents:
        yield f"{counted(len(missing), 'document')} with grades not in these data: {some_of(missing)}"
    if dataset.subtopics:
        yield "judgments per subtopic are not part of a JSON file, so diversity metrics cannot be computed with it"
