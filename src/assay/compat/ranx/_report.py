"""Report: what ranx's compare gives back; it prints as a table, and becomes LaTeX, a dictionary, a frame or a file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.atomic_write import atomic_write
from assay.comparison import letter
from assay.compat.ranx._files import pandas
from assay.compat.ranx._metrics import label_of
from assay.reports import in_latex, tabular

RAISED = dict(zip("abcdefghijklmnopqrstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ𐞥ʳˢᵗᵘᵛʷˣʸᶻ", strict=True))
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
    """Means, p-values and wins of several runs; a run's superscript letters are those it is significantly above."""

    model_names: list[str]
    results: dict[str, dict[str, float]]
    """Run → metric → mean."""
    comparisons: Pairwise
    metrics: list[str]
    max_p: float
    win_tie_loss: dict[tuple[str, str], dict[str, dict[str, int]]]
    """Run and another → metric → W, T and L: on how many queries the first is ahead, level, behind."""
    rounding_digits: int = 3
    show_percentages: bool = False
    stat_test: str = "student"

    def format_score(self, score: float) -> str:
        """A mean with the digits asked for; as a percentage it has two fewer behind the point."""
        if self.show_percentages:
            return f"{score * 100:.{max(0, self.rounding_digits - 2)}f}"
        return f"{score:.{self.rounding_digits}f}"

    def above(self, model: str, metric: str) -> list[str]:
        """The letters of the runs that a run is significantly above."""
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
        groups = ["".join(RAISED[one] for one in text) for text in self.above(model, metric)]
        return ("" if len(self.model_names) <= len(RAISED) else "⋅").join(groups)

    def to_latex(self) -> str:
        """The table as LaTeX, best means in bold; it needs the package booktabs."""
        rows = []
        for number, model in enumerate(self.model_names):
            rows.append([letter(number), in_latex(model), *(self._latex_cell(model, metric) for metric in self.metrics)])
        head = [r"\#", "Model", *(in_latex(label_of(metric)) for metric in self.metrics)]
        means = TESTS_IN_WORDS[self.stat_test]
        caption = (
            "Means over all queries, the best in bold. A superscript names the systems that a mean is significantly above "
            f"by {means} ($p \\leq {self.max_p:g}$)."
        )
        lines = [r"\begin{table}", r"\centering", rf"\caption{{{caption}}}", r"\label{tab:results}"]
        return "\n".join([*lines, tabular(f"cl{'r' * len(self.metrics)}", head, rows), r"\end{table}"])

    def _latex_cell(self, model: str, metric: str) -> str:
        best = max(self.results[name][metric] for name in self.model_names)
        text = self.format_score(self.results[model][metric])
        text = rf"\textbf{{{text}}}" if text == self.format_score(best) else text
        letters = ("" if len(self.model_names) <= len(RAISED) else ",").join(self.above(model, metric))
        return f"{text}$^{{{letters}}}$" if letters else text

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: for each run its scores, the p-values against the others, and wins."""
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
        """A pandas frame: the column model_names, and one for each metric."""
        return pandas().DataFrame([{"model_names": name, **self.results[name]} for name in self.model_names])

    def save(self, path: str | Path) -> None:
        """Write `to_dict()` as JSON."""
        with atomic_write(Path(path)) as file:
            file.write(json.dumps(self.to_dict(), indent=4, ensure_ascii=False).encode())

    def __repr__(self) -> str:
        return self.to_table()

    def __str__(self) -> str:
        return self.to_table()
