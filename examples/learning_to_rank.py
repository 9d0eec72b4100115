"""Example data for learning to rank, and two models: a shop whose search ranks products by eight features.

    python examples/learning_to_rank.py write shop
    python examples/learning_to_rank.py train shop

`write` makes train.txt, vali.txt and test.txt in the format of LETOR. `train` trains LightGBM on all features (all.txt) and
on all except clicks (no-clicks.txt), and XGBoost on all (all.json), into the folder models. The same seed always gives the
same data.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

SEED = 7
SPLITS = {"train": 300, "vali": 80, "test": 120}
FEATURES = (
    *("words in the title", "words in the description", "clicks", "price", "age in days"),
    *("words in the title, squared", "length of the title", "noise"),
)
"""The meaning of features 1 to 8. Feature 6 repeats feature 1; 7 and 8 say nothing about relevance."""
CLICKS = 3
N_TREES = 40
MODELS = Path("models")


def lines(rng: np.random.Generator, first: int, n_queries: int) -> Iterator[str]:
    """Labels from 0 to 4, for 6 to 20 products of each query; one query in fifteen has no relevant product."""
    for query in range(first, first + n_queries):
        n = int(rng.integers(6, 21))
        title, text, clicks, price, age, length, noise = rng.random((7, n)).round(3)
        worth = 2.0 * title + 1.0 * text + 1.2 * clicks * title - 0.4 * price + rng.normal(0, 0.45, n)
        labels = np.digitize(worth, [1.4, 2.0, 2.6, 3.2]) if query % 15 else np.zeros(n, dtype=int)
        values = np.column_stack([title, text, clicks, price, age, (title**2).round(3), length, noise])
        for number, (label, row) in enumerate(zip(labels.tolist(), values.tolist(), strict=True), 1):
            features = " ".join(f"{place}:{value:g}" for place, value in enumerate(row, 1))
            yield f"{label} qid:{query} {features} #docid = product-{query}-{number}\n"


def write(folder: Path) -> None:
    """Write the three files."""
    folder.mkdir(parents=True, exist_ok=True)
    rng, first = np.random.default_rng(SEED), 1
    for split, n_queries in SPLITS.items():
        (folder / f"{split}.txt").write_text("".join(lines(rng, first, n_queries)))
        first += n_queries
    sys.stdout.write(f"wrote {', '.join(f'{folder}/{split}.txt' for split in SPLITS)}\n")


def train(folder: Path) -> None:
    """Train the models on train.txt, and write the predictions of one of them for test.txt."""
    import lightgbm
    import xgboost

    import assay

    MODELS.mkdir(exist_ok=True)
    table, test = (assay.load_dataset(folder / f"{split}.txt").features for split in ("train", "test"))
    sizes = np.diff(table.offsets)
    settings = {"objective": "lambdarank", "num_leaves": 15, "learning_rate": 0.1, "verbose": -1, "num_threads": 1}
    for name, left_out in {"all": (), "no-clicks": (CLICKS,)}.items():
        values = np.array(table.values)
        values[:, [table.column(number) for number in left_out]] = 0.0
        booster = lightgbm.train(
            {**settings, "deterministic": True}, lightgbm.Dataset(values, table.labels, group=sizes), N_TREES
        )
        booster.save_model(MODELS / f"{name}.txt")
        if not left_out:
            np.savetxt(MODELS / "predictions.txt", booster.predict(test.values), fmt="%.6f")
    matrix = xgboost.DMatrix(table.values, table.labels)
    matrix.set_group(sizes)
    settings = {"objective": "rank:ndcg", "max_depth": 4, "eta": 0.1, "nthread": 1, "seed": SEED}
    xgboost.train(settings, matrix, N_TREES).save_model(MODELS / "all.json")
    sys.stdout.write("wrote models/all.txt, models/no-clicks.txt, models/all.json and models/predictions.txt\n")


def main(arguments: list[str]) -> None:
    """Run one of the two steps."""
    steps = {"write": write, "train": train}
    if len(arguments) != 2 or arguments[0] not in steps:
        sys.exit("usage: python examples/learning_to_rank.py write|train FOLDER")
    steps[arguments[0]](Path(arguments[1]))


if __name__ == "__main__":
    main(sys.argv[1:])
