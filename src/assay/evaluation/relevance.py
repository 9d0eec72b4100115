"""Relevance: judge what a run retrieved from a dataset, by ids, texts, spans or what a domain knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from assay.datasets import BenchmarkDataset, chunk_owners
from assay.errors import BadParameter, DataError
from assay.evaluation.canonical_ids import CanonicalIds, with_query_ids
from assay.evaluation.completeness import (
    BY_JUDGMENTS,
    KEEP,
    MISSING_DOCUMENTS,
    MissingDocuments,
    apply_missing_documents,
    queries_without_text,
    run_without_queries,
    without_queries,
)
from assay.evaluation.domains import DomainContext, Subject, expected_ids, open_context
from assay.evaluation.ground_truth import with_ranked_rows
from assay.evaluation.times.time_filter import without_younger
from assay.files import as_source, brings_hits, document_of, hits_of
from assay.grammar import WrittenName
from assay.metrics import BoundMetric
from assay.model import Hit, Policy, Qrels, Query, Rankings, RankRule, Run, is_finite_number, text_id
from assay.relevance import Ground, Resolved, by_judgments, parse_resolver, resolve
from assay.views import Places, Truth


class TermTable(Protocol):
    """A vocabulary of terms that is read already. Its class is in a plug-in, so only its first fields are known here."""

    @property
    def name(self) -> str:
        """The name of the vocabulary."""

    @property
    def version(self) -> str:
        """The version of its release."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of its terms."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of its terms."""


TermSource = str | Path | TermTable
"""A vocabulary of terms, or its file."""


@dataclass(frozen=True)
class Relevance:
    """How relevance is decided, and whether chunks or documents are judged."""

    by: str = "auto"
    """A resolver by its name, with parameters in brackets: qrels, pack, span, token(threshold=0.5) …; or auto."""
    unit: str = "as_retrieved"
    """as_retrieved; chunk: chunks are ranked, each judged document counts once; document: chunks are rolled up."""
    id_map: Mapping[str, str] | str | Path | None = None
    """Chunk → document, as a mapping or a file; by default the part before `#3`, `::3`, `_chunk_3` … If it is given, chunks
    are rolled up unless the unit is chunk."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Parameters for resolvers that have them, such as threshold."""
    ontology: TermSource | None = None
    """What knows the similarity of terms, or its file. It also resolves other ids of a term, for all metrics."""
    annotations: str | Path | None = None
    """A file that maps things to their terms, for formulas with ic=annotations."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Other options of domains, by name."""
    missing_documents: str = KEEP
    """A relevant document that is not among the documents stays in the ideal ranking (keep), or its judgment is removed
    (drop)."""

    def __post_init__(self) -> None:
        if self.missing_documents not in MISSING_DOCUMENTS:
            allowed = ", ".join(MISSING_DOCUMENTS)
            raise BadParameter(f"missing_documents must be one of {allowed}, not {self.missing_documents!r}")
        if self.unit not in UNITS:
            raise BadParameter(f"unit must be one of {', '.join(UNITS)}, not {self.unit!r}")
        if self.id_map is not None and self.unit == "as_retrieved":
            object.__setattr__(self, "unit", "document")

    @property
    def domain_options(self) -> dict[str, Any]:
        """All given options of domains, by name."""
        return {**{name: value for name in FIELD_OPTIONS if (value := getattr(self, name)) is not None}, **self.options}

    @property
    def is_by_id(self) -> bool:
        """Whether judged ids are compared with retrieved ids as they are."""
        return self.unit == "as_retrieved" and self.by.strip() in ("auto", "qrels")

    def with_options(self, options: Mapping[str, Any]) -> Relevance:
        """The same relevance with more options of domains."""
        named = {name: value for name, value in options.items() if name in FIELD_OPTIONS}
        others = {name: value for name, value in options.items() if name not in FIELD_OPTIONS}
        return replace(self, **named, options={**self.options, **others}) if options else self


def written_relevance(relevance: str | Relevance) -> str | Relevance:
    """The same relevance, marked as written by the user: only such text may name a model to load. For calls from Python."""
    if isinstance(relevance, Relevance):
        return replace(relevance, by=WrittenName(relevance.by))
    return WrittenName(relevance) if isinstance(relevance, str) else relevance


THRESHOLD_FIELDS = ("f1_threshold", "f1Threshold")
"""Metadata fields in which a benchmark says at which F1 a text is relevant to its queries."""


def defaults_of(relevance: Relevance, dataset: BenchmarkDataset) -> dict[str, Any]:
    """Parameters of resolvers: the threshold that the benchmark sets, unless the user sets one.

    It is a threshold of F1, so it has an effect on `auto` and `token` alone.
    """
    name = next((name for name in THRESHOLD_FIELDS if dataset.metadata.get(name) is not None), None)
    if name is None or relevance.by.partition("(")[0].strip() not in ("auto", "token"):
        return dict(relevance.defaults)
    threshold = dataset.metadata[name]
    if not is_finite_number(threshold) or not 0 <= threshold <= 1:
        raise DataError(f"the metadata {name} must be a number from 0 to 1, not {threshold!r}", source=dataset.name)
    return {"threshold": float(threshold), **relevance.defaults}


FIELD_OPTIONS = ("ontology", "annotations")
"""Options of domains that are fields of Relevance."""
UNITS = ("as_retrieved", "chunk", "document")


@dataclass(frozen=True)
class Judgement:
    """Judgments for a run, the run itself, and how the judgments were made."""

    qrels: Qrels
    run: Any
    resolved: Resolved
    dataset: BenchmarkDataset
    """The dataset without what was left out of the scores."""
    chunks: Run | None = None
    """The rankings of chunks, if they were rolled up to documents."""
    truth: Truth | None = None
    """Gold spans and the places of chunks, if the dataset has gold spans."""
    notes_on_ids: tuple[str, ...] = ()
    """Notes on texts that were matched with ids, and on ids that a domain resolved; empty if ids were used as they are."""
    notes_on_time: tuple[str, ...] = ()
    """What the time scope of the dataset left out."""
    missing: MissingDocuments = field(default_factory=MissingDocuments)
    """The relevant documents that are not among the documents."""
    owner: Callable[[str], str] = document_of
    """Chunk → its document, for chunks that are not in the dataset."""


def judge(
    dataset: BenchmarkDataset,
    run: Any,
    relevance: Relevance,
    policy: Policy,
    max_documents: int | None = None,
    context: DomainContext | None = None,
) -> Judgement:
    """Judge what a run retrieved. If only ids decide, texts are not read. Queries without text are left out.

    If a domain knows several ids for a document, they all count as the same document; `context` is what the domain knows, if
    it was opened before. If chunks are rolled up, `max_documents` documents of each query count; None: all of them.
    """
    context = open_context(subject_of(relevance, dataset)) if context is None else context
    run = with_ranked_rows(run, dataset)
    run, notes_on_texts = with_query_ids(run, dataset, policy.duplicates)
    run, notes_on_time = without_younger(run, dataset, policy.duplicates)
    notes_on_time = (*dataset.valid_judgments.notes, *notes_on_time)
    left_out = queries_without_text(dataset)
    dataset, run = without_queries(dataset, left_out), run_without_queries(run, left_out, policy.duplicates)
    if not context.has_canonical_ids:
        judgement = _judge(dataset, run, relevance, policy, max_documents, context)
        return replace(judgement, notes_on_ids=notes_on_texts, notes_on_time=notes_on_time)
    ids = CanonicalIds(context.canonical)
    canonical, retrieved = ids.of_run(run, policy.duplicates)
    judged = {query: dict(some) for query, some in ids.of_rankings(dataset.qrels).items()}
    same = replace(dataset, qrels=judged, _fingerprints={})
    judgement = _judge(same, canonical, relevance, policy, max_documents, context)
    notes = tuple(context.notes(expected_ids(dataset.qrels), retrieved))
    return replace(judgement, dataset=dataset, notes_on_ids=(*notes_on_texts, *notes), notes_on_time=notes_on_time)


def subject_of(relevance: Relevance, dataset: BenchmarkDataset, metrics: Sequence[BoundMetric] = ()) -> Subject:
    """The subject that is passed to domains."""
    return Subject(dataset.qrels, relevance.domain_options, metrics, dataset, relevance.by)


def _judge(
    dataset: BenchmarkDataset,
    run: Any,
    relevance: Relevance,
    policy: Policy,
    max_documents: int | None,
    context: DomainContext,
) -> Judgement:
    """Judge ids as they are."""
    source = as_source(run)
    rule, missing_rule = policy.rank_rule, relevance.missing_documents
    if relevance.is_by_id and dataset.qrels and not dataset.spans and set(dataset.queries) <= dataset.qrels.keys():
        by_id = dict.fromkeys(dataset.qrels, BY_JUDGMENTS)
        dataset, missing = apply_missing_documents(dataset, missing_rule, context, by_id)
        plain = _read_run(source, policy.duplicates)[1] if brings_hits(source) else source
        return Judgement(qrels := dataset.judged(), plain, by_judgments(qrels), dataset, missing=missing)
    hits, run = _read_run(source, policy.duplicates)
    if rule.drop_self:
        run = run.without_self()
    chunks = None
    credited = owner = None if relevance.unit == "as_retrieved" else _mapping(relevance, dataset)
    if owner and relevance.unit == "document":
        chunks, hits = run, _rolled_up_hits(run, hits, owner, rule) if hits else {}
        run, credited = _limit_documents(roll_up(run, owner), max_documents, rule), None
    truth = _ground_truth(dataset, hits, relevance) if dataset.spans else None
    ground = replace(_ground(dataset, run, hits, credited, rule), context=context)
    if truth is not None:
        ground = replace(ground, spans=truth.spans, places=truth.places)
    defaults = defaults_of(relevance, dataset)
    resolved = resolve(ground, relevance.by, **defaults)
    kept, missing = apply_missing_documents(dataset, missing_rule, context, resolved.strategies, owner)
    if kept is not dataset:
        resolved = resolve(replace(ground, qrels=kept.qrels), relevance.by, **defaults)
    return Judgement(resolved.qrels, run, resolved, kept, chunks, truth, missing=missing, owner=owner or document_of)


def _ground_truth(dataset: BenchmarkDataset, hits: Mapping[str, Mapping[str, Hit]], relevance: Relevance) -> Truth:
    """Gold spans, and the places of chunks from the dataset, from hits or from ids."""
    is_auto = relevance.by.strip() == "auto"
    base = 1 if is_auto else parse_resolver(relevance.by, **relevance.defaults).params.get("base", 1)
    brought = (hit for some in hits.values() for hit in some.values())
    return Truth(dataset.spans, Places(dataset.documents, dataset.files, brought, base))


def _read_run(source: Any, duplicates: str) -> tuple[dict[str, dict[str, Hit]], Run]:
    """Hits with texts or metadata, by query and id; and the rankings of all hits."""
    hits_by_query = hits_of(source)
    if hits_by_query is None:
        return {}, Run(source, duplicates=duplicates)
    run = Run(
        {query: [(hit.doc_id, hit.score) for hit in hits] for query, hits in hits_by_query.items()}, duplicates=duplicates
    )
    best_last = {query: sorted(hits, key=lambda hit: hit.score) for query, hits in hits_by_query.items()}
    return {query: {hit.doc_id: hit for hit in hits} for query, hits in best_last.items()}, run


def _ground(
    dataset: BenchmarkDataset,
    run: Run,
    hits: Mapping[str, Mapping[str, Hit]],
    owner: Callable[[str], str] | None,
    rule: RankRule,
) -> Ground:
    ordered = {
        query: [hits.get(query, {}).get(doc) or Hit(doc, run.rankings[place][doc]) for doc in run.in_order(place, rule)]
        for place, query in enumerate(run.query_ids)
    }
    return Ground(
        queries={**dataset.queries, **{query: Query(query) for query in dataset.qrels if query not in dataset.queries}},
        hits=ordered,
        qrels=dataset.qrels,
        pack=dataset.owner_of_relevance,
        documents=Contents(dataset),
        scopes=dataset.groups if any(query.scope is not None for query in dataset.queries.values()) else {},
        document_of=owner,
    )


def chunk_judgments(dataset: BenchmarkDataset, relevance: Relevance) -> Qrels:
    """The relevant chunks of a dataset, whatever is retrieved: what the oracle provider knows."""
    truth = _ground_truth(dataset, {}, relevance)
    ground = Ground(queries=dataset.queries, hits={}, qrels=dataset.qrels, spans=truth.spans, places=truth.places)
    return resolve(ground, relevance.by, **relevance.defaults).qrels


def domain_judgments(dataset: BenchmarkDataset, relevance: Relevance) -> Qrels:
    """The relevant documents according to a domain, whatever is retrieved: what the oracle provider knows."""
    context = open_context(subject_of(relevance, dataset))
    ground = _ground(dataset, Run({}), {}, None, Policy().rank_rule)
    return resolve(replace(ground, context=context), relevance.by, **relevance.defaults).qrels


class Contents(Mapping[str, str]):
    """Document → title and text, read on first use."""

    def __init__(self, dataset: BenchmarkDataset) -> None:
        self._dataset = dataset

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {doc_id: document.content for doc_id, document in self._dataset.documents.items()}

    def __getitem__(self, doc_id: str) -> str:
        return self._texts[doc_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._dataset.documents)


def _mapping(relevance: Relevance, dataset: BenchmarkDataset) -> Callable[[str], str]:
    """The function that returns the document of a chunk."""
    known = relevance.id_map
    if isinstance(known, str | Path):
        known = read_id_map(Path(known))
    if known is not None:
        mapping = {text_id(chunk): text_id(document) for chunk, document in known.items()}
        return lambda chunk: mapping.get(chunk, chunk)
    whole = {doc for judged in dataset.qrels.values() for doc in judged} | set(dataset.documents)
    return lambda chunk: chunk if chunk in whole else document_of(chunk)


def read_id_map(path: Path) -> dict[str, str]:
    """Read chunk → document from a file: a JSON object, lines with two columns, or a table of chunks with both ids."""
    if path.is_file() and (owners := chunk_owners(path)):
        return owners
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError("no such file", source=path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read: {getattr(error, 'strerror', None) or error}", source=path) from None
    if text.lstrip().startswith("{"):
        from assay.schema import Number, convert_plain, parse_plain

        owners = convert_plain(parse_plain(text.encode(), str(path)), dict[str, str | Number], str(path))
        return {chunk: text_id(document) for chunk, document in owners.items()}
    documents: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        columns = line.split("\t" if "\t" in line else None)
        if len(columns) == 2:
            documents[columns[0]] = columns[1]
        elif columns:
            raise DataError(f"expected 2 columns (chunk document), found {len(columns)}", source=path, line=number)
    return documents


def _rolled_up_hits(
    run: Run, hits: Mapping[str, Mapping[str, Hit]], owner: Callable[[str], str], rule: RankRule
) -> dict[str, dict[str, Hit]]:
    """Each document with the hit of its best chunk, if chunks have texts; the rule breaks ties."""
    best_hits: dict[str, dict[str, Hit]] = {}
    for place, query in enumerate(run.query_ids):
        best = best_hits.setdefault(query, {})
        chunks = hits.get(query, {})
        for hit in filter(None, map(chunks.get, run.in_order(place, rule))):
            document = owner(hit.doc_id)
            best.setdefault(document, replace(hit, doc_id=document))
    return best_hits


def _limit_documents(run: Run, max_documents: int | None, rule: RankRule) -> Run:
    """The run with at most `max_documents` documents for each query; the rule breaks ties."""
    if max_documents is None or all(len(ranking) <= max_documents for ranking in run.rankings):
        return run
    first_documents = {
        query: {doc: run.rankings[place][doc] for doc in run.in_order(place, rule)[:max_documents]}
        for place, query in enumerate(run.query_ids)
    }
    return Run.borrow(Rankings(first_documents, run.tag))


def roll_up(run: Run, owner: Callable[[str], str]) -> Run:
    """The run with documents instead of chunks: each has the best score and the first place of its chunks."""
    by_query: dict[str, dict[str, float]] = {}
    for query, ranking in zip(run.query_ids, run.rankings, strict=True):
        documents = by_query.setdefault(query, {})
        for chunk, score in ranking.items():
            document = owner(chunk)
            documents[document] = max(score, documents.get(document, score))
    return Run.borrow(Rankings(by_query, run.tag))
