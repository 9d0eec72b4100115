"""How often estimates from a sample of judgments contain the truth, and how well designs order systems.

Queries are drawn again in each experiment, so the truth is the mean over all queries that could be asked.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from assay.judging import Frame, PairSample, Request, frame_of, pair_contributions, parse_design, query_contributions
from assay.metrics import find_metric
from assay.stats import estimated_mean, kendall_tau, sign_flip_p

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
    """Systems that rank 40 documents of each query: a shared order with noise, so that they overlap."""
    rng = np.random.default_rng([seed, n_systems, n_queries])
    runs: dict[str, dict[str, list[str]]] = {f"s{system:02}": {} for system in range(n_systems)}
    for query in range(n_queries):
        shared = rng.normal(size=40)
        for run in runs.values():
            run[f"q{query:03}"] = [f"d{doc:02}" for doc in np.argsort(-(shared + rng.normal(size=40)))]
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


def _sample(frame: Frame, system: int, drawn: np.ndarray, probability: np.ndarray, worth: np.ndarray, model) -> PairSample:
    inside = np.flatnonzero(frame.rank[:, system])
    weight = frame.weight[inside, system] / frame.weight.max() / 10
    own = None if model is None else weight * model[inside]
    return PairSample(frame.query[inside], probability[inside], drawn[inside], weight * worth[inside], own)


def pairs_table() -> str:
    """E1: coverage and width of precision@10 and of a difference, from 300 pairs."""
    rows = ["| judge | covers precision@10 | width | covers A − B | width |", "|---|---|---|---|---|"]
    frame, design = _frame(3, N_QUERIES), parse_design("spread")
    for number, (judge, rates) in enumerate(JUDGES.items()):
        inside, widths = np.zeros((2, REPEATS)), np.zeros((2, REPEATS))
        for repeat in range(REPEATS):
            rng = np.random.default_rng([1, number, repeat])
            relevant, chance = _relevant(frame, rng)
            model = None if rates is None else _model_grades(relevant, frame, rates, rng).astype(float)
            draw = design.draw(frame, Request(PAIRS, rng))
            drawn = np.zeros(frame.n_pairs, dtype=bool)
            drawn[draw.order] = True
            judged = np.bincount(frame.query[drawn], minlength=N_QUERIES) > 0
            z, truth = [], []
            for system in (0, 1):
                sample = _sample(frame, system, drawn, draw.probability, relevant.astype(float), model)
                z.append(pair_contributions(sample, N_QUERIES, repeat))
                truth.append(chance[frame.rank[:, system] > 0].sum() / 10 / N_QUERIES)
            for place, (values, true) in enumerate(((z[0], truth[0]), (z[1] - z[0], truth[1] - truth[0]))):
                low, high = estimated_mean(np.column_stack([values, judged, np.zeros(N_QUERIES)])).interval(0.95)
                inside[place, repeat], widths[place, repeat] = low <= true <= high, high - low
        share, width = 100 * inside.mean(axis=1), widths.mean(axis=1)
        rows.append(f"| {judge} | {share[0]:.1f} % | {width[0]:.3f} | {share[1]:.1f} % | {width[1]:.3f} |")
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
HOWS = ("depth", "move_to_front", "spread")
RATIO = "ratio"
"""Spread with the ratio estimator: the estimated sum divided by the estimated sum of weights, times the known one."""
UNEQUAL, EQUAL = "some systems are unusual", "all systems are equally alike"


def _campaign(kind: str, rng: np.random.Generator) -> tuple[Frame, np.ndarray]:
    """16 systems on 100 queries, and the grade of each pair from 0 to 3.

    Systems differ in how well they separate grades. Their errors are partly shared, by some systems more than by others or
    by all systems equally.
    """
    grades = rng.choice(4, (N_TOPICS, N_DOCUMENTS), p=(0.5, 0.25, 0.15, 0.1)).astype(float)
    shared = rng.normal(size=grades.shape)
    strength = rng.permutation(np.linspace(0.2, 0.7, N_SYSTEMS))
    common = rng.permutation(np.linspace(0.3, 0.99, N_SYSTEMS)) if kind == UNEQUAL else np.full(N_SYSTEMS, 0.65)
    runs: dict[str, dict[str, list[str]]] = {}
    for system in range(N_SYSTEMS):
        noise = common[system] * shared + np.sqrt(1 - common[system] ** 2) * rng.normal(size=grades.shape)
        order = np.argsort(-(strength[system] * grades + noise), axis=1)[:, :10]
        runs[f"s{system:02}"] = {f"q{query:03}": [f"{doc:03}" for doc in order[query]] for query in range(N_TOPICS)}
    frame = frame_of(runs, find_metric("dcg@10"), 10)
    return frame, grades[frame.query, [int(document) for document in frame.documents]]


def _by_system(values: np.ndarray) -> dict[str, float]:
    return {f"s{place:02}": float(value) for place, value in enumerate(values)}


def campaign_table() -> str:
    """Kendall's τ of the order of systems with the order by all judgments, and how far it is above depth pooling at 300."""
    heads = "".join(f" {n:,} |" for n in BUDGETS)
    rows = [f"| systems | design |{heads} minus `depth` at 300 |", "|---|---|" + "---|" * len(BUDGETS) + "---|"]
    for kind in (UNEQUAL, EQUAL):
        taus = _taus(kind)
        for how, of in taus.items():
            gap = (of - taus["depth"])[BUDGETS.index(PAIRS)]
            error = gap.std(ddof=1) / np.sqrt(CAMPAIGNS)
            above = "" if how == "depth" else f" {gap.mean():+.3f} ± {error:.3f}".replace("-", "−")
            name = f"`{how}`" if how != RATIO else "`spread`, as a ratio"
            rows.append(f"| {kind} | {name} |" + "".join(f" {tau:.2f} |" for tau in of.mean(axis=1)) + f"{above} |")
    return "\n".join(rows)


def _taus(kind: str) -> dict[str, np.ndarray]:
    """Design → τ for each number of judgments and campaign."""
    taus = {how: np.zeros((len(BUDGETS), CAMPAIGNS)) for how in (*HOWS, RATIO)}
    for repeat in range(CAMPAIGNS):
        frame, grades = _campaign(kind, np.random.default_rng([5, repeat]))
        totals = frame.weight.sum(axis=0)
        full = _by_system((frame.weight * grades[:, None]).sum(axis=0))
        for how in HOWS:
            for place, n in enumerate(BUDGETS):
                if how == "move_to_front":
                    order, chance = _judged_step_by_step(frame, grades, n), np.ones((1, 1))
                else:
                    draw = parse_design(how).draw(frame, Request(n, np.random.default_rng([6, repeat])))
                    order, chance = draw.order, draw.probability[draw.order][:, None]
                expanded = frame.weight[order] / chance
                values = (expanded * grades[order][:, None]).sum(axis=0)
                taus[how][place, repeat] = kendall_tau(full, _by_system(values))
                if how == "spread":
                    ratio = values / expanded.sum(axis=0) * totals
                    taus[RATIO][place, repeat] = kendall_tau(full, _by_system(ratio))
    return taus


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
