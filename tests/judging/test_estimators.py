"""Estimators: by hand, by enumeration of all draws, against ppi-python, and against the interval of people alone."""

from __future__ import annotations

import json
import os
import subprocess

import numpy as np
import pytest

from assay.errors import BadParameter, DataError
from assay.judging import (
    PairSample,
    PoolValues,
    capped_probabilities,
    pair_contributions,
    predict_values,
    prediction_powered_mean,
    query_contributions,
    systematic_draw,
)
from assay.stats import estimated_mean

PYTHON = os.environ.get("ASSAY_RANX_PYTHON")
BINARY = ([0.0, 1, 1, 0, 1, 1, 0, 1], [0.0, 1, 1, 1, 1, 0, 0, 1], [1.0, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0])
GRADED = (
    [0.2, 0.4, 0.9, 0.1, 0.7, 0.5],
    [0.3, 0.35, 0.8, 0.3, 0.9, 0.4],
    [0.1, 0.5, 0.9, 0.6, 0.2, 0.4, 0.8, 0.7, 0.3, 0.95],
)
AGAINST = (GRADED[0], [-score for score in GRADED[0]], GRADED[2])
PPI_PYTHON = [
    (BINARY, None, 0.6364182692307692, 0.32408564930725214, 0.9487508891542862),
    (BINARY, 0, 0.625, 0.28952609805303303, 0.960473901946967),
    (BINARY, 1, 0.6666666666666666, 0.22942106696800546, 1.1039122663653278),
    (GRADED, None, 0.4844450486375447, 0.31826770735312093, 0.6506223899219684),
    (GRADED, 0, 0.4666666666666666, 0.2467259339902878, 0.6866073993430455),
    (GRADED, 1, 0.5033333333333334, 0.30098996868806405, 0.7056766979786028),
    (AGAINST, None, 0.4666666666666666, 0.2467259339902878, 0.6866073993430455),
    (AGAINST, 1, 1.4783333333333333, 1.0055273316944273, 1.9511393349722392),
]
"""Scores by people, by the model for the same queries and for others; λ; the value and the interval of ppi-python 0.2.3."""


def arrays(case):
    return [np.array(scores, dtype=float) for scores in case]


@pytest.mark.parametrize(("case", "weight", "value", "low", "high"), PPI_PYTHON)
def test_the_z_form_is_that_of_ppi_python(case, weight, value, low, high):
    estimate = prediction_powered_mean(*arrays(case), form="z", weight=weight)
    assert estimate[:3] == pytest.approx((value, low, high), abs=1e-12)


ASK_PPI = """
import json, sys
import numpy as np
import ppi_py
replies = []
for y, f, others in json.load(sys.stdin):
    y, f, others = np.array(y), np.array(f), np.array(others)
    low, high = ppi_py.ppi_mean_ci(y, f, others, alpha=0.1)
    values = (ppi_py.ppi_mean_pointestimate(y, f, others), low, high)
    replies.append([float(np.squeeze(value)) for value in values])
print(json.dumps(replies))
"""


@pytest.mark.slow
@pytest.mark.skipif(not PYTHON, reason="ASSAY_RANX_PYTHON does not name an interpreter with ppi-python (make ranx)")
def test_the_z_form_equals_ppi_python_itself():
    cases = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n, n_others = rng.integers(5, 60), rng.integers(5, 300)
        y, others = rng.random(n), rng.random(n_others)
        f = np.clip(0.6 * y + 0.4 * rng.random(n), 0, 1)
        is_binary = seed % 3 == 0
        cases.append([(scores > 0.5).astype(float) if is_binary else scores for scores in (y, f, others)])
    sent = json.dumps([[scores.tolist() for scores in case] for case in cases])
    done = subprocess.run([str(PYTHON), "-c", ASK_PPI], input=sent, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    for case, expected in zip(cases, json.loads(done.stdout), strict=True):
        estimate = prediction_powered_mean(*case, 0.9, form="z")
        assert estimate[:3] == pytest.approx(tuple(expected), abs=1e-12)


def test_without_the_model_the_interval_is_that_of_people_alone():
    from scipy import stats

    y, f, others = arrays(GRADED)
    alone = stats.t.interval(0.95, len(y) - 1, np.mean(y), stats.sem(y))
    assert prediction_powered_mean(y, f, others, weight=0)[1:3] == pytest.approx(alone, abs=1e-15)
    judged = np.arange(20) % 3 == 0
    scores = np.linspace(0, 1, 20) ** 2
    alone = stats.t.interval(0.95, judged.sum() - 1, np.mean(scores[judged]), stats.sem(scores[judged]))
    for model, weight in ((None, None), (np.sqrt(scores), 0.0)):
        part = query_contributions(scores, judged, model, weight)
        parts = np.column_stack([part.values, judged, np.full(20, part.unseen)])
        assert estimated_mean(parts).interval(0.95) == pytest.approx(alone, abs=1e-14)


def test_contributions_of_whole_queries_by_hand():
    judged = np.array([True, True, False, False])
    y, f = np.array([1.0, 0.0, 0.0, 0.0]), np.array([1.0, 0.0, 1.0, 1.0])
    assert query_contributions(y, judged).values.tolist() == [1.5, -0.5, 0.5, 0.5]
    part = query_contributions(y, judged, f, 0.5)  # λ over all queries is 0.5 · 4 ÷ 2, so all residuals are 0
    assert (part.weight, part.values.tolist()) == (1.0, [1.0, 0.0, 1.0, 1.0])
    assert part.unseen > 0


def test_the_mean_of_the_contributions_is_the_value_of_ppi():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = 40
        judged = np.zeros(n, dtype=bool)
        judged[rng.permutation(n)[:12]] = True
        y = rng.random(n)
        f = 0.7 * y + 0.3 * rng.random(n)
        expected = prediction_powered_mean(y[judged], f[judged], f[~judged]).value
        assert query_contributions(y, judged, f).values.mean() == pytest.approx(expected, abs=1e-12)


def test_if_every_query_is_judged_the_model_does_not_count():
    y = np.array([0.1, 0.5, 0.9])
    part = query_contributions(y, np.ones(3, dtype=bool), np.array([1.0, 0.0, 1.0]))
    assert part.values == pytest.approx(y)
    assert part.weight == 0


def test_a_model_that_agrees_on_every_judged_query_leaves_doubt():
    judged = np.arange(60) % 2 == 0
    y = (np.arange(60) % 4 < 2).astype(float)
    part = query_contributions(y, judged, y)
    plain = np.column_stack([part.values, judged, np.zeros(60)])
    seen = np.column_stack([part.values, judged, np.full(60, part.unseen)])
    assert estimated_mean(seen).error > 1.1 * estimated_mean(plain).error
    assert query_contributions(y, judged).unseen == 0  # without a model, the spread is that of people's scores


def tiny_population():
    """Three queries with 2, 3 and 1 documents: what each adds by people's and by the model's grade."""
    query = np.array([0, 0, 1, 1, 1, 2])
    people = np.array([0.5, 0.0, 0.25, 0.25, 0.0, 1.0])
    model = np.array([0.5, 0.5, 0.0, 0.25, 0.25, 0.0])
    probability = capped_probabilities(np.array([4.0, 2.0, 1.0, 2.0, 1.0, 2.0]), 3)
    return query, people, model, probability


@pytest.mark.parametrize("weight", [0.0, 0.4, 1.0])
def test_pairs_are_without_bias_over_all_draws(weight):
    """Every start of the systematic draw, in several orders: the mean contribution of each query is its true score."""
    query, people, model, probability = tiny_population()
    steps = 840
    for order in (np.arange(6), np.array([5, 2, 0, 4, 1, 3])):
        total = np.zeros(3)
        for number in range(steps):
            drawn = np.zeros(6, dtype=bool)
            drawn[systematic_draw(probability, order, Start((number + 0.5) / steps))] = True
            assert drawn.sum() == 3
            total += pair_contributions(PairSample(query, probability, drawn, people, weight * model), 3).values
        assert total / steps == pytest.approx(np.bincount(query, people), abs=2e-3)


class Start:
    """A source of random numbers that returns one number."""

    def __init__(self, number: float) -> None:
        self.number = number

    def random(self) -> float:
        return self.number


def test_contributions_of_pairs_by_hand():
    query, probability = np.array([0, 0, 1]), np.array([0.5, 0.25, 0.5])
    people, predicted = np.array([0.5, 0.5, 0.0]), np.array([0.5, 0.0, 0.5])
    drawn = np.array([True, False, True])
    assert pair_contributions(PairSample(query, probability, drawn, people), 3).values.tolist() == [1.0, 0.0, 0.0]
    sample = PairSample(query, probability, drawn, people, predicted)
    # Σ w·m/π − Σ w·m: 0.5/0.5 − 0.5 for the first query, 0.5/0.5 − 0.5 for the second
    assert pair_contributions(sample, 3).values.tolist() == [0.5, -0.5, 0.0]


def population(seed, n_queries=100, relevant=0.4, chance=0.2):
    """A pool with the same chance for every pair, and the sample of one system with all of them."""
    rng = np.random.default_rng(seed)
    n = 10 * n_queries
    people = (rng.random(n) < relevant).astype(float)
    drawn = rng.random(n) < chance
    return PoolValues(np.repeat(np.arange(n_queries), 10), np.full(n, chance), drawn, people), rng


def estimated(pool, n_queries=100, **settings):
    """The contributions of a system that retrieved all pairs."""
    predictions = predict_values(pool, n_queries, **settings)
    return pair_contributions(PairSample(*pool[:4], predictions.values), n_queries).values, predictions.weight


def test_predictions_by_hand():
    """Equal probabilities: the prediction is the mean of the judged pairs of the other half of the queries."""
    query, drawn = np.repeat(np.arange(4), 3), np.array([True, True, False] * 4)
    people = np.array([1.0, 0, 9, 1, 1, 9, 0, 0, 9, 1, 0, 9])
    values = predict_values(PoolValues(query, np.full(12, 0.5), drawn, people), 4, seed=0).values
    first = np.random.default_rng(0).permutation(4)[:2]
    for half in (np.isin(query, first), ~np.isin(query, first)):
        assert values[half] == pytest.approx(people[drawn & ~half].mean())


def test_a_prediction_does_not_depend_on_the_grades_of_its_half():
    pool, rng = population(4)
    first = np.isin(pool.query, np.random.default_rng(0).permutation(100)[:50])
    other = pool._replace(people=np.where(first, rng.random(1000), pool.people))
    before, after = (predict_values(each, 100).values for each in (pool, other))
    assert before[first].tolist() == after[first].tolist()
    assert before[~first].tolist() != after[~first].tolist()


def test_a_perfect_model_removes_the_noise_of_the_draw():
    pool, _ = population(1)
    truth = np.bincount(pool.query, pool.people)
    alone, (both, weight) = estimated(pool)[0], estimated(pool._replace(model=pool.people))
    assert weight > 0.95
    assert np.abs(both - truth).mean() < 0.25 * np.abs(alone - truth).mean()


def test_pairs_that_are_all_alike_leave_no_noise():
    """If every pair is relevant, the number of drawn pairs of a query does not matter."""
    pool, _ = population(3)
    assert estimated(pool._replace(people=np.ones(1000)))[0] == pytest.approx(np.full(100, 10.0))


def test_a_useless_model_has_no_weight():
    pool, rng = population(2, n_queries=200)
    people, _ = estimated(pool, 200)
    useless = pool._replace(model=-pool.people + rng.random(2000))
    both, weight = estimated(useless, 200)
    assert weight == 0
    assert both.tolist() == people.tolist()
    helpful = pool._replace(model=pool.people)
    assert estimated(helpful, 200, weight=0.0)[0].tolist() == people.tolist()  # λ = 0: exactly people alone


def test_wrong_input():
    y, f, others = arrays(GRADED)
    with pytest.raises(BadParameter, match="form must be one of z, welch, not 'normal'"):
        prediction_powered_mean(y, f, others, form="normal")
    with pytest.raises(DataError, match="same queries, found 6 and 5"):
        prediction_powered_mean(y, f[:5], others)
    with pytest.raises(DataError, match="at least 2 judged queries, found 1"):
        prediction_powered_mean(y[:1], f[:1], others)
    with pytest.raises(DataError, match="no query is judged"):
        query_contributions(y, np.zeros(6, dtype=bool))
