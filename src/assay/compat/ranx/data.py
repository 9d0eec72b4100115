"""Run and Qrels as in ranx: query → document → score or grade, with queries sorted by id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from assay.arrays import Floats
from assay.compat.ranx.differences import DIFFERENCES
from assay.compat.ranx.files import COLUMNS, columns_of, frame_of, hashed_rows, kind_of, read_parquet, write_file
from assay.errors import DataError, UsageError
from assay.model import Qrels as EngineQrels
from assay.model import Rankings, RankRule, as_judgments, as_rankings, text_id
from assay.model import Run as EngineRun
from assay.text import counted

Q_ID, DOC_ID, SCORE = COLUMNS
Numbers = dict[str, dict[str, float]]


class ByQuery(Mapping[str, dict[str, float]]):
    """A mapping that documents can be added to. Reading never changes it."""

    name: str | None
    sorted: bool = False
    """As in ranx: false in an empty object and after `add_score`, until something sorts. The content is always in order."""

    def __init__(self, numbers: Mapping[str, Mapping[str, float]], name: str | None) -> None:
        self._numbers: Numbers = dict(sorted((query, dict(by_doc)) for query, by_doc in numbers.items()))
        self.name = name

    def _held(self) -> Numbers:
        """The content, for reading."""
        return self._numbers

    def _changed(self) -> None:
        """Discard what was computed from the numbers, because they have changed."""

    def _lines(self) -> tuple[Numbers, str]:
        """The content of a TREC file: numbers, and the tag of a run."""
        return self._held(), ""

    def __getitem__(self, q_id: str) -> dict[str, float]:
        return dict(self._held()[text_id(q_id)])

    def __iter__(self) -> Iterator[str]:
        return iter(self._held())

    def __len__(self) -> int:
        return len(self._held())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.to_dict()})"

    @property
    def size(self) -> int:
        """The number of queries."""
        return len(self)

    def get_query_ids(self) -> list[str]:
        """The ids of the queries, sorted."""
        return list(self)

    def get_doc_ids_and_scores(self) -> list[dict[str, float]]:
        """For each query: document → number."""
        return list(self.to_dict().values())

    def add_score(self, q_id: str, doc_id: str, score: float) -> None:
        """Set the number of one document; the query may be new."""
        numbers = self._held()
        numbers.setdefault(text_id(q_id), {})[text_id(doc_id)] = score
        self._numbers = dict(sorted(numbers.items()))
        self.sorted = False
        self._changed()

    def add(self, q_id: str, doc_ids: Sequence[str], scores: Sequence[float]) -> None:
        """Set a query and all its documents; its earlier documents are removed."""
        self.add_multi([q_id], [doc_ids], [scores])

    def add_multi(self, q_ids: Sequence[str], doc_ids: Sequence[Sequence[str]], scores: Sequence[Sequence[float]]) -> None:
        """Set several queries and all their documents. Lists of different lengths are an error."""
        _check_equal_lengths("queries, lists of documents and lists of scores", q_ids, doc_ids, scores)
        added: Numbers = {}
        for query, docs, values in zip(q_ids, doc_ids, scores, strict=True):
            _check_equal_lengths(f"query {query}: documents and scores", docs, values)
            added[text_id(query)] = dict(zip(map(text_id, docs), values, strict=True))
        self._numbers = dict(sorted((self._held() | added).items()))
        self.sorted = True
        self._changed()

    def sort(self) -> None:
        """Set `sorted`: queries are always sorted by id, and the documents of a run best first."""
        self.sorted = True

    def to_typed_list(self) -> list[Floats]:
        """For each query an array with one row per document, best first: the hash of its id, and its number.

        It is a plain list, which `evaluate` reads like a typed list of Numba.
        """
        self.sort()
        ordered = {query: dict(sorted(docs.items(), key=_negated_number)) for query, docs in self.to_dict().items()}
        return hashed_rows(ordered)

    @staticmethod
    def from_ranxhub(id: str) -> NoReturn:  # noqa: A002 (its name in ranx)
        """Always an error: ranxhub is a service of the original."""
        raise UsageError(
            f"{id}: ranxhub is not supported; download the run with ranx, save it as JSON, and read the JSON with from_file"
        )

    def to_dict(self) -> Numbers:
        """Query → document → number, as a copy."""
        return {query: dict(by_doc) for query, by_doc in self._held().items()}

    def to_dataframe(self) -> Any:
        """A pandas frame with the columns q_id, doc_id and score."""
        return frame_of(self.to_dict())

    def save(self, path: str | Path | None = None, kind: str | None = None) -> None:
        """Write JSON, a TREC file or Parquet, by the file extension or by `kind`. `.gz` and `.zst` are errors.

        Without a path, the file is `run.json` or `qrels.json`.
        """
        path = f"{type(self).__name__.lower()}.json" if path is None else path
        numbers, tag = self._lines()
        write_file(numbers, Path(path), kind_of(path, kind), tag)


def _negated_number(entry: tuple[str, float]) -> float:
    return -entry[1]


def _check_equal_lengths(what: str, *lists: Iterable[Any]) -> None:
    lengths = [len(list(entries)) for entries in lists]
    if len(set(lengths)) > 1:
        counts = " and ".join(counted(length, "entry") for length in lengths)
        raise DataError(f"{what} must have the same length, found {counts}")


class Run(ByQuery):
    """Rankings by query id, and their scores from `evaluate`. `assay.evaluate` accepts a Run too."""

    _prepared: EngineRun | None = None
    _is_held: bool = True
    ties: str = "ranx"
    """The order of equal scores: as ranx sorts them, or unchanged."""

    def __init__(self, run: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None) -> None:
        self._begin(name)
        if run is not None:
            by_query = dict(sorted(as_rankings(run).by_query.items()))
            self._prepared, self._is_held = EngineRun(by_query), False
            self.sorted = True

    @classmethod
    def of(cls, prepared: EngineRun, name: str | None = None) -> Run:
        """A run from rankings of the engine, which are in order; equal scores keep their order."""
        run = cls(name=name)
        run._prepared, run._is_held, run.ties = prepared, False, "input_order"
        run.sorted = True
        return run

    def _begin(self, name: str | None) -> None:
        super().__init__({}, name)
        self.metadata: dict[str, Any] = {}
        self.scores: defaultdict[str, dict[str, float]] = defaultdict(dict)
        """Metric → query → score, for every metric that was evaluated."""
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
        """The rankings in the form that the engine uses."""
        if self._prepared is None:
            self._prepared = EngineRun(self._numbers)
        return self._prepared

    @property
    def run(self) -> Numbers:
        """Query → document → score, best first."""
        return self.to_dict()

    def to_dict(self) -> Numbers:
        """Query → document → score, best first; equal scores in the order of ranx's sort."""
        run = self.prepared
        ordered = ((query, _best_first(run, place, self.ties)) for place, query in enumerate(run.query_ids))
        return {
            query: {doc: ranking[doc] for doc in docs} for (query, docs), ranking in zip(ordered, run.rankings, strict=True)
        }

    def _lines(self) -> tuple[Numbers, str]:
        return self.to_dict(), (self.name or "run").replace(" ", "_")

    def make_comparable(self, qrels: Mapping[str, Any]) -> Run:
        """A copy of the run with exactly the queries of the judgments; missing queries get empty rankings."""
        held = self._held()
        warn_of_change(self, qrels)
        comparable = Run(name=self.name)
        comparable._numbers = {query: held.get(query, {}) for query in qrels}
        comparable.sorted = True
        return comparable

    @staticmethod
    def from_dict(d: Mapping[str, Mapping[str, float]], name: str | None = None) -> Run:
        """A run from query → document → score."""
        return Run(d, name)

    @staticmethod
    def from_file(path: str | Path, kind: str | None = None, name: str | None = None) -> Run:
        """A run from JSON, TREC lines, CSV, JSONL or Parquet, compressed or not. The format is detected from the content.

        Without a name, the run gets the tag in the TREC file as its name.
        """
        kind_of(path, kind)
        rankings = as_rankings(Path(path))
        return _with_name(rankings, name or rankings.tag or None)

    @staticmethod
    def from_df(
        df: Any, q_id_col: str = Q_ID, doc_id_col: str = DOC_ID, score_col: str = SCORE, name: str | None = None
    ) -> Run:
        """A run from three columns of a pandas, polars or Arrow frame."""
        return _with_name(as_rankings(columns_of(df, q_id_col, doc_id_col, score_col, "score")), name)

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
        return _with_name(as_rankings(read_parquet(path, columns)), name)


def warn_of_change(run: Run, query_ids: Iterable[str]) -> None:
    """Warn if a run has other queries than the judgments: ranx makes it comparable by changing it."""
    if set(run) != set(query_ids):
        DIFFERENCES.warn("changed run")


def _with_name(rankings: Rankings, name: str | None) -> Run:
    return Run(rankings.by_query, name)


def _best_first(run: EngineRun, place: int, ties: str) -> list[str]:
    """The documents of a query, best first. ranx's sort, which is slow here, is used only if scores are equal."""
    start, end = run.order.start[place], run.order.end[place]
    negated = run.order.negated[start:end]
    is_tied = bool(np.any(negated[1:] == negated[:-1]))
    return run.ranked(place, RankRule(ties if is_tied else "input_order", "float64", drop_self=False))


class Qrels(ByQuery):
    """Judgments by query id. `assay.evaluate` accepts Qrels too. Grades may be any numbers, and are checked when added."""

    _prepared: EngineQrels | None = None

    def __init__(self, qrels: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None) -> None:
        super().__init__(as_judgments(qrels).grades if qrels is not None else {}, name)
        self.sorted = qrels is not None
        self.prepared  # noqa: B018 (validates every grade now, not at first use)

    def _changed(self) -> None:
        self._prepared = None

    @property
    def prepared(self) -> EngineQrels:
        """The judgments in the form that the engine uses."""
        if self._prepared is None:
            self._prepared = EngineQrels(self._held())
        return self._prepared

    @property
    def qrels(self) -> dict[str, dict[str, float]]:
        """Query → document → grade."""
        return self.to_dict()

    def set_relevance_level(self, rel_lvl: int = 1) -> None:
        """Make `rel_lvl` the lowest relevant grade: subtract rel_lvl − 1 from every grade."""
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
        """Judgments from JSON, TREC lines, CSV, JSONL or Parquet, compressed or not. The format is detected."""
        kind_of(path, kind)
        return _of_table(Path(path))

    @staticmethod
    def from_df(df: Any, q_id_col: str = Q_ID, doc_id_col: str = DOC_ID, score_col: str = SCORE) -> Qrels:
        """Judgments from three columns of a pandas, polars or Arrow frame."""
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
        """Judgments of a benchmark of the ir_datasets package, which downloads missing files."""
        from assay.datasets import load_dataset

        return Qrels(load_dataset(f"ir_datasets:{dataset_id}").qrels, name=dataset_id)


def _of_table(source: Any) -> Qrels:
    """Judgments from a file or a frame. Whole numbers that are written as 5.0 become ints again."""
    grades = as_judgments(source).grades
    return Qrels({query: {doc: _int_if_whole(grade) for doc, grade in judged.items()} for query, judged in grades.items()})


def _int_if_whole(grade: float) -> float:
    return int(grade) if isinstance(grade, float) and grade.is_integer() else grade
