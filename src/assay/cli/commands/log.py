"""assay log: metrics of what users did with search results, a check of the log, and judgments and popularity from clicks."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from assay.cli.output_options import (
    FORMATS,
    TEXT_FORMATS,
    add_by_argument,
    add_output_arguments,
    add_store_argument,
    check_by,
    check_output,
    save_results,
    write_output,
)
from assay.cli.program import Command, Group
from assay.cli.reading_options import add_log_arguments, add_log_metrics, check_log_action, log_source
from assay.cli.scoring_options import INTERVAL_METHODS, LEVEL_HELP, MAX_SEED, integer_parser, parse_digits, parse_level
from assay.cli.streams import write_json
from assay.cli.terminal import terminal_width, text_here, use_colour
from assay.errors import DataError, UsageError

EXAMPLES = """\
  assay log score logs.parquet
  assay log score logs.jsonl -m ctr@10 abandonment --by variant day
  assay log score ubi_queries.jsonl ubi_events.jsonl
  assay log check logs.parquet
  assay log judgments logs.parquet --model pbm -o clicks.csv
  assay log judgments logs.parquet --model dbn --least 50 -o clicks.csv
  assay log popularity logs.parquet -o popularity.csv
  assay log score logs.csv --columns rank=slot,clicked=hit -o log.json && assay gate log.json --rules rules.yaml"""
ACTIONS = ("score", "check", "judgments", "popularity")
MOST = 10**9
OF_ACTION = {
    **dict.fromkeys(("metrics", "by", "name", "store", "save", "cluster"), "score"),
    **dict.fromkeys(("model", "least", "grades", "propensities", "persistence"), "judgments"),
    "hash_ids": "check",
}
"""Option → the action that it is for."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The action, the files, and the options of each action."""
    parser.add_argument(
        "action",
        metavar="|".join(ACTIONS),
        help="score: metrics with intervals; check: what is unusual about the log; judgments: grades from clicks; "
        "popularity: the clicks of each document, for --popularity",
    )
    parser.add_argument(
        "files",
        nargs="*",
        default=[],
        metavar="file",
        help="Parquet, JSON lines or CSV, with a row for each shown document or for each search; several files are parts of "
        "one log, or the two tables of OpenSearch's UBI",
    )
    add_log_arguments(parser.add_argument_group("reading"))
    _add_score_arguments(parser.add_argument_group("score"))
    _add_judgment_arguments(parser.add_argument_group("judgments"))
    _add_check_arguments(parser.add_argument_group("check"))
    show = add_output_arguments(
        parser,
        FORMATS,
        output="write to this file: score .json .csv .md .tex .txt; judgments .csv .tsv .jsonl .txt (TREC); "
        "popularity .csv .tsv .jsonl; may be repeated",
        choices=FORMATS,
    )
    show.add_argument("--digits", type=parse_digits, metavar="N", help="number of decimals (default: 3; csv and json: all)")


def _add_score_arguments(score: argparse._ArgumentGroup) -> None:
    """Metrics, slices, intervals and the store."""
    add_log_metrics(score, "metrics, such as ctr@10 satisfied_click@5 (default: all for which the log has data)")
    columns = "split the searches by a column of the log, such as variant or device, or by day; variant*day combines two"
    add_by_argument(score, columns, "COLUMN")
    score.add_argument(
        "--ci",
        nargs="?",
        const="auto",
        default="auto",
        choices=INTERVAL_METHODS,
        metavar="METHOD",
        help="method of the confidence intervals: auto, bootstrap, bca, t or none (default: auto)",
    )
    score.add_argument("--level", type=parse_level, default=0.95, metavar="LEVEL", help=LEVEL_HELP)
    score.add_argument(
        "--ci-seed",
        type=integer_parser(MAX_SEED),
        default=0,
        metavar="SEED",
        help="random seed for bootstrap intervals (default: 0)",
    )
    score.add_argument(
        "--cluster",
        metavar="CLUSTER",
        help="what intervals are about: user, session or search (default: the first of them that the log has)",
    )
    score.add_argument(
        "--save", action="store_true", default=None, help="save the result in the store, for history and reports"
    )
    add_store_argument(score)
    score.add_argument("--name", metavar="NAME", help="name of the result (default: the name of the file)")


def _add_check_arguments(check: argparse._ArgumentGroup) -> None:
    """When a user is probably a program, and how such users are named."""
    check.add_argument(
        "--most-per-hour",
        type=integer_parser(MOST, 1),
        metavar="N",
        help="check: report users with more searches in an hour (default: 100); otherwise: leave them out",
    )
    check.add_argument(
        "--hash-ids",
        metavar="KEYFILE",
        help="check: name such users by a hash of their ids with the key in this file (without it, no user is named)",
    )


def _add_judgment_arguments(group: argparse._ArgumentGroup) -> None:
    """The model, and how estimates become grades."""
    group.add_argument(
        "--model",
        metavar="MODEL",
        help="pbm: position-based model; dbn: dynamic Bayesian network; sdbn: simplified dynamic Bayesian network; coec: "
        "clicks over expected clicks (default: pbm)",
    )
    group.add_argument(
        "--least",
        type=integer_parser(MOST, 1),
        metavar="N",
        help="no grade for documents that users saw less often for a query; pbm and dbn count an impression with the "
        "probability that users look at it (default: 10)",
    )
    group.add_argument(
        "--grades",
        metavar="A,B,…",
        help="estimates from which the grade is 1, 2 …, such as 0.1,0.3,0.6; or estimate: the estimate is the grade",
    )
    group.add_argument(
        "--propensities",
        metavar="FILE",
        help="pbm: how likely users look at each rank, a table with the columns rank and propensity; or column: the column "
        "of the log (default: estimated)",
    )
    group.add_argument(
        "--persistence",
        type=float,
        metavar="P",
        help="dbn: how likely users who are not satisfied look at the next document, such as 0.9 (default: estimated)",
    )


def run_log(options: argparse.Namespace) -> int:
    """Run the action."""
    check_log_action(options, "log", ACTIONS, OF_ACTION)
    return {"score": _score, "check": _check, "judgments": _judgments, "popularity": _popularity}[options.action](options)


def _score(options: argparse.Namespace) -> int:
    """Names are checked before any file is read; nothing is printed unless everything worked."""
    from assay.comparison import slice_results
    from assay.evaluation import with_intervals
    from assay.logs import parse_log_metrics, score_log
    from assay.reports import Report, render_log

    check_by(options)
    metrics = parse_log_metrics(options.metrics)
    check_output(options.output, form=options.file_format)
    limits = (options.first_rank, options.most_per_hour, options.cluster)
    scored = score_log(log_source(options), metrics, options.by or (), options.name or "", *limits)
    result = with_intervals(scored, options.ci, options.level, options.ci_seed)
    trust = {"interval": options.ci, "level": options.level, "seed": options.ci_seed}
    slices = slice_results([result], options.by, **trust) if options.by else ()
    report = Report([result], digits=options.digits, width=terminal_width(), colour=use_colour())
    write_output(options, lambda form: render_log(replace(report, width=None, colour=False), form, slices))
    sys.stdout.write(render_log(report, options.format, slices))
    if options.save:
        save_results(options, [result])
    return 0


def _check(options: argparse.Namespace) -> int:
    """Print what is unusual; exit code 3 if it makes most metrics meaningless."""
    from assay.logs import MOST_SEARCHES_PER_HOUR, check_log
    from assay.reports import log_check_sections

    if options.output or options.format not in TEXT_FORMATS:
        raise UsageError("assay log check prints text, or JSON with -f json")
    key = _key(options.hash_ids) if options.hash_ids else b""
    most = options.most_per_hour or MOST_SEARCHES_PER_HOUR
    check = check_log(log_source(options), most_per_hour=most, hash_key=key, first_rank=options.first_rank)
    if options.format == "json":
        write_json(check.to_dict())
    else:
        sys.stdout.write(text_here(log_check_sections(check)))
    return DataError.exit_code if check.has_errors else 0


def _key(path: str) -> bytes:
    """The key in a file, without white space at its ends."""
    from assay.files import FileSource

    if not (key := FileSource.at(path).content().strip()):
        raise UsageError(f"--hash-ids {path}: the file is empty, but it must contain a key")
    return key


def _judgments(options: argparse.Namespace) -> int:
    """Estimate, write the files, and print what the judgments are based on."""
    from assay.logs import FEWEST_SHOWN, check_judgment_file, judge_clicks
    from assay.reports import click_judgment_sections

    if options.format not in TEXT_FORMATS:
        raise UsageError("assay log judgments prints text, or JSON with -f json. Write judgments with -o clicks.csv")
    for path in options.output:
        check_judgment_file(path)
    judged = judge_clicks(
        log_source(options),
        options.model or "pbm",
        least=options.least or FEWEST_SHOWN,
        grades=options.grades,
        propensities=options.propensities,
        persistence=options.persistence,
        level=options.level,
        first_rank=options.first_rank,
        most_per_hour=options.most_per_hour,
    )
    for path in options.output:
        judged.write(path)
    if options.format == "json":
        write_json(judged.to_dict())
    else:
        sys.stdout.write(text_here(click_judgment_sections(judged)))
    return 0


def _popularity(options: argparse.Namespace) -> int:
    """Count clicks of documents, write the files, and print the documents with most clicks."""
    from assay.logs import check_suffix, count_document_clicks
    from assay.reports import popularity_sections

    if options.format not in TEXT_FORMATS:
        raise UsageError("assay log popularity prints text, or JSON with -f json. Write counts with -o popularity.csv")
    for path in options.output:
        check_suffix(path, "counts of clicks")
    counts = count_document_clicks(log_source(options), first_rank=options.first_rank, most_per_hour=options.most_per_hour)
    for path in options.output:
        counts.write(path)
    if options.format == "json":
        write_json(counts.popularity)
    else:
        sys.stdout.write(text_here(popularity_sections(counts)))
    return 0


COMMAND = Command(
    "log",
    "score what users did with search results, check a log, or make judgments from clicks",
    add_arguments,
    run_log,
    EXAMPLES,
    computes=True,
    group=Group.SCORE,
)
