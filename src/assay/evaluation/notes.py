"""Notes: signs of a mistake, and what a reader of a result should know."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from assay.datasets import BenchmarkDataset
from assay.errors import DataError, Fault, first_faults
from assay.evaluation.conventions import differences
from assay.evaluation.grader import Grader
from assay.evaluation.profile import Profile, Setting, Settings
from assay.files import FileSource, document_of, trec_ids
from assay.metrics import GAIN_LEVEL, recorded_metric
from assay.model import ORIGIN, SYNTHETIC, Policy, Qrels, Query, Run, as_rankings
from assay.relevance import FALLBACK, Resolved, in_words, is_move, is_stale
from assay.relevance import resolved as with_known_paths
from assay.text import counted, some_of
from assay.views import ExternalRun, Grading

PERCENT_LIKE_CUTOFFS = (80, 90, 95, 99)
"""Cutoffs that are rarely ranks and often mean a persistence in per cent."""
MIN_CONSTANT_SHARE = 0.5
"""A run looks broken if at least this share of queries has the same score for all documents."""


AS_DATASET = "give the judgments as --dataset FILE, and add"
"""The options about chunks work on a benchmark only."""

NO_RANKINGS = "the run has no rankings: nothing was retrieved for any query."


def notes_on(
    grader: Grader, settings: Sequence[Setting], profile: Profile, run: Any, documents: Container[str] = ()
) -> tuple[str, ...]:
    """All notes, most serious first. `documents` are the documents that could have been retrieved, if they are known."""
    grading = grader.main_grading(settings, profile.policy)
    return (
        *_notes_on_data(grading, grader.qrels, run, profile.policy, documents),
        *grader.qrels.notes,
        *_notes_on_ignored(grader.qrels),
        *(run.notes if isinstance(run, FileSource | Run) else ()),
        *_notes_on_constant_scores(grading, profile.policy),
        *_notes_on_levels(settings, profile.policy),
        *_notes_on_iterations(settings, grader.qrels),
        *_notes_on_persistence(settings),
        *_notes_on_profile(settings, profile),
    )


def _notes_on_data(grading: Grading, qrels: Qrels, run: Any, policy: Policy, documents: Container[str]) -> list[str]:
    """Notes on an empty run, on ids that do not match, and on grades above the maximum."""
    notes = []
    if not grading.n_extra and not grading.n_retrieved:
        notes.append(NO_RANKINGS)
    if grading.n_judged == len(grading.missing) and grading.n_extra:
        notes.append(describe_query_mismatch(qrels, run))
    elif grading.n_retrieved and not grading.n_found:
        notes.append(describe_document_mismatch(qrels, run, documents))
    if policy.max_grade is not None and qrels.max_grade > policy.max_grade:
        notes.append(f"grades above the maximum grade of {policy.max_grade:g} count as {policy.max_grade:g}.")
    return notes


def _notes_on_ignored(qrels: Qrels) -> list[str]:
    """A note on documents that judgments ignore."""
    if qrels.ignored is None:
        return []
    n, n_queries = int(qrels.ignored.sum()), len(np.unique(qrels.query_of[qrels.ignored]))
    says = f"{counted(n, 'judgment')} of {counted(n_queries, 'query')} {'says' if n == 1 else 'say'} ignore"
    what = "this document is" if n == 1 else "these documents are"
    return [f"{says}: {what} dropped from the rankings before anything is measured."]


def _notes_on_constant_scores(grading: Grading, policy: Policy) -> list[str]:
    """A note if many queries have the same score for all documents: the system did not rank, unless its ranks count."""
    retrieved = grading.n_judged - len(grading.missing)
    if not grading.n_constant or grading.n_constant < MIN_CONSTANT_SHARE * retrieved or policy.ties == "rank_column":
        return []
    share = f"{grading.n_constant:,} of {counted(retrieved, 'query')} {'has' if grading.n_constant == 1 else 'have'}"
    order = "all orders count equally" if policy.ties == "expected" else "the tie rule decides the order, not the system"
    return [f"{share} the same score for all documents, so {order}."]


def _notes_on_levels(settings: Sequence[Setting], policy: Policy) -> list[str]:
    """A note on metrics that use all grades and so ignore the relevance level of the policy."""
    if policy.rel is None:
        return []
    metrics = [setting.metric for setting in settings]
    heedless = [metric for metric in metrics if GAIN_LEVEL in metric.metric.params and metric.params["rel"] is None]
    if not heedless:
        return []
    cut = heedless[0].metric.bind(**{**heedless[0].params, "rel": policy.rel}).name
    names = ", ".join(metric.name for metric in heedless)
    return [f"the relevance level does not change {names}: every grade counts there. To apply it, write {cut}."]


def _notes_on_persistence(settings: Sequence[Setting]) -> list[str]:
    """A note on a cutoff of rbp that looks like ranx's persistence."""
    if "rbp" not in Settings.of(settings).asked:
        return []
    asked = [setting.asked for setting in settings if setting.asked.metric.name == "rbp" and "p" not in setting.asked.given]
    cutoffs = [k for metric in asked if (k := metric.params["k"] or 0) in PERCENT_LIKE_CUTOFFS]
    return [f"rbp@{k} is cut at rank {k}. For a persistence of 0.{k}, as in ranx, write rbp.{k}." for k in cutoffs]


def _notes_on_iterations(settings: Sequence[Setting], qrels: Qrels) -> list[str]:
    """A note that TREC's second column is read as the subtopic; in some files it is the round of judging."""
    if not qrels.iterations or not any(setting.metric.metric.view == "subtopics" for setting in settings):
        return []
    values = list(dict.fromkeys(iteration for column in qrels.iterations.values() for iteration in column.values()))
    return [f"the second column of the judgments ({some_of(values)}) is read as the subtopic."]


def _notes_on_profile(settings: Sequence[Setting], profile: Profile) -> list[str]:
    """Notes on what the tool does differently for some metrics, and on metrics that it does not have."""
    notes = []
    words: dict[str, list[str]] = {}
    for setting in settings if Settings.of(settings).is_changed(profile.policy) else ():
        if setting.asked is setting.metric and setting.policy == profile.policy and not setting.also_asked:
            continue
        others = (recorded_metric(name) for name in dict.fromkeys(setting.also_asked) if name != setting.asked.name)
        for asked in (setting.asked, *others):
            start = replace(setting, metric=asked, policy=profile.policy)
            if sentence := "; ".join(difference.words for difference in differences(setting, start)):
                words.setdefault(sentence, []).append(asked.name)
    notes += [f"{', '.join(names)}: {sentence}." for sentence, names in words.items()]
    scored = [setting.metric for setting in settings if not setting.is_beside] if profile.has else []
    lacks = dict.fromkeys(profile.describe_lacking(metric) for metric in scored if profile.lacks(metric))
    if lacks:
        notes.append(f"{profile.tool} has no {', '.join(lacks)}: assay's definition is used, with the tool's conventions.")
    return notes


def notes_on_tags(dataset: BenchmarkDataset) -> list[str]:
    """A note on queries that have a list where others have a tag: no slice includes them."""
    lists = Counter(name for query in dataset.queries.values() for name in query.listed)
    tags = {name for query in dataset.queries.values() for name in query.tags} if lists else set()
    return notes_on_origin(dataset.queries) + [
        f"{name} is a list in {counted(n_queries, 'query')}. Slices by {name} leave lists out: a tag must be a single value."
        for name, n_queries in lists.items()
        if name in tags
    ]


def notes_on_origin(queries: Mapping[str, Query], advice: str = f"add --by {ORIGIN}") -> list[str]:
    """A note on synthetic queries: their scores do not say how good the answers to real queries are."""
    n_all = len(queries)
    n = sum((query.metadata or {}).get(ORIGIN) == SYNTHETIC for query in queries.values())
    if not n:
        return []
    if n == n_all:
        return ["all queries are synthetic: a model wrote them for documents. Real queries may have other scores."]
    verb = "is" if n == 1 else "are"
    return [f"{n:,} of {counted(n_all, 'query')} {verb} synthetic. To see both kinds separately, {advice}."]


UNITS = {
    "chunk": "each chunk is judged separately. To judge documents, set unit=document",
    "document": "documents are judged, each by its best chunk",
}
"""Relevance unit of a store whose items may be parts of documents → what it means."""


def notes_on_unit(unit: object) -> list[str]:
    """A note on the relevance unit, for a provider that has the choice; none for other providers."""
    return [f"{UNITS[unit]}."] if isinstance(unit, str) and unit in UNITS else []


def notes_on_reading(dataset: BenchmarkDataset) -> list[str]:
    """Notes on bad records that were left out, on unused files and columns, and on a choice between columns."""
    notes = [f"{repair.place}: {repair.what}." for repair in dataset.repairs if repair.code not in ("", "left-out")]
    faults = [Fault(repair.what, source=repair.place) for repair in dataset.repairs if repair.code == "left-out"]
    if faults:
        notes.append(f"{counted(len(faults), 'bad record')} left out: {first_faults(faults)}.")
    return notes


def notes_on_spans(dataset: BenchmarkDataset) -> list[str]:
    """Notes on gold spans whose text is not at its place, or that were moved when the dataset was read."""
    spans = [span for query, some in dataset.spans.items() if query in dataset.queries for span in some]
    if not spans:
        return []
    files = dataset.documents if dataset.files is None else dataset.files
    stale = [span for span in with_known_paths(spans, files) if is_stale(span, files)] if files else []
    notes = []
    if stale:
        count = f"{len(stale):,} of {counted(len(spans), 'gold span')} {'is' if len(stale) == 1 else 'are'} stale"
        reason = f"the recorded text is no longer there (for example {in_words(stale[0])})"
        notes.append(f"{count}: {reason}. For details: assay datasets check.")
    if moved := [repair.what for repair in dataset.repairs if not repair.is_loss and is_move(repair.what)]:
        count = f"{counted(len(moved), 'gold span')} {'was' if len(moved) == 1 else 'were'} moved"
        notes.append(f"{count}: {moved[0]}. To list all: assay datasets check.")
    return notes


def notes_on_relevance(resolved: Resolved) -> list[str]:
    """Notes on where grades come from."""
    notes = list(resolved.doubts)
    counts = resolved.strategy_counts
    if len(counts) > 1:
        shares = ", ".join(f"{name} {count:,}" for name, count in counts.items())
        notes.append(f"relevance was decided in several ways (number of queries): {shares}.")
    if n := counts.get(FALLBACK):
        notes.append(_note_on_words(n, resolved))
    if over := resolved.counted_over.get("retrieved"):
        share = f"{over:,} of {counted(len(resolved.strategies), 'query')}"
        notes.append(f"in {share}, only retrieved texts could count as relevant, so recall and ndcg are upper bounds.")
    if resolved.undecided:
        n, names = len(resolved.undecided), some_of(resolved.undecided)
        verbs = ("has", "is") if n == 1 else ("have", "are")
        notes.append(f"{counted(n, 'query')} {verbs[0]} no ground truth and {verbs[1]} left out ({names}).")
    return notes


def _note_on_words(n: int, resolved: Resolved) -> str:
    """What decides about queries without relevant ids, if nobody asked for this."""
    lowest = resolved.settings["token_threshold"]
    rule = f"a document is relevant if it shares enough words with the expected answer (token F1 ≥ {lowest:g})"
    if n == len(resolved.strategies):
        return f"no relevant ids in the data: {rule}."
    have, these = ("has", "this query") if n == 1 else ("have", "these queries")
    return f"{n:,} of {counted(len(resolved.strategies), 'query')} {have} no relevant ids. For {these}, {rule}."


MAX_BYTES_READ_AGAIN = 1 << 26
"""A larger file that is not made of lines is not read again just to show an id."""


class Ids(NamedTuple):
    """The first ids of a run, if they can be read quickly."""

    queries: list[str]
    documents: list[str]


def check_ids_match(counts: Mapping[str, int], qrels: Qrels, run: Any, known: Container[str] = ()) -> None:
    """Raise a DataError if none of the queries in the run is judged: scores of 0 would say nothing about the system.

    `known` are queries of the benchmark, which may be in the run without judgments.
    """
    if not counts["extra"] or not counts["judged"] or counts["judged"] > counts["missing"]:
        return
    ids = ids_of(run)
    if any(query in known for query in ids.queries):
        return
    source = run.label if isinstance(run, FileSource | ExternalRun) else ""
    raise DataError(describe_query_mismatch(qrels, run, ids, has_texts=bool(known)), source=source)


def describe_query_mismatch(qrels: Qrels, run: Any, ids: Ids | None = None, *, has_texts: bool = False) -> str:
    """The message that no query is judged, with an id from the run and one from the judgments, and what to do.

    `has_texts` says whether the texts of the judged queries are known, so that texts in the run were compared with them.
    """
    queries = (ids or ids_of(run)).queries
    problem = "none of the queries in the run has judgments"
    if not queries or not len(qrels):
        return f"{problem}. Check that both use the same query ids."
    example = f"the run has ids like {queries[0]!r}, the judgments have ids like {qrels.query_ids[0]!r}"
    return f"{problem}: {example}. {_advice_on_ids(queries, qrels, run, has_texts)}"


def _advice_on_ids(queries: list[str], qrels: Qrels, run: Any, has_texts: bool) -> str:
    """What to do: a command, if only the beginnings differ and the file is a TREC run."""
    from assay.datasets import describe_respelling, find_prefix_difference

    judged = frozenset(qrels.query_ids)
    if hint := describe_respelling(queries, judged):
        return f"{_capitalised(hint)}. Use the same ids in both."
    if " " in queries[0] and not any(" " in query for query in judged):
        if has_texts:
            return "The run has texts of queries, and none of them is the text of a query in the benchmark."
        return "The run has texts of queries. To match them with ids, give a benchmark that has the queries: --dataset FILE."
    begins = find_prefix_difference(queries, judged)
    if begins is None:
        return "Use the judgments that belong to this run."
    advice = f"{_capitalised(begins.description)}. Use the same ids in both"
    if not isinstance(run, FileSource) or run.kind != "trec" or not re.fullmatch(r"[\w:-]*", "".join(begins[:2])):
        return f"{advice}."
    return f"{advice}, for example with: sed 's/^{begins.theirs}/{begins.ours}/' {shlex.quote(run.label)} > same-ids.run"


def describe_document_mismatch(qrels: Qrels, run: Any, documents: Container[str]) -> str:
    """The message that no judged document was retrieved: the ids do not match, or the system found other documents.

    If the ids do not match, it has an id from the run and one from the judgments.
    """
    ids = ids_of(run).documents
    judged = set(qrels.docs)
    if ids and (ids[0] in documents or ids[0] in judged):
        return "no judged document was retrieved for any query: the run has only other documents of the benchmark."
    problem = "none of the retrieved documents is in the judgments"
    if not ids or not qrels.docs:
        return f"{problem}. Check that both use the same document ids."
    whole = document_of(ids[0])
    if whole != ids[0] and whole in judged:
        example, hint = whole, f" To roll chunks up to documents, {AS_DATASET} --unit document."
    else:
        example, hint = qrels.docs[0], _spelling_hint(ids, judged)
    return f"{problem}: the run has ids like {ids[0]!r}, the judgments have ids like {example!r}.{hint}"


def _spelling_hint(ids: list[str], judged: Collection[str]) -> str:
    """How the ids could be made equal, and the option for it; empty if that is unknown."""
    from assay.datasets import describe_respelling, find_prefix_difference

    begins = find_prefix_difference(ids, judged)
    respelling = describe_respelling(ids, judged) or describe_respelling(judged, frozenset(ids))
    hint = respelling or (begins.description if begins else "")
    return f" {_capitalised(hint)}. To map ids to documents, {AS_DATASET} --id-map FILE." if hint else ""


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def ids_of(run: Any) -> Ids:
    """The first ids of a run; none if it is a large file that would have to be read completely."""
    from assay.datasets import MAX_IDS_CHECKED

    if isinstance(run, ExternalRun):
        return Ids(*map(list, run.first_ids(MAX_IDS_CHECKED)))
    if isinstance(run, FileSource) and run.kind == "trec":
        rows = [ids for _, line in islice(run.lines(), MAX_IDS_CHECKED) if (ids := trec_ids(line))]
        return Ids(list(dict.fromkeys(query for query, _ in rows)), list(dict.fromkeys(doc for _, doc in rows)))
    if isinstance(run, FileSource) and run.path.stat().st_size > MAX_BYTES_READ_AGAIN:
        return Ids([], [])
    rankings = as_rankings(run, "keep_best").by_query
    some = list(islice(rankings.items(), MAX_IDS_CHECKED))
    documents = (str(document) for _, ranking in some for document in ranking)
    return Ids([str(query) for query, _ in some], list(dict.fromkeys(islice(documents, MAX_IDS_CHECKED))))
