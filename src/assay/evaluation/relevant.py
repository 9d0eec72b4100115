"""relevant: the relevant documents of each query, as the judgments of a result and its relevance level have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assay.model.qrels import Qrels


@dataclass(frozen=True)
class RelevantDocuments(Mapping[str, Mapping[str, float]]):
    """Query → relevant document → grade, best first. Nothing is looked up before somebody asks."""

    qrels: Qrels
    level: float | None
    """Lowest grade that counts; None for any above 0."""

    def __getitem__(self, query: str) -> dict[str, float]:
        level = self.level
        found = {doc: grade for doc, grade in self.qrels[query].items() if (grade > 0 if level is None else grade >= level)}
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    def __iter__(self) -> Iterator[str]:
        return iter(self.qrels)

    def __len__(self) -> int:
        return len(self.qrels)

    def __contains__(self, query: object) -> bool:
        return query in self.qrels
