"""assay gate: fail if a change makes retrieval worse."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.gate_check import EXAMPLE_SIZES, add_check_arguments, check_options, has_no_results, print_check
from assay.cli.gate_inputs import BASELINE_HELP, add_rule_arguments, best_so_far, bless_command, guard_memory, read_rules
from assay.cli.inputs import InputRules, Inputs, Kind, Word, add_input_arguments, parse_inputs
from assay.cli.judging.gate_layers import check_decidable, check_values, estimate_notes, refuse_model_alone
from assay.cli.judging.layers import add_layer_arguments, check_layer, each_with_layer
from assay.cli.loading import load_results, look_up, make_scoring
from assay.cli.output_options import add_output_arguments, open_store
from assay.cli.program import Command, Group
from assay.cli.scoring_options import add_cluster_argument
from assay.cli.terminal import log_verbose, terminal_width, use_colour, write_notes
from assay.errors import AssayError, DataError, NothingSelected, UsageError
from assay.masking import mask
from assay.text import counted

if TYPE_CHECKING:
    from assay.evaluation import Result
    from assay.monitoring import GateReport, Rule
    from assay.store import LookupResult

    Sides = tuple[LookupResult, LookupResult | None, list[Rule]]
    """The results, the baseline and the rules."""

EXAMPLES = """\
  assay gate latest --baseline main --rules gate.yaml -o gate.junit.xml -o summary.md
  assay gate new.json --baseline old.json --rule "recall@10 drops <= 0.01" --rule "failed = 0"
  assay gate --rule "mrr not worse than baseline by 0.02 (95%)" --require-baseline
  assay gate --check gate.yaml --queries 50"""
ENDINGS = {".xml": "junit", ".md": "markdown", ".json": "json", ".txt": "table"}
FORMATS = ("table", "json", "markdown", "junit")
DEFAULT_BASELINE = "main"
RULES = InputRules(
    metrics="metrics to score runs with (default: the metrics in the rules)",
    has_default=True,
    decided=("metrics",),
    looks_up_unjudged=True,
)
RULE_LIKE = re.compile(r"[<>=]=?\s|\s")
"""A pattern that occurs in rules but not in references, except in the name of a provider after a #."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The results, the baseline, the rules, and the output."""
    add_input_arguments(parser, RULES)
    parser.add_argument("--baseline", metavar="NAME", help=BASELINE_HELP)
    add_rule_arguments(parser)
    parser.add_argument(
        "--residuals",
        action="store_true",
        help="show the lowest and highest possible difference if the unjudged documents were judged",
    )
    add_cluster_argument(parser)
    add_layer_arguments(parser)
    add_check_arguments(parser)
    add_output_arguments(
        parser,
        "output format: table, json, markdown or junit (default: table)",
        "also write to this file, in the format of its extension: .xml (JUnit) .md .json .txt; may be repeated",
        choices=FORMATS,
    )


def run_gate(options: argparse.Namespace) -> int:
    """Rules are read first. If the gate cannot be run, the files say so too, so that no earlier files are left."""
    options.is_named, options.baseline = options.baseline is not None, options.baseline or DEFAULT_BASELINE
    _check_outputs(options.output, options.file_format)
    _check_no_bare_rules(options)
    check_options(options)
    check_layer(options)
    if options.check:
        return _run_check(options)
    try:
        report = _make_report(options)
    except AssayError as error:
        from assay.monitoring import broken_gate

        report = broken_gate(error, options.baseline)
        if options.format != "table":  # on the terminal the error is enough
            sys.stdout.write(_renderers()[options.format](report))
        _write(options, report)
        _annotate_github(report)
        raise
    sys.stdout.write(_renderers()[options.format](report))
    _write(options, report)
    _annotate_github(report)
    return report.exit_code


def _run_check(options: argparse.Namespace) -> int:
    """Say what the rules can notice; the results decide how much single queries vary, if there are any."""
    from assay.monitoring import cases_of, check_rules, pair_results

    if options.cluster:
        raise UsageError("--check does not know clusters. Leave out --cluster")
    options.rules = [*options.check, *options.rules]
    if not options.files and (options.queries is not None or has_no_results(options)):
        rules = read_rules(options.rules, options.rule)
        sizes = EXAMPLE_SIZES if options.queries is None else (options.queries,)
        print_check(options, [check for size in sizes for check in check_rules(rules, size)])
        return 0
    inputs = parse_inputs(options, RULES)
    now, before, rules = _stored_sides(options, inputs) if inputs.is_scored else _scored_sides(options, inputs)
    pairing = pair_results(now.results, before.results, options.baseline) if before else None
    cases = cases_of(now.results, pairing, rules, options.baseline)
    print_check(options, check_rules(rules, options.queries, cases))
    return 0


def _check_no_bare_rules(options: argparse.Namespace) -> None:
    """Refuse rules without --rule: a positional argument is a result."""
    meant = [word for word in options.files if RULE_LIKE.search(word.partition("#")[0]) and not Path(word).exists()]
    if meant:
        rules = " ".join(f"--rule {shlex.quote(word)}" for word in meant)
        raise UsageError(f"{meant[0]!r} is not a result. Give rules with --rule: {rules}")


def _make_report(options: argparse.Namespace) -> GateReport:
    from dataclasses import replace

    from assay.monitoring import gate

    inputs = parse_inputs(options, RULES)
    now, before, rules = _stored_sides(options, inputs) if inputs.is_scored else _scored_sides(options, inputs)
    sides = now.results, before.results if before else ()
    now = _with_layer(options, inputs, now, "b", sides[1])
    before = _with_layer(options, inputs, before, "a", sides[0]) if before else None
    compared = [rule.metric.name for rule in rules if rule.metric and rule.needs_baseline]
    check_decidable(now.results, before.results if before else (), compared)
    against = before.label if before else "nothing"
    log_verbose(options, f"{now.label}, compared with {against}, {counted(len(rules), 'rule')}")
    best = best_so_far(options, rules, now)
    renewal = bless_command(options.baseline, now.evaluation)
    with guard_memory(options, rules) as memory:
        report = gate(
            now.results,
            before.results if before else None,
            rules,
            name=options.baseline,
            best=best,
            renewal=renewal,
            memory=memory,
            residuals=options.residuals,
            cluster=options.cluster,
        )
    check_values(report, now.results)
    notes = tuple(dict.fromkeys((*report.notes, *estimate_notes(now.results), *_notes_on_origin(now))))
    is_same = before is not None and [result.name for result in before.results] == [result.name for result in now.results]
    if before and is_same and before.evaluation and before.evaluation == now.evaluation:
        notes = (*notes, f"the baseline {options.baseline} is the evaluation that is checked, so nothing can be worse")
    return replace(report, baseline=before.label if before else "", notes=notes)


def _notes_on_origin(now: LookupResult) -> list[str]:
    """A note on each benchmark with synthetic queries, and on the rules that separate them."""
    from assay.evaluation import notes_on_origin

    advice = "write rules with 'where origin=synthetic' and 'where origin=(none)'"
    return [f"{result.benchmark}: {note}" for result in now.results for note in notes_on_origin(result.queries, advice)]


def _with_layer(
    options: argparse.Namespace, inputs: Inputs, lookup: LookupResult, side: str, others: Sequence[Result]
) -> LookupResult:
    """The results with the grades of people, or of a model that people correct, if the options ask for them."""
    from dataclasses import replace

    if options.judgments and not inputs.is_scored:
        raise UsageError("--judgments uses the grades in the store, so it needs results, saved or stored, instead of runs")
    try:
        results = each_with_layer(options, lookup.results, side, others)
    except NothingSelected as error:  # without grades, a gate has no data to decide with
        raise DataError(str(error)) from None
    refuse_model_alone(results)
    return replace(lookup, results=results)


def _stored_sides(options: argparse.Namespace, inputs: Inputs) -> Sides:
    """Results, the baseline by name or file, and rules about the metrics of the results."""
    from functools import cache

    from assay.monitoring import metrics_of

    load = cache(lambda: _look_up_all(inputs))
    rules = read_rules(options.rules, options.rule, lambda: metrics_of(load().results))
    return load(), _find_baseline(options, load()), rules


def _look_up_all(inputs: Inputs) -> LookupResult:
    """The results of all words under their own names, as in the baseline. Two results with the same name are an error."""
    from assay.store import LookupResult

    inputs.check_files()
    lookups = [_with_own_names(word) for word in inputs.systems]
    results = [result for lookup in lookups for result in lookup.results]
    names = [f"{result.name} on {result.benchmark}" if result.benchmark else result.name for result in results]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(
            f"two results have the same name ({', '.join(twice)}), so it is unclear which one to compare with the baseline. "
            "Check one at a time"
        )
    if len(lookups) == 1:
        return lookups[0]
    return LookupResult(tuple(results), ", ".join(lookup.label for lookup in lookups))


def _with_own_names(word: Word) -> LookupResult:
    """A name for several results is ignored, because the baseline has each under its own name."""
    from dataclasses import replace

    lookup = look_up(replace(word, name=""))
    is_one = len(lookup.results) == 1
    return replace(lookup, results=(lookup.results[0].renamed(word.name),)) if word.name and is_one else lookup


def _scored_sides(options: argparse.Namespace, inputs: Inputs) -> Sides:
    """Runs, scored with the metrics of the rules. If the baseline is a run, it is scored in the same way."""
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
    """Say how to create the baseline. It is an error with --require-baseline, and if the store has other baselines."""
    command = bless_command(options.baseline.partition("#")[0], now.evaluation or "latest")
    others = _baseline_names(options) if options.is_named else []
    if others:
        known = ", ".join(others)
        create = f" To create it: {command}" if command else ""
        raise DataError(f"no baseline is called {options.baseline}{meant}.{create}   (choose from {known})")
    create = f". To create it: {command}" if command else ""
    message = f"no baseline is called {options.baseline} yet{meant}, so nothing is compared{create}"
    if options.require_baseline:
        raise DataError(message)
    write_notes(options, f"note: {message}")


def _baseline_names(options: argparse.Namespace) -> list[str]:
    """The names of the baselines in the store; empty if there is no store."""
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
            raise UsageError(f"-o {path}: the file extension must be one of .xml (JUnit), .md, .json, .txt. {OR_FLAG}")
        if path.is_dir() or not path.parent.exists():
            raise UsageError(f"-o {path}: this must be a file in an existing folder")


def _write(options: argparse.Namespace, report: GateReport) -> None:
    """Write each output file completely or not at all."""
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
    """Write annotations and the summary of the step, if the command runs in GitHub Actions."""
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


COMMAND = Command(
    "gate",
    "check results against rules, and fail if a rule is broken",
    add_arguments,
    run_gate,
    EXAMPLES,
    computes=True,
    group=Group.FOLLOW,
)
