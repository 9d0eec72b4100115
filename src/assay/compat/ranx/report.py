"""ranx's table of several runs, with a statistical test for every pair, as text, LaTeX, JSON and data frame."""

from __future__ import annotations

import json
import re
import sys
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
from assay.compat.ranx.differences import DIFFERENCES
from assay.compat.ranx.files import pandas
from assay.compat.ranx.scoring import evaluate, label_of, mean_score, prepared_qrels, score_run
from assay.errors import BadParameter, DataError, UnknownName, near_matches
from assay.reports import escape_latex
from assay.stats import BoundTest, Field, Pairs, parse_test

SUPERSCRIPTS = dict(zip("abcdefghijklmnopqrstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ۹ʳˢᵗᵘᵛʷˣʸᶻ", strict=True))
"""Letter → the same letter as a superscript; for q, the sign that ranx prints."""
TESTS_IN_WORDS = {
    "student": "paired Student's t-test",
    "fisher": "Fisher's randomization test",
    "tukey": "Tukey's HSD test",
}


RULE = "=" * 24
PADDING = 2
"""A column of the table is at least this much wider than its heading."""


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

    def get_metric_label(self, m: str) -> str:
        """The heading of a metric: `NDCG@10`."""
        return label_of(m)

    def get_stat_test_label(self, stat_test: str) -> str:
        """The name of a test in words: `paired Student's t-test`."""
        return TESTS_IN_WORDS[stat_test]

    def get_superscript_for_table(self, model: str, metric: str) -> str:
        """The superscript letters of the runs that this run is significantly above."""
        return self._raised(model, metric)

    def get_superscript_for_latex(self, model: str, metric: str) -> str:
        """The plain letters of the runs that this run is significantly above."""
        return "".join(self.above(model, metric))

    def get_phantoms_for_latex(self, model: str, metric: str) -> str:
        """The plain letters of all other runs; they are invisible in the table, so that columns stay aligned."""
        return "".join(self._not_above(model, metric))

    def _not_above(self, model: str, metric: str) -> list[str]:
        raised = self.above(model, metric)
        others = (letter(number) for number, other in enumerate(self.model_names) if other != model)
        return [other for other in others if other not in raised]

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
        """The table as text, with the layout of ranx: a column of numbers is aligned at the decimal point."""
        rows = []
        for number, model in enumerate(self.model_names):
            cells = (
                f"{self.format_score(self.results[model][metric])}{self._raised(model, metric)}" for metric in self.metrics
            )
            rows.append([letter(number), model, *cells])
        heads = ["#", "Model", *map(label_of, self.metrics)]
        columns = [_column(head, cells) for head, cells in zip(heads, zip(*rows, strict=True), strict=True)]
        return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))

    def _raised(self, model: str, metric: str) -> str:
        groups = ["".join(SUPERSCRIPTS[letter] for letter in text) for text in self.above(model, metric)]
        return ("" if len(self.model_names) <= len(SUPERSCRIPTS) else "⋅").join(groups)

    def to_latex(self) -> str:
        """The table as LaTeX, with the packages that it needs in a head, and the first of the best means in bold."""
        DIFFERENCES.warn("caption")
        best = {metric: self._best(metric) for metric in self.metrics}
        rows = []
        for number, model in enumerate(self.model_names):
            cells = [self._latex_cell(model, metric, is_best=best[metric] == model) for metric in self.metrics]
            rows.append(f"{letter(number)} &\n{escape_latex(model)} &\n" + " &\n".join(cells) + r" \\")
        heads = [
            r"\textbf{\#}",
            r"\textbf{Model}",
            *(rf"\textbf{{{escape_latex(label_of(name))}}}" for name in self.metrics),
        ]
        test = TESTS_IN_WORDS[self.stat_test]
        return "\n".join(
            [
                *(RULE, "% In the preamble", r"\usepackage{graphicx}", r"\usepackage{booktabs}", RULE, "", ""),
                "% The first argument of resizebox is the width of the table.",
                *(r"\begin{table*}[ht]", r"\centering", r"\caption{"),
                "Means over all queries. The best mean of each metric is bold.",
                rf"Superscripts name the models whose mean is significantly lower ({test}, $p \le {self.max_p}$).",
                *("}", r"\resizebox{0.8\textwidth}{!}{", rf"\begin{{tabular}}{{c|l{'|c' * len(self.metrics)}}}"),
                *(r"\toprule", "\n& ".join(heads) + r" \\ ", r"\midrule", *rows, r"\bottomrule"),
                *(r"\end{tabular}", "}", r"\label{tab:results}", r"\end{table*}"),
            ]
        )

    def _best(self, metric: str) -> str | None:
        """The first run with the highest mean as it is shown; none if all are 0."""
        means = {model: round(self.results[model][metric], self.rounding_digits) for model in self.model_names}
        best = max(means, key=means.__getitem__)
        return best if means[best] > 0 else None

    def _latex_cell(self, model: str, metric: str, *, is_best: bool) -> str:
        """The mean, the letters of the runs below it, and invisible letters of the others, so that columns stay aligned."""
        text = self.format_score(self.results[model][metric])
        hidden = _superscript(self._not_above(model, metric))
        shown = rf"\textbf{{{text}}}" if is_best else text
        return rf"{shown}{_superscript(self.above(model, metric))}\hphantom{{{hidden}}}"

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

    def print_results(self) -> None:
        """Print the means as JSON: run → metric → mean."""
        sys.stdout.write(json.dumps(self.results, indent=4) + "\n")

    def __repr__(self) -> str:
        return self.to_table()

    def __str__(self) -> str:
        return self.to_table()


def _superscript(letters: Sequence[str]) -> str:
    """The letters as a superscript; with more than 26 runs, letters have two characters and are separated."""
    return f"$^{{{(',' if max(map(len, letters)) > 1 else '').join(letters)}}}$" if letters else ""


_NUMBER = re.compile(r"[+-]?\d+(?P<fraction>\.\d*)?", re.ASCII)


def _column(head: str, cells: Sequence[str]) -> list[str]:
    """The heading, a rule and the cells of a column, all equally wide. Numbers lose zeros at their end, as in ranx."""
    numbers = [_NUMBER.fullmatch(cell) for cell in cells]
    if not all(numbers):
        width = max(len(head) + PADDING, *map(len, cells))
        return [head.ljust(width), "-" * width, *(cell.ljust(width) for cell in cells)]
    if any(number and number["fraction"] for number in numbers):
        cells = _aligned([f"{float(cell):g}" for cell in cells])
    width = max(len(head) + PADDING, *map(len, cells))
    return [head.rjust(width), "-" * width, *(cell.rjust(width) for cell in cells)]


def _aligned(numbers: Sequence[str]) -> list[str]:
    """Numbers with spaces after them, so that their decimal points are in one column."""
    after = [len(number) - number.find(".") if "." in number else 0 for number in numbers]
    return [number + " " * (max(after) - n) for number, n in zip(numbers, after, strict=True)]


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
    _warn_of_differences(scores, metrics, test)
    comparisons: dict[frozenset[str], dict[str, dict[str, Any]]] = {frozenset(pair): {} for pair in combinations(names, 2)}
    for metric in metrics if len(names) > 1 else ():
        columns = np.column_stack([scores[name][metric] for name in names])
        p = _pairwise_p(columns, test, seed)
        for a, b in combinations(range(len(names)), 2):
            value = float(p[a, b])
            comparisons[frozenset((names[a], names[b]))][metric] = {"p_value": value, "significant": value <= max_p}
    return Pairwise(comparisons)


def _warn_of_differences(scores: Table, metrics: Sequence[str], test: BoundTest) -> None:
    """Warn of p-values that ranx computes differently; there are none for a single run."""
    if len(scores) < 2:
        return
    if test.test.name == TESTS["fisher"]:
        DIFFERENCES.warn("fisher")
        return
    if test.test.name == TESTS["tukey"]:
        DIFFERENCES.warn("tukey")
    pairs = combinations(scores.values(), 2)
    if any(np.array_equal(first[metric], other[metric]) for first, other in pairs for metric in metrics):
        DIFFERENCES.warn("identical")


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
