"""ByQuery: query → document → number, queries in the order of their ids; what `Qrels` and `Run` have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from assay.compat.ranx._files import frame_of, kind_of, write_file
from assay.errors import DataError, UsageError
from assay.model import text_id
from assay.text import counted

Numbers = dict[str, dict[str, float]]


class ByQuery(Mapping[str, dict[str, float]]):
    """A mapping that documents can be added to. Looking at it never changes it."""

    name: str | None

    def __init__(self, numbers: Mapping[str, Mapping[str, float]], name: str | None) -> None:
        self._numbers: Numbers = dict(sorted((query, dict(by_doc)) for query, by_doc in numbers.items()))
        self.name = name

    def _held(self) -> Numbers:
        """What is here, to be looked at."""
        return self._numbers

    def _changed(self) -> None:
        """Forget what was worked out from the numbers: they are others now."""

    def _lines(self) -> tuple[Numbers, str]:
        """What a TREC file is made of: numbers and the tag, which judgments do not have."""
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
        """How many queries there are."""
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
        self._changed()

    def add(self, q_id: str, doc_ids: Sequence[str], scores: Sequence[float]) -> None:
        """Set a query and all its documents; what it had before is gone."""
        self.add_multi([q_id], [doc_ids], [scores])

    def add_multi(self, q_ids: Sequence[str], doc_ids: Sequence[Sequence[str]], scores: Sequence[Sequence[float]]) -> None:
        """Set several queries and all their documents; lists of different lengths are refused."""
        _refuse_unequal("queries, lists of documents and lists of scores", q_ids, doc_ids, scores)
        added: Numbers = {}
        for query, docs, values in zip(q_ids, doc_ids, scores, strict=True):
            _refuse_unequal(f"query {query}: documents and scores", docs, values)
            added[text_id(query)] = dict(zip(map(text_id, docs), values, strict=True))
        self._numbers = dict(sorted((self._held() | added).items()))
        self._changed()

    def sort(self) -> None:
        """Nothing is left to do: queries are always sorted by their ids, and the documents of a run best first."""

    @staticmethod
    def from_ranxhub(id: str) -> NoReturn:  # noqa: A002 (as it is called there)
        """Refused: ranxhub is a service of the original."""
        raise UsageError(
            f"{id}: ranxhub is not read here; fetch it with ranx, save it as JSON, and read that with from_file"
        )

    def to_dict(self) -> Numbers:
        """Query → document → number, as a copy."""
        return {query: dict(by_doc) for query, by_doc in self._held().items()}

    def to_dataframe(self) -> Any:
        """A pandas frame with the columns q_id, doc_id and score."""
        return frame_of(self.to_dict())

    def save(self, path: str | Path, kind: str | None = None) -> None:
        """Write JSON, a TREC file or Parquet, by the ending of the name or by `kind`; `.gz` and `.zst` are refused."""
        numbers, tag = self._lines()
        write_file(numbers, Path(path), kind_of(path, kind), tag)


def _refuse_unequal(what: str, *lists: Iterable[Any]) -> None:
    lengths = [len(list(one)) for one in lists]
    if len(set(lengths)) > 1:
        found = ", ".join(counted(length, "entry") for length in lengths)
        raise DataError(f"{what} belong together one by one, but there are {found}")
