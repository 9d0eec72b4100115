"""relevant: the relevant documents of each query, or the others that were judged, by judgments and relevance level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from assay.model import Qrels


@dataclass(frozen=True)
class RelevantDocuments(Mapping[str, Mapping[str, float]]):
    """Query → relevant document → grade, best first; or those that are not. Nothing is looked up before somebody asks."""

    qrels: Qrels
    level: float | None
    """Lowest grade that counts; None for any above 0."""
    is_relevant: bool = True
    """Whether documents that count are wanted; else those that were judged and do not."""

    def __getitem__(self, query: str) -> dict[str, float]:
        level = self.level
        found = {
            doc: grade
            for doc, grade in self.qrels[query].items()
            if (grade > 0 if level is None else grade >= level) == self.is_relevant
        }
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    def __iter__(self) -> Iterator[str]:
        return iter(self.qrels)

    def __len__(self) -> int:
        return len(self.qrels)

    def __contains__(self, query: object) -> bool:
        return query in self.qrels


class Judged(Protocol):
    """What a result says about judged documents."""

    @property
    def run(self) -> Mapping[str, Mapping[str, float]]:
        """What was retrieved."""

    @property
    def nonrelevant(self) -> Mapping[str, Mapping[str, float]]:
        """What was judged and is not relevant."""

    @property
    def relevance(self) -> Mapping[str, Any]:
        """How relevance was decided."""


def retrieved_nonrelevant(result: Judged) -> dict[str, dict[str, float]]:
    """Query → retrieved documents that were judged and are not relevant; what nobody judged is not among them.

    Where relevance is decided by texts or spans nobody judged documents, and all that is not relevant would be listed.
    """
    if result.relevance.get("strategy_used", "qrels") != "qrels" or not result.nonrelevant:
        return {}
    found = {}
    for query, ranking in result.run.items():
        judged = result.nonrelevant.get(query, {})
        if inside := {doc: grade for doc, grade in judged.items() if doc in ranking}:
            found[query] = inside
    return found
