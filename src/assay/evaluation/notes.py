"""Notes: what hints at a mistake, and what a careful reader of a result should know."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from assay.datasets import MAX_IDS_CHECKED, BenchmarkDataset, describe_respelling, find_prefix_difference
from assay.errors import DataError
from assay.evaluation.conventions import differences
from assay.evaluation.grader import Grader
from assay.evaluation.profile import Profile, Setting
from assay.files import FileSource, document_of, trec_ids
from assay.metrics import GAIN_LEVEL, recorded_metric
from assay.model import Policy, Qrels, Run, as_rankings
from assay.relevance import Resolved, in_words, is_move, is_stale
from assay.relevance import resolved as with_known_paths
from assay.text import counted, some_of
from assay.views import Grading

PERCENT_LIKE_CUTOFFS = (80, 90, 95, 99)
"""Cutoffs that are hardly ever ranks, and often persistences in percent."""
MIN_CONSTANT_SHARE = 0.5
"""Share of queries with one score for all documents from which on the run looks broken."""


def notes_on(
    grader: Grader, settings: Sequence[Setting], profile: Profile, run: Any, documents: Container[str] = ()
) -> tuple[str, ...]:
    """All there is to say, the gravest first. `documents` are those that could have been retrieved, if they are at hand."""
    grading = grader.main_grading(settings, profile.policy)
    return (
        *_notes_on_data(grading, grader.qrels, run, profile.policy, documents),
        *grader.qrels.notes,
        *(run.notes if isinstance(run, FileSource | Run) else ()),
        *_notes_on_constant_scores(grading, profile.policy),
        *_notes_on_levels(settings, profile.policy),
        *_notes_on_iterations(settings, grader.qrels),
        *_notes_on_persistence(settings),
        *_notes_on_profile(settings, profile),
    )


def _notes_on_data(grading: Grading, qrels: Qrels, run: Any, policy: Policy, documents: Container[str]) -> list[str]:
    """A run without anything in it, ids that never match, grades beyond the scale."""
    notes = []
    if not grading.n_extra and not grading.n_retrieved:
        notes.append("the run holds no rankings: nothing was retrieved for any query.")
    if grading.n_judged == len(grading.missing) and grading.n_extra:
        notes.append(describe_query_mismatch(qrels, run))
    elif grading.n_retrieved and not grading.n_found:
        notes.append(describe_document_mismatch(qrels, run, documents))
    if policy.max_grade is not None and qrels.max_grade > policy.max_grade:
        notes.append(f"grades above {policy.max_grade:g}, the largest allowed, count as {policy.max_grade:g}.")
    return notes


def _notes_on_constant_scores(grading: Grading, policy: Policy) -> list[str]:
    """A retriever that gives all documents one score has not ranked anything, unless its ranks count."""
    retrieved = grading.n_judged - len(grading.missing)
    if not grading.n_constant or grading.n_constant < MIN_CONSTANT_SHARE * retrieved or policy.ties == "rank_column":
        return []
    share = f"{counted(grading.n_constant, 'query')} of {retrieved:,}"
    order = "every order counts alike" if policy.ties == "expected" else "their order is the tie rule's, not the system's"
    return [f"{share} got one and the same score for all documents: {order}."]


def _notes_on_levels(settings: Sequence[Setting], policy: Policy) -> list[str]:
    """Metrics that weigh grades have no level, so the policy's does not reach them."""
    metrics = [setting.metric for setting in settings]
    heedless = [metric for metric in metrics if GAIN_LEVEL in metric.metric.params and metric.params["rel"] is None]
    if policy.rel is None or not heedless:
        return []
    cut = heedless[0].metric.bind(**{**heedless[0].params, "rel": policy.rel}).name
    names = ", ".join(metric.name for metric in heedless)
    return [f"the level does not change {names}, which weighs every grade; {cut} does."]


def _notes_on_persistence(settings: Sequence[Setting]) -> list[str]:
    """A cutoff of rbp that looks like ranx's persistence."""
    asked = [setting.asked for setting in settings if setting.asked.metric.name == "rbp" and "p" not in setting.asked.given]
    cutoffs = [k for metric in asked if (k := metric.params["k"] or 0) in PERCENT_LIKE_CUTOFFS]
    return [
        f"rbp@{k} is cut at rank {k}; for a persistence of 0.{k}, which ranx means by it, write rbp.{k}." for k in cutoffs
    ]


def _notes_on_iterations(settings: Sequence[Setting], qrels: Qrels) -> list[str]:
    """That TREC's second column is taken for the subtopic; in some files it is the round of judging."""
    if not qrels.iterations or not any(setting.metric.metric.view == "subtopics" for setting in settings):
        return []
    values = list(dict.fromkeys(iteration for column in qrels.iterations.values() for iteration in column.values()))
    return [f"the second column of the judgments ({some_of(values)}) is read as the subtopic."]


def _notes_on_profile(settings: Sequence[Setting], profile: Profile) -> list[str]:
    """What the tool does otherwise for some metrics, and which of them it does not have."""
    notes = []
    words: dict[str, list[str]] = {}
    for setting in settings:
        others = (recorded_metric(name) for name in dict.fromkeys(setting.also_asked) if name != setting.asked.name)
        for asked in (setting.asked, *others):
            start = replace(setting, metric=asked, policy=profile.policy)
            if sentence := "; ".join(difference.words for difference in differences(setting, start)):
                words.setdefault(sentence, []).append(asked.name)
    notes += [f"{', '.join(names)}: {sentence}." for sentence, names in words.items()]
    scored = [setting.metric for setting in settings if not setting.is_beside]
    lacks = [metric.name for metric in scored if profile.lacks(metric)]
    if lacks:
        notes.append(f"{profile.tool} has no {', '.join(lacks)}: scored as by default, under its conventions.")
    return notes


def notes_on_tags(dataset: BenchmarkDataset) -> list[str]:
    """That some queries have a list where others have a tag: they are in no slice of it."""
    lists = Counter(name for query in dataset.queries.values() for name in query.listed)
    tags = {name for query in dataset.queries.values() for name in query.tags} if lists else set()
    return [
        f"{name} is a list in {counted(n_queries, 'query')}, which no slice by {name} has: a tag is one value."
        for name, n_queries in lists.items()
        if name in tags
    ]


UNITS = {"chunk": "each chunk by itself; unit=document judges documents", "document": "documents, each by its best chunk"}
"""What is judged of a store whose items may be parts of documents."""


def notes_on_unit(provider: str, unit: object) -> list[str]:
    """The relevance unit of a provider that has the choice; others, which retrieve what is indexed, say nothing."""
    return [f"{provider} is judged by {UNITS[unit]}."] if isinstance(unit, str) and unit in UNITS else []


def notes_on_spans(dataset: BenchmarkDataset) -> list[str]:
    """That gold spans are not where they say, or were moved when the dataset was read."""
    spans = [span for query, some in dataset.spans.items() if query in dataset.queries for span in some]
    if not spans:
        return []
    files = dataset.documents if dataset.files is None else dataset.files
    stale = [span for span in with_known_paths(spans, files) if is_stale(span, files)] if files else []
    notes = []
    if stale:
        count = f"{len(stale):,} of {counted(len(spans), 'gold span')}"
        reason = f"the text recorded for them is not there any more, such as that of {in_words(stale[0])}"
        notes.append(f"{count} stale: {reason}; assay datasets check says more.")
    if moved := [repair.what for repair in dataset.repairs if not repair.is_loss and is_move(repair.what)]:
        notes.append(f"{counted(len(moved), 'gold span')} moved: {moved[0]}; assay datasets check lists all.")
    return notes


def notes_on_relevance(resolved: Resolved) -> list[str]:
    """What a reader should know about where grades came from."""
    notes = list(resolved.doubts)
    counts = resolved.strategy_counts
    if len(counts) > 1:
        shares = ", ".join(f"{name} {count:,}" for name, count in counts.items())
        notes.append(f"relevance was decided by several means: {shares}.")
    if over := resolved.counted_over.get("retrieved"):
        share = f"{over:,} of {counted(len(resolved.strategies), 'query')}"
        notes.append(
            f"relevant texts were counted among those retrieved alone in {share}: recall and ndcg are upper bounds."
        )
    if resolved.undecided:
        names = some_of(resolved.undecided)
        notes.append(f"{counted(len(resolved.undecided), 'query')} without ground truth, left out ({names}).")
    return notes


MAX_BYTES_READ_AGAIN = 1 << 26
"""A file of another kind than lines that is larger is not read again only to show an id."""


class Ids(NamedTuple):
    """The first ids of a run, as far as they are quickly seen."""

    queries: list[str]
    documents: list[str]


def check_ids_match(counts: Mapping[str, int], qrels: Qrels, run: Any, known: Container[str] = ()) -> None:
    """Raise where not one query of the run is judged: then its zeros say nothing about the system.

    `known` are queries of the benchmark that may be asked without being judged.
    """
    if not counts["extra"] or not counts["judged"] or counts["judged"] > counts["missing"]:
        return
    ids = ids_of(run)
    if any(query in known for query in ids.queries):
        return
    source = run.label if isinstance(run, FileSource) else ""
    raise DataError(describe_query_mismatch(qrels, run, ids), source=source)


def describe_query_mismatch(qrels: Qrels, run: Any, ids: Ids | None = None) -> str:
    """That no query is judged, an id of each side, and how they might be made the same."""
    queries = (ids or ids_of(run)).queries
    problem = "not one query of the run is judged"
    if not queries or not len(qrels):
        return f"{problem}: do both use the same query ids?"
    example = f"the run has ids like {queries[0]!r}, the judgments like {qrels.query_ids[0]!r}"
    return f"{problem}: {example}. {_advice_on_ids(queries, qrels, run)}"


def _advice_on_ids(queries: list[str], qrels: Qrels, run: Any) -> str:
    """What to do about it: a command where only the beginnings differ and the file is one of lines."""
    judged = frozenset(qrels.query_ids)
    if hint := describe_respelling(queries, judged):
        return f"Write them alike: {hint}."
    begins = find_prefix_difference(queries, judged)
    if begins is None:
        return "Give the judgments that this run was made for."
    advice = f"Write them alike: {begins.description}"
    if not isinstance(run, FileSource) or run.kind != "trec" or not re.fullmatch(r"[\w:-]*", "".join(begins[:2])):
        return f"{advice}."
    return f"{advice}, as with: sed 's/^{begins.theirs}/{begins.ours}/' {shlex.quote(run.label)} > same-ids.run"


def describe_document_mismatch(qrels: Qrels, run: Any, documents: Container[str]) -> str:
    """That nothing judged was found: by a retriever that misses, where its ids are those of documents; else by other ids.

    An id of each side shows what is different about them.
    """
    ids = ids_of(run).documents
    judged = set(qrels.docs)
    if ids and (ids[0] in documents or ids[0] in judged):
        return "no query found anything that is judged: what was retrieved are other documents of the benchmark."
    problem = "not one retrieved document occurs in the judgments"
    if not ids or not qrels.docs:
        return f"{problem}: do both use the same document ids?"
    whole = document_of(ids[0])
    if whole != ids[0] and whole in judged:
        chunks = "Chunks are rolled up with --unit document, or with --id-map."
        return f"{problem}: the run has ids like {ids[0]!r}, the judgments like {whole!r}. {chunks}"
    return f"{problem}: the run has ids like {ids[0]!r}, the judgments like {qrels.docs[0]!r}.{_spelling_hint(ids, judged)}"


def _spelling_hint(ids: list[str], judged: Collection[str]) -> str:
    """What would make them the same, and the option that does it; empty where nothing is known."""
    begins = find_prefix_difference(ids, judged)
    hint = describe_respelling(ids, judged) or (begins.description if begins else "")
    return f" Perhaps {hint}; --id-map FILE says which document each id is." if hint else ""


def ids_of(run: Any) -> Ids:
    """The first ids of a run; none where it would have to be read as a whole for them, and is large."""
    if isinstance(run, FileSource) and run.kind == "trec":
        rows = [ids for _, line in islice(run.lines(), MAX_IDS_CHECKED) if (ids := trec_ids(line))]
        return Ids(list(dict.fromkeys(query for query, _ in rows)), list(dict.fromkeys(doc for _, doc in rows)))
    if isinstance(run, FileSource) and run.path.stat().st_size > MAX_BYTES_READ_AGAIN:
        return Ids([], [])
    rankings = as_rankings(run, "keep_best").by_query
    some = list(islice(rankings.items(), MAX_IDS_CHECKED))
    documents = (str(document) for _, ranking in some for document in ranking)
    return Ids([str(query) for query, _ in some], list(dict.fromkeys(islice(documents, MAX_IDS_CHECKED))))
