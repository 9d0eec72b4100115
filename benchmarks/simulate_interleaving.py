"""Simulated interleaving: whether random clicks favour a ranking, and how much traffic interleaving saves.

Run `python -m benchmarks.simulate_interleaving [searches]`. The first table has the share of the searches that the second
ranking wins if clicks do not depend on documents; 50 % is fair. The rankings are random changes of one ranking, so that
neither has a systematic advantage, or the second one has the three best documents of the first one at its end. The second
table has the number of searches that are needed to detect, with a probability of 80 % at p ≤ 0.05, that one search engine
orders documents with less noise than another: with interleaving, and with an A/B split of users, by its best metric. The row
"both lists" is a comparison that no experiment can make: the same user sees the complete lists of both engines, with the
same luck.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.experiments import METHODS, click_outcome, interleave

SEARCHES = 100_000
DEPTH = 10
NEEDED = (1.959964 + 0.841621) ** 2
Array = NDArray[Any]
Clicks = Callable[[random.Random, int], list[int]]


def uniform(draw: random.Random, n: int) -> list[int]:
    """Each place is clicked with the same probability."""
    return [place for place in range(n) if draw.random() < 0.2]


def top_heavy(draw: random.Random, n: int) -> list[int]:
    """The place at rank r is clicked with probability 0.6 / r."""
    return [place for place in range(n) if draw.random() < 0.6 / (place + 1)]


def single(draw: random.Random, n: int) -> list[int]:
    """One click at a random place."""
    return [draw.randrange(n)]


CLICKS: dict[str, Clicks] = {"same everywhere": uniform, "mostly at the top": top_heavy, "one, anywhere": single}


def alike(draw: random.Random) -> tuple[list[str], list[str]]:
    """Two rankings that are random changes of one."""
    docs = [f"d{number}" for number in range(14)]
    return tuple(  # type: ignore[return-value]
        sorted(docs, key=lambda doc: int(doc[1:]) + draw.gauss(0, 3))[:DEPTH] for _ in range(2)
    )


def shifted(_draw: random.Random) -> tuple[list[str], list[str]]:
    """The second ranking is the first one without its three best documents, which it has at the end of the list."""
    docs = [f"d{number}" for number in range(DEPTH)]
    return docs, docs[3:] + docs[:3]


def fairness(method: str, pair: Callable[[random.Random], tuple[list[str], list[str]]], searches: int) -> list[float]:
    """For each way to click at random: the share of the searches with a click that the second ranking wins."""
    draw, wins = random.Random(1), np.zeros((len(CLICKS), 2))
    for search in range(searches):
        a, b = pair(draw)
        shown = interleave(a, b, method, seed=search, depth=DEPTH)
        for row, clicks in enumerate(CLICKS.values()):
            if places := clicks(draw, len(shown.ranking)):
                credit = click_outcome(shown, {shown.ranking[place] for place in places})
                wins[row] += credit.b + credit.tie / 2, 1
    return (wins[:, 0] / wins[:, 1]).tolist()


class Engines(NamedTuple):
    """Two search engines that order documents by their attractiveness plus noise; the second one has less noise."""

    label: str
    noise_a: float
    noise_b: float
    is_shared: bool
    """Whether the noise of the second is that of the first, reduced: a new version of the same engine."""

    def orders(self, generator: np.random.Generator, truth: Array) -> list[Array]:
        """The first documents of both engines."""
        noise_a, other = generator.normal(0, 1, (2, *truth.shape))
        noise_b = noise_a if self.is_shared else other
        noises = ((self.noise_a, noise_a), (self.noise_b, noise_b))
        return [np.argsort(-(truth + size * noise), axis=1)[:, :DEPTH] for size, noise in noises]


PAIRS_OF_ENGINES = (
    Engines("new version, 10 % less noise", 0.2, 0.18, is_shared=True),
    Engines("new version, 30 % less noise", 0.2, 0.14, is_shared=True),
    Engines("another engine, 30 % less noise", 0.2, 0.14, is_shared=False),
)
PER_USER = 10


def needed_traffic(engines: Engines, searches: int) -> tuple[dict[str, float], dict[str, float]]:
    """Searches needed by each method of interleaving, and by an A/B split of users with each metric.

    Each user has 10 searches and a own tendency to click, and each query has results that attract more or less. Both
    engines and the interleaved list see the same users, queries and luck, so that differences have little noise.
    """
    generator = np.random.default_rng(5)
    users = searches // PER_USER
    searches = users * PER_USER
    truth = generator.beta(1, 4, (searches, 30)) * generator.uniform(0.2, 1.0, (searches, 1))
    tendency = np.repeat(generator.beta(2, 2, users), PER_USER)
    orders = engines.orders(generator, truth)
    attracted = generator.random(truth.shape) < truth
    chances = tendency[:, None] / np.arange(1, DEPTH + 1) ** 0.7
    looks = generator.random((searches, DEPTH)) < chances
    metrics: dict[str, list[Array]] = {"ctr": [], "first_click_mrr": [], "abandonment": []}
    for order in orders:
        clicks = np.take_along_axis(attracted, order, axis=1) & looks
        first = np.where(clicks.any(axis=1), 1 / (clicks.argmax(axis=1) + 1), 0.0)
        for name, values in zip(metrics, (clicks.mean(axis=1), first, 1.0 - clicks.any(axis=1)), strict=True):
            metrics[name].append(values.reshape(users, PER_USER).mean(axis=1))
    split = {
        name: PER_USER * 2 * NEEDED * (a.var() + b.var()) / (b.mean() - a.mean()) ** 2 for name, (a, b) in metrics.items()
    }
    paired = min(PER_USER * NEEDED * (b - a).var() / (b.mean() - a.mean()) ** 2 for a, b in metrics.values())
    interleaved = {method: _interleaved(method, orders, attracted, looks) for method in METHODS}
    return {**{f"`{method}`": n for method, n in interleaved.items()}, "both lists, same luck": float(paired)}, split


def _interleaved(method: str, orders: list[Array], attracted: Array, looks: Array) -> float:
    """The searches that interleaving needs. Searches without a click count as ties."""
    scores = np.zeros(len(attracted))
    for search, (a, b) in enumerate(zip(*(order.tolist() for order in orders), strict=True)):
        shown = interleave([f"d{doc}" for doc in a], [f"d{doc}" for doc in b], method, seed=search, depth=DEPTH)
        clicked = {doc for rank, doc in enumerate(shown.ranking) if looks[search, rank] and attracted[search, int(doc[1:])]}
        credit = click_outcome(shown, clicked)
        scores[search] = credit.b - credit.a
    of_users = scores.reshape(-1, PER_USER).mean(axis=1)
    return float(PER_USER * NEEDED * of_users.var() / of_users.mean() ** 2)


def main(searches: int) -> None:
    """Print both tables in Markdown."""
    print(f"| rankings | method | {' | '.join(f'clicks {name}' for name in CLICKS)} |")
    print(f"|---|---|{'---:|' * len(CLICKS)}")
    for label, pair in (("random changes", alike), ("shifted", shifted)):
        for method in METHODS:
            shares = fairness(method, pair, searches)
            print(f"| {label} | `{method}` | {' | '.join(f'{100 * share:.1f} %' for share in shares)} |", flush=True)
    print("\n| second engine | method | searches needed | A/B split, best metric | ratio |\n|---|---|---:|---:|---:|")
    for engines in PAIRS_OF_ENGINES:
        interleaved, split = needed_traffic(engines, searches)
        best = min(split, key=split.__getitem__)
        for method, n in interleaved.items():
            ends = f"{split[best]:,.0f} (`{best}`) | {split[best] / n:.0f}"
            print(f"| {engines.label} | {method} | {n:,.0f} | {ends} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SEARCHES)
