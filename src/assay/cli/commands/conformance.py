"""assay conformance: check your own metric code against cases that were calculated by hand."""

from __future__ import annotations

import argparse
import importlib
import math
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import reduce
from typing import TYPE_CHECKING, Any

from assay.cli.program import Command, Group
from assay.cli.terminal import terminal_width, use_colour
from assay.errors import DataError, UsageError
from assay.text import type_with_article

if TYPE_CHECKING:
    from assay.conformance import Case, Report

MAX_ERROR_LINES = 10
"""The number of lines that are shown from the standard error of a failed command."""

EXAMPLES = """\
  assay conformance --command "python examples/my_metrics.py"
  assay conformance --function my_module:score --topic ties gain
  assay conformance --pytest my_module:score > test_my_metrics.py
  assay conformance --cases --metrics ndcg
  assay conformance --topics"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to check, the cases, and the output."""
    subject = parser.add_argument_group("what to check").add_mutually_exclusive_group(required=True)
    subject.add_argument(
        "--command",
        metavar="COMMAND",
        help="check a program that reads a JSON line for each case and writes a JSON line with the result",
    )
    subject.add_argument(
        "--function", metavar="MODULE:NAME", help="check a Python function score(metric, qrels, run) -> float"
    )
    subject.add_argument("--pytest", metavar="MODULE:NAME", help="print a pytest file that checks this function")
    subject.add_argument("--cases", action="store_true", help="print the cases as JSON lines")
    subject.add_argument("--topics", action="store_true", help="list the topics of the cases")
    _add_case_arguments(parser.add_argument_group("cases"))
    parser.add_argument(
        "-f",
        "--format",
        default="table",
        choices=("table", "json"),
        metavar="FORMAT",
        help="output format: table or json (default: table)",
    )


def _add_case_arguments(some: argparse._ArgumentGroup) -> None:
    """The options for the cases."""
    some.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        action="extend",
        metavar="METRIC",
        help="use only cases of these metrics; cutoffs are ignored",
    )
    some.add_argument(
        "--topic",
        nargs="+",
        action="extend",
        metavar="TOPIC",
        help="use only cases of these topics; --topics lists all",
    )
    some.add_argument(
        "--tolerance",
        type=_positive,
        default=1e-6,
        metavar="X",
        help="largest difference between two scores that counts as equal (default: 1e-6)",
    )
    some.add_argument(
        "--timeout", type=_positive, default=60.0, metavar="SECONDS", help="time limit for the program (default: 60)"
    )


def run_conformance(options: argparse.Namespace) -> int:
    """Exit code 0 if nothing is wrong, else 1."""
    from assay.conformance import all_cases

    cases = all_cases(options.metrics, options.topic)
    if options.cases or options.topics or options.pytest is not None:
        sys.stdout.write(_render_listing(options, cases))
        return 0
    report = _check_command(options, cases) if options.command is not None else _check_function(options, cases)
    sys.stdout.write(_render_report(options, report))
    return 0 if report.passed else 1


def _render_listing(options: argparse.Namespace, cases: Sequence[Case]) -> str:
    """The cases, their topics, or a pytest file."""
    from assay.conformance import render_cases, render_pytest_file

    if options.cases:
        return render_cases(cases)
    if options.topics:
        return _topics(cases)
    with _current_directory_importable():
        _function(options.pytest, "--pytest")
    return render_pytest_file(options.pytest, options.metrics, options.topic, tolerance=options.tolerance)


def _topics(cases: Sequence[Case]) -> str:
    """A line for each topic: its name, and the metrics of its cases."""
    metrics: dict[str, list[str]] = {}
    for case in cases:
        metrics.setdefault(case.topic, []).append(case.title)
    widest = max(map(len, metrics))
    return "".join(f"{topic:<{widest}}  {' '.join(dict.fromkeys(names))}\n" for topic, names in metrics.items())


def _render_report(options: argparse.Namespace, report: Report) -> str:
    from assay.conformance import render_report
    from assay.reports import json_text

    if options.format == "json":
        return json_text(report.to_dict())
    return render_report(report, terminal_width(), colour=use_colour())


def _check_command(options: argparse.Namespace, cases: Sequence[Case]) -> Report:
    """Run a program on all cases at once."""
    from assay.conformance import check_answers, parse_answers, render_requests

    output, complaints = _run(_words(options.command), render_requests(cases), options.timeout)
    answers = parse_answers(output, cases, "output of the command")
    if not answers:
        raise DataError(f"the command gave no answer to any of {len(cases)} cases: {options.command}", complaints)
    return check_answers(cases, answers, tolerance=options.tolerance)


def _words(command: str) -> list[str]:
    """The words of the command, split as in a shell. If there is no program `python`, assay's interpreter replaces it."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--command {command!r}: {error}") from None
    if not words:
        raise UsageError('--command must be a program, such as "python my_metrics.py", not empty')
    if words[0] == "python" and shutil.which("python") is None:
        words[0] = sys.executable
    return words


def _run(words: list[str], requests: str, timeout: float) -> tuple[str, list[str]]:
    """The output of a program, and the last lines of its standard error. It runs without a shell."""
    command = shlex.join(words)
    try:
        done = subprocess.run(words, input=requests.encode(), capture_output=True, timeout=timeout, check=False)  # noqa: S603 (asked for)
    except OSError as error:
        raise UsageError(f"--command {command}: {error.strerror or error}") from None
    except subprocess.TimeoutExpired as error:
        tail = _tail(error.stderr)
        raise DataError(f"the command took longer than {timeout:g} s (--timeout sets the limit): {command}", tail) from None
    if done.returncode:
        raise DataError(f"the command {_describe_exit(done.returncode)}: {command}", _tail(done.stderr))
    return done.stdout.decode(errors="replace"), _tail(done.stderr)


def _describe_exit(code: int) -> str:
    """How a failed program ended."""
    if code > 0:
        return f"exited with code {code}"
    return f"was killed by {signal.Signals(-code).name if -code in list(signal.Signals) else f'signal {-code}'}"


def _tail(output: bytes | None) -> list[str]:
    """The last lines of the output."""
    return (output or b"").decode(errors="replace").rstrip().splitlines()[-MAX_ERROR_LINES:]


def _check_function(options: argparse.Namespace, cases: Sequence[Case]) -> Report:
    """Call a Python function on every case."""
    from assay.conformance import check_function

    with _current_directory_importable():
        report = check_function(_function(options.function, "--function"), cases, tolerance=options.tolerance)
    if len(report.skipped) == len(cases):
        raise DataError(f"{options.function} gave no answer to any of {len(cases)} cases")
    return report


@contextmanager
def _current_directory_importable() -> Iterator[None]:
    """Make modules in the current folder importable, as `python` does."""
    sys.path.insert(0, "")
    try:
        yield
    finally:
        with suppress(ValueError):  # the code may have changed the path itself
            sys.path.remove("")


def _function(target: str, flag: str) -> Any:
    """The function that `module:name` means."""
    from assay.conformance import split_target

    module, name = split_target(target)
    try:
        function = reduce(getattr, name.split("."), importlib.import_module(module))
    except AttributeError:
        raise UsageError(f"{flag} {target}: the module {module} does not define {name}") from None
    except (Exception, SystemExit) as error:
        raise UsageError(f"{flag} {target}: cannot be imported: {type(error).__name__}: {error}") from error
    if not callable(function):
        raise UsageError(f"{flag} {target}: this must be a function, not {type_with_article(function)}")
    return function


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number above 0, not {text!r}")
    return value


COMMAND = Command(
    "conformance",
    "check your own metric code against hand-calculated cases",
    add_arguments,
    run_conformance,
    EXAMPLES,
    group=Group.LOOK_UP,
)
