"""OptimizationReport: every setting that optimize_fusion tried, and its score; it prints as a table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class OptimizationReport:
    """Settings and scores, in the order they were tried; the one that was chosen is marked."""

    method: str
    parameter: str
    configs: list[str]
    results: list[float]
    metric: str
    rounding_digits: int = 3
    show_percentages: bool = False

    def to_table(self) -> str:
        """The table as text."""
        digits = max(0, self.rounding_digits - 2) if self.show_percentages else self.rounding_digits
        scores = [f"{score * 100 if self.show_percentages else score:.{digits}f}" for score in self.results]
        best = max((place for place, score in enumerate(self.results) if score >= max(self.results) - 1e-12), default=-1)
        rows = [(self.parameter, self.metric), *zip(self.configs, scores, strict=True)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [f"{setting:<{widths[0]}}  {score:>{widths[1]}}" for setting, score in rows]
        lines = [f"{line} *" if place - 1 == best else line for place, line in enumerate(lines)]
        return "\n".join([self.method, *lines])

    def __repr__(self) -> str:
        return self.to_table()

    def __str__(self) -> str:
        return self.to_table()
