"""random_order: documents in an order drawn by lot; the floor that checks the harness."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np

from assay.grammar import Param
from assay.model import Document, Hit, Query
from assay.providers._documents import in_tie_order, not_indexed
from assay.providers._provider import Provider, hits_of_ids
from assay.providers._whole_number import whole_number


class RandomOrder:
    """Draws a ranking per query. It depends on the seed, the query's id and the documents' ids; on no order of them."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._ids: list[str] | None = None

    def index(self, documents: Iterable[Document]) -> None:
        """Take the ids to draw from."""
        self._ids = [document.doc_id for document in in_tie_order(documents)]

    def search(self, queries: Sequence[Query], k: int) -> list[list[Hit]]:
        """For each query k documents; with a larger k the same ones and more."""
        ids = self._ids
        if ids is None:
            raise not_indexed("random_order")
        scores = (1 / np.arange(1, min(k, len(ids)) + 1)).tolist()
        return [
            hits_of_ids([ids[row] for row in self._draw(query.query_id, len(scores), len(ids))], scores) for query in queries
        ]

    def _draw(self, query: str, n_drawn: int, n_documents: int) -> list[int]:
        """The first cards of a shuffled deck; only those that were moved are written down."""
        content = f"{self.seed}:{query}".encode("utf-8", "surrogatepass")
        lots = np.random.default_rng(int.from_bytes(hashlib.blake2b(content, digest_size=16).digest(), "big"))
        moved: dict[int, int] = {}
        drawn = []
        for place, lot in enumerate(lots.random(n_drawn).tolist()):
            other = place + int(lot * (n_documents - place))
            drawn.append(moved.get(other, other))
            moved[other] = moved.get(place, place)
        return drawn


PROVIDER = Provider(
    "random_order",
    "documents in an order drawn by lot; the floor that checks the harness",
    RandomOrder,
    params=(Param("seed", whole_number, 0, "another number, other orders"),),
)
