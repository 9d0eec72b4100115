"""Run: ranx's rankings, query → document → score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from assay.compat.ranx._by_query import ByQuery, Numbers
from assay.compat.ranx._files import COLUMNS, columns_of, kind_of, read_parquet
from assay.model import Rankings, RankRule, as_rankings
from assay.model import Run as EngineRun

Q_ID, DOC_ID, SCORE = COLUMNS


class Run(ByQuery):
    """Rankings by query id, and the scores that `evaluate` gave them; `assay.evaluate` takes them too."""

    _prepared: EngineRun | None = None
    _is_held: bool = True
    ties: str = "ranx"
    """The order of equal scores: as ranx's sort leaves them, or as they stand."""

    def __init__(self, run: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None) -> None:
        self._begin(name)
        if run is not None:
            by_query = dict(sorted(as_rankings(run).by_query.items()))
            self._prepared, self._is_held = EngineRun(by_query), False

    @classmethod
    def of(cls, prepared: EngineRun, name: str | None = None) -> Run:
        """Rankings that the engine has already, in order; equal scores stay as they stand."""
        run = cls(name=name)
        run._prepared, run._is_held, run.ties = prepared, False, "input_order"
        return run

    def _begin(self, name: str | None) -> None:
        super().__init__({}, name)
        self.metadata: dict[str, Any] = {}
        self.scores: defaultdict[str, dict[str, float]] = defaultdict(dict)
        """Metric → query → score, of every metric that was evaluated."""
        self.mean_scores: dict[str, float] = {}
        self.std_scores: dict[str, float] = {}

    def _held(self) -> Numbers:
        if not self._is_held and self._prepared is not None:
            self._numbers = dict(zip(self._prepared.query_ids, self._prepared.rankings, strict=True))
            self._is_held = True
        return self._numbers

    def _changed(self) -> None:
        self._prepared = None

    @property
    def prepared(self) -> EngineRun:
        """The rankings as the engine has them."""
        if self._prepared is None:
            self._prepared = EngineRun(self._numbers)
        return self._prepared

    @property
    def run(self) -> Numbers:
        """Query → document → score, best first."""
        return self.to_dict()

    def to_dict(self) -> Numbers:
        """Query → document → score, best first; equal scores as ranx's sort leaves them."""
        run = self.prepared
        ordered = ((query, _best_first(run, place, self.ties)) for place, query in enumerate(run.query_ids))
        return {
            query: {doc: ranking[doc] for doc in docs} for (query, docs), ranking in zip(ordered, run.rankings, strict=True)
        }

    def _lines(self) -> tuple[Numbers, str]:
        return self.to_dict(), (self.name or "run").replace(" ", "_")

    def make_comparable(self, qrels: Mapping[str, Any]) -> Run:
        """The run with the queries of the judgments, no others; those it lacks are empty. This run stays as it is."""
        held = self._held()
        comparable = Run(name=self.name)
        comparable._numbers = {query: held.get(query, {}) for query in qrels}
        return comparable

    @staticmethod
    def from_dict(d: Mapping[str, Mapping[str, float]], name: str | None = None) -> Run:
        """A run from query → document → score."""
        return Run(d, name)

    @staticmethod
    def from_file(path: str | Path, kind: str | None = None, name: str | None = None) -> Run:
        """A run from JSON, TREC lines, CSV, JSONL or Parquet, compressed or not; what is in the file decides.

        Without a name it is called what the lines of a TREC file say.
        """
        kind_of(path, kind)
        rankings = as_rankings(Path(path))
        return _named(rankings, name or rankings.tag or None)

    @staticmethod
    def from_df(
        df: Any, q_id_col: str = Q_ID, doc_id_col: str = DOC_ID, score_col: str = SCORE, name: str | None = None
    ) -> Run:
        """A run from three columns of a frame of pandas, polars or Arrow."""
        return _named(as_rankings(columns_of(df, q_id_col, doc_id_col, score_col, "score")), name)

    @staticmethod
    def from_parquet(
        path: str | Path,
        q_id_col: str = Q_ID,
        doc_id_col: str = DOC_ID,
        score_col: str = SCORE,
        pd_kwargs: Mapping[str, Any] | None = None,  # noqa: ARG004 (DuckDB reads it, not pandas)
        name: str | None = None,
    ) -> Run:
        """A run from three columns of a Parquet file."""
        columns = {"query_id": q_id_col, "doc_id": doc_id_col, "score": score_col}
        return _named(as_rankings(read_parquet(path, columns)), name)


def _named(rankings: Rankings, name: str | None) -> Run:
    return Run(rankings.by_query, name)


def _best_first(run: EngineRun, place: int, ties: str) -> list[str]:
    """The documents of a query; ranx's own sort, which is slow here, is asked only where scores are equal."""
    start, end = run.order.start[place], run.order.end[place]
    negated = run.order.negated[start:end]
    is_tied = bool(np.any(negated[1:] == negated[:-1]))
    return run.ranked(place, RankRule(ties if is_tied else "input_order", "float64", drop_self=False))
