"""Preflight of a run: check it against the dataset that it was made for."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice, pairwise
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Ints
from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.preflight.documents import Corpus
from assay.datasets.preflight.findings import Case, Cases, Finding, finding_without_cases, first_ids, how_many
from assay.datasets.preflight.judgments import describe_respelling
from assay.datasets.preflight.queries import has_ground_truth, queries_to_send
from assay.errors import DataError
from assay.files import FileSource, as_source, document_of, hits_of, trec_fields
from assay.model import Policy, Rankings, Run, as_rankings, as_score
from assay.text import counted, percent

MIN_UNJUDGED_SHARE = 0.2
"""From this share of unjudged documents in the top k, there is a warning."""
MIN_CHUNK_SHARE = 0.5
"""If at least this share of the unknown ids names a part of a known document, they count as chunks."""


def check_run(dataset: BenchmarkDataset, corpus: Corpus, source: Any, k: int) -> Iterator[Finding]:
    """Findings about the run alone, then about the run and the dataset together."""
    run, findings = read_checked(source)
    yield from findings
    if run is None:
        return
    if not any(query in dataset.queries for query in run.query_ids):
        yield from _no_query_matches(dataset, run)
    else:
        yield from _missing(dataset, run)
        about_ids = list(_Retrieved(dataset, corpus, run).findings())
        yield from about_ids
        if "run-no-id-matches" not in {finding.code for finding in about_ids}:
            yield from _unjudged(dataset, run, k)
    yield from _scores(run, k)
    yield from _check_depth(dataset, corpus, run, k)


def _no_query_matches(dataset: BenchmarkDataset, run: Run) -> list[Finding]:
    examples = f"the run has ids such as {first_ids(run.query_ids)}, the dataset has {first_ids(dataset.queries)}"
    if hint := describe_respelling(run.query_ids, dataset.queries):
        examples += f"; {hint}"
    message = f"none of the queries in the run is in the dataset: {examples}"
    return finding_without_cases("run-no-query-matches", message, len(run))


def _missing(dataset: BenchmarkDataset, run: Run) -> Iterator[Finding]:
    missing, unknown = Cases("run-missing-query"), Cases("run-unknown-query")
    n_queries = 0
    for key, query in queries_to_send(dataset).items():
        if has_ground_truth(dataset, key, query):
            n_queries += 1
            if key not in run.numbers:
                missing.about_run(key)
    absent = how_many(missing, "query", "with ground truth is", "with ground truth are", of=n_queries)
    yield from missing.finding(f"{absent} missing from the run")
    for key in run.query_ids:
        if key not in dataset.queries:
            unknown.about_run(key)
    yield from unknown.finding(f"{how_many(unknown, 'query', 'in the run is', 'in the run are')} not in the dataset")


class _Retrieved:
    """Checks the retrieved ids against the known ids."""

    def __init__(self, dataset: BenchmarkDataset, corpus: Corpus, run: Run) -> None:
        self.dataset, self.corpus, self.run = dataset, corpus, run
        self.known: Collection[str] = corpus.ids or _judged_documents(dataset)
        self.unknown = Cases("run-unknown-document")
        self.outside, self.itself = Cases("run-out-of-scope"), Cases("run-retrieved-query")
        self.n_retrieved = self.n_chunks = 0
        self.strange: list[str] = []

    def findings(self) -> Iterator[Finding]:
        """Check every query that is in both the run and the dataset."""
        for key, ranking in zip(self.run.query_ids, self.run.rankings, strict=True):
            if key in self.dataset.queries:
                self._look_at(key, ranking)
        n_known = self.n_retrieved - len(self.unknown)
        if self.known and self.n_retrieved and not n_known and self._is_judged():
            yield from self._no_id()
        elif len(self.unknown) and self.n_chunks >= MIN_CHUNK_SHARE * len(self.unknown):
            yield from self._chunks()
        elif self.corpus.ids:
            unknown = how_many(self.unknown, "retrieved id", "is", "are", of=self.n_retrieved)
            yield from self.unknown.finding(f"{unknown} not in the corpus")
        outside = how_many(self.outside, "retrieved document", "is", "are")
        yield from self.outside.finding(f"{outside} outside the query's scope")
        own = how_many(self.itself, "query", "retrieved a document with its", "retrieved a document with their")
        yield from self.itself.finding(f"{own} own id")

    def _look_at(self, key: str, ranking: dict[str, float]) -> None:
        self.n_retrieved += len(ranking)
        scope = self.dataset.queries[key].scope
        for doc in _unknown_ids(ranking, self.known):
            if scope is not None and f"{scope}/{doc}" in self.known:
                continue  # packs accept ids without their scope
            self.n_chunks += document_of(doc) in self.known or f"{scope}/{document_of(doc)}" in self.known
            self.unknown.about_run(key, f"{doc!r}", doc)
            if len(self.strange) < MAX_UNKNOWN_IDS:
                self.strange.append(doc)
        if scope is not None and self.corpus.group_of:
            for doc in ranking:
                if doc in self.corpus.ids and self.corpus.group_of.get(doc) != scope:
                    self.outside.about_run(key, f"{doc!r} {self._group_of(doc)}", doc)
        if key in ranking:
            self.itself.about_run(key, "", key)

    def _group_of(self, doc: str) -> str:
        group = self.corpus.group_of.get(doc)
        return "has no group" if group is None else f"has the group {group!r}"

    def _is_judged(self) -> bool:
        """Whether ids decide about relevance; evidence and texts can be matched without ids."""
        return any(self.dataset.qrels.get(key) for key in self.run.query_ids)

    def _no_id(self) -> list[Finding]:
        where = "in the corpus" if self.corpus.ids else "in the judgments"
        example = f"the run has ids such as {first_ids(self.strange)}, the dataset has {first_ids(self.known)}"
        hint = describe_respelling(self.strange, self.known)
        message = f"none of the {self.n_retrieved:,} retrieved ids is {where}: {example}{f'; {hint}' if hint else ''}"
        return finding_without_cases("run-no-id-matches", message, self.n_retrieved)

    def _chunks(self) -> list[Finding]:
        cases = Cases("run-chunk-ids")
        cases.count, cases.kept = len(self.unknown), self.unknown.kept
        example = next((doc for doc in self.strange if document_of(doc) != doc), self.strange[0])
        examples = f"the run has {example!r}, the dataset has {document_of(example)!r}"
        chunks = how_many(cases, "retrieved id", "looks like a chunk", "look like chunks", of=self.n_retrieved)
        return cases.finding(f"{chunks}: {examples}")


MAX_UNKNOWN_IDS = 1000
"""How many unknown ids are kept, to find out how they differ from known ids."""


def _unknown_ids(ranking: dict[str, float], known: Collection[str]) -> list[str]:
    """Retrieved ids that are not known, in input order."""
    if not known or (isinstance(known, dict) and ranking.keys() <= known.keys()):
        return []
    return [doc for doc in ranking if doc not in known]


def _judged_documents(dataset: BenchmarkDataset) -> dict[str, None]:
    """Documents that the ground truth names, for datasets without a corpus."""
    documents = {doc: None for judged in dataset.qrels.values() for doc in judged}
    documents |= {doc: None for query in dataset.queries.values() for doc in query.evidence or ()}
    return documents | {span.doc_id: None for spans in dataset.spans.values() for span in spans}


def _unjudged(dataset: BenchmarkDataset, run: Run, k: int) -> list[Finding]:
    """The share of unjudged documents in the top k, over the queries that have judgments."""
    cases = Cases("run-unjudged")
    tied = {int(place) for place in _tied_at(run, k)}
    rule = Policy().rank_rule
    n_seen = n_unjudged = 0
    for place, key in enumerate(run.query_ids):
        judged = dataset.qrels.get(key)
        if not judged:
            continue
        ranked = run.in_order(place, rule) if place in tied else run.ranked(place)
        n_top = min(k, len(ranked))
        n_missing = sum(doc not in judged for doc in islice(ranked, k))
        n_seen, n_unjudged = n_seen + n_top, n_unjudged + n_missing
        if n_missing >= MIN_UNJUDGED_SHARE * n_top > 0:
            cases.about_run(key, f"{n_missing} of {n_top} unjudged")
    if not n_seen or n_unjudged < MIN_UNJUDGED_SHARE * n_seen:
        return []
    share = f"{percent(n_unjudged / n_seen)} of the top {k} documents are unjudged ({n_unjudged:,} of {n_seen:,})"
    return cases.finding(f"{share}; in {counted(len(cases), 'query')}, at least {percent(MIN_UNJUDGED_SHARE)} are unjudged")


def _tied_at(run: Run, k: int) -> Ints:
    """Indices of the queries whose documents at ranks k and k + 1 have the same score."""
    order = run.order
    longer = np.flatnonzero(order.end - order.start > k)
    at = order.start[longer] + k
    return longer[order.negated[at - 1] == order.negated[at]]


def _constant(run: Run) -> Ints:
    """Indices of the queries with several documents that all have the same score."""
    order = run.order
    several = np.flatnonzero(order.end - order.start > 1)
    return several[order.negated[order.start[several]] == order.negated[order.end[several] - 1]]


def _scores(run: Run, k: int) -> Iterator[Finding]:
    constant, tied = Cases("run-constant-scores"), Cases("run-ties-at-k")
    flat = _constant(run)
    for place in flat.tolist():
        ranking = run.rankings[place]
        constant.about_run(run.query_ids[place], f"{len(ranking):,} documents, score {next(iter(ranking.values())):g}")
    same = how_many(constant, "query", "has", "have", of=len(run))
    yield from constant.finding(f"{same} the same score for all documents")
    for place in np.setdiff1d(_tied_at(run, k), flat).tolist():
        score = -run.order.negated[run.order.start[place] + k]
        tied.about_run(run.query_ids[place], f"ranks {k} and {k + 1} both have score {score:g}")
    crossing = how_many(tied, "query", "has", "have", of=len(run))
    yield from tied.finding(f"{crossing} equal scores on both sides of the cutoff {k}")


def _check_depth(dataset: BenchmarkDataset, corpus: Corpus, run: Run, k: int) -> list[Finding]:
    """Queries with fewer than k documents, although the corpus has more."""
    cases = Cases("run-short")
    for place in np.flatnonzero(run.n_retrieved < k).tolist():
        query = dataset.queries.get(run.query_ids[place])
        there = corpus.may_find(query.scope) if query and corpus.ids else k
        if query and run.n_retrieved[place] < min(k, there):
            cases.about_run(query.query_id, f"{counted(int(run.n_retrieved[place]), 'document')}")
    return cases.finding(f"{how_many(cases, 'query', 'has', 'have', of=len(run))} fewer than {k} documents")


class CheckedRun(NamedTuple):
    """A run, or None if it cannot be read; and the findings about it."""

    run: Run | None
    findings: list[Finding]


def read_checked(source: Any) -> CheckedRun:
    """Read a run from any source. A document that is ranked twice does not stop the check: its better score is used."""
    try:
        source = as_source(source)
        rankings = _rankings(source, "error")
    except DataError as error:
        findings = _faults(error)
        if {finding.code for finding in findings} != {"run-duplicate-document"}:
            return CheckedRun(None, findings)
        return _read_again(source, findings)
    if bad := _not_numbers(rankings):
        return CheckedRun(None, bad)
    return CheckedRun(Run.borrow(rankings), _contradictions(source))


def _read_again(source: Any, findings: list[Finding]) -> CheckedRun:
    try:
        rankings = _rankings(source, "keep_best")
    except DataError as error:
        return CheckedRun(None, [*findings, *_faults(error)])
    return CheckedRun(Run.borrow(rankings), [*findings, *_contradictions(source)])


def _rankings(source: Any, duplicates: str) -> Rankings:
    """Document → score for each query, from ids or from hits with text."""
    hits = None if isinstance(source, Run) else hits_of(source)
    if hits is None:
        return as_rankings(source, duplicates)
    pairs = {query: [(hit.doc_id, hit.score) for hit in query_hits] for query, query_hits in hits.items()}
    return as_rankings(pairs, duplicates)


def _faults(error: DataError) -> list[Finding]:
    """The faults of the reader, grouped by kind."""
    numbers, twice, others = Cases("run-score-not-a-number"), Cases("run-duplicate-document"), Cases("run-unreadable")
    for fault in error.each_fault:
        cases = numbers if fault.code == "score" else twice if fault.code == "duplicate" else others
        cases.add(Case(fault.place, fault.what))
    return [
        *others.finding("the run cannot be read"),
        *numbers.finding(how_many(numbers, "score", "is not a number", "are not numbers")),
        *twice.finding(f"{how_many(twice, 'document', 'is', 'are')} ranked twice for a query"),
    ]


def _not_numbers(rankings: Rankings) -> list[Finding]:
    """Scores that are not numbers, in runs from memory."""
    try:
        Run.borrow(rankings).scores  # noqa: B018 (validates them all at once)
    except DataError:
        cases = Cases("run-score-not-a-number")
        for query, ranking in rankings.by_query.items():
            for doc, score in ranking.items():
                if as_score(score) is None:
                    cases.about_run(query, f"the score of document {doc} is {score!r}", doc)
        return cases.finding(how_many(cases, "score", "is not a number", "are not numbers"))
    return []


def _contradictions(source: Any) -> list[Finding]:
    """Ranks in the fourth column of a TREC file that contradict the scores in the fifth."""
    if not isinstance(source, FileSource) or source.kind != "trec":
        return []
    cases = Cases("run-rank-contradicts-score")
    n_queries = 0
    for query, lines in _by_query(source):
        n_queries += 1
        if wrong := _first_contradiction(lines):
            (rank, score, _), (lower, better, number) = wrong
            inversion = f"rank {lower:g} has score {better:g}, but rank {rank:g} has score {score:g}"
            cases.add(Case(f"{source.label}:{number}, query {query}", inversion, query))
    return cases.finding(f"{how_many(cases, 'query', 'has', 'have', of=n_queries)} a better score at a worse rank")


Line = tuple[float, float, int]
"""Rank, score, number of the line."""


def _by_query(source: FileSource) -> Iterator[tuple[str, list[Line]]]:
    """Stretches of lines of one query; lines whose rank is not a number are skipped."""
    last, lines = b"", list[Line]()
    for number, line in source.lines():
        fields = trec_fields(line, 6)
        if fields[0] != last:
            if lines:
                yield last.decode("utf-8", "replace"), lines
            last, lines = fields[0], []
        try:
            lines.append((float(fields[3]), float(fields[4]), number))
        except (ValueError, IndexError):  # three columns have no score to contradict
            continue
    if lines:
        yield last.decode("utf-8", "replace"), lines


def _first_contradiction(lines: list[Line]) -> tuple[Line, Line] | None:
    """The first line, in rank order, that has a better score than a line at a better rank."""
    if all(line[0] <= other[0] and line[1] >= other[1] for line, other in pairwise(lines)):
        return None
    lowest: Line | None = None
    before: Line | None = None
    for line in sorted(lines, key=lambda line: (line[0], -line[1])):
        if before is not None and line[0] > before[0]:
            lowest = before if lowest is None or before[1] < lowest[1] else lowest
        if lowest is not None and line[1] > lowest[1]:
            return lowest, line
        before = line
    return None
