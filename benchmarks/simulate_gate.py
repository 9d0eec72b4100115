"""How often the gate is right and wrong: the tables of docs/ci.md, by simulation with fixed seeds.

Scenarios are in `_gate_scenarios`. Every table takes the worst or the stated cases of at least 4,000 experiments each.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.monitoring import BETS, Spread, chance_to_notice, spread_of
from assay.stats import sign_flip_p
from benchmarks._gate_scenarios import EQUAL_SHAPES, RANKS, SHAPES, Experiments, draw, quick_sign_flip_p

Floats = NDArray[np.float64]
REPEATS = 4_000
ALPHA = 0.025
SIZES = (5, 10, 20, 50, 200, 1000)
SKEWED_AT = (20, 50, 200, 1000)
SHARES = (0.5, 0.9, 0.97)
MARGINS = (0.02, 0.05)
DECIDED = ((50, 0.05), (200, 0.02), (200, 0.05), (1000, 0.02))
"""Numbers of queries and margins for which decisions are shown."""


def tables() -> dict[str, str]:
    """Marker → table in Markdown."""
    makers: dict[str, Callable[[], str]] = {
        "gate-pass": wrong_passes,
        "gate-fail": wrong_failures,
        "gate-skewed": skewed_failures,
        "gate-decides": decisions,
        "gate-notices": noticed,
        "gate-point": point_rules,
        "gate-guard": guards,
        "gate-fresh": fresh_queries,
    }
    return {name: make() for name, make in makers.items()}


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with the first column on the left and numbers on the right."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def percent(share: float) -> str:
    """With one digit after the point below 10 %."""
    return f"{100 * share:.1f}" if share < 0.0995 else f"{100 * share:.0f}"


def is_below(experiments: Experiments, margin: float) -> NDArray[np.bool_]:
    """Whether the observed drop is larger than the margin."""
    return np.asarray(experiments.mean < -margin - 1e-9)


# FAIL of equal systems if many queries lose a little and a few gain a lot


def skewed_failures() -> str:
    """One query in nine gains 0.8, all others lose 0.1: the true mean is 0, but differences are not symmetric."""
    rows = [[f"{n:,}", *(percent(share) for share in skewed_shares(n))] for n in SKEWED_AT]
    return markdown(["queries", "FAIL at 2.5 %", "FAIL with a guard: 5% over 100 changes"], rows)


def skewed_shares(n: int) -> list[float]:
    """The share of FAIL at both error rates, with a margin of 0.02."""
    rng = np.random.default_rng(n)
    gains = np.where(rng.random((REPEATS, n)) < 1 / 9, 0.8, -0.1)
    below = gains[gains.mean(axis=1) < -0.02 - 1e-9]
    p = np.array([sign_flip_p(row, "less") for row in below])
    return [float(np.count_nonzero(p <= alpha)) / REPEATS for alpha in (0.025, 0.05 / 100)]


# PASS at a true drop equal to the margin


def wrong_passes() -> str:
    rows = [[f"{n:,}", *(percent(worst_pass(shape, n)) for shape in SHAPES)] for n in SIZES]
    return markdown(["queries", *SHAPES], rows)


def worst_pass(shape: str, n: int) -> float:
    """The largest share of PASS over the shares of identical queries and the margins."""
    shares = SHARES if shape in EQUAL_SHAPES else SHARES[:1]
    cells = [(share, margin) for share in shares for margin in MARGINS]
    return max(float(np.mean(draw(shape, share, margin, n, REPEATS, 1).gaffke(margin) <= ALPHA)) for share, margin in cells)


# FAIL of equal systems


def wrong_failures() -> str:
    rows = [[f"{n:,}", *(percent(worst_failure(shape, n)) for shape in EQUAL_SHAPES)] for n in SIZES]
    return markdown(["queries", *EQUAL_SHAPES], rows)


def worst_failure(shape: str, n: int) -> float:
    found = []
    for share in SHARES:
        experiments = draw(shape, share, 0.0, n, REPEATS, 2)
        is_worse = experiments.is_shown_worse(ALPHA)
        found += [float(np.mean(is_worse & is_below(experiments, margin))) for margin in MARGINS]
    return max(found)


# PASS of equal systems, FAIL of worse ones


def decisions() -> str:
    """Reciprocal rank: equal systems pass, systems with a drop of 2 and 3 margins fail."""
    shape, rows = "reciprocal rank", []
    for n, margin in DECIDED:
        passes = [np.mean(draw(shape, share, 0.0, n, REPEATS, 3).gaffke(margin) <= ALPHA) for share in SHARES]
        fails = [[_share_failed(shape, share, times * margin, margin, n) for share in SHARES] for times in (2, 3)]
        rows.append([f"{n:,}", f"{margin:g}", *map(_three, (passes, *fails))])
    return markdown(["queries", "margin m", "equal: PASS", "drop of 2 m: FAIL", "drop of 3 m: FAIL"], rows)


def _share_failed(shape: str, share: float, drop: float, margin: float, n: int) -> float:
    experiments = draw(shape, share, drop, n, REPEATS, 4)
    return float(np.mean(experiments.is_shown_worse(ALPHA) & is_below(experiments, margin)))


def _three(shares: Sequence[float]) -> str:
    return " / ".join(f"{100 * share:.0f}" for share in shares)


# What a line says, and what happens


def noticed() -> str:
    """A drop of twice the margin: the chance in the line of the rule, on average, and the share that failed."""
    rows = [
        [f"{n:,}", f"{margin:g}", *(_said_and_seen(shape, n, margin) for shape in EQUAL_SHAPES)] for n, margin in DECIDED
    ]
    return markdown(["queries", "margin", *EQUAL_SHAPES], rows)


def _said_and_seen(shape: str, n: int, margin: float) -> str:
    said = [_said(shape, share, margin, n) for share in SHARES]
    seen = [_share_failed(shape, share, 2 * margin, margin, n) for share in SHARES]
    return " / ".join(f"{100 * one:.0f}→{100 * other:.0f}" for one, other in zip(said, seen, strict=True))


def _said(shape: str, share: float, margin: float, n: int, lines: int = 200) -> float:
    """The mean chance that lines about two equally good systems state."""
    experiments = draw(shape, share, 0.0, n, lines, 5)
    spreads: list[Spread] = [
        spread_of(experiments.row(place), 1.0, is_binary=shape == "hit") for place in range(len(experiments.counts))
    ]
    return float(np.mean([chance_to_notice(2 * margin, margin, n, spread, ALPHA) for spread in spreads]))


# Point rules


def point_rules() -> str:
    """Equal systems that break a limit on the observed drop."""
    rows = [
        [f"drops <= {limit:g}", f"{n:,}", *(_three(_broken(shape, n, limit)) for shape in EQUAL_SHAPES)]
        for limit in (0.01, 0.02)
        for n in (50, 200, 1000)
    ]
    return markdown(["rule", "queries", *EQUAL_SHAPES], rows)


def _broken(shape: str, n: int, limit: float) -> list[float]:
    return [float(np.mean(is_below(draw(shape, share, 0.0, n, REPEATS, 6), limit))) for share in SHARES]


# Guards over many changes

CANDIDATES, GUARDED = 100, 200
"""Different candidates, and queries."""
NOISE = 0.1
"""Share of queries that get another rank in each run of a noisy system."""


def guards() -> str:
    """The share of series in which any candidate failed, with a margin of 0.02."""
    cells: list[tuple[str, float, tuple[float, float]]] = []
    cells += [("100 different candidates", share, _ever_failed("different", share)) for share in SHARES]
    cells += [("100 runs of one noisy system", 1 - NOISE, _ever_failed("noisy", 1 - NOISE))]
    cells += [("365 nights of one change", share, _single_failures(share)) for share in SHARES]
    head = ["equally good versions", "identical queries", "ever FAIL, no guard", "ever FAIL, guard: 5% over 100 changes"]
    return markdown(head, [[name, f"{share:g}", *map(percent, found)] for name, share, found in cells])


def _ever_failed(kind: str, share: float, repeats: int = REPEATS) -> tuple[float, float]:
    """Candidates share the queries and the baseline, so they are drawn against one baseline per series."""
    rng = np.random.default_rng([7, round(1000 * share), kind == "noisy"])
    alphas = (ALPHA, 0.05 / CANDIDATES)
    ever = np.zeros((2, repeats), dtype=bool)
    for series in range(repeats):
        stable = rng.choice(RANKS, GUARDED).astype(np.float32)
        before = _redrawn(stable[np.newaxis], NOISE, rng)[0] if kind == "noisy" else stable
        shown = np.broadcast_to(stable, (CANDIDATES, GUARDED))
        now = _redrawn(shown, 1 - share, rng)
        ever[:, series] = _any_fails(now.astype(float) - before, alphas)
    return float(ever[0].mean()), float(ever[1].mean())


def _redrawn(scores: NDArray[np.float32], share: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """The scores with another rank on a share of the queries."""
    other = RANKS.astype(np.float32)[rng.integers(len(RANKS), size=scores.shape, dtype=np.uint8)]
    return np.where(rng.random(scores.shape, dtype=np.float32) < share, other, scores)


def _any_fails(differences: Floats, alphas: Sequence[float], margin: float = 0.02) -> list[bool]:
    """For each error rate, whether any row fails; only rows that are not clear are tested exactly."""
    exact = np.round(differences, 6)
    p = quick_sign_flip_p(exact.sum(axis=1), (exact**2).sum(axis=1), (exact**4).sum(axis=1))
    is_candidate = exact.mean(axis=1) < -margin - 1e-9
    found = []
    for alpha in alphas:
        near = np.flatnonzero(is_candidate & (p <= 8 * alpha))
        order = near[np.argsort(p[near])]
        found.append(any(_fails(exact[place], alpha) for place in order.tolist()))
    return found


def _fails(differences: Floats, alpha: float) -> bool:
    values, counts = np.unique(differences, return_counts=True)
    one = Experiments(values, counts[np.newaxis, :].astype(float), len(differences))
    return bool(one.is_shown_worse(alpha)[0])


def _single_failures(share: float) -> tuple[float, float]:
    """One change that stays as it is: its scores are known after the first night, and it keeps its verdict."""
    experiments = draw("reciprocal rank", share, 0.0, GUARDED, REPEATS, 8)
    below = is_below(experiments, 0.02)
    plain, guarded = (float(np.mean(experiments.is_shown_worse(alpha) & below)) for alpha in (ALPHA, 0.05 / CANDIDATES))
    return plain, guarded


# Fresh queries every night

NIGHTS, LATEST = 365, 10


def fresh_queries() -> str:
    """Alarms of a drop that stays from the first night on, with a margin of 0.02; equal series over a year."""
    rows = []
    for drop in (0.0, 0.05, 0.1):
        cells = []
        for share in SHARES[:2]:
            nights = first_alarms(share, drop, NIGHTS if not drop else 4 * LATEST, REPEATS)
            if not drop:
                cells.append(f"{percent(float(np.isfinite(nights).mean()))} ever in {NIGHTS} nights")
                continue
            within = float(np.mean(nights <= LATEST))
            cells.append(f"{100 * within:.0f} within {LATEST} nights, median {np.median(nights):.0f}")
        rows.append([f"{drop:g}", *cells])
    return markdown(["true drop", *(f"identical queries {share:g}" for share in SHARES[:2])], rows)


def first_alarms(share: float, drop: float, nights: int, repeats: int, n: int = GUARDED, margin: float = 0.02) -> Floats:
    """For each series, the night of the first FAIL; infinite if there is none.

    The sum over starting nights is kept for each bet: S ← (S + 1/365)·Πᵢ (1 − λ·dᵢ). The drop since the most likely start
    is looked at only when the evidence reaches 20, and the drop of the night is above the margin. Evidence that has reached
    20 is closed by a night without a drop.
    """
    first = np.full(repeats, np.inf)
    sums = np.zeros((repeats, len(BETS)))
    reached, opened = np.zeros(repeats, dtype=bool), np.zeros(repeats, dtype=int)
    logs, totals = np.zeros((nights, repeats, len(BETS))), np.zeros((nights, repeats))
    for night in range(nights):
        experiments = draw("reciprocal rank", share, drop, n, repeats, 100 + night)
        logs[night] = experiments.counts @ np.log1p(-np.outer(experiments.values, BETS))
        totals[night] = experiments.counts @ experiments.values
        is_closed = reached & (totals[night] >= 0)
        sums = np.where(is_closed[:, np.newaxis], 0.0, (sums + 1 / NIGHTS) * np.exp(logs[night]))
        opened[is_closed] = night + 1
        is_alarm = sums.mean(axis=1) >= 20
        reached = (reached & ~is_closed) | is_alarm
        has_drop = -totals[night] / n > margin
        for series in np.flatnonzero(is_alarm & has_drop & np.isinf(first)).tolist():
            since = np.cumsum(logs[opened[series] : night + 1, series][::-1], axis=0)[::-1]
            start = int(opened[series]) + int(np.argmax(np.logaddexp.reduce(since, axis=1)))
            if -totals[start : night + 1, series].sum() / n / (night + 1 - start) > margin:
                first[series] = night + 1
    return first


if __name__ == "__main__":
    for marker, table in tables().items():
        sys.stdout.write(f"{marker}\n\n{table}\n\n")
