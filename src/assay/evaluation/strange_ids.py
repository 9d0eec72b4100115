"""Strange ids: a run and judgments that do not know each other, shown by an id of each side and by what may be meant."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Container, Mapping
from itertools import islice
from typing import Any, NamedTuple

from assay.datasets import LOOKED_AT, FileSource, document_of, other_beginning, respelled, trec_ids
from assay.errors import DataError
from assay.model import Qrels, as_rankings

LARGEST = 1 << 26
"""A file of another kind than lines that is larger is not read again only to show an id."""


class Ids(NamedTuple):
    """The first ids of a run, as far as they are quickly seen."""

    queries: list[str]
    documents: list[str]


def refuse_strange_queries(counts: Mapping[str, int], qrels: Qrels, run: Any, known: Container[str] = ()) -> None:
    """Raise where not one query of the run is judged: then its zeros say nothing about the system.

    `known` are queries of the benchmark that may be asked without being judged.
    """
    if not counts["extra"] or not counts["judged"] or counts["judged"] > counts["missing"]:
        return
    ids = ids_of(run)
    if any(query in known for query in ids.queries):
        return
    where = f"{run.label}: " if isinstance(run, FileSource) else ""
    raise DataError(where + words_on_queries(qrels, run, ids))


def words_on_queries(qrels: Qrels, run: Any, ids: Ids | None = None) -> str:
    """That no query is judged, an id of each side, and how they might be made the same."""
    queries = (ids or ids_of(run)).queries
    found = "not one query of the run is judged"
    if not queries or not len(qrels):
        return f"{found}: do both use the same query ids?"
    example = f"the run has ids like {queries[0]!r}, the judgments like {qrels.query_ids[0]!r}"
    return f"{found}: {example}. {_mending(queries, qrels, run)}"


def _mending(queries: list[str], qrels: Qrels, run: Any) -> str:
    """What to do about it: a command where only the beginnings differ and the file is one of lines."""
    judged = frozenset(qrels.query_ids)
    if hint := respelled(queries, judged):
        return f"Write them alike: {hint}."
    begins = other_beginning(queries, judged)
    if begins is None:
        return "Give the judgments that this run was made for."
    said = f"Write them alike: {begins.said}"
    if not isinstance(run, FileSource) or run.kind != "trec" or not re.fullmatch(r"[\w:-]*", "".join(begins[:2])):
        return f"{said}."
    return f"{said}, as with: sed 's/^{begins.theirs}/{begins.ours}/' {shlex.quote(run.label)} > same-ids.run"


def words_on_documents(qrels: Qrels, run: Any, documents: Container[str]) -> str:
    """That nothing judged was found: by a retriever that misses, where its ids are those of documents; else by other ids.

    An id of each side shows what is different about them.
    """
    ids = ids_of(run).documents
    judged = set(qrels.docs)
    if ids and (ids[0] in documents or ids[0] in judged):
        return "no query found anything that is judged: what was retrieved are other documents of the benchmark."
    found = "not one retrieved document occurs in the judgments"
    if not ids or not qrels.docs:
        return f"{found}: do both use the same document ids?"
    whole = document_of(ids[0])
    if whole != ids[0] and whole in judged:
        chunks = "Chunks are rolled up with --unit document, or with --id-map."
        return f"{found}: the run has ids like {ids[0]!r}, the judgments like {whole!r}. {chunks}"
    return f"{found}: the run has ids like {ids[0]!r}, the judgments like {qrels.docs[0]!r}.{_spelled(ids, judged)}"


def _spelled(ids: list[str], judged: Collection[str]) -> str:
    """What would make them the same, and the option that does it; empty where nothing is known."""
    begins = other_beginning(ids, judged)
    hint = respelled(ids, judged) or (begins.said if begins else "")
    return f" Perhaps {hint}; --id-map FILE says which document each id is." if hint else ""


def ids_of(run: Any) -> Ids:
    """The first ids of a run; none where it would have to be read as a whole for them, and is large."""
    if isinstance(run, FileSource) and run.kind == "trec":
        rows = [ids for _, line in islice(run.lines(), LOOKED_AT) if (ids := trec_ids(line))]
        return Ids(list(dict.fromkeys(query for query, _ in rows)), list(dict.fromkeys(doc for _, doc in rows)))
    if isinstance(run, FileSource) and run.path.stat().st_size > LARGEST:
        return Ids([], [])
    rankings = as_rankings(run, "keep_best").by_query
    some = list(islice(rankings.items(), LOOKED_AT))
    documents = (str(document) for _, ranking in some for document in ranking)
    return Ids([str(query) for query, _ in some], list(dict.fromkeys(islice(documents, LOOKED_AT))))
