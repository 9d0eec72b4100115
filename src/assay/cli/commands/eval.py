"""assay eval: run providers on benchmarks, and score what they retrieve."""

from __future__ import annotations

import argparse
import hashlib
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from assay.cli.earlier_results import notes_on_noise
from assay.cli.eval_options import OTHER_FLAGS, add_arguments, check_flags, check_is_result, check_plan_word
from assay.cli.exit_codes import exit_code_of_interrupt, write_error
from assay.cli.output_options import check_store, report_file
from assay.cli.program import Command, Group
from assay.cli.progress import ProgressTally, progress_watcher
from assay.cli.reading_options import READING_FLAGS
from assay.cli.scoring_options import TERM_FLAGS, find_unit, policy_flags
from assay.cli.terminal import log_intervals, log_policy, log_verbose, terminal_width, use_colour
from assay.errors import DataError, NothingSelected, ProviderError, StoreError, UsageError
from assay.masking import MASK, mask
from assay.providers import notes_on_literals
from assay.text import counted, printable

if TYPE_CHECKING:
    from assay.evaluation import Result
    from assay.execution import Plan, Progress
    from assay.reports import EvaluationDisplay
    from assay.store import StoreLocation


EXAMPLES = """\
  assay eval --benchmarks rag-template --providers bm25 dense "hybrid(bm25, dense)" --metrics ndcg@10 recall@10
  assay eval plan.yaml -o result.json -o run.trec
  assay eval plan.yaml --resume"""
STEPS = {"asking": "querying"}
"""Steps of an evaluation as results record them → as `-v` prints them."""
EXAMPLE_BENCHMARK, EXAMPLE_PROVIDER = "rag-template", "bm25"


def run_eval(options: argparse.Namespace) -> int:
    """Everything is checked first; then the queries run, and results are scored, written and printed.

    What a provider prints goes to standard error, so that standard output has only the results.
    """
    from assay.reports import (
        PROGRAM_FORMATS,
        EvaluationDisplay,
        check_outputs,
        failure_errors,
        failure_notes,
        find_renderer,
        new_folders,
        render_evaluation,
    )

    out, width, colour = sys.stdout, terminal_width(), use_colour()
    check_plan_word(options)
    with redirect_stdout(sys.stderr):
        find_renderer(options.format)
        plan = _make_plan(options)
        log_plan(options, plan)
        outputs = list(dict.fromkeys([*plan.outputs, *options.output]))
        check_outputs(outputs, form=options.file_format)
        _write_notes(options, *(f"note: {note}" for note in plan.notes))
        _write_warnings(notes_on_literals(plan.providers))
        check_store(options)
        results = _execute(options, plan)
        if isinstance(results, int):
            return results
        folders, layout = new_folders(outputs), EvaluationDisplay(statistics=plan.statistics, by=plan.by)
        written, faults = _write(outputs, results, layout, options.file_format)
        again = _retry_hint(written)
        layout = replace(layout, width=width, colour=colour, again=again, strict=plan.strict)
        _print_apart(options, render_evaluation(results, options.format, layout), out)
        log_results(options, results)
        if options.format in PROGRAM_FORMATS:
            _write_notes(options, *failure_notes(results, again, strict=plan.strict))
        lost = _store_results(options, plan, results)
        _write_notes(options, *_note_written(written, folders))
        failures = failure_errors(results, again, strict=plan.strict)
        for error in (*faults, *failures, *lost):
            write_error(error)
    codes = ((lost, StoreError), (faults, DataError), (failures, ProviderError))
    return next((error.exit_code for messages, error in codes if messages), 0)


def _note_written(files: Sequence[Path], folders: Sequence[Path]) -> list[str]:
    made = f" (new folder: {', '.join(map(str, folders))})" if folders else ""
    return [f"wrote {', '.join(map(str, files))}{made}"] if files else []


def _store_results(options: argparse.Namespace, plan: Plan, results: Sequence[Result]) -> list[str]:
    """Save the results in the store; return its errors, because the output is written anyway."""
    if options.no_store:
        return []
    from assay.store import keep, parse_location

    try:
        stored = keep(results, plan, options.store)
    except StoreError as error:
        return [str(error)]
    place = parse_location(options.store)
    _write_notes(options, f"saved as {stored} in {place}.  {where_to_look(place, options.store)}")
    _write_notes(options, *notes_on_noise(results, options.store, stored))
    return []


def _print_apart(options: argparse.Namespace, text: str, out: TextIO) -> None:
    """Print it; if notes go to the same terminal, with an empty line before and after it."""
    is_one_screen = out.isatty() and sys.stderr.isatty() and not options.quiet
    sys.stderr.write("\n" if is_one_screen else "")
    out.write(text)
    out.flush()
    sys.stderr.write("\n" if is_one_screen and ends_in_table(text) else "")


def _write_notes(options: argparse.Namespace, *sentences: str) -> None:
    """Write notes to standard error, unless `--quiet` was given."""
    for sentence in () if options.quiet else sentences:
        sys.stderr.write(f"{printable(sentence)}\n")


def _write_warnings(sentences: Iterable[str]) -> None:
    """Write warnings to standard error, even with `--quiet`: on secrets that others can read, or on a silent provider."""
    for sentence in sentences:
        sys.stderr.write(f"warning: {printable(sentence)}\n")
    sys.stderr.flush()  # the user should see it while the evaluation runs


def _write_message(options: argparse.Namespace, message: str) -> None:
    """Write a message of the execution: a note, or a warning."""
    from assay.execution import DelayWarning

    if isinstance(message, DelayWarning):
        _write_warnings([message])
    else:
        _write_notes(options, f"note: {message}")


def _execute(options: argparse.Namespace, plan: Plan) -> list[Result] | int:
    """The results of a plan; or an exit code after an interruption, with a message that says how to resume."""
    from assay.execution import ExecutionOptions, execute_plan

    name = _log_name(Path(options.plan)) if options.plan else ""
    before = _read_earlier_results(options.retry_failed)
    tally = ProgressTally(lambda _: None)
    try:
        with progress_watcher(quiet=options.quiet) as watch, _progress_to_store(options, plan) as tell:
            tally = ProgressTally(watch, tell)
            how = ExecutionOptions(
                options.resume,
                name=name,
                watch=tally,
                say=partial(_write_message, options),
                before=before,
            )
            return execute_plan(plan, how)
    except KeyboardInterrupt as interrupt:
        advice = f". {_resume_hint(options, plan)}" if tally.n_answered else ""
        n_parts = len(plan.benchmarks) * len(plan.providers)
        sys.stderr.write(f"interrupted: {printable(tally.sentence(n_parts) + advice)}\n")
        return exit_code_of_interrupt(interrupt)


def _progress_to_store(options: argparse.Namespace, plan: Plan) -> AbstractContextManager[Callable[[Progress], None]]:
    """A function that writes the progress to the store, from which the web page reads it."""
    if options.no_store:
        return nullcontext(lambda _: None)
    from assay.store import parse_location, publish_progress

    return publish_progress(
        parse_location(options.store), len(plan.benchmarks) * max(len(plan.chunkers), 1) * len(plan.providers)
    )


def _resume_hint(options: argparse.Namespace, plan: Plan) -> str:
    """The typed command with --resume. A command with secrets is not printed, because output may be logged."""
    words = [*options.typed, *([] if options.resume else ["--resume"])]
    has_secrets = any(MASK in str(provider.configuration) for provider in plan.providers if options.providers)
    if has_secrets or any(mask(word) != word for word in words):
        return "To continue, run the same command with --resume"
    return f"To continue: {shlex.join(['assay', *words])}"


def _write(
    outputs: Sequence[str], results: Sequence[Result], layout: EvaluationDisplay, form: str
) -> tuple[list[Path], list[str]]:
    """The written files, and the errors of the others. One error does not stop the other files."""
    from assay.reports import write_output

    written: list[Path] = []
    faults: list[str] = []
    for output in outputs:
        try:
            written += write_output(Path(output), results, layout, form)
        except DataError as error:
            faults.append(str(error))
        except OSError as error:
            faults.append(f"{output}: cannot be written: {error.strerror or error}")
    return written, faults


def _retry_hint(written: Sequence[Path]) -> str:
    """How to run failed queries again."""
    saved = [path for path in written if path.suffix.lower() == ".json"]
    ways = [f"--retry-failed {shlex.quote(str(saved[0]))}"] if saved else []
    return f"To retry these queries, add {' or '.join(['--resume', *ways])}"


def _log_name(plan: Path) -> str:
    """The name of a plan in logs: its file name and a digest of its path, because many are called plan.yaml."""
    return f"plan-{plan.stem}-{hashlib.blake2b(bytes(plan.absolute()), digest_size=4).hexdigest()}"


def _make_plan(options: argparse.Namespace) -> Plan:
    from assay.execution import WrittenPlan, make_plan, read_plan

    check_flags(options)
    content: dict[str, Any] = dict(read_plan(Path(options.plan))) if options.plan else {}
    names = (
        *("benchmarks", "queries", "dataset_format", "chunkers", "providers"),
        "metrics",
        "k",
        "profile",
        *READING_FLAGS,
        *TERM_FLAGS,
    )
    running = ("concurrency", "timeout", "index_timeout", "retries", "repeats")
    flags = {
        **{name: getattr(options, name) for name in (*names, *running)},
        "strict": options.strict or None,
        "by": options.by,
        "cache": False if options.no_cache else None,
    }
    content |= {name: value for name, value in flags.items() if value is not None}
    _merge_relevance(content, options)
    if not options.plan:
        _check_required(options)
    selection = {name: getattr(options, name) for name in ("limit", "sample", "seed", "where", "range")}
    _merge(content, "selection", {name: value for name, value in selection.items() if value is not None})
    _merge(content, "policy", policy_flags(options))
    _merge(content, "statistical_analysis", _statistics(options))
    return make_plan(WrittenPlan(content), options.plan or "assay eval")


def _merge_relevance(content: dict[str, Any], options: argparse.Namespace) -> None:
    """Merge the flags about relevance into the plan, which has the unit and the id map inside or next to relevance."""
    flags = {
        "by": options.relevance,
        "unit": find_unit(options),
        "id_map": options.id_map,
        "missing_documents": options.missing_documents,
    }
    settings = {name: value for name, value in flags.items() if value is not None}
    if not settings:
        return
    block = content.get("relevance")
    own = dict(block) if isinstance(block, Mapping) else {} if block is None else {"by": block}
    for name in settings:
        content.pop(name, None)
    content["relevance"] = {**own, **settings}


def _merge(content: dict[str, Any], key: str, settings: Mapping[str, Any]) -> None:
    """Merge flags into a block of the plan. If the block is not a map, the plan reports it later."""
    known = content.get(key)
    if settings and isinstance(known, Mapping | None):
        content[key] = {**(known or {}), **settings}


def _statistics(options: argparse.Namespace) -> dict[str, Any]:
    """The flags about intervals and tests, in the form of a plan."""
    settings = {
        "confidence_intervals": False if options.ci == "none" else options.ci,
        "significance_testing": False if options.test == "none" else options.test,
        "correct_metrics": options.correct_metrics or None,
        "alpha_level": None if options.level is None else round(1 - options.level, 12),
    }
    return {name: value for name, value in settings.items() if value is not None}


def _check_required(options: argparse.Namespace) -> None:
    """Say which flags are missing, with a whole command to start from, which has what the user gave."""
    sources = {"benchmarks": options.benchmarks or options.queries, "providers": options.providers}
    names = [name for name, value in sources.items() if not value]
    if not names:
        return
    flags = " and ".join(f"--{name}" for name in names)
    verb, pronoun = ("is", "it") if len(names) == 1 else ("are", "them")
    benchmarks = ["--benchmarks", *(options.benchmarks or [EXAMPLE_BENCHMARK])]
    if options.queries:
        benchmarks = ["--queries", *options.queries]
    if options.documents:
        benchmarks = [*benchmarks, "--documents", options.documents]
    words = [
        "assay",
        "eval",
        *benchmarks,
        "--providers",
        EXAMPLE_PROVIDER,
        "--metrics",
        "ndcg@10",
        "recall@10",
    ]
    raise UsageError(f"{flags} {verb} missing. Add {pronoun}, or give a plan.yaml\n  for example: {shlex.join(words)}")


def _read_earlier_results(path: str | None) -> list[Result] | None:
    """The earlier results whose failed queries are run again; None if all queries are run."""
    if not path:
        return None
    from assay.evaluation import read_results

    check_is_result(path)
    results = read_results(path)
    if not any(result.failures for result in results):
        raise NothingSelected(f"{path}: no query failed in this result, so there is nothing to run again")
    return results


def log_plan(options: argparse.Namespace, plan: Plan) -> None:
    """Log all settings before the first query runs."""
    retry_policy, statistics = plan.retry_policy, plan.statistics
    log_verbose(options, f"metrics: {', '.join(metric.name for metric in plan.metrics)}")
    log_policy(options, plan.profile)
    log_verbose(options, f"relevance: {plan.relevance.by}, unit {plan.relevance.unit}")
    waits = (
        f"{retry_policy.concurrency} at the same time, timeout {retry_policy.timeout:g} s, "
        f"{counted(retry_policy.retries, 'retry')}"
    )
    log_verbose(options, f"queries: {plan.k} documents each, {waits}")
    test = statistics.significance_testing or "none"
    log_verbose(options, f"statistics: intervals by {statistics.confidence_intervals or 'none'}, test {test}, seed 0")


def log_results(options: argparse.Namespace, results: Sequence[Result]) -> None:
    """Log how long each provider took for each step, and which method computed the intervals."""
    for result in results:
        seconds = result.provenance.get("seconds") or {}
        parts = ", ".join(
            f"{STEPS.get(what, what)} {time:.2f} s" for what, time in seconds.items() if isinstance(time, int | float)
        )
        about = result.provenance.get("dataset") or {}
        log_verbose(options, f"{result.benchmark} ({about.get('format', '')})/{result.name}: {parts}")
    log_intervals(options, results)


def ends_in_table(text: str) -> bool:
    """Whether the last line belongs to a table, which is indented, and is not a sentence."""
    return text.rstrip("\n").rpartition("\n")[2].startswith(" ")


def where_to_look(place: StoreLocation, store_flag: str | None) -> str:
    """Commands that show the stored results; with --store if it was given and contains no secret."""
    is_named = store_flag is not None and "***" not in str(place)
    store = f" --store {shlex.quote(str(store_flag))}" if is_named else ""
    return f"Show: assay show latest{store} · Report: assay report latest{store} -o {report_file()}"


COMMAND = Command(
    "eval",
    "run providers on benchmarks and score them",
    add_arguments,
    run_eval,
    EXAMPLES,
    "more_words",
    other_flags=OTHER_FLAGS,
    computes=True,
    group=Group.SCORE,
)
