"""A comparison in LaTeX: systems × metrics in booktabs style, the best in bold, the second underlined, with letters."""

from __future__ import annotations

from collections.abc import Iterator

from assay.comparison.comparison import Comparison
from assay.comparison.letters import beaten_by, letter, letters_of
from assay.metrics._metric import BoundMetric
from assay.reports._comparison_report import ComparisonReport
from assay.reports._comparison_tables import places
from assay.reports._comparison_words import Figures, correction_text, head_line, n_queries_text, test_text, title_of
from assay.reports.latex import ESCAPES
from assay.text import printable

NEEDS = r"needs \usepackage{booktabs}"


def render_latex(report: ComparisonReport) -> str:
    """A tabular for each comparison, ready to be input; what a caption should say comes before it as a comment."""
    return "\n".join("\n".join(_lines(one, Figures(report.digits))) + "\n" for one in report.comparisons)


def _lines(comparison: Comparison, figures: Figures) -> Iterator[str]:
    title = title_of(comparison)
    said = [*([title] if title else []), head_line(comparison), printable(comparison.verdict), NEEDS]
    yield from (f"% {line}" for line in said)
    yield f"% caption: {_caption(comparison)}"
    yield rf"\begin{{tabular}}{{l{'l' * (1 + len(comparison.metrics))}}}"
    yield r"\toprule"
    yield _row(["", "system", *(escaped(metric.name) for metric in comparison.metrics)])
    yield r"\midrule"
    columns = [_column(comparison, metric, figures) for metric in comparison.metrics]
    for number, name in enumerate(comparison.names):
        yield _row([letter(number), escaped(printable(name)), *(column[name] for column in columns)])
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _caption(comparison: Comparison) -> str:
    """What the table shows, in words of LaTeX."""
    test = ", ".join(part for part in (test_text(comparison), correction_text(comparison)) if part)
    alpha = f"$p \\leq {comparison.how.alpha:g}$"
    return (
        f"Results over {escaped(n_queries_text(comparison))}. Best in bold, second best underlined. "
        f"Superscripts: significantly better than that system ({escaped(test)}, {alpha})."
    )


def _column(comparison: Comparison, metric: BoundMetric, figures: Figures) -> dict[str, str]:
    """System → its figure, dressed up."""
    best, second = places(comparison, metric)
    beaten = beaten_by(comparison, metric.name)
    found = {}
    for result in comparison.results:
        text = escaped(figures.value(metric, result.summary[metric.name]))
        dressed = (
            rf"\textbf{{{text}}}" if result.name in best else rf"\underline{{{text}}}" if result.name in second else text
        )
        letters = letters_of(beaten[result.name], len(comparison.names), "--")
        found[result.name] = rf"{dressed}\textsuperscript{{{letters}}}" if letters else dressed
    return found


def _row(cells: list[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def escaped(text: str) -> str:
    """The text, so that LaTeX sets it as it is."""
    return "".join(ESCAPES.get(mark, mark) for mark in text)
