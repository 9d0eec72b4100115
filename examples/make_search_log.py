"""Write search-log.jsonl: a simulated log of a shop with two variants, for the documentation of search logs.

Users look at rank r with the probability 1/r. Variant B ranks better than variant A. The same seed and week give the same
log.

    python make_search_log.py [file [week]]
"""

from __future__ import annotations

import json
import random
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

SEARCHES = 6000
USERS = 900
PRODUCTS = ("tent", "stove", "boots", "lamp", "rope", "jacket")
START = datetime(2026, 3, 2, 8, tzinfo=UTC)
QUERIES = [f"{kind} {use}" for kind in PRODUCTS for use in ("cheap", "light", "winter")]


def write_log(path: Path, seed: int = 7, week: int = 0) -> None:
    """One line for each search, in the order of time. Other weeks have other searches for the same documents."""
    draw = random.Random(seed)  # noqa: S311 (a simulation)
    attraction = {query: [draw.betavariate(1, 3) for _ in range(12)] for query in QUERIES}
    draw = random.Random(seed + week) if week else draw  # noqa: S311
    start = START + timedelta(weeks=week)
    lines = sorted((_search(draw, attraction, start, number) for number in range(SEARCHES)), key=lambda line: line["time"])
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def _search(draw: random.Random, attraction: dict[str, list[float]], start: datetime, number: int) -> dict[str, object]:
    user = min(int(draw.expovariate(1 / 200)), USERS - 1)
    variant = "AB"[user % 2]
    time = start + timedelta(minutes=draw.randrange(5 * 24 * 60), seconds=number % 60)
    about = {"user": f"u{user:04d}", "variant": variant, "device": "phone" if user % 3 else "desktop"}
    if draw.random() < 0.03:
        return {**about, "query": f"{draw.choice(PRODUCTS)} xyz", "time": time.isoformat(), "shown": [], "clicks": []}
    query = draw.choice(QUERIES)
    noise = 0.35 if variant == "A" else 0.15
    order = sorted(range(12), key=lambda item: -attraction[query][item] + draw.gauss(0, noise))[:8]
    clicks = [
        {
            "doc_id": f"p{item}",
            "time": (time + timedelta(seconds=2 + 3 * rank + draw.randrange(4))).isoformat(),
            "dwell": round(draw.lognormvariate(3.2, 1.0), 1),
        }
        for rank, item in enumerate(order, 1)
        if draw.random() < attraction[query][item] / rank
    ]
    shown = [f"p{item}" for item in order]
    return {**about, "query": query, "time": time.isoformat(), "shown": shown, "clicks": clicks}


if __name__ == "__main__":
    write_log(Path(*sys.argv[1:2] or ["search-log.jsonl"]), week=int(*sys.argv[2:3]))
