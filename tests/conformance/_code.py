"""Somebody's metric code: a plain one that is right, and what makes it wrong or different, one change at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Code:
    """`Code(...)` is a function score(metric, qrels, run); every field is a decision it takes."""

    ties: str = "desc"
    is_sorted: bool = True
    gain: str = "linear"
    discount: str = "log2"
    ideal: str = "judged"
    recall_is_hit: bool = False
    precision_over: str = "k"
    map_over: str = "relevant"
    counts_duplicates: bool = False
    first_rank: int = 1
    judged_is_relevant: bool = False
    negative_gains: bool = False

    def __call__(self, metric: str, qrels: Any, run: Any) -> float | None:
        name, _, cut = metric.partition("@")
        scores = [self.score(name, int(cut) if cut else None, qrels[query], run.get(query, {})) for query in qrels]
        return None if None in scores else sum(scores) / len(scores)

    def ranked(self, scores: Any) -> list[str]:
        pairs = list(scores.items()) if isinstance(scores, dict) else [tuple(pair) for pair in scores]
        if not self.counts_duplicates:
            pairs = list(dict(reversed(pairs)).items())[::-1] if isinstance(scores, list) else pairs
        if not self.is_sorted:
            return [doc for doc, _ in pairs]
        if self.ties in ("desc", "asc"):
            pairs.sort(reverse=self.ties == "desc")
        elif self.ties == "numeric":
            pairs.sort(key=lambda pair: int(pair[0]) if pair[0].isdecimal() else 0, reverse=True)
        elif self.ties == "reversed":
            pairs.reverse()
        return [doc for doc, _ in sorted(pairs, key=lambda pair: -pair[1])]

    def worth(self, grade: float) -> float:
        grade = grade if self.negative_gains else max(grade, 0)
        return {"linear": grade, "exp": 2**grade - 1, "binary": float(grade > 0)}[self.gain]

    def dcg(self, gains: list[float]) -> float:
        jk = self.discount == "jk2002"
        return sum(g / (max(1.0, math.log2(i)) if jk else math.log2(i + 1)) for i, g in enumerate(gains, 1))

    def ndcg(self, k: int | None, grades: dict[str, int], docs: list[str]) -> float:
        gains = [self.worth(grades.get(doc, 0)) for doc in docs[:k]]
        best = sorted(gains if self.ideal == "retrieved" else map(self.worth, grades.values()), reverse=True)
        ideal = self.dcg(best if self.ideal == "uncut" else best[:k])
        return self.dcg(gains) / ideal if ideal else 0.0

    def score(self, name: str, k: int | None, grades: dict[str, int], scores: Any) -> float | None:
        docs = self.ranked(scores)
        relevant = {doc for doc, grade in grades.items() if grade > 0 or self.judged_is_relevant}
        ranks = [rank for rank, doc in enumerate(docs[:k], self.first_rank) if doc in relevant]
        n, found = len(relevant), len(ranks)
        length = k if self.precision_over == "k" else len(docs[:k])
        precision = found / length if length else 0.0
        recall = float(found > 0) if self.recall_is_hit else found / n if n else 0.0
        over = {"relevant": n, "found": found, "min": min(k or n, n)}[self.map_over]
        return {
            "precision": lambda: precision,
            "recall": lambda: recall,
            "f1": lambda: 2 * precision * recall / (precision + recall) if found else 0.0,
            "hit": lambda: float(found > 0),
            "mrr": lambda: 1 / ranks[0] if found else 0.0,
            "map": lambda: sum(i / rank for i, rank in enumerate(ranks, 1)) / over if over else 0.0,
            "rprec": lambda: sum(doc in relevant for doc in docs[:n]) / n if n else 0.0,
            "dcg": lambda: self.dcg([self.worth(grades.get(doc, 0)) for doc in docs[:k]]),
            "ndcg": lambda: self.ndcg(k, grades, docs),
        }.get(name, lambda: None)()
