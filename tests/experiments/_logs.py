"""Logs of experiments for tests: an A/B test with a period before it, and team draft interleaving."""

from __future__ import annotations

import json
import random

import assay

START = 1_770_000_000
DAY = 86_400


def log_of(n: int, rates: dict[str, float], seed: int = 1) -> list[dict]:
    """Each user has a variant, and two searches of four results before and after the start of the experiment."""
    draw, rows = random.Random(seed), []
    for number in range(n):
        variant = list(rates)[number % len(rates)]
        for day in (-2, -1, 1, 2):
            shown = [f"d{rank}" for rank in range(4)]
            clicks = [doc for doc in shown if draw.random() < (rates[variant] if day > 0 else 0.2)]
            about = {"user": f"person {number}", "variant": variant, "query": "q", "time": START + day * DAY + number}
            rows.append({**about, "shown": shown, "clicks": clicks})
    return rows


def interleaved(n: int = 60) -> list[dict]:
    draw, rows = random.Random(2), []
    for number in range(n):
        for search in range(3):
            a, b = [f"d{rank}" for rank in range(6)], [f"d{rank}" for rank in (3, 5, 1, 0, 7, 8)]
            shown = assay.interleave(a, b, "team_draft", seed=f"{number} {search}", query="q", depth=4)
            clicks = [doc for doc in shown.ranking if draw.random() < (0.6 if doc in ("d3", "d5", "d7") else 0.2)]
            about = {"user": f"person {number}", "query": "q", "time": START + 60 * search, "shown": list(shown.ranking)}
            rows.append({**about, "clicks": clicks, "interleaving": json.dumps(shown.to_dict())})
    return rows
