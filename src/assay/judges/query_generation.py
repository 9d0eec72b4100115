"""Query generation: queries for a collection that has none. They are synthetic, and every record says so.

Documents are drawn by strata, each document gives few queries, duplicates are dropped, and the service must confirm that the
document answers the query. Every document is asked about once: nothing is repeated until a number is reached.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from assay.datasets import allocate, folded, private_kind
from assay.errors import BadParameter, DataError
from assay.judges.asking import AskOptions, Outcomes, ask_judge
from assay.judges.definition import BoundJudge
from assay.judges.judging_run import DryRun, plan_requests
from assay.judges.ledger import Totals
from assay.judges.pairs import Pair, PairPool
from assay.judges.prompt import load_prompt
from assay.judges.query_writing import LONGEST_QUERY, document_pair, to_writer, written_queries
from assay.model import GENERATED_BY, GENERATED_FROM, ORIGIN, SYNTHETIC, Document
from assay.text import counted

CHECK_PROMPT = "answer"
"""The bundled prompt of the check: its highest grade means that the document alone answers the query."""
SPARE = 1.2
"""More documents are asked about than needed, because some queries are dropped."""
MIN_CHARS = 40
"""A shorter document does not answer a question of its own."""
ID_DIGITS = 12
NOT_SENT, NOT_CHECKED = "document was not sent", "query could not be checked"
"""Why a document or a query is left out."""


@dataclass(frozen=True)
class GeneratedQuery:
    """A query that a model wrote for a document."""

    text: str
    document: str
    stratum: str
    number: int = 0
    """Its place among the queries of the document, from 0."""
    model: str = ""
    """The model that wrote it."""

    @property
    def query_id(self) -> str:
        """Depends on the text alone."""
        return f"s-{sha256(folded(self.text).encode()).hexdigest()[:ID_DIGITS]}"

    def to_record(self) -> dict[str, Any]:
        """A record of a file of queries. The document is not a judgment: nobody judged it."""
        stratum = {"stratum": self.stratum} if self.stratum else {}
        model = {GENERATED_BY: self.model} if self.model else {}
        own = {"query_id": self.query_id, "query": self.text, ORIGIN: SYNTHETIC}
        return {**own, **stratum, GENERATED_FROM: self.document, **model}


@dataclass(frozen=True)
class GeneratedQueries:
    """The queries, and what became of the others."""

    queries: tuple[GeneratedQuery, ...]
    n_documents: int
    """Documents that were drawn."""
    strata: Mapping[str, tuple[int, int]]
    """Stratum → its documents, and those that were drawn."""
    left_out: Mapping[str, int]
    """Why queries and documents were left out → how many."""
    dry_run: DryRun
    """The requests that are left: for queries, and if these are known, for the check."""
    ledger: Totals
    total: Totals
    notes: tuple[str, ...] = ()
    failure: str = ""
    """Why nothing more was sent, if the service refused all requests or could not be reached; otherwise empty."""

    @property
    def n_unsent(self) -> int:
        """Documents that were not sent, and queries that could not be checked."""
        return self.left_out.get(NOT_SENT, 0) + self.left_out.get(NOT_CHECKED, 0)


def generate_queries(
    documents: Mapping[str, Document],
    n: int,
    judge: BoundJudge,
    options: AskOptions,
    *,
    per_document: int = 2,
    seed: int = 1,
    check: bool = True,
) -> GeneratedQueries:
    """Let a service write about n queries for the documents. Without `options.send`, nothing is sent.

    Strata are the folders of the documents, or their sources. The same documents, seed and service give the same queries.
    """
    _check_counts(n=n, per_document=per_document)
    writer, left_out = to_writer(judge), Counter[str]()
    drawn, strata = _drawn_documents(documents, n, per_document, seed, left_out)
    pool = PairPool(tuple(document_pair(name, documents[name].content, per_document) for name in drawn), name="queries")
    plan, asked = plan_requests(pool, writer, options), ask_judge(writer, pool, options)
    written = _written(pool, asked, drawn, left_out, is_sent=options.send)
    kept = list(_usable((query for query in written if query.number < per_document), left_out))
    ledgers = [asked.ledger]
    if check and kept:
        kept, outcomes, more = _answerable(kept, documents, judge, options, left_out)
        plan, ledgers = plan + more, [*ledgers, *outcomes]
    notes = [f"stopped: {ledger.closed}" for ledger in ledgers if ledger.closed]
    if options.send and len(kept) < n:
        notes.append(f"only {counted(len(kept), 'query')} of {n:,} could be kept. Add documents, or increase --per-document")
    return GeneratedQueries(
        tuple(_first_of_each(kept, n)) if options.send else (),
        len(drawn),
        strata,
        {why: times for why, times in sorted(left_out.items()) if times},
        plan,
        sum((ledger.now for ledger in ledgers), Totals()),
        sum((ledger.total for ledger in ledgers), Totals()),
        tuple(notes),
        next((ledger.failure for ledger in ledgers if ledger.failure), ""),
    )


def _check_counts(**counts: Any) -> None:
    for name, value in counts.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise BadParameter(f"{name} must be a whole number of at least 1, not {value!r}")


def _written(
    pool: PairPool, asked: Outcomes, strata: Mapping[str, str], left_out: Counter[str], *, is_sent: bool
) -> Iterator[GeneratedQuery]:
    """The queries that were written, and why documents have none."""
    for pair, key in zip(pool.pairs, pool.keys, strict=True):
        grade = asked.grades.get(key)
        if grade is None:
            left_out[NOT_SENT] += is_sent
        elif grade.grade is None:
            left_out[f"document: {grade.why}"] += 1
        else:
            texts = written_queries(grade)
            left_out["document without a query"] += not texts
            yield from (
                GeneratedQuery(text, pair.document, strata[pair.document], number, grade.model)
                for number, text in enumerate(texts)
            )


def _drawn_documents(
    documents: Mapping[str, Document], n: int, per_document: int, seed: int, left_out: Counter[str]
) -> tuple[dict[str, str], dict[str, tuple[int, int]]]:
    """Document → its stratum, in the order of a hash; and the size of each stratum with the number drawn from it."""
    by_stratum: defaultdict[str, list[str]] = defaultdict(list)
    for name, document in documents.items():
        if len(document.content.strip()) < MIN_CHARS:
            left_out["document is too short"] += 1
        else:
            by_stratum[_stratum(name)].append(name)
    if not by_stratum:
        raise DataError(f"found no document with at least {MIN_CHARS} characters")
    wanted = math.ceil(SPARE * n / per_document)
    sizes = {stratum: len(names) for stratum, names in sorted(by_stratum.items())}
    if wanted < len(sizes):  # too few for one from each: strata are not used
        by_stratum, sizes = defaultdict(list, {"": sorted(documents.keys() & set().union(*by_stratum.values()))}), {}
        sizes[""] = len(by_stratum[""])
    shares = allocate(sizes, wanted)
    drawn = {name: stratum for stratum in sizes for name in _in_order(by_stratum[stratum], seed)[: shares[stratum]]}
    return drawn, {stratum: (sizes[stratum], shares[stratum]) for stratum in sizes}


def _stratum(name: str) -> str:
    """The folder of a document, if its id is a path."""
    return name.rpartition("/")[0]


def _in_order(names: Iterable[str], seed: int) -> list[str]:
    return sorted(names, key=lambda name: sha256(f"{seed}\0{name}".encode()).digest())


def _usable(queries: Iterable[GeneratedQuery], left_out: Counter[str]) -> Iterator[GeneratedQuery]:
    """Queries that people could type, each once."""
    seen: set[str] = set()
    for query in queries:
        key = folded(query.text)
        why = (
            "query is empty"
            if not key
            else "query is too long"
            if len(query.text) > LONGEST_QUERY
            else "query is a duplicate"
            if key in seen
            else f"query has a {kind}"
            if (kind := private_kind(query.text))
            else ""
        )
        if why:
            left_out[why] += 1
        else:
            seen.add(key)
            yield query


def _answerable(
    queries: Sequence[GeneratedQuery],
    documents: Mapping[str, Document],
    judge: BoundJudge,
    options: AskOptions,
    left_out: Counter[str],
) -> tuple[list[GeneratedQuery], list[Any], DryRun]:
    """The queries that their document answers alone, as the same service says with another prompt."""
    checker = replace(judge, params={**judge.params, "prompt": CHECK_PROMPT, "guidelines": ""})
    best = max(load_prompt(CHECK_PROMPT).scale)
    pairs = [Pair(query.query_id, query.text, query.document, documents[query.document].content) for query in queries]
    pool = PairPool(tuple(pairs), name="answerable")
    plan, outcomes = plan_requests(pool, checker, options), ask_judge(checker, pool, options)
    kept = []
    for query, key in zip(queries, pool.keys, strict=True):
        grade = outcomes.grades.get(key)
        if grade is not None and grade.grade == best:
            kept.append(query)
        else:
            unknown = grade is None or grade.grade is None
            left_out[NOT_CHECKED if unknown else "query is not answered by its document"] += options.send
    return kept, [outcomes.ledger], plan


def _first_of_each(queries: Sequence[GeneratedQuery], n: int) -> list[GeneratedQuery]:
    """N queries from as many documents as possible: the first query of each document, then the second."""
    return sorted(queries, key=lambda query: query.number)[:n]
