"""The outcome of interleaving: which of two rankings users prefer by their clicks, by how much, and how certain that is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.comparison import p_text
from assay.errors import BadParameter, DataError, UnknownName, near_matches
from assay.experiments.click_credit import click_outcome
from assay.experiments.interleaving import Interleaving
from assay.experiments.log_columns import columns_named
from assay.logs import read_interleaved
from assay.serialize import read_record, to_json
from assay.stats import Estimate, Ratio, checked_fraction
from assay.text import counted, plural

AUTO, T, SIGN = "auto", "t", "sign"
TESTS = {
    AUTO: "t from 30 users with a click on, sign below",
    T: "Student's t over users, of the share of a user's searches that is won; ties count as half a win",
    SIGN: "exact sign test over users: of the users with more wins of one ranking, the share that prefers the second one",
}
FEWEST_FOR_T = 30
SCHEMA = "assay.interleaving/1"


@dataclass(frozen=True, repr=False)
class InterleavingOutcome:
    """Two interleaved rankings, compared by the clicks of users."""

    name: str
    a: str
    b: str
    searches: int
    """Interleaved searches, with and without clicks."""
    clicked: int
    """Searches with a click; only these count."""
    users: int
    clicked_users: int
    wins_a: float
    wins_b: float
    ties: float
    prefer_a: int
    """Users for whom the first ranking won more searches."""
    prefer_b: int
    test: str
    """`t` or `sign`."""
    share: float
    """The share of a user's searches that b wins, as a mean over users (t), or the share of the users (sign)."""
    low: float
    high: float
    p: float
    alpha: float
    unit: str
    """What is counted: `user`, `session` or `search`."""
    wins: Floats = field(default_factory=lambda: np.zeros((0, 3)), repr=False, compare=False)
    """Users × searches won by the first ranking, by the second one, and ties; none in an outcome that was read."""

    @property
    def level(self) -> float:
        """The confidence level of the interval."""
        return round(1 - self.alpha, 12)

    @property
    def better(self) -> str | None:
        """The ranking that is shown to be preferred; None if none is."""
        if not self.p <= self.alpha or self.share == 0.5:
            return None
        return self.b if self.share > 0.5 else self.a

    @property
    def withheld(self) -> str:
        """Why there is no verdict; empty if there is one."""
        if not self.clicked:
            return "no interleaved search has a click"
        return f"{counted(self.clicked_users, self.unit)} with a click cannot be tested" if math.isnan(self.p) else ""

    @property
    def verdict(self) -> str:
        """The conclusion in one sentence."""
        if self.withheld:
            return f"There is no verdict: {self.withheld}."
        each, several = f"a {self.unit}'s searches with a click", f"the {plural(self.unit)} who prefer one of them"
        what = each if self.test == T else several
        if self.better is None:
            wins = f"{_percent(self.share)} of {what}{self._interval(of_b=True)}"
            return f"{self.b} is not shown to differ from {self.a}: it wins {wins}, {p_text(self.p)}."
        loser = self.a if self.better == self.b else self.b
        share = self.share if self.better == self.b else 1 - self.share
        ends = self._interval(of_b=self.better == self.b)
        return f"{self.better} beats {loser}: it wins {_percent(share)} of {what}{ends}, {p_text(self.p)}."

    def _interval(self, *, of_b: bool) -> str:
        if math.isnan(self.low):
            return ""
        low, high = (self.low, self.high) if of_b else (1 - self.high, 1 - self.low)
        return f" [{_percent(low)}, {_percent(high)}]"

    def __repr__(self) -> str:
        return f"InterleavingOutcome({self.verdict})"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        plain = {name: value for name, value in to_json(replace(self, wins=np.zeros((0, 3)))).items() if name != "wins"}
        return {"schema": SCHEMA, **plain, "better": self.better, "verdict": self.verdict}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> InterleavingOutcome:
        """The outcome that `to_dict` described. A ValueError if it is something else."""
        known = {name: value for name, value in plain.items() if name not in ("schema", "better", "verdict")}
        if known.get("test") not in TESTS:
            raise ValueError(f"no test is called {known.get('test')!r}")
        return read_record(cls, known)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def score_interleaving(
    log: Any,
    *,
    names: Sequence[str] | None = None,
    test: str = AUTO,
    alpha: float = 0.05,
    name: str = "",
    columns: Mapping[str, str] | str | None = None,
    first_rank: int = 1,
    most_per_hour: int | None = None,
) -> InterleavingOutcome:
    """Which of two interleaved rankings users prefer, by their clicks in a search log.

    The log has a column `team` (the team of each shown document, for team draft), or a column `interleaving` (the text of
    `Interleaving.to_dict()` as JSON, for any method). `names` are the names of the first and the second ranking; teams with
    these names are found in the log.
    """
    checked_fraction("alpha", alpha)
    check_interleaving_settings(names, test)
    with columns_named(columns):
        read = read_interleaved(log, _credit_of, first_rank, most_per_hour)
    wins, (a, b) = read.wins, read.names
    if names is not None:
        wins, (a, b) = _in_order(wins, read.names, names)
    outcome = decide_interleaving(wins, test, alpha, names=(a, b), name=name or "interleaving")
    return replace(outcome, searches=read.n_searches, users=read.n_users, unit=read.unit)


def check_interleaving_settings(names: Sequence[str] | None = None, test: str = AUTO) -> None:
    """Raise for a test that does not exist, and for anything but two different names."""
    if test not in TESTS:
        raise UnknownName("test", test, near_matches(test, TESTS), f"choose from {', '.join(TESTS)}")
    if names is not None and (isinstance(names, str) or len(names) != 2 or names[0] == names[1]):
        raise BadParameter(f"names must be two different names, not {names!r}")


def _credit_of(interleaving: str, clicked: Sequence[str]) -> tuple[float, float, float]:
    return click_outcome(Interleaving.from_dict(interleaving), clicked)


def _in_order(wins: Floats, known: tuple[str, str], names: Sequence[str]) -> tuple[Floats, tuple[str, str]]:
    """The wins in the order of the names that the user gave."""
    if known == ("a", "b") and set(names) != {"a", "b"}:
        return wins, (names[0], names[1])
    if set(names) != set(known):
        raise DataError(f"the log has the teams {known[0]} and {known[1]}, not {names[0]} and {names[1]}")
    return (wins if tuple(names) == known else wins[:, [1, 0, 2]]), (names[0], names[1])


def decide_interleaving(
    wins: Floats,
    test: str = AUTO,
    alpha: float = 0.05,
    *,
    names: tuple[str, str] = ("a", "b"),
    name: str = "interleaving",
) -> InterleavingOutcome:
    """The outcome of the wins of users (users × first, second, tie): estimate, interval, p and verdict."""
    of_a, of_b, tied = wins.sum(axis=0).tolist() if len(wins) else (0.0, 0.0, 0.0)
    lead = wins[:, 1] - wins[:, 0]
    prefer_a, prefer_b = int((lead < -1e-9).sum()), int((lead > 1e-9).sum())
    size = wins.sum(axis=1)
    ratio = Ratio.of((wins[:, 1] + wins[:, 2] / 2) / size, np.ones(len(wins)))
    is_many = len(wins) >= FEWEST_FOR_T and bool(ratio.variance > 0)
    chosen = test if test != AUTO else T if is_many else SIGN
    estimate = ratio.estimate(1 - alpha, 0.5) if chosen == T else sign_estimate(prefer_a, prefer_b, 1 - alpha)
    return InterleavingOutcome(
        name,
        *names,
        searches=round(float(size.sum())),
        clicked=round(float(size.sum())),
        users=len(wins),
        clicked_users=len(wins),
        wins_a=of_a,
        wins_b=of_b,
        ties=tied,
        prefer_a=prefer_a,
        prefer_b=prefer_b,
        test=chosen,
        share=estimate.value + 0.5,
        low=max(estimate.low + 0.5, 0.0),
        high=min(estimate.high + 0.5, 1.0),
        p=estimate.p,
        alpha=alpha,
        unit="user",
        wins=wins,
    )


def sign_estimate(prefer_a: int, prefer_b: int, level: float) -> Estimate:
    """The share of users that prefer b, minus one half: Clopper and Pearson's interval, and the exact sign test."""
    from scipy.special import bdtr, betaincinv

    n = prefer_a + prefer_b
    if not n:
        return Estimate(0.0, -0.5, 0.5, 1.0)
    tail = (1 - level) / 2
    low = float(betaincinv(prefer_b, n - prefer_b + 1, tail)) if prefer_b else 0.0
    high = float(betaincinv(prefer_b + 1, n - prefer_b, 1 - tail)) if prefer_a else 1.0
    p = min(2.0 * float(bdtr(min(prefer_a, prefer_b), n, 0.5)), 1.0)
    return Estimate(prefer_b / n - 0.5, low - 0.5, high - 0.5, p)
