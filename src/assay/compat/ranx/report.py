"""ranx's table of several runs, with a statistical test for every pair, as text, LaTeX, JSON and data frame."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.atomic_write import atomic_write
from assay.comparison import letter
from assay.compat.ranx.data import Run
from assay.compat.ranx.files import pandas
from assay.compat.ranx.scoring import evaluate, label_of, mean_score, prepared_qrels, score_run
from assay.errors import BadParameter, DataError, UnknownName, near_matches
from assay.reports import escape_latex, tabular
from assay.stats import BoundTest, Field, Pairs, parse_test

SUPERSCRIPTS = dict(zip("abcdefghijklmnopqrstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ𐞥ʳˢᵗᵘᵛʷˣʸᶻ", strict=True))
"""Letter → the same letter as a superscript."""
TESTS_IN_WORDS = {
    "student": "a paired Student's t-test",
    "fisher": "Fisher's randomization test",
    "tukey": "Tukey's HSD test",
}


class Pairwise(Mapping[Any, dict[str, dict[str, Any]]]):
    """Two runs, in any order → metric → p_value and significant: `report.comparisons["a", "b"]`."""

    def __init__(self, by_pair: Mapping[frozenset[str], dict[str, dict[str, Any]]]) -> None:
        self._by_pair = dict(by_pair)

    def __getitem__(self, pair: Iterable[str]) -> dict[str, dict[str, Any]]:
        return self._by_pair[frozenset(pair)]

    def __iter__(self) -> Iterator[frozenset[str]]:
        return iter(self._by_pair)

    def __len__(self) -> int:
        return len(self._by_pair)


@dataclass
class Report:
    """Means, p-values and wins of several runs. Superscript letters name the runs that a run is significantly above."""

    model_names: list[str]
    results: dict[str, dict[str, float]]
    """Run → metric → mean."""
    comparisons: Pairwise
    metrics: list[str]
    max_p: float
    win_tie_loss: dict[tuple[str, str], dict[str, dict[str, int]]]
    """Run and another run → metric → W, T and L: the number of queries on which the first wins, ties and loses."""
    rounding_digits: int = 3
    show_percentages: bool = False
    stat_test: str = "student"

    def format_score(self, score: float) -> str:
        """A mean with the requested digits; as a percentage, it has two fewer decimals."""
        if self.show_percentages:
            return f"{score * 100:.{max(0, self.rounding_digits - 2)}f}"
        return f"{score:.{self.rounding_digits}f}"

    def above(self, model: str, metric: str) -> list[str]:
        """The letters of the runs that this run is significantly above."""
        return [
            letter(number)
            for number, other in enumerate(self.model_names)
            if other != model
            and self.comparisons[model, other][metric]["significant"]
            and self.results[model][metric] > self.results[other][metric]
        ]

    def to_table(self) -> str:
        """The table as text."""
        rows = [["#", "Model", *map(label_of, self.metrics)]]
        for number, model in enumerate(self.model_names):
            cells = (
                f"{self.format_score(self.results[model][metric])}{self._raised(model, metric)}" for metric in self.metrics
            )
            rows.append([letter(number), model, *cells])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        rows.insert(1, ["-" * width for width in widths])
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)

    def _raised(self, model: str, metric: str) -> str:
        groups = ["".join(SUPERSCRIPTS[letter] for letter in text) for text in self.above(model, metric)]
        return ("" if len(self.model_names) <= len(SUPERSCRIPTS) else "⋅").join(groups)

    def to_latex(self) -> str:
        """The table as LaTeX with the best means in bold. It needs the LaTeX package booktabs."""
        rows = []
        for number, model in enumerate(self.model_names):
            rows.append([letter(number), escape_latex(model), *(self._latex_cell(model, metric) for metric in self.metrics)])
        head = [r"\#", "Model", *(escape_latex(label_of(metric)) for metric in self.metrics)]
        means = TESTS_IN_WORDS[self.stat_test]
        caption = (
            "Means over all queries, the best in bold. A superscript names the systems whose mean is significantly lower, "
            f"according to {means} ($p \\leq {self.max_p:g}$)."
        )
        lines = [r"\begin{table}", r"\centering", rf"\caption{{{caption}}}", r"\label{tab:results}"]
        return "\n".join([*lines, tabular(f"cl{'r' * len(self.metrics)}", head, rows), r"\end{table}"])

    def _latex_cell(self, model: str, metric: str) -> str:
        best = max(self.results[name][metric] for name in self.model_names)
        text = self.format_score(self.results[model][metric])
        text = rf"\textbf{{{text}}}" if text == self.format_score(best) else text
        letters = ("" if len(self.model_names) <= len(SUPERSCRIPTS) else ",").join(self.above(model, metric))
        return f"{text}$^{{{letters}}}$" if letters else text

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: for each run its scores, its p-values against the others, and its wins."""
        content: dict[str, Any] = {"stat_test": self.stat_test, "metrics": self.metrics, "model_names": self.model_names}
        for model in self.model_names:
            others = [other for other in self.model_names if other != model]
            p = {other: {m: self.comparisons[model, other][m]["p_value"] for m in self.metrics} for other in others}
            content[model] = {
                "scores": self.results[model],
                "comparisons": p,
                "win_tie_loss": {other: self.win_tie_loss[model, other] for other in others},
            }
        return content

    def to_dataframe(self) -> Any:
        """A pandas frame with the column model_names and one column per metric."""
        return pandas().DataFrame([{"model_names": name, **self.results[name]} for name in self.model_names])

    def save(self, path: str | Path) -> None:
        """Write `to_dict()` as JSON."""
        with atomic_write(Path(path)) as file:
            file.write(json.dumps(self.to_dict(), indent=4, ensure_ascii=False).encode())

    def __repr__(self) -> str:
        return self.to_table()

    def __str__(self) -> str:
        return self.to_table()


TESTS = {"student": "paired_t", "fisher": "randomization", "tukey": "tukey_hsd"}
"""Name in ranx → name in assay."""

Table = Mapping[str, Mapping[str, Floats]]
"""Run → metric → one score per query."""


def compare(
    qrels: Any,
    runs: Iterable[Any],
    metrics: str | Sequence[str],
    stat_test: str = "student",
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    threads: int = 0,  # noqa: ARG001 (one is enough)
    rounding_digits: int = 3,
    show_percentages: bool = False,
    make_comparable: bool = False,
) -> Report:
    """Score every run and test every pair on the same queries. Each run needs a different name.

    p is not corrected for the number of comparisons; `assay.compare` corrects it.
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    test = _test(stat_test, n_permutations)
    scores = _scores(qrels, runs, names, make_comparable)
    return Report(
        model_names=list(scores),
        results={name: {metric: mean_score(by[metric]) for metric in names} for name, by in scores.items()},
        comparisons=_comparisons(scores, names, test, max_p, random_seed),
        metrics=names,
        max_p=max_p,
        win_tie_loss=_win_tie_loss(scores, names),
        rounding_digits=rounding_digits,
        show_percentages=show_percentages,
        stat_test=stat_test,
    )


def _scores(qrels: Any, runs: Iterable[Any], metrics: Sequence[str], make_comparable: bool) -> Table:
    """Scores of every run by its name, or by its position if it has none. A `Run` keeps its scores, as in `evaluate`."""
    judged = prepared_qrels(qrels)
    scores: dict[str, Mapping[str, Floats]] = {}
    for number, run in enumerate(runs, 1):
        name = getattr(run, "name", None) or f"run_{number}"
        if name in scores:
            raise DataError(f"two runs are called {name!r}; give each run a different name: Run(…, name='bm25')")
        if isinstance(run, Run):
            evaluate(judged, run, metrics, make_comparable=make_comparable)
        scores[name] = score_run(judged, run, metrics, make_comparable)[1]
    if not scores:
        raise BadParameter("expected at least one run, found none")
    return scores


def _test(name: str, n_permutations: int) -> BoundTest:
    if name not in TESTS:
        raise UnknownName("statistical test", name, near_matches(name, TESTS), f"choose from {', '.join(TESTS)}")
    return parse_test(f"randomization(resamples={n_permutations})" if name == "fisher" else TESTS[name])


def _comparisons(scores: Table, metrics: Sequence[str], test: BoundTest, max_p: float, seed: int) -> Pairwise:
    """For each pair of runs and each metric: p, and whether it is at most `max_p`."""
    names = list(scores)
    comparisons: dict[frozenset[str], dict[str, dict[str, Any]]] = {frozenset(pair): {} for pair in combinations(names, 2)}
    for metric in metrics if len(names) > 1 else ():
        columns = np.column_stack([scores[name][metric] for name in names])
        p = _pairwise_p(columns, test, seed)
        for a, b in combinations(range(len(names)), 2):
            value = float(p[a, b])
            comparisons[frozenset((names[a], names[b]))][metric] = {"p_value": value, "significant": value <= max_p}
    return Pairwise(comparisons)


def _pairwise_p(columns: Floats, test: BoundTest, seed: int) -> Floats:
    """System × system: the p-value of each pair."""
    if test.test.is_for_many:
        return test.compare_many(Field(columns, seed)).pairwise
    p = np.ones((columns.shape[1],) * 2)
    for a, b in combinations(range(columns.shape[1]), 2):
        p[a, b] = p[b, a] = test.compare(Pairs(columns[:, [a]], columns[:, [b]], seed)).p[0]
    return p


def _win_tie_loss(scores: Table, metrics: Sequence[str]) -> dict[tuple[str, str], dict[str, dict[str, int]]]:
    """The number of queries on which the first of two runs wins, ties and loses. Rounding differences are ties."""
    counts_of: dict[tuple[str, str], dict[str, dict[str, int]]] = {}
    for first, other in permutations(scores, 2):
        counts_of[first, other] = {}
        for metric in metrics:
            above = Pairs(scores[other][metric][:, None], scores[first][metric][:, None]).differences
            counts = {"W": above > 0, "T": above == 0, "L": above < 0}
            counts_of[first, other][metric] = {letter: int(is_so.sum()) for letter, is_so in counts.items()}
    return counts_of
