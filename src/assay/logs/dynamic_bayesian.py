"""The dynamic Bayesian network of Chapelle & Zhang 2009 by expectation maximisation: users read from the top and stop.

A user looks at the first document. A document that is looked at is clicked if it attracts (a). A clicked document satisfies
(s), and then the user stops. Otherwise the user looks at the next document with the probability γ, the persistence.
Chapelle & Zhang 2009, A Dynamic Bayesian Network Click Model for Web Search Ranking, WWW.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.logs.click_models import Estimates, score_interval
from assay.logs.click_tails import ClickTails
from assay.stats import normal_quantile

MAX_CYCLES = 400
PRECISION = 1e-5
"""The estimation ends if a step of EM changes no probability by more than this."""
SMALLEST = 1e-9
FIRST_GUESS = (0.3, 0.5, 0.9)
"""Attractiveness, satisfaction and persistence before the first step."""
PRIOR = 1.0
"""Satisfied clicks, and clicks that did not satisfy, that each pair has from the start: the prior Beta(2, 2) of s. Clicks
tell little about s, and without a prior, s of many documents would be 0 or 1."""


class Users(NamedTuple):
    """The parameters of the model."""

    attracts: Floats
    satisfies: Floats
    persistence: float

    def inside(self) -> Users:
        """The parameters within (0, 1), so that logarithms and quotients exist."""
        most = 1 - SMALLEST
        persistence = float(np.clip(self.persistence, SMALLEST, most))
        return Users(np.clip(self.attracts, SMALLEST, most), np.clip(self.satisfies, SMALLEST, most), persistence)


class Posterior(NamedTuple):
    """What users probably did in the searches of each row, given their clicks."""

    total: Floats
    """The probability of no click after the last one."""
    satisfied: Floats
    """The probability that the last click satisfied."""
    slope: Floats
    """The slope of the log likelihood in s of the last clicked document."""
    looked: Floats
    """At each place of each tail, the probability that users looked."""


class Expected(NamedTuple):
    """The sums over all searches that the next step of EM needs."""

    examined: Floats
    """How often users looked at each pair."""
    satisfied: Floats
    """How often each pair satisfied them."""
    tried: float
    """How often users who were not satisfied could go on to another document."""
    continued: float
    log_posterior: float
    """The log likelihood, and the logarithm of the prior up to a constant."""


def full_dbn(tails: ClickTails, level: float, persistence: float | None = None) -> Estimates:
    """The probability that a document which is looked at satisfies the user: attractiveness times satisfaction.

    This is the relevance of Chapelle & Zhang 2009. Without a `persistence`, it is estimated too. The interval is the delta
    method with the observed information, without the prior. Other documents and γ are taken as known exactly. It is never
    narrower than Wilson's interval for looks that are certain, which also holds if there are no clicks.
    """
    users = estimate_users(tails, persistence)
    n = tails.counts.n_pairs
    beliefs = posterior(tails, users)
    of_a, of_s = (information[:n] for information in observed_information(tails, users, beliefs))
    examined, clicked = looks_of(tails, beliefs)[:n], tails.clicked[:n]
    a, s = np.where(clicked > 0, users.attracts[:n], 0.0), users.satisfies[:n]
    width = np.sqrt(s**2 / np.maximum(of_a, SMALLEST) + a**2 / np.maximum(of_s, SMALLEST))
    width = normal_quantile((1 + level) / 2) * np.where(clicked > 0, width, 0.0)
    low, high = score_interval(a * s * examined, examined, examined, level)
    low, high = np.maximum(np.minimum(low, a * s - width), 0), np.minimum(np.maximum(high, a * s + width), 1)
    parts = {"attractiveness": a, "satisfaction": np.where(of_s > SMALLEST, s, np.nan)}
    return Estimates(a * s, low, high, examined, clicked, examined, {}, parts, round(users.persistence, 6))


def estimate_users(tails: ClickTails, persistence: float | None = None) -> Users:
    """The parameters that EM finds most likely.

    Two steps of EM say where the parameters are going, and a longer step goes there at once (SQUAREM, scheme S3 of Varadhan
    & Roland 2008, Simple and Globally Convergent Methods for Accelerating the Convergence of Any EM Algorithm). It is taken
    back if the parameters are less likely afterwards, so no cycle makes them less likely.
    """
    known = FIRST_GUESS[2] if persistence is None else persistence
    users = Users(np.full(tails.n_pairs, FIRST_GUESS[0]), np.full(tails.n_pairs, FIRST_GUESS[1]), known).inside()
    for _ in range(MAX_CYCLES):
        first = step(tails, users, expect(tails, users), persistence)
        before = expect(tails, first)
        second = step(tails, first, before, persistence)
        if _distance(first, second) < PRECISION:
            return second
        farther = _extrapolated(users, first, second, persistence)
        after = expect(tails, farther)
        users = step(tails, farther, after, persistence) if after.log_posterior >= before.log_posterior else second
    return users


def expect(tails: ClickTails, users: Users) -> Expected:
    """The E-step, and how likely the parameters are."""
    _, s, go = users
    beliefs = posterior(tails, users)
    looks = tails.weights * beliefs.looked
    later = [float(looks[stretch].sum()) for stretch in tails.stretches[1:]]
    n_tails = tails.n_tails
    ended = tails.has_click[:n_tails]
    entered = float(looks[:n_tails][ended].sum())
    unsatisfied = float((tails.weight * (1 - beliefs.satisfied))[:n_tails][ended].sum())
    could_go = [float(looks[here][: after.stop - after.start].sum()) for here, after in pairwise(tails.stretches)]
    steps = float(tails.certain.sum() - tails.n_last.sum())
    value = (
        (tails.weight * np.log(beliefs.total)).sum()
        + (tails.clicked * np.log(users.attracts)).sum()
        + ((tails.certain - tails.clicked) * np.log1p(-users.attracts)).sum()
        + ((tails.clicked - tails.n_last) * np.log1p(-s)).sum()
        + steps * np.log(go)
        + PRIOR * (np.log(s) + np.log1p(-s)).sum()
    )
    return Expected(
        looks_of(tails, beliefs),
        tails.of_last(beliefs.satisfied),
        steps + unsatisfied + sum(could_go),
        steps + entered + sum(later),
        float(value),
    )


def looks_of(tails: ClickTails, beliefs: Posterior) -> Floats:
    """How often users probably looked at each pair."""
    return tails.certain + np.bincount(tails.pair, weights=tails.weights * beliefs.looked, minlength=tails.n_pairs)


def posterior(tails: ClickTails, users: Users) -> Posterior:
    """What users probably did, for all searches at once.

    From the end of each tail to its start, `silent` is the probability of no more clicks if users look at a place. From its
    start to its end, `reach` is the probability that they get there without a click. Both are short products.
    """
    a, s, go = users
    missed = 1 - a[tails.pair]
    silent = missed.copy()
    after = np.ones(0)
    for stretch in reversed(tails.stretches):
        silent[stretch][: len(after)] *= 1 - go + go * after
        after = silent[stretch]
    rest = np.ones(len(tails.weight))
    rest[: len(after)] = after
    stops = np.where(tails.has_click, s[tails.last], 0.0)
    unsatisfied = np.where(tails.has_click, 1 - go + go * rest, rest)
    total = np.maximum(stops + (1 - stops) * unsatisfied, np.finfo(float).tiny)
    reach = np.where(tails.has_click, (1 - stops) * go, 1.0) / total
    for stretch in tails.stretches:
        reach = reach[: stretch.stop - stretch.start]
        silent[stretch] *= reach
        reach = reach * missed[stretch] * go
    return Posterior(total, stops / total, (1 - unsatisfied) / total, silent)


def step(tails: ClickTails, users: Users, expected: Expected, persistence: float | None = None) -> Users:
    """The M-step: the shares of what users probably did."""
    a = np.divide(tails.clicked, expected.examined, out=users.attracts.copy(), where=expected.examined > 0)
    s = (expected.satisfied + PRIOR) / (tails.clicked + 2 * PRIOR)
    go = users.persistence if persistence is not None or not expected.tried else expected.continued / expected.tried
    return Users(a, s, go).inside()


def _extrapolated(users: Users, first: Users, second: Users, persistence: float | None) -> Users:
    """The parameters far ahead in the direction of two steps of EM."""
    start, near, far = (np.concatenate((*each[:2], [each.persistence])) for each in (users, first, second))
    move, turn = near - start, far - 2 * near + start
    size = float(np.linalg.norm(turn))
    length = max(1.0, float(np.linalg.norm(move)) / size) if size > 0 else 1.0
    ahead = start + 2 * length * move + length**2 * turn
    n = len(users.attracts)
    return Users(ahead[:n], ahead[n:-1], users.persistence if persistence is not None else float(ahead[-1])).inside()


def _distance(first: Users, second: Users) -> float:
    changes = [np.abs(a - b).max(initial=0) for a, b in zip(first[:2], second[:2], strict=True)]
    return float(max(*changes, abs(first.persistence - second.persistence)))


def observed_information(tails: ClickTails, users: Users, beliefs: Posterior) -> tuple[Floats, Floats]:
    """What the clicks tell about a and about s of each pair: the sums of squared slopes of the log likelihood.

    The slopes in a and in s of one pair are uncorrelated at the maximum. Those of different pairs are treated so.
    """
    squares = np.bincount(tails.pair, weights=tails.weights * beliefs.looked**2, minlength=tails.n_pairs)
    a, s, clicked = users.attracts, users.satisfies, tails.clicked
    of_a = clicked / a**2 + (tails.certain - clicked + squares) / (1 - a) ** 2
    of_s = (clicked - tails.n_last) / (1 - s) ** 2 + tails.of_last(beliefs.slope**2)
    return of_a, of_s
