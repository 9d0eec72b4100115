"""External runs: runs that another engine holds and ranks, such as a table in a cluster."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence

from assay.model import Qrels, RankRule
from assay.views.ranked import Ranked


class ExternalRun(ABC):
    """A run whose rows stay where they are. It returns the ranks of judged documents; all metrics are computed from them."""

    @property
    @abstractmethod
    def label(self) -> str:
        """What an error calls the run."""

    @abstractmethod
    def rank(self, qrels: Qrels, rules: Collection[RankRule], *, name_extra: bool = False) -> Mapping[RankRule, Ranked]:
        """The run ranked by several rules; with `name_extra`, some queries without judgments are named."""

    @abstractmethod
    def top_documents(self, qrels: Qrels, k: int | None, rule: RankRule) -> dict[str, list[str]]:
        """The first k documents of each judged query, best first."""

    @abstractmethod
    def first_ids(self, most: int) -> tuple[Sequence[str], Sequence[str]]:
        """Up to this number of ids of queries and of documents, as examples."""
