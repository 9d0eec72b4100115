"""Write a small shop with products, searches and two runs: one by matching words, one that also varies its results.

    python examples/make_shop.py shop

A product has a category, a text and a number of views. Some products are offered by several sellers with nearly the same
text. The folder gets queries.csv, corpus.csv and qrels.csv. Next to it are `shop-plain.run`, which ranks products by
matching words and views, and `shop-varied.run`, which moves products back that are similar to those before them (maximal
marginal relevance: Carbonell & Goldstein 1998). The data are artificial and seeded.
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

THINGS = ("jacket", "tent", "lamp", "backpack", "bottle", "stove", "mat", "knife")
CATEGORIES = ("hiking", "camping", "travel", "climbing", "cycling")
COLOURS = ("red", "green", "blue", "grey", "black", "orange")
FEATURES = ("waterproof", "light", "warm", "folding", "robust", "small", "recycled", "padded")
SELLERS = ("sold by Alpina", "sold by Nordwind", "sold by Terra")
N_PRODUCTS, DEPTH = 220, 20
VIEWS_MATTER, SIMILARITY_COSTS = 0.25, 0.9


class Product(NamedTuple):
    """One offer of the shop."""

    doc_id: str
    text: str
    category: str
    views: int

    @property
    def words(self) -> frozenset[str]:
        """The words of its text."""
        return frozenset(self.text.split())


def main(folder: Path) -> None:
    """Write the folder and both runs."""
    rng = random.Random(28)  # noqa: S311 (example data, not secrets)
    products = _products(rng)
    queries = {
        f"q{number:02}": f"{rng.choice(FEATURES)} {thing} {category}"
        for number, (thing, category) in enumerate((thing, category) for thing in THINGS for category in CATEGORIES)
    }
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "queries.csv", ("query_id", "query"), queries.items())
    _write(folder / "corpus.csv", ("doc_id", "text", "category", "views"), products)
    judged = ((query, *pair) for query, text in queries.items() for pair in _judged(text, products))
    _write(folder / "qrels.csv", ("query_id", "doc_id", "relevance"), judged)
    scored = {query: _scores(text, products) for query, text in queries.items()}
    _write_run(Path(f"{folder}-plain.run"), {query: _best(scores) for query, scores in scored.items()})
    _write_run(Path(f"{folder}-varied.run"), {query: _varied(scores) for query, scores in scored.items()})


def _products(rng: random.Random) -> list[Product]:
    """The offers; the first of a product is viewed most often."""
    products: list[Product] = []
    while len(products) < N_PRODUCTS:
        thing, category = rng.choice(THINGS), rng.choice(CATEGORIES)
        features = " and ".join(rng.sample(FEATURES, 2))
        text = f"{rng.choice(COLOURS)} {thing} for {category} {features} model {len(products)}"
        for seller in rng.sample(SELLERS, rng.choice((1, 1, 2, 3))):
            views = int(2000 / (1 + rng.randrange(N_PRODUCTS))) + rng.randrange(10)
            products.append(Product(f"p{len(products):03}", f"{text} {seller}", category, views))
    return products


def _judged(query: str, products: Sequence[Product]) -> Iterable[tuple[str, int]]:
    """A product is relevant if it is the thing of the query, and more so if it also has the category."""
    _, thing, category = query.split()
    for product in products:
        if thing in product.words:
            yield product.doc_id, 2 if product.category == category else 1


def _scores(query: str, products: Sequence[Product]) -> dict[Product, float]:
    words = set(query.split())
    most = max(product.views for product in products)
    return {product: len(words & product.words) + VIEWS_MATTER * product.views / most for product in products}


def _best(scores: dict[Product, float]) -> list[Product]:
    return sorted(scores, key=lambda product: -scores[product])[:DEPTH]


def _varied(scores: dict[Product, float]) -> list[Product]:
    """The best of 60 products, one after the other; a product loses what it has in common with an earlier one."""
    left, ranked = sorted(scores, key=lambda product: -scores[product])[:60], []
    while left and len(ranked) < DEPTH:
        ranked.append(max(left, key=lambda product: scores[product] - SIMILARITY_COSTS * _likeness(product, ranked)))
        left.remove(ranked[-1])
    return ranked


def _likeness(product: Product, ranked: Sequence[Product]) -> float:
    shared = [len(product.words & other.words) / len(product.words | other.words) for other in ranked]
    return 2 * max(shared, default=0.0)


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def _write_run(path: Path, rankings: dict[str, list[Product]]) -> None:
    lines = [
        f"{query} Q0 {product.doc_id} {rank} {DEPTH + 1 - rank} {path.stem}\n"
        for query, ranked in rankings.items()
        for rank, product in enumerate(ranked, 1)
    ]
    path.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "shop"))
