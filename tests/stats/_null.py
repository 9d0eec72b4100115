"""Experiments in which nothing is different: how often does a test cry wolf?"""

import numpy as np

from assay.stats.significance import Field, Pairs, parse_test

N_EXPERIMENTS = 4000
N_QUERIES = 50


def beta_scores(generator, shape):
    """Scores like those of nDCG: Beta(2, 2)."""
    return generator.beta(2, 2, shape)


def reciprocal_ranks(generator, shape):
    """Scores like those of mrr: one over the rank of the first relevant document, 0 beyond rank 10."""
    rank = generator.geometric(0.35, shape)
    return np.where(rank <= 10, 1.0 / rank, 0.0)


SCORES = {"beta": beta_scores, "reciprocal ranks": reciprocal_ranks}


def null_pairs(kind):
    """Each column is an experiment: two systems that differ by luck only."""
    generator = np.random.default_rng(20240607)
    shape = (N_QUERIES, N_EXPERIMENTS)
    return Pairs(SCORES[kind](generator, shape), SCORES[kind](generator, shape))


def false_alarms(test, kind):
    """Share of experiments with p ≤ 0.05."""
    return float((parse_test(test).compare(null_pairs(kind)).p <= 0.05).mean())


def false_alarms_of_many(test, kind, n_experiments=600, n_systems=4):
    """Shares of experiments with p ≤ 0.05 over all, and with any such pair."""
    generator = np.random.default_rng(77)
    overall, pairs = [], []
    for _ in range(n_experiments):
        outcome = parse_test(test).compare_many(Field(SCORES[kind](generator, (N_QUERIES, n_systems))))
        overall.append(outcome.p <= 0.05)
        pairs.append((outcome.pairwise <= 0.05).any())
    return float(np.mean(overall)), float(np.mean(pairs))
