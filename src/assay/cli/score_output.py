"""Score output: scores in every format, and the command that tests whether their difference is real."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.inputs import Inputs
from assay.cli.output_options import formats_of_files, sliced
from assay.cli.scoring_options import SCORING_FLAGS, intervals_for_format
from assay.cli.terminal import terminal_width, use_colour
from assay.model import Policy

if TYPE_CHECKING:
    from assay.comparison import Sliced
    from assay.evaluation import Result
    from assay.metrics import BoundMetric
    from assay.reports import Report

QUESTION = "Is the difference real?  "
MAX_RUNS_IN_TABLE = 100
"""A table on the terminal has at most so many runs, the best ones."""
MAX_RUNS_IN_COMMAND = 20
"""With more runs, no command that compares them is suggested."""
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
        from assay.reports import render_scores

        return render_scores(self._report(form, is_here=is_here), form)

    def write_parquet(self, path: Path) -> None:
        """Write the table of CSV as a Parquet file."""
        from assay.reports import write_score_table

        write_score_table(path, self._report("csv", is_here=False))

    def _report(self, form: str, *, is_here: bool) -> Report:
        from assay.reports import Report, best_first, deciding_metric

        results = [intervals_for_format(form, self.options, self._with_metrics(form, result)) for result in self.results]
        is_table, deciding = form == "table", deciding_metric(results, self.beside)
        ordered = best_first(results, deciding) if is_table and not self.options.sort else results
        shown = ordered[:MAX_RUNS_IN_TABLE] if is_table else ordered
        return Report(
            shown,
            remarks=[self._describe_left_out(len(shown), len(ordered))] if len(shown) < len(ordered) else (),
            per_query=self.options.per_query,
            digits=self.options.digits,
            width=terminal_width() if is_here else None,
            colour=is_here and use_colour(),
            beside=self.beside,
            slices=self._slices(form, shown),
            next_step=self._next_step(deciding) if is_table and deciding else "",
        )

    def _slices(self, form: str, results: Sequence[Result]) -> Sequence[Sliced]:
        """The values by tags, without additional metrics; in a terminal, several runs have those of the first metric."""
        if not self.options.by:
            return ()
        from assay.reports import metric_to_slice

        asked = [metric for metric in results[0].metrics if metric.name not in self.beside]
        shown = metric_to_slice(results, form) or asked
        return sliced(self.options, [result.subset(metrics=shown) for result in results])

    def _describe_left_out(self, n_shown: int, n_runs: int) -> str:
        """What is missing from a table, and which file has all of it or would have it."""
        files = self.options.output
        forms = formats_of_files(files, self.options.file_format)
        complete = [name for name, form in zip(files, forms, strict=True) if form != "table"]
        advice = f"All are in {complete[0]}" if complete else "To write all of them, add -o scores.csv or -o scores.parquet"
        return f"The best {n_shown:,} of {n_runs:,} runs are shown. {advice}."

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

    Empty if there is only one run, if there are very many, if standard input was read, which a second command cannot read
    again, or if the columns are thresholds.
    """
    is_one_or_many = not 2 <= len(inputs.systems) <= MAX_RUNS_IN_COMMAND
    if is_one_or_many or inputs.n_standard_inputs or isinstance(options.f1_threshold, tuple):
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
