"""assay fuse: fuse several runs into one, and find the best fusion method for them."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.file_errors import errors_at
from assay.cli.inputs import (
    FILE_ENDINGS,
    InputRules,
    Inputs,
    add_input_arguments,
    check_metrics_are_no_files,
    parse_inputs,
    some_files,
)
from assay.cli.loading import load_runs
from assay.cli.output_options import add_output_arguments
from assay.cli.program import Command, Group
from assay.cli.scoring_options import integer_parser
from assay.cli.streams import write_json
from assay.cli.terminal import log_duration, log_verbose, text_here, write_notes
from assay.errors import DataError, Hint, UsageError
from assay.grammar import WrittenName
from assay.serialize import dumps
from assay.temporary_files import TemporaryFile
from assay.text import counted, some_of

if TYPE_CHECKING:
    from assay.evaluation import FusionTuning
    from assay.fusion import BoundFusion
    from assay.model import Qrels, Run


RULES = InputRules(
    metrics="metric that --tune optimises",
    truth="flag",
    reads="rankings",
    least=2,
    can_repeat=True,
    example="--method rrf",
    order=Hint("", "give runs as arguments, and judgments with --qrels FILE"),
)

EXAMPLES = """\
  assay fuse
  assay fuse bm25.run dense.run --method rrf -o fused.run
  assay fuse bm25.run dense.run --method comb_mnz --norm z_score > fused.run
  assay fuse bm25.run dense.run --method weighted_sum --weights 0.7 0.3 -o fused.json
  assay fuse bm25.run dense.run --tune ndcg@10 --qrels qrels.txt --folds 5 -o fused.run"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Runs, the method, tuning and output."""
    add_input_arguments(parser, RULES)
    parser.add_argument(
        "--method",
        nargs="+",
        action="extend",
        metavar="METHOD",
        help="fusion method, such as rrf or rrf(k=10); with --tune, all methods to try; assay fuse lists all (default: rrf)",
    )
    parser.add_argument("--norm", metavar="NORM", help="how to normalise scores: min_max, z_score, rank …")
    parser.add_argument("--weights", nargs="+", metavar="W", help="weights of the runs, one number each, such as 0.7 0.3")
    parser.add_argument(
        "--depth",
        type=integer_parser(10**9),
        default=0,
        metavar="N",
        help="number of documents to keep per query (default: 0, which keeps all)",
    )
    parser.add_argument(
        "--duplicates",
        choices=("error", "keep-best", "keep_best"),
        default="error",
        metavar="error|keep-best",
        help="what to do with a document that is ranked twice for a query (default: error)",
    )
    _add_tuning_arguments(parser)
    show = add_output_arguments(
        parser,
        "output format: trec or json (default: trec); with --tune text or json (default: text)",
        "write the fused run to this file: .json as JSON, any other extension as TREC; may be repeated",
        choices=("trec", "json", "text"),
        default="",
    )
    show.add_argument("--tag", metavar="TAG", help="name of the fused run (default: the method)")


def _add_tuning_arguments(parser: argparse.ArgumentParser) -> None:
    """The options for judgments and tuning."""
    tuning = parser.add_argument_group("tuning")
    tuning.add_argument(
        "--qrels",
        metavar="FILE",
        help="judgments for --tune and for methods that learn: a file, or the path or name of a benchmark",
    )
    tuning.add_argument(
        "--tune",
        type=WrittenName,
        nargs="?",
        const=WrittenName(""),
        metavar="METRIC",
        help="find the fusion method and parameters with the best value of this metric, or of the metric given with -m",
    )
    tuning.add_argument(
        "--folds",
        type=integer_parser(10**6),
        metavar="N",
        help="number of folds for cross-validation (default: 5, or one per query if there are fewer queries)",
    )
    tuning.add_argument(
        "--seed", type=integer_parser(2**32 - 1), metavar="SEED", help="random seed for the folds (default: 0)"
    )


def run_fuse(options: argparse.Namespace) -> int:
    """List, explain, fuse or tune. Names are checked before any file is read."""
    _check_methods_are_no_files(options)
    check_metrics_are_no_files(options)
    if not options.files and not options.more_runs:
        return _describe(options)
    inputs = parse_inputs(options, RULES)
    if options.tune is not None:
        return _tune(options, inputs)
    if options.metrics:
        raise UsageError("-m is the metric for --tune. Add --tune")
    if options.folds is not None or options.seed is not None:
        raise UsageError("--folds and --seed need --tune METRIC")
    if options.format == "text":
        raise UsageError("the format text needs --tune. A fused run is written as trec or json")
    fusion = _find_method(options)
    if inputs.truth and not fusion.fusion.is_trained:
        raise UsageError(
            f"{fusion.fusion.name} does not learn from judgments. --qrels is only for --tune and for methods that learn"
        )
    if fusion.fusion.is_trained and not inputs.truth:
        raise UsageError(f"{fusion.fusion.name} learns from judgments. Give them with --qrels FILE")
    runs = load_runs(options, inputs, options.duplicates.replace("-", "_"))
    log_verbose(options, f"method: {fusion.name}; {counted(len(runs), 'run')}: {', '.join(runs)}")
    fused = _fuse(fusion, list(runs.values()), read_qrels(options, inputs) if inputs.truth else None, options)
    _write(options, fused)
    return 0


def _check_methods_are_no_files(options: argparse.Namespace) -> None:
    """Refuse `--method rrf a.run b.run`, which reads the files as methods."""
    for flag, words in (("--method", options.method), ("--weights", options.weights)):
        taken = [word for word in words or () if word.lower().endswith(FILE_ENDINGS) or Path(word).is_file()]
        if taken:
            raise UsageError(
                f"{flag} reads everything after it as its value: {some_files(taken)}. Put the files first:\n"
                f"  {options.prog} {some_files((*options.files, *taken))} {flag} …"
            )


def _describe(options: argparse.Namespace) -> int:
    from assay.cli.fusion_text import fusion_list_section, fusion_section
    from assay.fusion import all_fusions, parse_fusion

    if options.output or options.tune is not None or options.qrels or options.dataset or options.metrics:
        raise UsageError(f"no runs are given: {options.prog} bm25.run dense.run --method rrf")
    chosen = [parse_fusion(name).fusion for name in options.method or ()]
    sections = [fusion_section(fusion) for fusion in chosen] or [fusion_list_section(all_fusions())]
    sys.stdout.write(text_here(sections))
    return 0


def _find_method(options: argparse.Namespace) -> BoundFusion:
    from assay.fusion import parse_fusion

    methods = options.method or ["rrf"]
    if len(methods) > 1:
        raise UsageError(
            f"--method must be one method, not {' '.join(methods)}. To try several: --tune METRIC. Put files before --method"
        )
    return parse_fusion(methods[0], **_settings(options))


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """The parameters of the method that are set by flags."""
    weights = {"weights": f"[{', '.join(options.weights)}]"} if options.weights else {}
    return weights | ({"norm": options.norm} if options.norm else {})


def _tune(options: argparse.Namespace, inputs: Inputs) -> int:
    from assay.cli.fusion_text import describe_tuning, tuning_section
    from assay.evaluation import METHODS, candidates_of, tune_fusion
    from assay.metrics import parse_metric

    if not inputs.truth:
        raise UsageError("--tune needs judgments: --qrels FILE")
    if options.weights or options.norm:
        raise UsageError(
            '--tune chooses weights and norm itself. To set them yourself, write --method "comb_mnz(norm=rank)"'
        )
    if options.format == "trec":
        raise UsageError("--tune prints text or json. Write the fused run to a file with -o FILE")
    metric = _tuned_metric(options)
    parse_metric(metric)
    methods = options.method or METHODS
    candidates_of(methods, len(inputs.systems))
    runs, qrels = load_runs(options, inputs, options.duplicates.replace("-", "_")), read_qrels(options, inputs)
    with log_duration(options, f"tuned by {metric}, methods {', '.join(methods)}, seed {options.seed or 0}"):
        tuning = tune_fusion(runs, qrels, metric, methods=methods, folds=options.folds, seed=options.seed or 0)
    write_notes(options, *_note_unanswered(tuning, qrels))
    if options.output:
        _write(options, _fuse(tuning.chosen, list(runs.values()), qrels, options))
    if options.format == "json":
        write_json(describe_tuning(tuning))
    else:
        sys.stdout.write(text_here([tuning_section(tuning, _fuse_command(options, tuning))]))
    return 0


def _tuned_metric(options: argparse.Namespace) -> WrittenName:
    """The one metric that --tune or -m names."""
    named = [metric for metric in (options.tune, *(options.metrics or ())) if metric]
    if len(named) != 1:
        rest = f", not {' '.join(named)}" if named else ", such as --tune ndcg@10"
        raise UsageError(f"--tune needs one metric{rest}")
    metric: WrittenName = named[0]
    return metric


def _note_unanswered(tuning: FusionTuning, qrels: Qrels) -> list[str]:
    """A note about judged queries that are missing from all runs, because they lower all values."""
    some = tuning.unanswered
    are = "is" if len(some) == 1 else "are"
    n_judged = counted(len(qrels.query_ids), "judged query")
    count = "counts as an empty ranking" if len(some) == 1 else "count as empty rankings"
    note = f"note: {len(some):,} of {n_judged} {are} missing from all runs and {count} ({some_of(some)})"
    return [note] if some else []


def _fuse_command(options: argparse.Namespace, tuning: FusionTuning) -> str:
    """The command for the chosen fusion."""
    truth = ["--qrels", options.qrels] if options.qrels else ["--dataset", options.dataset]
    qrels = truth if tuning.chosen.fusion.is_trained else []
    output = (options.output or ["fused.run"])[0]
    runs = (*options.files, *options.more_runs)
    return f"{options.prog} {shlex.join([*runs, '--method', tuning.chosen.name, *qrels, '-o', output])}"


def _fuse(fusion: BoundFusion, runs: list[Run], qrels: Qrels | None, options: argparse.Namespace) -> Run:
    """The fused run. A method that learns is trained on all judged queries; a note says that its scores are optimistic."""
    from assay.fusion import RankedLists, fuse_runs

    trained = None
    if fusion.fusion.is_trained and qrels is not None:
        trained = fusion.train(RankedLists.of(runs), qrels)
        write_notes(
            options,
            f"note: {fusion.fusion.name} learned from {counted(trained.n_queries, 'judged query')}, so its scores on these "
            "queries are optimistic. --tune shows its scores on held-out queries",
        )
    return fuse_runs(runs, fusion, trained, options.tag or fusion.fusion.name, options.depth)


def _write(options: argparse.Namespace, run: Run) -> None:
    """Write the run to the output files, else to standard output."""
    form = "" if options.tune is not None else options.format
    for path in map(Path, options.output):
        _write_file(run, path, form or ("json" if path.suffix.lower() == ".json" else "trec"))
    if options.output:
        return
    with TemporaryFile() as spool:
        try:
            _write_file(run, spool, form or "trec")
        except DataError as error:
            raise error.relocated("the fused run") from None
        sys.stdout.write(spool.read_text(encoding="utf-8"))


def _write_file(run: Run, path: Path, kind: str) -> None:
    from assay.atomic_write import atomic_write
    from assay.files import write_run

    rankings = dict(zip(run.query_ids, run.rankings, strict=True))
    if kind == "trec":
        write_run(rankings, path, run.tag)
        return
    with atomic_write(path) as file:
        file.write((dumps(rankings, indent=1) + "\n").encode())


def read_qrels(options: argparse.Namespace, inputs: Inputs) -> Qrels:
    """Judgments of a file, or of a benchmark: a bundled one by its name, a folder, or a file that contains one."""
    from assay.evaluation import load_ground_truth, notes_on_left_out_queries, scored_judgments
    from assay.files import FileSource
    from assay.model import Qrels

    with errors_at(FileSource(inputs.truth), "judgments", dataset=inputs.truth, order=RULES.order):
        truth = load_ground_truth(inputs.truth, options.dataset_format, kind="benchmark" if inputs.is_dataset else "")
    if isinstance(truth, Qrels):
        return truth
    if not truth.qrels:
        raise DataError("none of the queries has judgments. Tuning and methods that learn need them", source=inputs.truth)
    write_notes(options, *(f"note: {note}" for note in notes_on_left_out_queries(truth)))
    return scored_judgments(truth)


COMMAND = Command(
    "fuse",
    "fuse runs into one, or find the best fusion method",
    add_arguments,
    run_fuse,
    EXAMPLES,
    computes=True,
    group=Group.SCORE,
)
