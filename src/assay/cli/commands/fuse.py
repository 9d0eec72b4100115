"""assay fuse: several runs into one, and which way of fusing suits them best."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.inputs import FILE_ENDINGS, check_no_saved_results, describe_file_error
from assay.cli.program import Command
from assay.cli.scoring_options import integer_parser
from assay.cli.streams import write_json
from assay.cli.terminal import log_duration, log_verbose, text_here
from assay.errors import AssayError, DataError, Hint, UsageError
from assay.grammar import WrittenName
from assay.serialize import dumps
from assay.temporary_files import TemporaryFile
from assay.text import counted, printable, some_of

if TYPE_CHECKING:
    from assay.evaluation import FusionTuning
    from assay.fusion import BoundFusion
    from assay.model import Qrels, Run


FILE_ORDER = Hint("", "runs come by themselves, judgments by --qrels FILE")
"""What is said of a file that is in the wrong place."""


EXAMPLES = """\
  assay fuse
  assay fuse bm25.run dense.run --method rrf -o fused.run
  assay fuse bm25.run dense.run --method comb_mnz --norm z_score > fused.run
  assay fuse bm25.run dense.run --method weighted_sum --weights 0.7 0.3 -o fused.json
  assay fuse bm25.run dense.run --tune ndcg@10 --qrels qrels.txt --folds 5 -o fused.run"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Runs, the method, tuning and output."""
    parser.add_argument(
        "runs", nargs="*", metavar="run", help="two runs or more; without any, methods are listed or explained"
    )
    parser.add_argument(
        "--method",
        nargs="+",
        action="extend",
        metavar="METHOD",
        help="how to fuse, such as rrf or rrf(k=10) (default: rrf); with --tune all that are to be tried",
    )
    parser.add_argument("--norm", metavar="NORM", help="how scores are made comparable: min_max, z_score, rank …")
    parser.add_argument("--weights", nargs="+", metavar="W", help="one number per run, such as 0.7 0.3")
    parser.add_argument(
        "--depth", type=integer_parser(10**9), default=0, metavar="N", help="documents to keep per query; 0: all"
    )
    parser.add_argument(
        "--duplicates",
        choices=("error", "keep-best", "keep_best"),
        default="error",
        metavar="error|keep-best",
        help="a document ranked twice for a query (default: error)",
    )
    _add_tuning_arguments(parser)
    show = parser.add_argument_group("output")
    show.add_argument("-o", "--output", metavar="FILE", help="the fused run; .json gives JSON, other endings TREC")
    show.add_argument(
        "-f", "--format", choices=("trec", "json", "text"), metavar="FORMAT", help="trec or json; tuning: text or json"
    )
    show.add_argument("--tag", metavar="TAG", help="name of the fused run (default: the method)")


def _add_tuning_arguments(parser: argparse.ArgumentParser) -> None:
    """Judgments, and what is done with them."""
    tuning = parser.add_argument_group("judgments")
    tuning.add_argument(
        "--qrels",
        metavar="FILE",
        help="judgments, to tune by or for methods that learn: a file, or a benchmark by path or name",
    )
    tuning.add_argument(
        "--tune", type=WrittenName, metavar="METRIC", help="find the best method and parameters by this metric"
    )
    tuning.add_argument(
        "--folds",
        type=integer_parser(10**6),
        metavar="N",
        help="parts that queries are dealt into (default: 5, or one per query)",
    )
    tuning.add_argument("--seed", type=integer_parser(2**32 - 1), metavar="N", help="of how they are dealt (default: 0)")


def run_fuse(options: argparse.Namespace) -> int:
    """List, explain, fuse or tune. Names are checked before any file is read."""
    _check_methods_are_no_files(options)
    if not options.runs:
        return _describe(options)
    if len(options.runs) < 2:
        raise UsageError(
            f"fusion needs two runs or more: {options.prog} {shlex.quote(options.runs[0])} other.run --method rrf"
        )
    if [*options.runs, options.qrels].count("-") > 1:
        raise UsageError("standard input (-) can be read once only")
    if options.tune:
        return _tune(options)
    if options.folds is not None or options.seed is not None:
        raise UsageError("--folds and --seed are for --tune METRIC")
    if options.format == "text":
        raise UsageError("a fused run is written as trec or json; text is for --tune")
    fusion = _find_method(options)
    if options.qrels and not fusion.fusion.is_trained:
        raise UsageError(
            f"{fusion.fusion.name} learns nothing from judgments; --qrels is for --tune, and for methods that learn"
        )
    if fusion.fusion.is_trained and not options.qrels:
        raise UsageError(f"{fusion.fusion.name} learns from judgments before it fuses; name them with --qrels FILE")
    runs = read_runs(options.runs, options.duplicates)
    log_verbose(options, f"method: {fusion.name}; {counted(len(runs), 'run')}: {', '.join(runs)}")
    fused = _fuse(fusion, list(runs.values()), read_qrels(options.qrels) if options.qrels else None, options)
    _write(options, fused)
    return 0


def _check_methods_are_no_files(options: argparse.Namespace) -> None:
    """`--method rrf a.run b.run` makes methods of the files; say how to write it."""
    for flag, words in (("--method", options.method), ("--weights", options.weights)):
        taken = [word for word in words or () if word.lower().endswith(FILE_ENDINGS) or Path(word).is_file()]
        if taken:
            raise UsageError(
                f"what follows {flag} is taken as its value: {' '.join(taken)}. Put files first:\n"
                f"  {options.prog} {shlex.join((*options.runs, *taken))} {flag} …"
            )


def _describe(options: argparse.Namespace) -> int:
    from assay.cli.fusion_text import fusion_list_section, fusion_section
    from assay.fusion import all_fusions, parse_fusion

    if options.output or options.tune or options.qrels:
        raise UsageError(f"which runs? {options.prog} bm25.run dense.run --method rrf")
    chosen = [parse_fusion(name).fusion for name in options.method or ()]
    sections = [fusion_section(fusion) for fusion in chosen] or [fusion_list_section(all_fusions())]
    sys.stdout.write(text_here(sections))
    return 0


def _find_method(options: argparse.Namespace) -> BoundFusion:
    from assay.fusion import parse_fusion

    methods = options.method or ["rrf"]
    if len(methods) > 1:
        raise UsageError(f"--method takes one method, not {' '.join(methods)}; --tune METRIC tries several. Put files first")
    return parse_fusion(methods[0], **_settings(options))


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """What flags say about the method."""
    weights = {"weights": f"[{', '.join(options.weights)}]"} if options.weights else {}
    return weights | ({"norm": options.norm} if options.norm else {})


def _tune(options: argparse.Namespace) -> int:
    from assay.cli.fusion_text import describe_tuning, tuning_section
    from assay.evaluation import METHODS, candidates_of, tune_fusion
    from assay.metrics import parse_metric

    if not options.qrels:
        raise UsageError("--tune needs judgments: --qrels FILE")
    if options.weights or options.norm:
        raise UsageError('--tune finds weights and norm itself; --method "comb_mnz(norm=rank)" tries one as it stands')
    if options.format == "trec":
        raise UsageError("--tune reports as text or json; the run itself goes to -o FILE")
    parse_metric(options.tune)
    methods = options.method or METHODS
    candidates_of(methods, len(options.runs))
    runs, qrels = read_runs(options.runs, options.duplicates), read_qrels(options.qrels)
    with log_duration(options, f"tuned by {options.tune}, methods {', '.join(methods)}, seed {options.seed or 0}"):
        tuning = tune_fusion(runs, qrels, options.tune, methods=methods, folds=options.folds, seed=options.seed or 0)
    _note_unanswered(tuning, qrels)
    if options.output:
        _write(options, _fuse(tuning.chosen, list(runs.values()), qrels, options))
    if options.format == "json":
        write_json(describe_tuning(tuning))
    else:
        sys.stdout.write(text_here([tuning_section(tuning, _fuse_command(options, tuning))]))
    return 0


def _note_unanswered(tuning: FusionTuning, qrels: Qrels) -> None:
    """A note where judged queries are in no run: they weigh all figures down."""
    if some := tuning.unanswered:
        are = "is" if len(some) == 1 else "are"
        sys.stderr.write(
            f"note: {len(some):,} of {counted(len(qrels.query_ids), 'judged query')} {are} in no run, "
            f"scored as an empty ranking ({printable(some_of(some))})\n"
        )


def _fuse_command(options: argparse.Namespace, tuning: FusionTuning) -> str:
    """The command that fuses in the way that was chosen."""
    qrels = ["--qrels", options.qrels] if tuning.chosen.fusion.is_trained else []
    output = options.output or "fused.run"
    return f"{options.prog} {shlex.join([*options.runs, '--method', tuning.chosen.name, *qrels, '-o', output])}"


def _fuse(fusion: BoundFusion, runs: list[Run], qrels: Qrels | None, options: argparse.Namespace) -> Run:
    """Fused as chosen; what learns does so from all judged queries, and says that this flatters it there."""
    from assay.fusion import RankedLists, fuse_runs

    trained = None
    if fusion.fusion.is_trained and qrels is not None:
        trained = fusion.train(RankedLists.of(runs), qrels)
        sys.stderr.write(
            f"note: {fusion.fusion.name} learnt from {trained.n_queries} judged queries; "
            "scores of those flatter it, --tune shows what it does on others\n"
        )
    return fuse_runs(runs, fusion, trained, options.tag or fusion.fusion.name, options.depth)


def _write(options: argparse.Namespace, run: Run) -> None:
    """To the file, which appears whole or not at all, or to standard output."""
    path = Path(options.output) if options.output else None
    kind = None if options.tune else options.format
    kind = kind or ("json" if path and path.suffix.lower() == ".json" else "trec")
    if path:
        _write_file(run, path, kind)
        return
    with TemporaryFile() as spool:
        try:
            _write_file(run, spool, kind)
        except DataError as error:
            raise DataError(error.what, error.faults, source="the fused run", hint=error.hint) from None
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


def read_runs(files: Sequence[str], duplicates: str) -> dict[str, Run]:
    """Name → run; names are the files' own where those tell them apart."""
    from assay.files import as_source
    from assay.model import Run

    check_no_saved_results(files)
    sources = [as_source(file) for file in files]
    names = [source.name for source in sources]
    names = names if len(set(names)) == len(names) else [f"{file} ({number})" for number, file in enumerate(files, 1)]
    runs = {}
    for name, source in zip(names, sources, strict=True):
        try:
            runs[name] = Run(source, duplicates=duplicates.replace("-", "_"))
        except DataError as error:
            raise describe_file_error(error, source, "a run", FILE_ORDER) from None
    return runs


def read_qrels(file: str) -> Qrels:
    """Judgments of a file, or of a benchmark: a bundled one by its name, a folder, or a file that holds one."""
    from assay.files import as_source
    from assay.model import Qrels

    if file != "-" and (Path(file).is_dir() or not Path(file).exists()):
        return _benchmark_qrels(file)
    source = as_source(file)
    try:
        return Qrels(source)
    except DataError as error:
        if _is_benchmark(Path(file)):
            return _benchmark_qrels(file)
        raise describe_file_error(error, source, "judgments", FILE_ORDER) from None


def _is_benchmark(path: Path) -> bool:
    """Whether a file looks like a benchmark, which has queries beside its judgments."""
    from assay.datasets import detect_format

    with suppress(AssayError):
        return path.is_file() and detect_format(path).name != "trec"
    return False


def _benchmark_qrels(name: str) -> Qrels:
    """The judgments of a benchmark, by name or path; one without any is refused, for nothing can be learnt from it."""
    from assay.datasets import load_dataset

    dataset = load_dataset(name)
    if not dataset.qrels:
        raise DataError("no query of it has judgments, and fusions are tuned and taught by these alone", source=name)
    return dataset.judged()


COMMAND = Command(
    "fuse",
    "fuse runs into one, or find the best way to",
    add_arguments,
    run_fuse,
    EXAMPLES,
    also_takes="runs",
    computes=True,
)
