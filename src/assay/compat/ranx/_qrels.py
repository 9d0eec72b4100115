"""Qrels: ranx's judgments, query → document → grade."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.compat.ranx._by_query import ByQuery
from assay.compat.ranx._files import COLUMNS, columns_of, kind_of, read_parquet
from assay.model import Qrels as EngineQrels
from assay.model import as_judgments

Q_ID, DOC_ID, SCORE = COLUMNS


class Qrels(ByQuery):
    """Judgments by query id; `assay.evaluate` takes them too. Grades are any numbers, checked when they come in."""

    _prepared: EngineQrels | None = None

    def __init__(self, qrels: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None) -> None:
        super().__init__(as_judgments(qrels).grades if qrels is not None else {}, name)
        self.prepared  # noqa: B018 (validates every grade now, not at first use)

    def _changed(self) -> None:
        self._prepared = None

    @property
    def prepared(self) -> EngineQrels:
        """The judgments as the engine has them."""
        if self._prepared is None:
            self._prepared = EngineQrels(self._held())
        return self._prepared

    @property
    def qrels(self) -> dict[str, dict[str, float]]:
        """Query → document → grade."""
        return self.to_dict()

    def set_relevance_level(self, rel_lvl: int = 1) -> None:
        """Make `rel_lvl` the lowest relevant grade: every grade goes down by rel_lvl − 1."""
        self._numbers = {
            query: {doc: grade - (rel_lvl - 1) for doc, grade in judged.items()} for query, judged in self._held().items()
        }
        self._changed()

    @staticmethod
    def from_dict(d: Mapping[str, Mapping[str, float]]) -> Qrels:
        """Judgments from query → document → grade."""
        return Qrels(d)

    @staticmethod
    def from_file(path: str | Path, kind: str | None = None) -> Qrels:
        """Judgments from JSON, TREC lines, CSV, JSONL or Parquet, compressed or not; what is in the file decides."""
        kind_of(path, kind)
        return _of_table(Path(path))

    @staticmethod
    def from_df(df: Any, q_id_col: str = Q_ID, doc_id_col: str = DOC_ID, score_col: str = SCORE) -> Qrels:
        """Judgments from three columns of a frame of pandas, polars or Arrow."""
        return _of_table(columns_of(df, q_id_col, doc_id_col, score_col, "relevance"))

    @staticmethod
    def from_parquet(
        path: str | Path,
        q_id_col: str = Q_ID,
        doc_id_col: str = DOC_ID,
        score_col: str = SCORE,
        pd_kwargs: Mapping[str, Any] | None = None,  # noqa: ARG004 (DuckDB reads it, not pandas)
    ) -> Qrels:
        """Judgments from three columns of a Parquet file."""
        table = read_parquet(path, {"query_id": q_id_col, "doc_id": doc_id_col, "relevance": score_col})
        return _of_table(table)

    @staticmethod
    def from_ir_datasets(dataset_id: str) -> Qrels:
        """Judgments of a benchmark of the ir_datasets package, which downloads what it does not have."""
        from assay.datasets import load_dataset

        return Qrels(load_dataset(f"ir_datasets:{dataset_id}").qrels, name=dataset_id)


def _of_table(source: Any) -> Qrels:
    """Judgments of a file or a frame, where whole numbers may stand as 5.0: they are whole numbers again."""
    grades = as_judgments(source).grades
    return Qrels({query: {doc: _whole(grade) for doc, grade in judged.items()} for query, judged in grades.items()})


def _whole(grade: float) -> float:
    return int(grade) if isinstance(grade, float) and grade.is_integer() else grade
