"""Score output: scores in every format, and the command that tests whether their difference is real."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from assay.cli.inputs import Inputs
from assay.cli.output_options import sliced
from assay.cli.scoring_options import SCORING_FLAGS, intervals_for_format
from assay.cli.terminal import terminal_width, use_colour
from assay.model import Policy

if TYPE_CHECKING:
    from assay.comparison import Sliced
    from assay.evaluation import Result
    from assay.metrics import BoundMetric

QUESTION = "Is the difference real?  "
FORMATS_WITH_JUDGED = ("table", "markdown", "latex")


@dataclass(frozen=True)
class ScoreOutput:
    """Results that can be shown in any format. Each format has its own metrics, intervals and order."""

    options: argparse.Namespace
    inputs: Inputs
    results: Sequence[Result]
    beside: frozenset[str]

    def rendered(self, form: str, *, is_here: bool = False) -> str:
        """The results in that format; fitted to the terminal if they are printed. A table has the best run first."""
        from assay.reports import Report, best_first, deciding_metric, render_scores

        results = [intervals_for_format(form, self.options, self._with_metrics(form, result)) for result in self.results]
        is_table, deciding = form == "table", deciding_metric(results, self.beside)
        report = Report(
            best_first(results, deciding) if is_table and not self.options.sort else results,
            per_query=self.options.per_query,
            digits=self.options.digits,
            width=terminal_width() if is_here else None,
            colour=is_here and use_colour(),
            beside=self.beside,
            slices=self._slices(form, results),
            next_step=self._next_step(deciding) if is_table and deciding else "",
        )
        return render_scores(report, form)

    def _slices(self, form: str, results: Sequence[Result]) -> Sequence[Sliced]:
        """The values by tags, without additional metrics; in a terminal, several runs have those of the first metric."""
        if not self.options.by:
            return ()
        from assay.reports import metric_to_slice

        asked = [metric for metric in results[0].metrics if metric.name not in self.beside]
        shown = metric_to_slice(results, form) or asked
        return sliced(self.options, [result.subset(metrics=shown) for result in results])

    def _next_step(self, metric: BoundMetric) -> str:
        """The command to run next; empty if the values are equal, or if there is only one query.

        Runs that were scored on different queries are compared on the queries that they share.
        """
        figures = {result.summary[metric.name] for result in self.results}
        is_open = len(figures) > 1 and max(len(result.query_ids) for result in self.results) > 1
        command = compare_command(self.options, self.inputs, metric.name) if is_open else ""
        has_others = len({frozenset(result.query_ids) for result in self.results}) > 1
        return f"{command} --intersect" if command and has_others else command

    def _with_metrics(self, form: str, result: Result) -> Result:
        """The result without additional metrics, if the format is for programs."""
        if form in FORMATS_WITH_JUDGED or not self.beside or self.inputs.is_scored:
            return result
        return result.subset(metrics=[metric for metric in result.metrics if metric.name not in self.beside])


def compare_command(options: argparse.Namespace, inputs: Inputs, metric: str) -> str:
    """The question and a command that answers it, with the same conventions.

    Empty if there is only one run, if standard input was read, which a second command cannot read again, or if the columns
    are thresholds.
    """
    if len(inputs.systems) < 2 or inputs.n_standard_inputs or isinstance(options.f1_threshold, tuple):
        return ""
    truth = ["--dataset", inputs.truth] if inputs.is_dataset else [inputs.truth] if inputs.truth else []
    if inputs.are_records:
        truth = []
    words = ["assay", "compare", *truth, *map(str, inputs.systems), "-m", metric, *_scoring_flags(options)]
    return f"{QUESTION}{shlex.join(words)}"


def _scoring_flags(options: argparse.Namespace) -> Iterator[str]:
    for name in (*SCORING_FLAGS, *(setting.name for setting in fields(Policy))):
        value = getattr(options, name)
        if value is None:
            continue
        yield f"--{name.replace('_', '-')}"
        if value is not True:
            yield f"{value:g}" if isinstance(value, float) else str(value)
