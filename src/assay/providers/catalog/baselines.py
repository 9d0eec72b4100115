"""Baselines: the oracle as upper bound, a random order as lower bound, and the replay of a recorded run."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from assay.errors import DataError, ProviderError
from assay.files import current_reading
from assay.grammar import REQUIRED, Param
from assay.model import Document, Hit, Query, RankRule, Run
from assay.providers.protocols import BY_JUDGMENTS, Judged, RelevanceRule
from assay.providers.provider import Provider, hits_of_ids, whole_number
from assay.providers.responses import Answers, ranked
from assay.providers.retriever import PermanentFailure, in_tie_order, not_indexed_error
from assay.relevance import Ground, resolve


class Oracle:
    """Returns the relevant documents. It needs the judgments, and it finds only documents that it has indexed."""

    def __init__(self) -> None:
        self._texts: dict[str, str] | None = None
        self._qrels: Judged | None = None
        self._rule = BY_JUDGMENTS

    def set_judgments(self, qrels: Judged, relevance: RelevanceRule = BY_JUDGMENTS) -> None:
        """Set the judgments (query → document → grade), and the rule that decides about queries without judgments."""
        self._qrels, self._rule = qrels, relevance

    def index(self, documents: Iterable[Document]) -> None:
        """Set the documents that may be found."""
        self._texts = {document.doc_id: document.content for document in in_tie_order(documents)}

    def search(self, queries: Sequence[Query], k: int) -> Answers:
        """For each query up to k documents with a grade above 0."""
        texts, qrels = self._texts, self._qrels
        if texts is None:
            raise not_indexed_error("oracle")
        if qrels is None:
            advice = "call set_judgments(qrels), or use a benchmark that has judgments"
            raise PermanentFailure(f"oracle has no judgments: {advice}")
        grades = self._grades(queries, texts, qrels)
        rankings = [
            [Hit(doc, float(grade)) for doc, grade in grades.get(query.query_id, {}).items() if grade > 0 and doc in texts]
            for query in queries
        ]
        can_know = bool(qrels) or self._rule.pack is not None
        return [
            ranked(hits)[:k] if can_know or query.expected is not None else PermanentFailure(NOTHING_KNOWN)
            for query, hits in zip(queries, rankings, strict=True)
        ]

    def _grades(self, queries: Sequence[Query], texts: Mapping[str, str], qrels: Judged) -> Judged:
        """Query → document → grade, decided in the same way as when a run over these documents is scored."""
        if self._rule.by == "auto" and all(query.query_id in qrels for query in queries):
            return qrels
        ground = Ground(
            queries={query.query_id: query for query in queries},
            hits={query.query_id: self._candidates(query, texts) for query in queries},
            qrels=qrels,
            pack=self._rule.pack,
            documents=texts,
            scopes={query.scope: list(texts) for query in queries if query.scope is not None},
        )
        try:
            return resolve(ground, self._rule.by, **self._rule.settings).qrels
        except DataError:  # none of these queries has any ground truth
            return {}

    def _candidates(self, query: Query, texts: Mapping[str, str]) -> list[Hit]:
        """The documents that the pack checks: the evidence, if all of it is documents; otherwise every document."""
        total = self._rule.pack.count(query) if self._rule.pack else None
        if total is None or (self._rule.by == "auto" and query.query_id in (self._qrels or {})):
            return []
        evidence = [doc for doc in dict.fromkeys(query.evidence or ()) if doc in texts]
        return [Hit(doc) for doc in (evidence if len(evidence) >= total else texts)]


NOTHING_KNOWN = "oracle has no ground truth for this query: it needs judgments, evidence or an expected answer"

ORACLE = Provider(
    "oracle",
    "the relevant documents, best grade first; an upper bound that checks your setup",
    Oracle,
    is_repeatable=False,
    is_exhaustive=True,
    needs_text=False,
)


class RandomOrder:
    """A random ranking per query. It depends only on the seed and on the ids of query and documents, not on their order."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._ids: list[str] | None = None

    def index(self, documents: Iterable[Document]) -> None:
        """Set the ids to draw from."""
        self._ids = [document.doc_id for document in in_tie_order(documents)]

    def search(self, queries: Sequence[Query], k: int) -> list[list[Hit]]:
        """For each query k documents; a larger k only adds documents."""
        ids = self._ids
        if ids is None:
            raise not_indexed_error("random_order")
        scores = (1 / np.arange(1, min(k, len(ids)) + 1)).tolist()
        return [
            hits_of_ids([ids[row] for row in self._draw(query.query_id, len(scores), len(ids))], scores) for query in queries
        ]

    def _draw(self, query: str, n_drawn: int, n_documents: int) -> list[int]:
        """The first numbers of a shuffled range; only the numbers that were moved are stored."""
        content = f"{self.seed}:{query}".encode("utf-8", "surrogatepass")
        lots = np.random.default_rng(int.from_bytes(hashlib.blake2b(content, digest_size=16).digest(), "big"))
        moved: dict[int, int] = {}
        drawn = []
        for place, lot in enumerate(lots.random(n_drawn).tolist()):
            other = place + int(lot * (n_documents - place))
            drawn.append(moved.get(other, other))
            moved[other] = moved.get(place, place)
        return drawn


RANDOM_ORDER = Provider(
    "random_order",
    "the documents in random order; a lower bound that checks your setup",
    RandomOrder,
    params=(Param("seed", whole_number, 0, "seed of the random order"),),
    is_exhaustive=True,
    needs_text=False,
)


TIE_RULE = RankRule("docid_desc", "float64", drop_self=False)
"""Which of several equal scores are kept at the cutoff, as in every run."""


class ReplayRetriever:
    """Returns the rankings of the file; a query that is missing from it fails."""

    def __init__(self, run: str) -> None:
        self._file = run
        self._run = Run(Path(run).expanduser())

    def search(self, queries: Sequence[Query], k: int) -> Answers:
        """The best k documents of each query; equal scores stay in the order of the file."""
        return [self._hits(query.query_id, k) for query in queries]

    def _hits(self, query: str, k: int) -> list[Hit] | ProviderError:
        place = self._run.numbers.get(query)
        if place is None:
            return PermanentFailure(f"the query is missing from {self._file}. Add its ranking to the file")
        ranking, docs = self._run.rankings[place], self._run.ranked(place)
        if 0 < k < len(docs) and ranking[docs[k - 1]] == ranking[docs[k]]:
            kept_docs = set(self._run.in_order(place, TIE_RULE)[:k])
            docs = [doc for doc in docs if doc in kept_docs]
        return [Hit(doc, float(ranking[doc])) for doc in docs[:k]]


def check_file(run: str) -> None:
    """Raise unless the file exists and can be read. If the user named columns, they are looked for before any query."""
    file = Path(run).expanduser()
    if not file.exists():
        raise ProviderError(f"replay: there is no file {run}. Give the path of a run file")
    if file.is_dir() or not os.access(file, os.R_OK):
        what = "is a folder, not a run file" if file.is_dir() else "cannot be read: permission denied"
        raise ProviderError(f"replay: {run} {what}")
    if current_reading().columns:
        Run(file)


def parse_file(text: str) -> str:
    """The path of a file."""
    if not text.strip():
        raise ValueError("the path of a run file")
    return text


REPLAY = Provider(
    "replay",
    "the rankings of a run file, in any format for runs",
    ReplayRetriever,
    params=(
        Param(
            "run",
            parse_file,
            REQUIRED,
            "path of the run file; a query that is missing from it fails",
            aliases=("file", "path"),
        ),
    ),
    needs_text=False,
    indexes=False,
    is_repeatable=False,
    short_for="run",
    check=check_file,
    sources=lambda run: [Path(run).expanduser()],
    heeds_scope=False,
)
