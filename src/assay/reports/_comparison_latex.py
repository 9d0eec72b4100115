"""A comparison in LaTeX: systems × metrics in booktabs style, the best in bold, the second underlined, with letters."""

from __future__ import annotations

from collections.abc import Iterator

from assay.comparison import Comparison, Figures, beaten_by, letter, letters_of
from assay.metrics import BoundMetric
from assay.reports._comparison_report import ComparisonReport
from assay.reports._comparison_tables import places
from assay.reports._comparison_words import correction_text, head_line, n_queries_text, test_text, title_of
from assay.reports._latex_table import in_latex, tabular
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
    columns = [_column(comparison, metric, figures) for metric in comparison.metrics]
    rows = [
        [letter(number), in_latex(printable(name)), *(column[name] for column in columns)]
        for number, name in enumerate(comparison.names)
    ]
    head = ["", "system", *(in_latex(metric.name) for metric in comparison.metrics)]
    yield tabular("l" * len(head), head, rows)


def _caption(comparison: Comparison) -> str:
    """What the table shows, in words of LaTeX."""
    test = ", ".join(part for part in (test_text(comparison), correction_text(comparison)) if part)
    alpha = f"$p \\leq {comparison.how.alpha:g}$"
    return (
        f"Results over {in_latex(n_queries_text(comparison))}. Best in bold, second best underlined. "
        f"Superscripts: significantly better than that system ({in_latex(test)}, {alpha})."
    )


def _column(comparison: Comparison, metric: BoundMetric, figures: Figures) -> dict[str, str]:
    """System → its figure, dressed up."""
    best, second = places(comparison, metric)
    beaten = beaten_by(comparison, metric.name)
    found = {}
    for result in comparison.results:
        text = in_latex(figures.value(metric, result.summary[metric.name]))
        dressed = (
            rf"\textbf{{{text}}}" if result.name in best else rf"\underline{{{text}}}" if result.name in second else text
        )
        letters = letters_of(beaten[result.name], len(comparison.names), "--")
        found[result.name] = rf"{dressed}\textsuperscript{{{letters}}}" if letters else dressed
    return found
