"""How often estimates from a sample of judgments contain the truth, and how well designs order systems.

Queries are drawn again in each experiment, so the truth is the mean over all queries that could be asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from assay.judging import (
    Frame,
    PairSample,
    PoolValues,
    Request,
    frame_of,
    pair_contributions,
    parse_design,
    predict_values,
    query_contributions,
)
from assay.metrics import find_metric
from assay.model import PAIR_ESTIMATE, Column
from assay.stats import estimated_difference, estimated_mean, kendall_tau, sign_flip_p

REPEATS = 4_000
DRAWS = 20_000
N_QUERIES = 150
PAIRS = 300
JUDGES = {
    "people alone": None,
    "poor model": (0.55, 0.25),
    "fair model": (0.75, 0.15),
    "good model": (0.95, 0.03),
}
"""Judge → how often it calls a relevant document relevant, and its mean rate of false positives."""
SIZES = (30, 50, 100)
KINDS = ("nDCG", "reciprocal rank", "success")
QUALITY = {"people alone": 0.0, "poor model": 0.4, "fair model": 0.7, "good model": 0.95}
"""Judge → how much of a score by the model is the score by people."""


@cache
def _frame(n_systems: int, n_queries: int, metric: str = "precision@10", seed: int = 0) -> Frame:
    """Systems that rank 40 documents of each query: a shared order with noise, so that they overlap.

    The last system is the first one with another tenth document for every third query.
    """
    rng = np.random.default_rng([seed, n_systems, n_queries])
    runs: dict[str, dict[str, list[str]]] = {f"s{system:02}": {} for system in range(n_systems)}
    for query in range(n_queries):
        shared = rng.normal(size=40)
        for run in runs.values():
            run[f"q{query:03}"] = [f"d{doc:02}" for doc in np.argsort(-(shared + rng.normal(size=40)))]
    for query, ranking in runs["s00"].items():
        is_other = int(query[1:]) % 3 == 0
        runs[f"s{n_systems - 1:02}"][query] = [*ranking[:9], ranking[10]] if is_other else ranking
    return frame_of(runs, find_metric(metric), 10)


def _relevant(frame: Frame, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Whether each pair is relevant, and its probability averaged over queries: queries differ, and better ranks help."""
    best = np.where(frame.rank > 0, frame.rank, 99).min(axis=1)
    at_rank = np.exp(-0.08 * best)
    level = rng.beta(0.8, 1.6, len(frame.queries))[frame.query]
    return rng.random(frame.n_pairs) < level * at_rank, at_rank * (0.8 / 2.4)


def _model_grades(relevant: np.ndarray, frame: Frame, judge: tuple[float, float], rng: np.random.Generator) -> np.ndarray:
    """What a model says: its false positives differ from query to query."""
    hits, false = judge
    rates = rng.beta(2 * false, 2 * (1 - false), len(frame.queries))[frame.query]
    return rng.random(frame.n_pairs) < np.where(relevant, hits, rates)


def _column(pool: PoolValues, frame: Frame, system: int, predicted: np.ndarray) -> Column:
    """The estimate of a system from a pool of all pairs of a frame."""
    inside = np.flatnonzero(frame.rank[:, system])
    weight = frame.weight[inside, system] / frame.weight.max() / 10
    sample = PairSample(*(part[inside] for part in pool[:3]), weight * pool.people[inside], weight * predicted[inside])
    n = len(frame.queries)
    part = pair_contributions(sample, n)
    judged = np.bincount(frame.query[pool.is_judged], minlength=n) > 0
    return Column(np.full(n, np.nan), np.column_stack([part.values, judged, np.zeros(n), part.evidence]), PAIR_ESTIMATE)


def pairs_table() -> str:
    """E1: coverage and width of precision@10, of a difference, and of that of two systems that are nearly alike: A, A′."""
    heads = ("precision@10", "A − B", "A − A′")
    rows = ["| judge |" + "".join(f" covers {head} | width |" for head in heads), "|---|" + "---|---|" * len(heads)]
    frame, design = _frame(3, N_QUERIES), parse_design("spread")
    for number, (judge, rates) in enumerate(JUDGES.items()):
        inside, widths = np.full((3, REPEATS), np.nan), np.full((3, REPEATS), np.nan)
        for repeat in range(REPEATS):
            rng = np.random.default_rng([1, number, repeat])
            relevant, chance = _relevant(frame, rng)
            model = None if rates is None else _model_grades(relevant, frame, rates, rng).astype(float)
            draw = design.draw(frame, Request(PAIRS, rng))
            drawn = np.zeros(frame.n_pairs, dtype=bool)
            drawn[draw.order] = True
            pool = PoolValues(frame.query, draw.probability, drawn, relevant.astype(float), model)
            predicted = predict_values(pool, N_QUERIES, repeat).values
            columns = [_column(pool, frame, system, predicted) for system in range(3)]
            truth = [chance[frame.rank[:, system] > 0].sum() / 10 / N_QUERIES for system in range(3)]
            means = [estimated_mean(columns[0].weight), *(estimated_difference(columns[0], b) for b in columns[1:])]
            for place, (mean, true) in enumerate(zip(means, (truth[0], *(t - truth[0] for t in truth[1:])), strict=True)):
                low, high = mean.interval(0.95)
                if low == low:
                    inside[place, repeat], widths[place, repeat] = low <= true <= high, high - low
        cells = zip(100 * np.nanmean(inside, axis=1), np.nanmean(widths, axis=1), strict=True)
        rows.append(f"| {judge} |" + "".join(f" {share:.1f} % | {width:.3f} |" for share, width in cells))
    return "\n".join(rows)


def _scores(kind: str, quality: float, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float]:
    """Scores of n queries by people and by a model, and the true mean. The model is too kind, more so on some queries."""
    if kind == "success":
        y = (rng.random(n) < 0.7).astype(float)
        flips = rng.random(n) < (1 - quality) / 2
        return y, np.where(flips, rng.random(n) < 0.8, y).astype(float), 0.7
    if kind == "nDCG":
        y, other, mean = rng.beta(1.2, 1.2, n), rng.beta(2.0, 1.2, n), 0.5
    else:
        ranks = np.arange(1, 11)
        chances = np.append(0.8 / ranks / (1 / ranks).sum(), 0.2)
        values = np.append(1 / ranks, 0.0)
        y, other, mean = rng.choice(values, n, p=chances), rng.choice(values, n, p=chances), float(values @ chances)
    return y, np.where(rng.random(n) < quality, y, other) * 0.9 + 0.1, mean


def queries_table() -> str:
    """E2: coverage from n of 150 queries that were judged as a whole."""
    heads = "".join(f" {n} queries | width |" for n in SIZES)
    rows = [f"| metric | judge |{heads}", "|---|---|" + "---|---|" * len(SIZES)]
    for kind in KINDS:
        for judge, quality in QUALITY.items():
            cells = ""
            for n in SIZES:
                inside, widths = np.zeros(REPEATS), np.zeros(REPEATS)
                for repeat in range(REPEATS):
                    rng = np.random.default_rng([2, KINDS.index(kind), n, repeat])
                    y, f, true = _scores(kind, quality, N_QUERIES, rng)
                    judged = np.zeros(N_QUERIES, dtype=bool)
                    judged[rng.permutation(N_QUERIES)[:n]] = True
                    part = query_contributions(y, judged, f if quality else None)
                    parts = np.column_stack([part.values, judged, np.full(N_QUERIES, part.unseen)])
                    low, high = estimated_mean(parts).interval(0.95)
                    inside[repeat], widths[repeat] = low <= true <= high, high - low
                cells += f" {100 * inside.mean():.1f} % | {widths.mean():.3f} |"
            rows.append(f"| {kind} | {judge} |{cells}")
    return "\n".join(rows)


def tests_table() -> str:
    """How often equal systems are called different at 5 %: Student's t with n − 1 degrees of freedom, and sign flips."""
    rows = ["| judged queries | Student's t | sign flips |", "|---|---|---|"]
    for n in (15, 30, 50):
        false = np.zeros((2, REPEATS))
        for repeat in range(REPEATS):
            rng = np.random.default_rng([3, n, repeat])
            a, f_a, _ = _scores("nDCG", 0.7, N_QUERIES, rng)
            b, f_b, _ = _scores("nDCG", 0.7, N_QUERIES, rng)
            judged = np.zeros(N_QUERIES, dtype=bool)
            judged[rng.permutation(N_QUERIES)[:n]] = True
            gap = query_contributions(b, judged, f_b).values - query_contributions(a, judged, f_a).values
            mean = estimated_mean(np.column_stack([gap, judged, np.zeros(N_QUERIES)]))
            false[:, repeat] = mean.p() <= 0.05, sign_flip_p(gap, "two_sided") <= 0.05
        rows.append(f"| {n} | {100 * false[0].mean():.1f} % | {100 * false[1].mean():.1f} % |")
    return "\n".join(rows)


def draws_table() -> str:
    """The largest distance of the frequency of a pair from its probability, in standard errors."""
    rows = ["| design | pairs | sum of probabilities | largest distance in standard errors |", "|---|---|---|---|"]
    frame = _frame(3, 20)
    for how in ("spread", "whole", "difference(s00, s01)"):
        design, counts = parse_design(how), np.zeros(frame.n_pairs)
        for repeat in range(DRAWS):
            draw = design.draw(frame, Request(60, np.random.default_rng([4, repeat])))
            counts[draw.order] += 1
        p = draw.probability
        error = np.sqrt(p * (1 - p) / DRAWS)
        gap = np.abs(counts / DRAWS - p)
        worst = float((gap[error > 0] / error[error > 0]).max())
        assert not gap[error == 0].any()
        rows.append(f"| `{how}` | {np.count_nonzero(p)} | {p.sum():.1f} | {worst:.1f} |")
    return "\n".join(rows)


CAMPAIGNS = 200
BUDGETS = (100, 300, 1000)
N_SYSTEMS, N_TOPICS, N_DOCUMENTS = 16, 100, 80
ESTIMATOR, PLAIN, RATIO = "`spread`", "`spread`, without predictions", "`spread`, as a ratio"
"""Three estimates from the same draw: that of assay; that of Horvitz and Thompson; and the estimated sum divided by the
estimated sum of weights, times the known sum (Hájek 1971)."""
CLEAR = 0.02
"""Differences of dcg@10 above this should have the right sign."""
FAMILIES, UNEQUAL, EQUAL = "families of systems", "some systems are unusual", "all systems are equally alike"


def _rankings(scores: np.ndarray, grades: np.ndarray) -> tuple[Frame, np.ndarray]:
    """The first ten documents by scores (systems × topics × documents), and the grade of each pair."""
    order = np.argsort(-scores, axis=2)[:, :, :10]
    runs = {
        f"s{system:02}": {f"q{query:03}": [f"{doc:03}" for doc in docs] for query, docs in enumerate(ranking.tolist())}
        for system, ranking in enumerate(order)
    }
    frame = frame_of(runs, find_metric("dcg@10"), 10)
    return frame, grades[frame.query, [int(document) for document in frame.documents]]


def _campaign(kind: str, rng: np.random.Generator) -> tuple[Frame, np.ndarray]:
    """16 systems on 100 queries, and the grade of each pair from 0 to 3.

    Systems differ in how well they separate grades. Their errors are partly shared, by some systems more than by others or
    by all systems equally.
    """
    if kind == FAMILIES:
        return _families(rng)
    grades = rng.choice(4, (N_TOPICS, N_DOCUMENTS), p=(0.5, 0.25, 0.15, 0.1)).astype(float)
    shared = rng.normal(size=grades.shape)
    strength = rng.permutation(np.linspace(0.2, 0.7, N_SYSTEMS))
    common = rng.permutation(np.linspace(0.3, 0.99, N_SYSTEMS)) if kind == UNEQUAL else np.full(N_SYSTEMS, 0.65)
    scores = [
        part * grades + share * shared + np.sqrt(1 - share**2) * rng.normal(size=grades.shape)
        for part, share in zip(strength, common, strict=True)
    ]
    return _rankings(np.stack(scores), grades)


def _families(rng: np.random.Generator) -> tuple[Frame, np.ndarray]:
    """Systems in families of 6, 4 and 2, and four that are alone: a family shares quality and most errors.

    Topics differ in difficulty and in the number of relevant documents. The constants were searched so that the overlap of
    the systems, and τ of depth pooling and of estimates without predictions, are close to those of 16 real runs on 100
    topics. Families with better systems find more documents that others do not find.
    """
    family = np.array([0] * 6 + [1] * 4 + [2] * 2 + [3, 4, 5, 6])
    n, shape = family.max() + 1, (N_TOPICS, 430)
    relevant = rng.random(shape) < rng.beta(2.07, 7.2, N_TOPICS)[:, None]
    grades = np.where(relevant, rng.choice([1.0, 2.0, 3.0], shape, p=(0.5, 0.3, 0.2)), 0.0)
    hard = np.exp(rng.normal(0, 0.44, N_TOPICS))[:, None]
    common = rng.permutation(np.linspace(0.0, 0.575, n))
    place = np.argsort(np.argsort(0.22 * common / 0.575 + 0.78 * rng.permutation(np.linspace(0, 1, n))))
    quality = 0.4 + 0.93 * place / (n - 1)
    own = rng.uniform(0.03, 0.46, N_SYSTEMS)
    shared, parts = rng.normal(size=shape), rng.normal(size=(n, *shape))
    scores = []
    for system, of in enumerate(family):
        alone = own[system] * (1 - common[of])
        noise = np.sqrt(common[of]) * shared + np.sqrt(1 - common[of] - alone) * parts[of]
        noise = noise + np.sqrt(alone) * rng.normal(size=shape)
        scores.append((quality[of] + rng.normal(0, 0.02)) * hard * np.sqrt(grades) + noise)
    return _rankings(np.stack(scores), grades)


def _tau(full: np.ndarray, values: np.ndarray) -> float:
    return kendall_tau(*({f"s{place:02}": float(value) for place, value in enumerate(each)} for each in (full, values)))


def _wrong(full: np.ndarray, values: np.ndarray) -> float:
    """The share of clear differences of two systems whose estimate has the wrong sign."""
    gap, estimated = (each[:, None] - each for each in (full, values))
    clear = gap > CLEAR * N_TOPICS
    return float(np.mean(estimated[clear] <= 0))


def campaign_table() -> str:
    """Kendall's τ of the order of systems with the order by all judgments, and how far it is above depth pooling at 300."""
    heads = "".join(f" {n:,} |" for n in BUDGETS)
    rows = [
        f"| systems | design |{heads} minus `depth` at 300 | wrong signs at 300 |",
        "|---|---|" + "---|" * len(BUDGETS) + "---|---|",
    ]
    at = BUDGETS.index(PAIRS)
    for kind in (FAMILIES, UNEQUAL, EQUAL):
        outcomes = _outcomes(kind)
        for how, (taus, wrong) in outcomes.items():
            gap = (taus - outcomes["`depth`"][0])[at]
            error = gap.std(ddof=1) / np.sqrt(CAMPAIGNS)
            above = "" if how == "`depth`" else f" {gap.mean():+.3f} ± {error:.3f}".replace("-", "−")
            cells = "".join(f" {tau:.2f} |" for tau in taus.mean(axis=1))
            rows.append(f"| {kind} | {how} |{cells}{above} | {100 * wrong[at].mean():.0f} % |")
    return "\n".join(rows)


def _outcomes(kind: str) -> dict[str, np.ndarray]:
    """Design → τ and the share of wrong signs, for each number of judgments and campaign."""
    outcomes: dict[str, np.ndarray] = {}
    for repeat in range(CAMPAIGNS):
        frame, grades = _campaign(kind, np.random.default_rng([5, repeat]))
        full = (_unit(frame) * grades[:, None]).sum(axis=0)
        for place, n in enumerate(BUDGETS):
            for how, values in _ordered(frame, grades, n, repeat):
                known = outcomes.setdefault(how, np.zeros((2, len(BUDGETS), CAMPAIGNS)))
                known[:, place, repeat] = _tau(full, values), _wrong(full, values)
    return outcomes


def _unit(frame: Frame) -> np.ndarray:
    """What a grade of 1 adds to the metric."""
    return frame.weight / 3


def _ordered(frame: Frame, grades: np.ndarray, n: int, repeat: int) -> Iterator[tuple[str, np.ndarray]]:
    """Each design with the values of the systems from n judgments."""
    weight = _unit(frame)
    first = parse_design("depth").draw(frame, Request(n, np.random.default_rng([6, repeat]))).order
    for how, order in (("`depth`", first), ("`move_to_front`", _judged_step_by_step(frame, grades, n))):
        yield how, (weight[order] * grades[order][:, None]).sum(axis=0)
    draw = parse_design("spread").draw(frame, Request(n, np.random.default_rng([6, repeat])))
    order = draw.order
    expanded = weight[order] / draw.probability[order][:, None]
    plain = (expanded * grades[order][:, None]).sum(axis=0)
    judged = np.zeros(frame.n_pairs, dtype=bool)
    judged[order] = True
    predicted = predict_values(PoolValues(frame.query, draw.probability, judged, grades), N_TOPICS, repeat).values
    yield ESTIMATOR, plain - (expanded * predicted[order][:, None]).sum(axis=0) + (weight * predicted[:, None]).sum(axis=0)
    yield PLAIN, plain
    yield RATIO, plain / expanded.sum(axis=0) * weight.sum(axis=0)


def _judged_step_by_step(frame: Frame, grades: np.ndarray, n: int) -> np.ndarray:
    """Move to front with 20 judgments at a time, each step with the grades so far."""
    judged: dict[str, dict[str, float]] = {}
    order: list[int] = []
    for step in range(0, n, 20):
        request = Request(min(20, n - step), np.random.default_rng(7), judged)
        for row in parse_design("move_to_front").draw(frame, request).order.tolist():
            judged.setdefault(frame.queries[frame.query[row]], {})[frame.documents[row]] = float(grades[row])
            order.append(row)
    return np.array(order, dtype=np.int64)


def tables() -> dict[str, str]:
    """All tables."""
    return {
        "judging-pairs": pairs_table(),
        "judging-queries": queries_table(),
        "judging-tests": tests_table(),
        "judging-draws": draws_table(),
        "judging-campaign": campaign_table(),
    }


if __name__ == "__main__":
    for name, table in tables().items():
        print(f"{name}\n{table}\n")
