"""Simulated A/B tests: error rates, coverage at all times, and how much variance an earlier period removes.

Run `python -m benchmarks.simulate_experiments [runs]`. Users have very different numbers of searches (log-normal), and the
users who search most click more, so clicks of one user are far from independent.
"""

from __future__ import annotations

import math
import sys

import numpy as np

from assay.experiments import check_ratio, difference_sequence, users_adjustment
from assay.logs import UserSums
from assay.stats import Ratio, ratio_difference, student_chance

RUNS = 2000
ALPHA = 0.05


def users(random: np.random.Generator, n: int, lift: float = 0.0) -> tuple[np.ndarray, ...]:
    """Clicks and shown results of n users now, and before; the rate of clicks is higher by `lift` now."""
    activity = random.lognormal(0, 1.2, n)
    taste = random.beta(2, 8, n) * np.minimum(1 + 0.2 * activity, 2.0)
    periods = []
    for rate in (np.clip(taste + lift, 0, 1), taste):
        shown = 10 * (1 + random.poisson(activity))
        periods += [random.binomial(shown, np.clip(rate, 0, 1)).astype(float), shown.astype(float)]
    return tuple(periods)


def _as_if_independent(a: tuple[np.ndarray, ...], b: tuple[np.ndarray, ...]) -> float:
    """The p of the usual test of two proportions, which takes every shown result for independent."""
    (top_a, bottom_a), (top_b, bottom_b) = (tuple(each.sum() for each in side[:2]) for side in (a, b))
    rate = (top_a + top_b) / (bottom_a + bottom_b)
    z = (top_b / bottom_b - top_a / bottom_a) / math.sqrt(rate * (1 - rate) * (1 / bottom_a + 1 / bottom_b))
    return math.erfc(abs(z) / math.sqrt(2))


def error_rates(n: int, runs: int) -> dict[str, float]:
    """How often A/A tests are significant at 5 %."""
    random, found = np.random.default_rng(n), dict.fromkeys(("independent", "delta", "cuped"), 0)
    for _ in range(runs):
        a, b = users(random, n), users(random, n)
        found["independent"] += _as_if_independent(a, b) <= ALPHA
        found["delta"] += ratio_difference(Ratio.of(*a[:2]), Ratio.of(*b[:2]), 1 - ALPHA).p <= ALPHA
        found["cuped"] += ratio_difference(*_adjusted(a, b), 1 - ALPHA).p <= ALPHA
    return {name: count / runs for name, count in found.items()}


def _adjusted(a: tuple[np.ndarray, ...], b: tuple[np.ndarray, ...]) -> tuple[Ratio, Ratio]:
    top, bottom, top_before, bottom_before = (np.concatenate(pair) for pair in zip(a, b, strict=True))
    side = np.repeat([0, 1], [len(a[0]), len(b[0])])
    adjustment = users_adjustment(UserSums(top, bottom), UserSums(top_before, bottom_before), side)
    ratios = [Ratio.of(top[side == s], bottom[side == s], adjustment=adjustment[side == s]) for s in (0, 1)]  # type: ignore[index]
    return ratios[0], ratios[1]


def reduction(n: int, runs: int, repeated: float) -> tuple[float, float, float]:
    """The squared correlation of both periods, and the share of the variance that the adjustment removes: told, and true."""
    random = np.random.default_rng(3)
    told, plain, adjusted, correlation = [], [], [], []
    for _ in range(runs):
        sides = []
        for _ in range(2):
            taste = random.normal(0, 1, (2, n))
            now, before = taste[0], repeated * taste[0] + math.sqrt(1 - repeated**2) * taste[1]
            ones = np.ones(n)
            sides.append((now + 10, ones, before + 10, ones))
        raw = [Ratio.of(*side[:2]) for side in sides]
        better = _adjusted(sides[0], sides[1])
        told.append(1 - sum(each.variance for each in better) / sum(each.variance for each in raw))
        plain.append(raw[1].value - raw[0].value)
        adjusted.append(better[1].value - better[0].value)
        correlation.append(np.corrcoef(sides[0][0], sides[0][2])[0, 1] ** 2)
    return float(np.mean(correlation)), float(np.mean(told)), float(1 - np.var(adjusted) / np.var(plain))


def peeking(n: int, runs: int, lift: float, share: float) -> dict[str, float]:
    """How often the true difference was ever outside: of the sequence, and of t intervals after every 100 users."""
    random, missed, widths = np.random.default_rng(11), {"sequence": 0, "t": 0}, []
    for _ in range(runs):
        second = (random.random(n) < share).astype(float)
        taste = random.beta(0.5, 2.0, n)
        values = random.binomial(5, np.where(second > 0, taste + lift * (1 - taste), taste)) / 5
        truth = lift * (1 - 0.2)
        estimate = difference_sequence(values, second, share, ALPHA)
        missed["sequence"] += not estimate.low <= truth <= estimate.high
        last, is_out = _looks(values, second, truth)
        missed["t"] += is_out
        widths.append((estimate.high - estimate.low) / last)
    return {name: 1 - count / runs for name, count in missed.items()} | {"width": float(np.mean(widths))}


def _looks(values: np.ndarray, second: np.ndarray, truth: float) -> tuple[float, bool]:
    """The width of the last t interval, and whether any look would have excluded the truth."""
    is_out, width = False, math.nan
    for n in range(100, len(values) + 1, 100):
        groups = [values[:n][second[:n] == side] for side in (0, 1)]
        error = math.sqrt(sum(group.var(ddof=1) / len(group) for group in groups))
        t = (groups[1].mean() - groups[0].mean() - truth) / error
        is_out |= 2 * float(student_chance(np.array([-abs(t)]), n - 2)[0]) <= ALPHA
        width = 2 * 1.96 * error
    return width, is_out


def mismatches(users_total: int, lost: float, runs: int) -> float:
    """How often the check withholds the verdict if a share of the users of one variant is lost."""
    random, found = np.random.default_rng(13), 0
    for _ in range(runs):
        b = random.binomial(users_total, 0.5)
        a = users_total - b
        kept = random.binomial(b, 1 - lost)
        found += check_ratio({"a": a, "b": kept}, {"a": 0.5, "b": 0.5}).is_mismatch
    return found / runs


def main(runs: int) -> None:
    """Print the tables in Markdown."""
    print("| users per variant | every result independent | delta method | delta method with CUPED |\n|---:|---:|---:|---:|")
    for n in (50, 200, 1000, 5000):
        rates = error_rates(n, runs)
        print(f"| {n:,} | {' | '.join(f'{100 * rate:.1f} %' for rate in rates.values())} |", flush=True)
    print("\n| squared correlation with the earlier period | variance removed, as reported | measured |\n|---:|---:|---:|")
    for repeated in (0.0, 0.5, 0.7, 0.9):
        figures = reduction(1000, runs, repeated)
        print(f"| {' | '.join(f'{100 * figure:.0f} %' for figure in figures)} |", flush=True)
    print("\n| true difference | split | sequence covers it at all times | t, every 100 users | width ÷ width of t |")
    print("|---:|---|---:|---:|---:|")
    for lift, share in ((0.0, 0.5), (0.05, 0.5), (0.0, 0.1)):
        figures = peeking(5000, runs // 4, lift, share)
        percents = " | ".join(f"{100 * figures[name]:.1f} %" for name in ("sequence", "t"))
        split = f"{100 * (1 - share):.0f} to {100 * share:.0f}"
        print(f"| {lift * 0.8:.2f} | {split} | {percents} | {figures['width']:.1f} |", flush=True)
    print("\n| users | lost in one variant | verdict withheld |\n|---:|---:|---:|")
    for n, lost in ((10_000, 0.0), (10_000, 0.05), (100_000, 0.02), (1_000_000, 0.01)):
        print(f"| {n:,} | {100 * lost:.0f} % | {100 * mismatches(n, lost, runs):.1f} % |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
