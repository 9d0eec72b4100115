"""Notes: what hints at a mistake, and what a careful reader of a result should be told."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.datasets import FileSource
from assay.datasets._chunk_ids import document_of
from assay.datasets._dataset import BenchmarkDataset
from assay.evaluation.conventions import differences
from assay.evaluation.grader import Grader
from assay.evaluation.setting import Setting
from assay.metrics._param import GAIN_LEVEL
from assay.metrics._parse import parse_metric
from assay.model.grading import Grading
from assay.model.policy import Policy
from assay.model.profile import Profile
from assay.model.qrels import Qrels
from assay.relevance._resolve import Resolved
from assay.relevance._stale_labels import in_words, is_move, is_stale
from assay.relevance._stale_labels import resolved as with_known_paths
from assay.text import counted, some_of

MANY_CONSTANT = 0.5
"""Share of queries with one score for all documents from which on the run looks broken."""


def notes_on(
    grader: Grader, settings: Sequence[Setting], profile: Profile, run: Any, documents: Container[str] = ()
) -> tuple[str, ...]:
    """All there is to say, the gravest first. `documents` are those that could have been retrieved, if they are at hand."""
    grading = grader.main_grading(settings, profile.policy)
    return (
        *_on_data(grading, grader.qrels, run, profile.policy, documents),
        *_on_constant_scores(grading),
        *_on_levels(settings, profile.policy),
        *_on_profile(settings, profile),
    )


def _on_data(grading: Grading, qrels: Qrels, run: Any, policy: Policy, documents: Container[str]) -> list[str]:
    """Ids that never match, grades beyond the scale."""
    found = []
    if grading.n_judged == len(grading.missing) and grading.n_extra:
        found.append("not one query of the run is judged: do both use the same query ids?")
    elif grading.run.n_retrieved.any() and not len(grading.run.retrieved.rank):
        found.append(_on_strange_ids(qrels, run, documents))
    if policy.max_grade is not None and qrels.max_grade > policy.max_grade:
        found.append(f"grades above {policy.max_grade:g}, the largest allowed, count as {policy.max_grade:g}.")
    return found


def _on_strange_ids(qrels: Qrels, run: Any, documents: Container[str]) -> str:
    """That nothing judged was found: by a retriever that misses, where its ids are those of documents; else by other ids.

    An id of each side shows what is different about them.
    """
    ours = _first_id(run)
    judged = set(qrels.docs)
    if ours is not None and (ours in documents or ours in judged):
        return "no query found anything that is judged: what was retrieved are other documents of the benchmark."
    found = "not one retrieved document occurs in the judgments"
    if ours is None or not qrels.docs:
        return f"{found}: do both use the same document ids?"
    whole = document_of(ours)
    chunks = " Chunks are rolled up with --unit document, or with --id-map." if whole != ours and whole in judged else ""
    return f"{found}: the run has ids like {ours!r}, the judgments like {(whole if chunks else qrels.docs[0])!r}.{chunks}"


def _first_id(run: Any) -> str | None:
    """The first id of a run, where it is quickly seen."""
    if isinstance(run, FileSource):
        fields = run.first_line.split() if run.kind == "trec" else []
        return fields[2].decode("utf-8", "replace") if len(fields) > 2 else None
    first = next((doc for ranking in run.values() for doc in ranking), None) if isinstance(run, Mapping) else None
    return None if first is None else str(first)


def _on_constant_scores(grading: Grading) -> list[str]:
    """A retriever that gives all documents one score has not ranked anything."""
    retrieved = grading.n_judged - len(grading.missing)
    if not grading.n_constant or grading.n_constant < MANY_CONSTANT * retrieved:
        return []
    share = f"{counted(grading.n_constant, 'query')} of {retrieved:,}"
    return [f"{share} got one and the same score for all documents: their order is the tie rule's, not the system's."]


def _on_levels(settings: Sequence[Setting], policy: Policy) -> list[str]:
    """Metrics that weigh grades have no level, so the policy's does not reach them."""
    metrics = [setting.metric for setting in settings]
    heedless = [metric for metric in metrics if GAIN_LEVEL in metric.metric.params and metric.params["rel"] is None]
    if policy.rel is None or not heedless:
        return []
    cut = heedless[0].metric.bind(**{**heedless[0].params, "rel": policy.rel}).name
    names = ", ".join(metric.name for metric in heedless)
    return [f"the level does not change {names}, which weighs every grade; {cut} does."]


def _on_profile(settings: Sequence[Setting], profile: Profile) -> list[str]:
    """What the tool does otherwise for some metrics, and which of them it does not have."""
    found = []
    words: dict[str, list[str]] = {}
    for setting in settings:
        others = (parse_metric(name) for name in dict.fromkeys(setting.also_asked) if name != setting.asked.name)
        for asked in (setting.asked, *others):
            start = replace(setting, metric=asked, policy=profile.policy)
            if said := "; ".join(one.words for one in differences(setting, start)):
                words.setdefault(said, []).append(asked.name)
    found += [f"{', '.join(names)}: {said}." for said, names in words.items()]
    scored = [setting.metric for setting in settings if not setting.is_beside]
    lacks = [metric.name for metric in scored if profile.lacks(metric)]
    if lacks:
        found.append(f"{profile.tool} has no {', '.join(lacks)}: scored as by default, under its conventions.")
    return found


def notes_on_spans(dataset: BenchmarkDataset) -> list[str]:
    """That gold spans are not where they say, or were moved when the dataset was read."""
    spans = [span for query, some in dataset.spans.items() if query in dataset.queries for span in some]
    if not spans:
        return []
    files = dataset.documents if dataset.files is None else dataset.files
    stale = [span for span in with_known_paths(spans, files) if is_stale(span, files)] if files else []
    found = []
    if stale:
        count = f"{len(stale):,} of {counted(len(spans), 'gold span')}"
        said = f"the text recorded for them is not there any more, such as that of {in_words(stale[0])}"
        found.append(f"{count} stale: {said}; assay datasets check says more.")
    if moved := [repair.what for repair in dataset.repairs if not repair.is_loss and is_move(repair.what)]:
        found.append(f"{counted(len(moved), 'gold span')} moved: {moved[0]}; assay datasets check lists all.")
    return found


def notes_on_relevance(resolved: Resolved) -> list[str]:
    """What a reader should know about where grades came from."""
    found = list(resolved.doubts)
    counts = resolved.strategy_counts
    if len(counts) > 1:
        shares = ", ".join(f"{name} {count:,}" for name, count in counts.items())
        found.append(f"relevance was decided by several means: {shares}.")
    if over := resolved.counted_over.get("retrieved"):
        share = f"{over:,} of {counted(len(resolved.strategies), 'query')}"
        found.append(
            f"relevant texts were counted among those retrieved alone in {share}: recall and ndcg are upper bounds."
        )
    if resolved.undecided:
        names = some_of(resolved.undecided)
        found.append(f"{counted(len(resolved.undecided), 'query')} without ground truth, left out ({names}).")
    return found
