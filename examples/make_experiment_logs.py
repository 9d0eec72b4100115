"""Write experiment.jsonl, the log of a simulated A/B test, and interleaved.jsonl, the log of interleaved searches.

Users look at rank r with the probability 1/r. The search engine "dense" orders documents with less noise than "bm25". The
A/B test starts on 9 March 2026, after a week in which all users have bm25. The same seed gives the same logs.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import assay

START = datetime(2026, 3, 9, tzinfo=UTC)
USERS = 1200
NOISE = {"bm25": 0.3, "dense": 0.15}
QUERIES = [f"{kind} {use}" for kind in ("tent", "stove", "boots", "lamp") for use in ("cheap", "light", "winter")]
Search = dict[str, object]


class Shop:
    """Documents with a known attractiveness for each query, and users who click more or less."""

    def __init__(self, seed: int) -> None:
        """All random draws depend on the seed."""
        self.draw = random.Random(seed)  # noqa: S311 (a simulation)
        self.attraction = {query: [self.draw.betavariate(1, 3) for _ in range(15)] for query in QUERIES}

    def ranking(self, engine: str, query: str) -> list[str]:
        """The first documents of an engine."""
        scores = [value + self.draw.gauss(0, NOISE[engine]) for value in self.attraction[query]]
        return [f"p{item}" for item in sorted(range(15), key=lambda item: -scores[item])[:8]]

    def clicks(self, query: str, shown: Sequence[str], tendency: float) -> list[str]:
        """The documents that a user clicks."""
        chances = [tendency * self.attraction[query][int(doc[1:])] / rank for rank, doc in enumerate(shown, 1)]
        return [doc for doc, chance in zip(shown, chances, strict=True) if self.draw.random() < chance]


def ab_test(shop: Shop) -> Iterator[Search]:
    """A week before the experiment, and a week with two variants."""
    for user in range(USERS):
        variant, tendency = shop.draw.choice(("bm25", "dense")), shop.draw.betavariate(2, 2)
        for day in range(-7, 7):
            if shop.draw.random() < 0.35:
                query, engine = shop.draw.choice(QUERIES), variant if day >= 0 else "bm25"
                time = START + timedelta(days=day, seconds=shop.draw.randrange(86400))
                shown = shop.ranking(engine, query)
                about = {"user": f"u{user:04d}", "variant": variant, "time": time.isoformat(), "query": query}
                yield {**about, "shown": shown, "clicks": shop.clicks(query, shown, tendency)}


def interleaved(shop: Shop) -> Iterator[Search]:
    """Searches of 300 users, in which both engines are merged."""
    for number in range(900):
        query = shop.draw.choice(QUERIES)
        merged = assay.interleave(
            shop.ranking("bm25", query), shop.ranking("dense", query), "team_draft", seed=f"s{number}", query=query
        )
        about = {"search_id": f"s{number}", "user": f"u{number % 300:03d}", "query": query, "interleaving": merged.to_dict()}
        yield {**about, "shown": merged.ranking, "clicks": shop.clicks(query, merged.ranking, 0.6)}


def write_logs(folder: Path, seed: int = 7) -> None:
    """Both logs, with one line for each search."""
    shop = Shop(seed)
    for name, searches in (("experiment", ab_test(shop)), ("interleaved", interleaved(shop))):
        lines = [json.dumps(search) + "\n" for search in searches]
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    write_logs(Path(*sys.argv[1:2]))
