"""Random part: grades that were not given in the order of a pool would make estimates wrong."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest

import assay
from assay.errors import DataError
from assay.judging import grades_in_order, pairs_of, share_work
from assay.store import Judgment

RUNS = {
    name: {f"q{query}": [f"d{(query * step + rank * 7) % 40}" for rank in range(10)] for query in range(40)}
    for name, step in (("A", 3), ("B", 5))
}
TRUTH = {
    (query, doc): float(int(sha256(f"{query}/{doc}".encode()).hexdigest()[:4], 16) < (0.7 if rank < 3 else 0.25) * 65536)
    for run in reversed(RUNS.values())
    for query, docs in run.items()
    for rank, doc in enumerate(docs)
}


def drawn(seed=1, how="spread"):
    return assay.pool(RUNS, pairs=150, seed=seed, how=how)


def given(pairs, pool="", judge="Ana"):
    return [Judgment("", *pair[:2], judge, TRUTH[tuple(pair[:2])], pool=pool) for pair in pairs]


def elsewhere():
    """The first three documents of system A, graded on the pages of queries."""
    return given([(query, doc) for query, docs in RUNS["A"].items() for doc in docs[:3]], judge="Eve")


@pytest.mark.parametrize("n_draws", [60, pytest.param(120, marks=pytest.mark.slow)])
def test_grades_from_elsewhere_do_not_bias_what_judges_have_done(n_draws):
    """The mean of many draws is the true value. With all grades it is not."""
    exact = np.mean([TRUTH[query, doc] for query, docs in RUNS["B"].items() for doc in docs])
    counted, every = [], []
    for seed in range(n_draws):
        pool = drawn(seed)
        grades = [*elsewhere(), *given(pairs_of(pool, "Ana")[:50], pool.id)]
        plain = {}
        for each in grades:
            plain.setdefault(each.query, {})[each.document] = each.grade
        for values, people in ((counted, grades), (every, plain)):
            result = assay.evaluate(None, RUNS["B"], judgments=assay.Corrected(people, pool=pool))
            values.append(result["precision@10"])
    errors = [np.std(values, ddof=1) / np.sqrt(len(values)) for values in (counted, every)]
    assert abs(np.mean(counted) - exact) < 4 * errors[0]
    assert abs(np.mean(every) - exact) > 4 * errors[1]


def test_what_counts_and_what_is_refused():
    pool = drawn()
    order = pairs_of(pool, "Ana")
    skipped = [pair for place, pair in enumerate(order[:60]) if place % 10]
    outlier = given([order[-1]], pool.id)
    used = grades_in_order(pool, [*given(skipped, pool.id), *outlier])
    assert used == given(skipped, pool.id)
    shared = share_work(pool, ["Ana", "Ben"])
    alone = given(pairs_of(shared, "Ana")[:30], pool.id)
    assert grades_in_order(pool, alone, shared) == alone
    everything = given(pool.drawn)
    assert grades_in_order(pool, everything) == everything
    whole = drawn(how="whole")
    some = given(pairs_of(whole, "Ana")[:40], whole.id)
    assert grades_in_order(whole, some) == some
    with pytest.raises(DataError, match="none was given through this pool"):
        grades_in_order(pool, elsewhere())
    chosen = [pair for pair in pool.drawn if TRUTH[pair[:2]]]
    with pytest.raises(DataError, match="they were not judged in its order"):
        grades_in_order(pool, given(chosen, pool.id))
