"""assay pool: draw the pairs of query and document to judge, and say what judging them would tell."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.inputs import InputRules, Kind, add_input_arguments, parse_inputs
from assay.cli.judging.forms import add_form_arguments, check_form_options, form_of, write_form
from assay.cli.judging.pool_text import designs_text, plan_json, plan_lines, pool_lines
from assay.cli.loading import load_results, load_runs
from assay.cli.output_options import add_quiet, add_text_or_json, open_store
from assay.cli.program import Command, Group
from assay.cli.scoring_options import integer_parser, parse_number
from assay.errors import UsageError
from assay.serialize import dumps
from assay.text import printable

if TYPE_CHECKING:
    from assay.judging import BoundDesign, JudgingPlan, Pool
    from assay.store import Judgment

EXAMPLES = """\
  assay pool latest --depth 10 --pairs 300 --how spread --seed 1 -o pool.jsonl
  assay pool latest --plan --width 0.03
  assay pool latest --judges Ana Ben --overlap 20% --guidelines rules.txt -o pool.jsonl
  assay pool latest -o pool.jsonl --form pool.csv --documents ./corpus
  assay pool bm25.run dense.run --how "difference(bm25, dense)" -o pool.jsonl
  assay pool latest other.json --how "whole(queries=30)" -o pool.jsonl
  assay pool latest --extend pool.jsonl --pairs 400 -o larger.jsonl
  assay pool --how"""
RULES = InputRules(
    metrics="metric that says what a pair is worth: precision@k, dcg@k or rbp (default: precision at the depth)",
    truth="",
    reads="rankings",
    example="-o pool.jsonl",
    has_default=True,
)
LIST = "\0"
"""The value of --how without a design."""
USUAL = ("spread", 1, 10)
"""The design, the seed and the depth if they are not given."""
MOST = 1_000_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The systems, the draw, the plan, and the output."""
    add_input_arguments(parser, RULES)
    draw = parser.add_argument_group("draw")
    draw.add_argument(
        "--pairs", type=integer_parser(MOST, 1), default=300, metavar="N", help="number of pairs to draw (default: 300)"
    )
    draw.add_argument("--depth", type=integer_parser(MOST, 1), metavar="N", help="documents of each ranking (default: 10)")
    draw.add_argument(
        "--how",
        nargs="?",
        const=LIST,
        metavar="DESIGN",
        help="design: spread, whole, difference(a, b), depth or move_to_front; without a value, it lists the designs "
        "(default: spread)",
    )
    draw.add_argument("--seed", type=integer_parser(MOST), metavar="SEED", help="random seed (default: 1)")
    draw.add_argument(
        "--extend",
        metavar="FILE",
        help="draw more pairs for this pool, up to --pairs; its pairs stay, so their grades count. The design, the metric, "
        "the depth and the seed are those of the pool",
    )
    _add_judge_arguments(parser)
    plan = parser.add_argument_group("plan")
    plan.add_argument(
        "--plan", action="store_true", help="draw nothing, and show how exact the estimates from some judgments would be"
    )
    plan.add_argument("--width", type=parse_number, metavar="W", help="with --plan: the ± to reach at 95 %% (default: 0.03)")
    add_form_arguments(parser)
    show = parser.add_argument_group("output")
    show.add_argument("-o", "--output", metavar="FILE", help="file for the pool, as JSON lines")
    add_text_or_json(parser)
    add_quiet(show)


def _add_judge_arguments(parser: argparse.ArgumentParser) -> None:
    work = parser.add_argument_group("judges")
    work.add_argument(
        "--judges",
        nargs="+",
        default=[],
        metavar="NAME",
        help="people who share the work; each pair goes to one of them (default: everyone judges all pairs)",
    )
    work.add_argument(
        "--overlap",
        type=_share,
        default=0.0,
        metavar="SHARE",
        help="with --judges: share of the pairs that all of them judge, such as 20%% or 0.2 (default: 0)",
    )
    work.add_argument(
        "--guidelines", metavar="FILE", help="text that judges read beside each pair (default: what the grades mean)"
    )


def run_pool(options: argparse.Namespace) -> int:
    """Names and files are checked before results are read. A pool is written completely or not at all."""
    from assay.judging import keep_pool, parse_design, pool, share_work, write_pool

    if options.how == LIST:
        sys.stdout.write(designs_text(options))
        return 0
    _check_output(options)
    earlier = _earlier(options)
    design, metric = parse_design(options.how), _metric(options)
    guidelines = _guidelines(options)
    check_form_options(options)
    systems = _systems(options)
    graded = _graded(options, systems)
    plan = _plan(systems, design, options, metric, graded)
    drawn = None
    if not options.plan:
        judged = _combined(graded) if design.design.name == "move_to_front" else None
        settings = {"depth": options.depth, "metric": metric, "judged": judged, "extends": earlier}
        drawn = pool(systems, options.pairs, options.how, options.seed, **settings)
        drawn = share_work(drawn, options.judges, options.overlap, guidelines)
        form = form_of(options, drawn, systems, earlier)
        write_pool(drawn, Path(options.output))
        keep_pool(drawn)
        write_form(form, options)
    if options.format == "json":
        sys.stdout.write(dumps(plan_json(plan, drawn, options), indent=2) + "\n")
    else:
        lines = plan_lines(plan, options) if drawn is None else pool_lines(plan, drawn, options, earlier)
        sys.stdout.write("".join(f"{printable(line)}\n" if "\n" not in line else line for line in lines))
    return 0


def _earlier(options: argparse.Namespace) -> Pool | None:
    """The pool of --extend, whose settings hold; without one, the usual settings for those that are not given."""
    from assay.judging import read_pool_file

    names = ("how", "seed", "depth")
    if not options.extend:
        for name, usual in zip(names, USUAL, strict=True):
            if getattr(options, name) is None:
                setattr(options, name, usual)
        return None
    flags = [f"--{name}" for name in (*names, "metrics", "plan") if getattr(options, name) not in (None, False)]
    if flags:
        raise UsageError(f"--extend keeps the settings of the pool. Leave out {' and '.join(flags)}")
    earlier = read_pool_file(Path(options.extend))
    options.how, options.seed, options.depth, options.metrics = earlier.how, earlier.seed, earlier.depth, [earlier.metric]
    return earlier


def _metric(options: argparse.Namespace) -> str | None:
    from assay.judging import pool_metric

    if len(options.metrics or ()) > 1:
        raise UsageError(
            f"a pool is drawn for one metric, found {', '.join(options.metrics)}. Others can be estimated later"
        )
    metric = options.metrics[0] if options.metrics else None
    pool_metric(metric, options.depth)
    return metric


def _check_output(options: argparse.Namespace) -> None:
    if options.plan:
        if options.output:
            raise UsageError("--plan draws nothing, so there is nothing for -o. Leave out one of them")
        if options.judges or options.guidelines or options.overlap:
            raise UsageError("--judges, --overlap and --guidelines are for a pool that is drawn. Leave out --plan")
        if options.width is not None and not options.width > 0:
            raise UsageError(f"--width must be above 0, not {options.width:g}")
        return
    if options.width is not None:
        raise UsageError("--width is for --plan")
    if not options.output:
        raise UsageError("a pool needs a file: -o pool.jsonl. To see what judgments would tell: assay pool --plan")
    path = Path(options.output)
    if options.overlap and len(options.judges) < 2:
        raise UsageError("--overlap needs at least two judges, as in --judges Ana Ben --overlap 20%")
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise UsageError(f"-o {path}: this must be a file in an existing folder")


def _share(text: str) -> float:
    """`20%` or `0.2`."""
    number, is_percent = text.strip().removesuffix("%").strip(), text.strip().endswith("%")
    try:
        share = float(number) / (100 if is_percent else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"expected a share from 0 to 1, such as 0.2 or 20%, not {text!r}")
    return share


def _guidelines(options: argparse.Namespace) -> str:
    """The text in the file of --guidelines; empty without one."""
    if not options.guidelines:
        return ""
    try:
        text = Path(options.guidelines).read_text(encoding="utf-8-sig").strip()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "the file is not UTF-8 text"
        raise UsageError(f"--guidelines {options.guidelines}: the file cannot be read: {why}") from None
    if not text:
        raise UsageError(
            f"--guidelines {options.guidelines}: the file is empty. Write what the grades mean, or leave it out"
        )
    return text


def _systems(options: argparse.Namespace) -> Mapping[str, Any]:
    """System → its result or its run."""
    inputs = parse_inputs(options, RULES)
    if any(word.kind is Kind.FILE for word in inputs.systems):
        return load_runs(options, inputs, "error")
    groups = load_results(options, _as_results(inputs)).groups
    if len(groups) > 1:
        names = ", ".join(sorted(group[0].benchmark for group in groups))
        raise UsageError(f"the results are on different benchmarks: {names}. Draw one pool for each, as in latest#NAME")
    return {result.name: result for group in groups for result in group}


def _as_results(inputs: Any) -> Any:
    """The same inputs, read as results with everything that they contain."""
    from dataclasses import replace

    return replace(inputs, rules=replace(inputs.rules, reads="scores"))


def _graded(options: argparse.Namespace, systems: Mapping[str, Any]) -> list[Judgment]:
    """The grades that people gave on the benchmark so far; empty without a store."""
    from assay.store import PEOPLE, parse_location

    benchmark = next((getattr(system, "benchmark", "") for system in systems.values()), "")
    if not benchmark or not parse_location(options.store).exists:
        return []
    with open_store(options) as store:
        return list(store.judgments.find(benchmark, kind=PEOPLE))


def _combined(graded: list[Judgment]) -> dict[str, dict[str, float]]:
    from assay.store import combined

    return combined(graded)


def _plan(
    systems: Mapping[str, Any],
    design: BoundDesign,
    options: argparse.Namespace,
    metric: str | None,
    graded: list[Judgment],
) -> JudgingPlan:
    """The plan; for a difference, of its two systems alone."""
    from assay.judging import plan_judging

    two = [design.params[name] for name in ("a", "b") if name in design.params]
    if two and len(systems) == 1:
        raise UsageError(f"{design.name} needs two systems, found {', '.join(systems)}")
    chosen = {name: systems[name] for name in two} if all(name in systems for name in two) and two else systems
    return plan_judging(chosen, options.how, depth=options.depth, metric=metric, people=graded or None)


COMMAND = Command(
    "pool",
    "draw pairs of query and document to judge, and say how exact the estimates from them will be",
    add_arguments,
    run_pool,
    EXAMPLES,
    group=Group.DATA,
)
