"""Scores for the tests of statistics: Sakai's three systems, and experiments in which nothing is different."""

import numpy as np

from assay.stats import Field, Pairs, parse_test

X = [0.7, 0.3, 0.2, 0.6, 0.4, 0.4, 0.0, 0.7, 0.1, 0.3, 0.5, 0.4, 0.0, 0.6, 0.5, 0.3, 0.1, 0.5, 0.2, 0.1]
Y = [0.5, 0.1, 0.0, 0.2, 0.4, 0.3, 0.0, 0.5, 0.3, 0.3, 0.4, 0.4, 0.1, 0.4, 0.2, 0.1, 0.1, 0.6, 0.3, 0.2]
Z = [0.0, 0.0, 0.2, 0.1, 0.3, 0.3, 0.1, 0.2, 0.4, 0.4, 0.4, 0.3, 0.3, 0.2, 0.2, 0.2, 0.1, 0.5, 0.4, 0.3]
SAKAI = np.array([X, Y, Z]).T
"""Table 5.1 of Sakai's book on evaluating information access: three systems on twenty queries."""
SIDES = {"two_sided": "two-sided", "greater": "greater", "less": "less"}
"""Our names of the alternatives, and SciPy's."""


def beta_scores(generator, shape):
    """Scores like those of nDCG."""
    return generator.beta(2, 2, shape)


def reciprocal_ranks(generator, shape):
    """Scores like those of mrr: one over the rank of the first relevant document, 0 beyond rank 10."""
    rank = generator.geometric(0.35, shape)
    return np.where(rank <= 10, 1.0 / rank, 0.0)


SCORES = {"beta": beta_scores, "reciprocal ranks": reciprocal_ranks}


def null_pairs(kind, n_experiments=4000):
    """Each column is an experiment with 50 queries: two systems that differ by luck alone."""
    generator = np.random.default_rng(20240607)
    return Pairs(*(SCORES[kind](generator, (50, n_experiments)) for _ in range(2)))


def compare(text, a, b, seed=0):
    """The outcome of a test for two systems; one column of scores, or several."""
    sides = [np.asarray(scores, float) for scores in (a, b)]
    return parse_test(text).compare(Pairs(*(side[:, np.newaxis] if side.ndim == 1 else side for side in sides), seed))


def compare_many(text, scores, seed=0):
    """The outcome of a test for many systems: queries × systems."""
    return parse_test(text).compare_many(Field(np.asarray(scores, float), seed))
