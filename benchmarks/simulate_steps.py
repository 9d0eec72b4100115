"""simulate_steps: how often 60 nights of noise raise an alarm, and how often a real change is found on its night.

Each query has one relevant document; its score is the reciprocal of its rank, 0 beyond rank 20. A noisy query has another
rank on one night: a half, a quarter, twice or four times its own. A step gives a tenth of the queries new ranks and lets
others fall in rank until the mean has fallen by the size of the step. In a drift, queries lose their document one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.monitoring import Alarm, Measured, watch_series

NIGHTS, STEP_NIGHT = 60, 30
REPEATS, FLAT_REPEATS = 1000, 2000
SIZES = (48, 200)
NOISE = (0.05, 0.10, 0.20)
LAST_RANK, LOST = 20, 40

Numbers = NDArray[Any]
Scores = NDArray[np.float64]
Alarms = tuple[Alarm, ...]
Maker = Callable[[np.random.Generator, int], Scores]
"""Makes the scores of a series: nights × queries."""


def reciprocal(ranks: Numbers) -> Scores:
    """1 / rank, 0 beyond the last rank."""
    return np.where(ranks > LAST_RANK, 0.0, 1 / ranks)


def draw_ranks(rng: np.random.Generator, size: int | tuple[int, ...]) -> Numbers:
    """Ranks of relevant documents: most are at the top, a tenth is not retrieved; the mean reciprocal rank is about 0.70."""
    return np.where(rng.random(size) < 0.1, LOST, rng.geometric(0.62, size))


def with_noise(rng: np.random.Generator, ranks: Numbers, noise: float) -> Scores:
    """The scores if a share of the queries has another rank each night."""
    if not noise:
        return reciprocal(ranks)
    moved = np.maximum(1, np.rint(ranks * 2.0 ** rng.choice([-2, -1, 1, 2], ranks.shape)))
    return reciprocal(np.where(rng.random(ranks.shape) < noise, moved, ranks))


def flat(noise: float) -> Maker:
    """Nothing changes but noise."""

    def make(rng: np.random.Generator, n: int) -> Scores:
        return with_noise(rng, np.tile(draw_ranks(rng, n), (NIGHTS, 1)), noise)

    return make


def flat_hits(noise: float) -> Maker:
    """Hits and misses, 80 % hits; a noisy query is a hit or a miss by chance."""

    def make(rng: np.random.Generator, n: int) -> Scores:
        is_hit = np.tile(rng.random(n) < 0.8, (NIGHTS, 1))
        return np.where(rng.random(is_hit.shape) < noise, rng.random(is_hit.shape) < 0.5, is_hit).astype(float)

    return make


def neutral_changes(rng: np.random.Generator, n: int) -> Scores:
    """A deterministic system that changes about every ten nights and never gets better or worse."""
    ranks = np.tile(draw_ranks(rng, n), (NIGHTS, 1))
    for night in np.flatnonzero(rng.random(NIGHTS - 1) < 0.1) + 1:
        ranks[night:] = np.where(rng.random(n) < 0.2, draw_ranks(rng, n), ranks[night])
    return reciprocal(ranks)


def step(noise: float, size: float) -> Maker:
    """The mean falls by `size` and stays there."""

    def make(rng: np.random.Generator, n: int) -> Scores:
        before = draw_ranks(rng, n)
        touched = np.where(rng.random(n) < 0.1, draw_ranks(rng, n), before)
        fallen = np.maximum(touched, before) * rng.choice([2, 4, 64], n)
        order = rng.permutation(n)
        losses = np.cumsum((reciprocal(touched) - reciprocal(fallen))[order])
        owed = size * n - float((reciprocal(before) - reciprocal(touched)).sum())
        chosen = order[: int(np.searchsorted(losses, owed - 1e-9)) + 1] if owed > 0 else order[:0]
        after = touched.copy()
        after[chosen] = fallen[chosen]
        ranks = np.tile(before, (NIGHTS, 1))
        ranks[STEP_NIGHT:] = after
        return with_noise(rng, ranks, noise)

    return make


def drift(noise: float, size: float) -> Maker:
    """The mean falls evenly by `size` from the first night to the last."""

    def make(rng: np.random.Generator, n: int) -> Scores:
        before = draw_ranks(rng, n)
        order = rng.permutation(n)
        lost = np.cumsum(reciprocal(before)[order]) / n
        n_lost = np.searchsorted(lost, size * np.arange(NIGHTS) / (NIGHTS - 1))
        since = np.full(n, NIGHTS)
        since[order] = np.searchsorted(n_lost, np.arange(n), side="right")
        ranks = np.where(np.arange(NIGHTS)[:, None] >= since[None, :], LOST, before[None, :])
        return with_noise(rng, ranks, noise)

    return make


def simulate(make: Maker, n: int, repeats: int = REPEATS, seed: int = 1) -> list[Alarms]:
    """The alarms of each series."""
    rng = np.random.default_rng([seed, n])
    found = []
    for _ in range(repeats):
        scores = make(rng, n)
        found.append(watch_series(scores.mean(axis=1).tolist(), scores, Measured(n_queries=n, width=1.0)).alarms)
    return found


def normal_times(rng: np.random.Generator, size: tuple[int, int]) -> Scores:
    """Logarithms of times that are normal."""
    return rng.normal(0, 0.3, size)


def heavy_times(rng: np.random.Generator, size: tuple[int, int]) -> Scores:
    """Logarithms of times with Student's t distribution, 4 degrees of freedom."""
    return 0.1 * rng.standard_t(4, size)


def correlated_times(rng: np.random.Generator, size: tuple[int, int]) -> Scores:
    """Logarithms of times that are normal; the correlation of neighbouring nights is 0.3."""
    noise = rng.normal(0, 0.3, size)
    for night in range(1, size[1]):
        noise[:, night] += 0.3 * noise[:, night - 1]
    return noise


def slower_times(rng: np.random.Generator, size: tuple[int, int]) -> Scores:
    """Logarithms of times that rise by four standard deviations and are watched for five nights."""
    return rng.normal(0, 0.3, size)[:, : STEP_NIGHT + 5] + 1.2 * (np.arange(STEP_NIGHT + 5) >= STEP_NIGHT)


def simulate_times(
    draw: Callable[[np.random.Generator, tuple[int, int]], Scores], repeats: int = FLAT_REPEATS, seed: int = 1
) -> list[Alarms]:
    """The alarms of each series of times."""
    nights = 120 * np.exp(draw(np.random.default_rng(seed), (repeats, NIGHTS)))
    return [watch_series(values, measured=Measured(is_timing=True)).alarms for values in nights.tolist()]


def share(found: Sequence[Alarms], counts: Callable[[Alarm], bool]) -> str:
    """The share of series with such an alarm."""
    return f"{100 * np.mean([any(map(counts, alarms)) for alarms in found]):.1f} %"


def per_series(found: Sequence[Alarms], counts: Callable[[Alarm], bool]) -> str:
    """The number of such alarms per series."""
    return f"{np.mean([sum(map(counts, alarms)) for alarms in found]):.2f}"


def is_any(alarm: Alarm) -> bool:
    """Every alarm."""
    return bool(alarm.kind)


def is_shown(alarm: Alarm) -> bool:
    """An alarm that is said to hold beyond these queries."""
    return alarm.is_shown


def is_on_the_night(alarm: Alarm) -> bool:
    """An alarm on the night of the step."""
    return alarm.place == STEP_NIGHT


def is_late(alarm: Alarm) -> bool:
    """An alarm on the night of the step or later."""
    return alarm.place >= STEP_NIGHT


def is_shown_on_the_night(alarm: Alarm) -> bool:
    """An alarm on the night of the step that is said to hold beyond these queries."""
    return is_on_the_night(alarm) and alarm.is_shown


def is_single_change(alarm: Alarm) -> bool:
    """A change of a deterministic system that was seen, but not shown beyond its queries."""
    return alarm.kind == "step" and not alarm.is_shown


def is_lasting(alarm: Alarm) -> bool:
    """All other alarms."""
    return not is_single_change(alarm)


Measure = tuple[str, Callable[[Sequence[Alarms], Callable[[Alarm], bool]], str], Callable[[Alarm], bool]]
ANY: Measure = ("any alarm", share, is_any)
SHOWN: Measure = ("“shown beyond these queries”", share, is_shown)
MARKED: Measure = ("marked that night", share, is_on_the_night)
MARKED_AND_SHOWN: Measure = ("“shown beyond these queries” that night", share, is_shown_on_the_night)
FOUND: Measure = ("found", share, is_any)
COUNT: Measure = ("alarms", per_series, is_any)
LASTING: Measure = ("alarms", per_series, is_lasting)
SINGLE: Measure = ("marks of single changes", per_series, is_single_change)


def experiments() -> Iterator[tuple[str, Maker, int, tuple[Measure, ...]]]:
    """Name, series, repeats and what is counted."""
    yield "deterministic, nothing changes", flat(0), REPEATS, (ANY,)
    yield "deterministic, a neutral change every ten nights", neutral_changes, REPEATS, (SHOWN,)
    for noise in NOISE:
        yield f"{noise_name(noise)}, nothing changes", flat(noise), FLAT_REPEATS, (ANY,)
    for noise in NOISE:
        yield f"hit or miss, {noise_name(noise)}, nothing changes", flat_hits(noise), FLAT_REPEATS, (ANY,)
    for size in (0.14, 0.05):
        for noise in (0.0, *NOISE):
            name = f"{noise_name(noise)}, a step of −{size:.2f}"
            yield name, step(noise, size), REPEATS, (MARKED, MARKED_AND_SHOWN)
    yield "deterministic, a drift of −0.10", drift(0, 0.10), REPEATS, (FOUND, LASTING, SINGLE)
    for noise in NOISE:
        yield f"{noise_name(noise)}, a drift of −0.10", drift(noise, 0.10), REPEATS, (FOUND, COUNT)


def noise_name(noise: float) -> str:
    """`5 % noise`, or deterministic."""
    return f"{round(100 * noise)} % noise" if noise else "deterministic"


def tables() -> dict[str, str]:
    """Marker → table."""
    rows = [["60 nights", "counted", *(f"{n} queries" for n in SIZES)]]
    for name, make, repeats, measures in experiments():
        found = [simulate(make, n, repeats) for n in SIZES]
        rows += [[name, what, *(count(runs, counts) for runs in found)] for what, count, counts in measures]
    times = [["60 nights of times", "share of series"]]
    times += [
        ["log-normal, nothing changes: any alarm", share(simulate_times(normal_times), is_any)],
        ["heavy tails, nothing changes: any alarm", share(simulate_times(heavy_times), is_any)],
        ["correlated nights (0.3), nothing changes: any alarm", share(simulate_times(correlated_times), is_any)],
        [
            "log-normal, four standard deviations slower: found within five nights",
            share(simulate_times(slower_times), is_late),
        ],
    ]
    return {"steps": _markdown(rows), "times": _markdown(times)}


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    head, *rest = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([head, "|" + "---|" * len(rows[0]), *rest])


def main() -> None:
    """Print the tables as Markdown."""
    for name, table in tables().items():
        print(f"<!-- simulate: {name} -->\n{table}\n<!-- end -->")


if __name__ == "__main__":
    main()
