"""replay: a recorded run file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from assay.errors import ProviderError
from assay.grammar import REQUIRED, Param
from assay.model import Document, Hit, Query, RankRule, Run
from assay.providers._answers import Answers
from assay.providers._provider import Provider
from assay.providers._refusals import PermanentFailure

AT_THE_CUT = RankRule("docid_desc", "float64", drop_self=False)
"""Who stays when the cut falls between equal scores, as in every run."""


class ReplayRetriever:
    """Answers what the file says; a query that it lacks has failed."""

    def __init__(self, run: str) -> None:
        self._file = run
        self._run = Run(Path(run).expanduser())

    def index(self, documents: Iterable[Document]) -> None:
        """Nothing: the documents were ranked when the run was made."""

    def search(self, queries: Sequence[Query], k: int) -> Answers:
        """The best k documents of each query, equals in the order of the file."""
        return [self._hits(query.query_id, k) for query in queries]

    def _hits(self, query: str, k: int) -> list[Hit] | ProviderError:
        place = self._run.numbers.get(query)
        if place is None:
            return PermanentFailure(f"not in {self._file}")
        ranking, docs = self._run.rankings[place], self._run.ranked(place)
        if 0 < k < len(docs) and ranking[docs[k - 1]] == ranking[docs[k]]:
            kept = set(self._run.in_order(place, AT_THE_CUT)[:k])
            docs = [doc for doc in docs if doc in kept]
        return [Hit(doc, float(ranking[doc])) for doc in docs[:k]]


def check_file(run: str) -> None:
    """Raise unless the file is there and may be read."""
    file = Path(run).expanduser()
    if not file.exists():
        raise ProviderError(f"replay: {run}: no such file; give the path of a run file")
    if file.is_dir() or not os.access(file, os.R_OK):
        what = "is a folder, not a run file" if file.is_dir() else "may not be read by you"
        raise ProviderError(f"replay: {run} {what}")


def parse_file(text: str) -> str:
    """The path of a file."""
    if not text.strip():
        raise ValueError("the path of a run file")
    return text


PROVIDER = Provider(
    "replay",
    "a recorded run file, in any format that runs are read from",
    ReplayRetriever,
    params=(Param("run", parse_file, REQUIRED, "the file; a query that it lacks has failed", aliases=("file", "path")),),
    indexes=False,
    is_repeatable=False,
    short_for="run",
    check=check_file,
    sources=lambda run: [Path(run).expanduser()],
    heeds_scope=False,
)
