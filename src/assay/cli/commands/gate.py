"""assay gate: stop a change that makes retrieval worse."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.gate_inputs import best_so_far, bless_command, read_rules
from assay.cli.inputs import InputRules, Inputs, Kind, Word, add_input_arguments, parse_inputs
from assay.cli.loading import load_results, look_up, make_scoring
from assay.cli.output_options import add_output_arguments, open_store
from assay.cli.program import Command
from assay.cli.terminal import log_verbose, terminal_width, use_colour, write_notes
from assay.errors import AssayError, DataError, UsageError
from assay.masking import mask
from assay.text import counted

if TYPE_CHECKING:
    from assay.monitoring import GateReport, Rule
    from assay.store import LookupResult

    Sides = tuple[LookupResult, LookupResult | None, list[Rule]]
    """What is checked, against what, by which rules."""

EXAMPLES = """\
  assay gate latest --baseline main --rules gate.yaml -o gate.junit.xml -o summary.md
  assay gate new.json --baseline old.json --rule "recall@10 drops <= 0.01" --rule "failed = 0"
  assay gate --rule "mrr not worse than baseline by 0.02 (95%)" --require-baseline"""
ENDINGS = {".xml": "junit", ".md": "markdown", ".json": "json", ".txt": "table"}
FORMATS = ("table", "json", "markdown", "junit")
DEFAULT_BASELINE = "main"
RULES = InputRules(metrics="of runs (default: those that rules are about)", has_default=True, decided=("metrics",))
RULE_LIKE = re.compile(r"[<>=]=?\s|\s")
"""What is in rules and in no reference."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is checked, against what, by which rules; and output."""
    add_input_arguments(parser, RULES)
    parser.add_argument("--baseline", metavar="NAME", help="a blessed name, an evaluation or a file (default: main)")
    parser.add_argument("--rules", action="append", default=[], metavar="FILE", help="gate.yaml; may be repeated")
    parser.add_argument("--rule", action="append", default=[], metavar="RULE", help="one more rule; may be repeated")
    parser.add_argument("--require-baseline", action="store_true", help="without a baseline the gate is broken: exit 3")
    add_output_arguments(
        parser,
        "table, json, markdown or junit",
        "a file, its format by ending: junit.xml, md, json, txt; may be repeated",
        choices=FORMATS,
    )


def run_gate(options: argparse.Namespace) -> int:
    """Rules are read first. Where the gate is broken the files say so too, so that nobody reads the last one's."""
    options.is_named, options.baseline = options.baseline is not None, options.baseline or DEFAULT_BASELINE
    _check_outputs(options.output, options.file_format)
    _check_no_bare_rules(options)
    try:
        report = _make_report(options)
    except AssayError as error:
        from assay.monitoring import broken_gate

        report = broken_gate(error, options.baseline)
        if options.format != "table":  # at the terminal the error says it all
            sys.stdout.write(_renderers()[options.format](report))
        _write(options, report)
        _annotate_github(report)
        raise
    sys.stdout.write(_renderers()[options.format](report))
    _write(options, report)
    _annotate_github(report)
    return report.exit_code


def _check_no_bare_rules(options: argparse.Namespace) -> None:
    """Rules have an option of their own: a word by itself is a result."""
    meant = [word for word in options.files if RULE_LIKE.search(word) and not Path(word).exists()]
    if meant:
        rules = " ".join(f"--rule {shlex.quote(word)}" for word in meant)
        raise UsageError(f"{meant[0]!r} is no result; rules are given as {rules}")


def _make_report(options: argparse.Namespace) -> GateReport:
    from dataclasses import replace

    from assay.monitoring import gate

    inputs = parse_inputs(options, RULES)
    now, before, rules = _stored_sides(options, inputs) if inputs.is_scored else _scored_sides(options, inputs)
    against = before.label if before else "nothing"
    log_verbose(options, f"{now.label}, held against {against} by {counted(len(rules), 'rule')}")
    best = best_so_far(options, rules, now)
    anew = bless_command(options.baseline, now.evaluation)
    report = gate(now.results, before.results if before else None, rules, name=options.baseline, best=best, anew=anew)
    notes = report.notes
    if before and before.evaluation and before.evaluation == now.evaluation:
        notes = (*notes, f"{options.baseline} is this very evaluation, so nothing can be worse than it")
    return replace(report, baseline=before.label if before else "", notes=notes)


def _stored_sides(options: argparse.Namespace, inputs: Inputs) -> Sides:
    """Results, the baseline of a name or file, and rules about the metrics that were recorded."""
    from functools import cache

    from assay.monitoring import metrics_of

    load = cache(lambda: _look_up_all(inputs))
    rules = read_rules(options.rules, options.rule, lambda: metrics_of(load().results))
    return load(), _find_baseline(options, load()), rules


def _look_up_all(inputs: Inputs) -> LookupResult:
    """The results of all words under the names that the baseline has for them; two of one name could not be told apart."""
    from assay.store import LookupResult

    inputs.check_files()
    lookups = [_with_own_names(word) for word in inputs.systems]
    results = [result for lookup in lookups for result in lookup.results]
    names = [f"{result.name} on {result.benchmark}" if result.benchmark else result.name for result in results]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(
            f"two results are called {', '.join(twice)}, and the baseline cannot tell them apart; check them one at a time"
        )
    if len(lookups) == 1:
        return lookups[0]
    return LookupResult(tuple(results), ", ".join(lookup.label for lookup in lookups))


def _with_own_names(word: Word) -> LookupResult:
    """A name in front of several results is none of them: the baseline knows each by its own."""
    from dataclasses import replace

    lookup = look_up(replace(word, name=""))
    is_one = len(lookup.results) == 1
    return replace(lookup, results=(lookup.results[0].renamed(word.name),)) if word.name and is_one else lookup


def _scored_sides(options: argparse.Namespace, inputs: Inputs) -> Sides:
    """Runs scored by the metrics of the rules; where the baseline is a run, it is scored with them."""
    from dataclasses import replace

    from assay.store import LookupResult

    rules = read_rules(options.rules, options.rule)
    scoring = make_scoring(options, inputs, [rule.metric for rule in rules if rule.metric])
    baseline = Word.of(options.baseline, options.store)
    is_run = options.is_named and baseline.kind is Kind.FILE and Path(baseline.path).exists()
    systems = (*inputs.systems, baseline) if is_run else inputs.systems
    results = load_results(options, replace(inputs, systems=systems), scoring).results
    label = ", ".join(map(str, inputs.systems))
    now = LookupResult(tuple(results[:-1] if is_run else results), label)
    before = LookupResult(tuple(results[-1:]), str(baseline)) if is_run else _find_baseline(options, now)
    return now, before, rules


def _find_baseline(options: argparse.Namespace, now: LookupResult) -> LookupResult | None:
    from dataclasses import replace

    from assay.store import find_baseline

    word = Word.of(options.baseline, options.store)
    if word.kind is Kind.SAVED:
        return look_up(replace(word, name=""))
    before, meant = find_baseline(options.baseline, options.store)
    if before is None:
        _report_no_baseline(options, now, meant)
    return before


def _report_no_baseline(options: argparse.Namespace, now: LookupResult, meant: str) -> None:
    """Say how one is made. It is an error on request, and where others are there: then the name is a slip, or is new."""
    command = bless_command(options.baseline.partition("#")[0], now.evaluation or "latest")
    others = _baseline_names(options) if options.is_named else []
    if others:
        known = ", ".join(others)
        raise DataError(f"there is no baseline {options.baseline}{meant}; there are {known}, and {command} makes one")
    message = f"there is no baseline {options.baseline} yet{meant}, so nothing is compared: {command} makes one"
    if options.require_baseline:
        raise DataError(message)
    write_notes(options, f"note: {message}")


def _baseline_names(options: argparse.Namespace) -> list[str]:
    """The names that were blessed in the store; none where there is no store."""
    from assay.store import parse_location

    if not parse_location(options.store).exists:
        return []
    with open_store(options) as store:
        return sorted(store.baselines())


def _renderers() -> dict[str, Callable[[GateReport], str]]:
    from assay.monitoring import render_gate
    from assay.reports import json_text, render_gate_junit

    return {
        "table": lambda report: render_gate(report, terminal_width(), colour=use_colour()),
        "json": lambda report: json_text(report.to_dict()),
        "markdown": _markdown,
        "junit": render_gate_junit,
    }


def _markdown(report: GateReport) -> str:
    from assay.reports import gate_sections, render_sections

    return render_sections(gate_sections(report), "markdown")


def _check_outputs(paths: Sequence[str], form: str) -> None:
    from assay.reports import OR_FLAG, form_of

    for path in map(Path, paths):
        if not form_of(path, form, ENDINGS):
            raise UsageError(f"-o {path}: the ending tells the format; there are junit.xml, md, json and txt; {OR_FLAG}")
        if path.is_dir() or not path.parent.exists():
            raise UsageError(f"-o {path}: a file in a folder that exists is needed")


def _write(options: argparse.Namespace, report: GateReport) -> None:
    """Files are written whole or not at all."""
    from assay.atomic_write import atomic_write
    from assay.monitoring import render_gate
    from assay.reports import form_of

    for path in map(Path, options.output):
        name = form_of(path, options.file_format, ENDINGS)
        text = render_gate(report) if name == "table" else _renderers()[name](report)
        with atomic_write(path) as file:
            file.write(mask(text).encode("utf-8", "surrogatepass" if name == "json" else "replace"))
    if options.output:
        write_notes(options, f"wrote {', '.join(options.output)}")


def _annotate_github(report: GateReport) -> None:
    """Annotations beside the change, and the summary of the step; only where GitHub runs us."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    from assay.reports import render_annotations

    sys.stderr.write(render_annotations(report))
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with Path(summary).open("a", encoding="utf-8", errors="replace") as file:
                file.write(mask(_markdown(report)))
        except OSError as error:
            sys.stderr.write(f"note: the summary of this step cannot be written: {error.strerror or error}\n")


COMMAND = Command("gate", "stop a change that makes results worse", add_arguments, run_gate, EXAMPLES, computes=True)
