"""Judged answers on the command line: options, what would be sent, a form for people, files of claims and verdicts."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.asking_options import (
    add_limits,
    ask_options,
    planned_requests,
    print_notes,
    raise_if_stopped,
    request_lines,
    sums_of,
)
from assay.cli.scoring_options import integer_parser, make_profile, make_relevance
from assay.errors import NothingSelected, ProviderError, UsageError
from assay.grammar import WrittenName
from assay.masking import mask
from assay.serialize import dumps, to_json
from assay.text import counted, some_of

if TYPE_CHECKING:
    from assay.datasets import BenchmarkDataset
    from assay.evaluation import Result
    from assay.files import AnswerRecords
    from assay.judged_answers import AnswerJudging, AnswerJudgingRun
    from assay.judges import AskOptions
    from assay.metrics import BoundMetric

SCHEMA = "assay.answer_judging/1"
MOST_QUERIES = 1_000_000
LARGEST_SEED = 2**63 - 1
JUDGING_FLAGS = ("judge", "verdicts", "form")
NEEDED_BY = {"send": "judge", "dry_run": "judge", "prompts": "judge", "write_verdicts": "judge", "n": "form"}
"""Option → the option without which it has no effect."""


def add_judging_arguments(parser: argparse.ArgumentParser) -> None:
    """The judge, verdicts that exist, files of claims and nuggets, and a form for people."""
    group = parser.add_argument_group("judged answers")
    group.add_argument(
        "--with",
        dest="judge",
        type=WrittenName,
        metavar="JUDGE",
        help="judge for faithfulness, correctness, nugget_recall and context metrics: openai(…), python:module:function, "
        "command(…), replay(file) or panel(a, b, c)",
    )
    mode = group.add_mutually_exclusive_group()
    mode.add_argument("--dry-run", action="store_true", help="show what would be sent, and send nothing (default)")
    mode.add_argument("--send", action="store_true", help="send texts to the judge; only this option sends anything")
    group.add_argument(
        "--judgments",
        metavar="people|corrected|model",
        help="whose verdicts are used, if there are several kinds; corrected: those of a model, corrected by people's",
    )
    group.add_argument("--verdicts", nargs="+", metavar="FILE", help="verdicts that exist: filled-in forms, or JSON lines")
    group.add_argument("--judge", dest="judge_name", metavar="NAME", help="the model judge, if --verdicts has several")
    group.add_argument(
        "--nuggets", metavar="FILE", help="nuggets of the queries; with --send, the judge writes them if the file is new"
    )
    group.add_argument(
        "--claims", metavar="FILE", help="claims of the texts; with --send, the judge adds those that are missing"
    )
    group.add_argument("--prompts", metavar="FOLDER", help="folder with your own prompts, such as claims.md")
    group.add_argument("--write-verdicts", metavar="FILE", help="write the verdicts of the judge as JSON lines")
    group.add_argument("--form", metavar="FILE.csv", help="write a form for people, with a random draw of queries")
    group.add_argument(
        "-n", type=integer_parser(MOST_QUERIES, 1), metavar="N", help="number of queries in the form (default: all)"
    )
    group.add_argument(
        "--seed", type=integer_parser(LARGEST_SEED, 0), default=1, metavar="SEED", help="seed of the draw (default: 1)"
    )
    add_limits(parser.add_argument_group("limits"))


def uses_judging(options: argparse.Namespace, metrics: Sequence[BoundMetric] | None) -> bool:
    """Whether answers are judged; an error if options and metrics contradict each other."""
    from assay.judged_answers import reads_verdicts

    flags = [name for name in JUDGING_FLAGS if getattr(options, name)]
    judged = [metric.name for metric in metrics or () if reads_verdicts(metric)]
    if judged and not flags:
        raise UsageError(
            f"{judged[0]} needs verdicts. Let a model judge with --with JUDGE, or people with --form FILE.csv -n 50. Read "
            "verdicts that exist with --verdicts FILE"
        )
    if flags and metrics is not None and not judged:
        flag = {"judge": "--with"}.get(flags[0], f"--{flags[0]}")
        raise UsageError(f"{flag} is for metrics that read verdicts, such as -m faithfulness")
    for name, other in NEEDED_BY.items():
        if getattr(options, name) and not getattr(options, other):
            flag = {"n": "-n"}.get(name, f"--{name.replace('_', '-')}")
            raise UsageError(f"{flag} needs {'--with' if other == 'judge' else '--form'}")
    _check_files(options)
    return bool(flags)


def _check_files(options: argparse.Namespace) -> None:
    """Refuse files that cannot be written, before anything is sent."""
    for name in ("claims", "nuggets", "write_verdicts", "form"):
        path = getattr(options, name)
        if path and not Path(path).absolute().parent.is_dir():
            raise UsageError(f"--{name.replace('_', '-')} {path}: its folder does not exist")
    if options.form and Path(options.form).suffix.lower() != ".csv":
        raise UsageError(f"--form {options.form}: the form is a table, so its name must end in .csv")
    if options.claims and options.send and Path(options.claims).suffix.lower() not in (".jsonl", ".ndjson"):
        raise UsageError(f"--claims {options.claims}: the judge adds claims as JSON lines, so the name must end in .jsonl")


def judged_results(
    options: argparse.Namespace,
    metrics: Sequence[BoundMetric] | None,
    systems: Sequence[tuple[AnswerRecords, str]],
    dataset: BenchmarkDataset | None,
    runs: Sequence[str | None],
) -> list[Result] | None:
    """The result of each system; None if only a form or a dry run was requested, which is printed."""
    from assay.evaluation import evaluate_answers

    judging = _judging(options, metrics, systems, dataset)
    asking = ask_options(options, "items")
    if options.form:
        _write_form(judging, asking, options)
        return None
    judging.check_layer()
    run = judging.ask(asking)
    if options.judge and not options.send:
        sys.stdout.write(_shown(run, judging, options))
        return None
    if options.judge:
        _save(run, judging, options)
        _report(run, options)
    by_name = dict(zip(judging.systems, runs, strict=True))
    profile, relevance = make_profile(options), make_relevance(options)

    def score_others(records: AnswerRecords, others: Sequence[BoundMetric], name: str) -> Result:
        return evaluate_answers(records, dataset, others, run=by_name[name], name=name, profile=profile, relevance=relevance)

    return judging.results(run, score_others)


def _judging(
    options: argparse.Namespace,
    metrics: Sequence[BoundMetric] | None,
    systems: Sequence[tuple[AnswerRecords, str]],
    dataset: BenchmarkDataset | None,
) -> AnswerJudging:
    from assay.evaluation import choose_profile, prepared_answers
    from assay.judged_answers import DEFAULT_METRICS, AnswerJudge, AnswerJudging, read_verdicts, statements_of
    from assay.judges import load_task_prompts, to_judge
    from assay.metrics import find_metrics

    judge = AnswerJudge(to_judge(options.judge), load_task_prompts(options.prompts or "")) if options.judge else None
    return AnswerJudging(
        {name: prepared_answers(records, dataset, options.abstention) for records, name in systems},
        dataset,
        tuple(metrics if metrics is not None else find_metrics(DEFAULT_METRICS, options.profile or "")),
        choose_profile(None, make_profile(options)),
        judge,
        statements_of(options.claims, options.nuggets),
        tuple(verdict for path in options.verdicts or () for verdict in read_verdicts(Path(path))),
        options.judgments,
        options.judge_name,
    )


# A form for people


def _write_form(judging: AnswerJudging, asking: AskOptions, options: argparse.Namespace) -> None:
    from assay.judged_answers import draw_queries, write_form

    draw = draw_queries(judging.query_ids, options.n or len(judging.query_ids), options.seed)
    run = judging.ask(asking, draw, only_statements=True)
    if options.judge and options.send:
        _save_statements(run, judging, options)
    if pending := [source for plan in run.plans for source in plan.pending]:
        kinds = " and ".join(sorted({source.task.name for source in pending}))
        queries = some_of(list(dict.fromkeys(source.query for source in pending)))
        raise UsageError(
            f"the {kinds} of {counted(len(pending), 'text')} are not known yet ({queries}), so there is nothing to judge. "
            "Let a judge write them with --with JUDGE --send, or name files with --claims and --nuggets"
        )
    if not run.items:
        raise NothingSelected(f"the drawn queries have nothing to judge: {some_of(draw.queries(judging.query_ids))}")
    n_rows = write_form(Path(options.form), run.items, draw)
    sys.stdout.write(
        f"{counted(n_rows, 'row')} for {counted(draw.n, 'query')} of {draw.n_all:,} written to {options.form}, seed "
        f"{draw.seed}. Fill in the column verdict, then add --verdicts {options.form}\n"
    )


# What would be sent


def _shown(run: AnswerJudgingRun, judging: AnswerJudging, options: argparse.Namespace) -> str:
    if options.format == "json":
        content = {"judge": judging.judge.judge.name if judging.judge else "", "n_items": len(run.items)}
        plan = {"n_guessed": run.n_guessed, "dry_run": to_json(run.dry_run), "notes": list(run.notes)}
        return mask(dumps({"schema": SCHEMA, "is_sent": False, **content, **plan}, indent=2)) + "\n"
    return "\n".join(_dry_run(run, judging)) + "\n"


def _dry_run(run: AnswerJudgingRun, judging: AnswerJudging) -> Iterator[str]:
    plan = run.dry_run
    if judging.judge is not None:
        yield from request_lines(plan, judging.judge.judge.name)
    n_texts = len({(source.key, source.task) for each in run.plans for source in each.pending})
    yield f"to write   claims or nuggets of {counted(n_texts, 'text')}"
    yield f"to decide  {len(run.items):,} claims, nuggets and contexts"
    yield f"cached     {run.n_cached:,} have an outcome from earlier runs"
    yield from planned_requests(plan)
    if run.n_guessed:
        yield (
            f"estimated  {run.n_guessed:,} of these requests are about claims and nuggets that are not written yet: one for "
            "each sentence"
        )
    yield "Nothing was sent. To send, add --send."


# After sending


def _save(run: AnswerJudgingRun, judging: AnswerJudging, options: argparse.Namespace) -> None:
    from assay.judged_answers import verdict_lines, write_verdicts

    _save_statements(run, judging, options)
    if options.write_verdicts:
        write_verdicts(Path(options.write_verdicts), verdict_lines(run.items, run.judgments, run.unjudged))


def _save_statements(run: AnswerJudgingRun, judging: AnswerJudging, options: argparse.Namespace) -> None:
    """Add new claims to the file; a file of nuggets that exists is never changed."""
    from assay.judged_answers import add_statements
    from assay.judges import CLAIMS, NUGGETS

    for task, path in ((CLAIMS, options.claims), (NUGGETS, options.nuggets)):
        if not path or judging.judge is None or (task is NUGGETS and Path(path).exists()):
            continue
        new = [source for source in run.sources if judging.statements.of(source) is None]
        add_statements(Path(path), task, new, run.statements, judging.judge.judge.name)


def _report(run: AnswerJudgingRun, options: argparse.Namespace) -> None:
    """What was judged, on standard error; an error if nothing was."""
    print_notes(run.notes, run.failure)
    if not options.quiet:
        unsent = f", {run.n_unasked:,} not sent" if run.n_unasked else ""
        sys.stderr.write(f"verdicts   {len(run.judgments):,}, {len(run.unjudged):,} unjudged{unsent}\n")
        sys.stderr.write(f"this run   {sums_of(run.ledger)}\nall runs   {sums_of(run.total)}\n")
    raise_if_stopped(run.failure, counted(run.n_unasked, "item"), options)
    if not run.judgments and (run.unjudged or run.unwritten or run.n_unasked):
        whys = (*run.unjudged.values(), *run.unwritten.values(), *run.notes, "nothing was sent")
        raise ProviderError(mask(f"no answer could be judged: {whys[0]}"))
