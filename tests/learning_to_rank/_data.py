"""Small data for learning to rank: worked out by hand, and drawn with a seed."""

import numpy as np

SMALL = """\
2 qid:10 1:0.5 2:3 #docid = a inc = 1
0 qid:10 1:0.7 #docid = b
1 qid:10 1:0.5 2:1 #docid = c
0 qid:7 1:0 2:1.5 #docid = a
1 qid:7 1:0 2:2.5 #docid = d
0 qid:8 2:9 #docid = e
"""
"""Query 10: by feature 1 b, then a and c, which are tied; query 7: by feature 2 d, a; query 8 has no relevant document."""


def write_small(folder, name="small.txt"):
    path = folder / name
    path.write_text(SMALL)
    return path


def drawn_lines(seed, n_queries, first_query=1):
    """Documents with five features. The label depends on features 1 and 2, and on 4 together with 1; not on 3 and 5."""
    rng = np.random.default_rng(seed)
    for query in range(first_query, first_query + n_queries):
        n = int(rng.integers(5, 20))
        values = rng.random((n, 5)).round(3)
        worth = 2 * values[:, 0] + values[:, 1] + 0.5 * values[:, 3] * values[:, 0] + rng.normal(0, 0.3, n)
        for label, row in zip(np.digitize(worth, [1.2, 1.8, 2.3, 2.8]).tolist(), values.tolist(), strict=True):
            features = " ".join(f"{number}:{value:g}" for number, value in enumerate(row, 1) if value > 0.02)
            yield f"{label} qid:{query} {features}"


def write_drawn(path, seed, n_queries, first_query=1):
    path.write_text("".join(f"{line}\n" for line in drawn_lines(seed, n_queries, first_query)))
    return path
