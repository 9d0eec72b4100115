"""Batches: put many queries to a retriever at once, one batch after the other."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.evaluation.answers import Answer
from assay.evaluation.experience import FEW, Experience
from assay.evaluation.line import GRACE, Line
from assay.model import Query
from assay.providers import Busy

QUICK = 0.5
"""Seconds. While batches take less, the next is twice as large; so a crash never costs more than about a second's work."""

Failed = tuple[Query, Exception]


@dataclass
class Batches:
    """Asks in batches: of `size`, or with `grows`, larger and larger ones up to it while answers come quickly."""

    line: Line
    k: int
    experience: Experience
    size: int
    grows: bool = False

    def ask(self, queries: Sequence[Query]) -> Iterator[list[Answer]]:
        """Every query once; those of a batch that failed are asked alone."""
        start, size, failed = 0, 1 if self.grows else self.size, list[Failed]()
        while start < len(queries):
            some = queries[start : start + size]
            start += len(some)
            began = time.perf_counter()
            outcomes = list(zip(some, self._attempt(some), strict=True))
            if answers := [one for _, one in outcomes if isinstance(one, Answer)]:
                self.experience.answered(answers)
                yield answers
            lost = [(query, one) for query, one in outcomes if isinstance(one, Exception)]
            size = self._next_size(size, time.perf_counter() - began, is_fine=not lost)
            failed += lost
            if len(some) == 1 and lost and len(failed) < FEW and self.experience.is_new and start < len(queries):
                continue  # the first few wait together
            yield from self._alone(failed, n_tried=1 if len(some) == 1 else 0)
            failed = []

    def _next_size(self, size: int, seconds: float, *, is_fine: bool) -> int:
        if not self.grows:
            return size
        return min(2 * size, self.size) if is_fine and seconds < QUICK else max(size // 2, 1)

    def _alone(self, failed: list[Failed], n_tried: int) -> Iterator[list[Answer]]:
        """One by one, so that a bad query does not take others along; in rounds, with one pause for all of them.

        What failed in company is asked alone, whatever the error: it may have been another's.
        """
        while failed:
            again = [(query, error) for query, error in failed if not n_tried or self.experience.allows(error, n_tried)]
            if len(again) < len(failed):
                left = {query.query_id for query, _ in again}
                yield [self.experience.lost(query.query_id, error) for query, error in failed if query.query_id not in left]
            pauses = [
                self.experience.pause(error, max(n_tried, 1)) for _, error in again if n_tried or isinstance(error, Busy)
            ]
            time.sleep(max(pauses, default=0.0))
            failed = []
            for query, _ in again:
                (outcome,) = self._attempt([query])
                if isinstance(outcome, Answer):
                    self.experience.answered([outcome])
                    yield [outcome]
                else:
                    failed.append((query, outcome))
            n_tried += 1

    def _attempt(self, queries: Sequence[Query]) -> list[Answer | Exception]:
        seconds = self.experience.patience.timeout * (1 if self.grows else len(queries))
        try:
            return self.line.worker.do(self.line.search, queries, self.k, seconds, seconds=seconds + GRACE)
        except TimeoutError:
            return [TimeoutError(f"no answer within {seconds:g} s")] * len(queries)
