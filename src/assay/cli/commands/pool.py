"""assay pool: draw the pairs of query and document to judge, and say what judging them would tell."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.inputs import InputRules, Kind, add_input_arguments, parse_inputs
from assay.cli.judging.forms import add_form_arguments, check_form_options, form_of, write_form
from assay.cli.judging.next_steps import steps_after_pool
from assay.cli.loading import load_results, load_runs
from assay.cli.output_options import add_quiet, add_text_or_json, open_store
from assay.cli.program import Command, Group
from assay.cli.scoring_options import integer_parser, parse_number
from assay.cli.terminal import text_here
from assay.errors import UsageError
from assay.serialize import dumps
from assay.text import counted, percent, printable

if TYPE_CHECKING:
    from assay.judging import BoundDesign, Frame, JudgingPlan, Pool
    from assay.store import Judgment

EXAMPLES = """\
  assay pool latest --depth 10 --pairs 300 --how spread --seed 1 -o pool.jsonl
  assay pool latest --plan --width 0.03
  assay pool latest --judges Ana Ben --overlap 20% --guidelines rules.txt -o pool.jsonl
  assay pool latest -o pool.jsonl --form pool.csv --documents ./corpus
  assay pool bm25.run dense.run --how "difference(bm25, dense)" -o pool.jsonl
  assay pool latest other.json --how "whole(queries=30)" -o pool.jsonl
  assay pool --how"""
SCHEMA = "assay.judging_plan/1"
RULES = InputRules(
    metrics="metric that says what a pair is worth: precision@k, dcg@k or rbp (default: precision at the depth)",
    truth="",
    reads="rankings",
    example="-o pool.jsonl",
    has_default=True,
)
LIST = "\0"
"""The value of --how without a design."""
MOST = 1_000_000_000
PLANNED = (50, 100, 200, 300, 500, 1000, 2000, 5000)
"""Numbers of judgments in the table of a plan."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The systems, the draw, the plan, and the output."""
    add_input_arguments(parser, RULES)
    draw = parser.add_argument_group("draw")
    draw.add_argument(
        "--pairs", type=integer_parser(MOST, 1), default=300, metavar="N", help="number of pairs to draw (default: 300)"
    )
    draw.add_argument(
        "--depth", type=integer_parser(MOST, 1), default=10, metavar="N", help="documents of each ranking (default: 10)"
    )
    draw.add_argument(
        "--how",
        nargs="?",
        const=LIST,
        default="spread",
        metavar="DESIGN",
        help="design: spread, whole, difference(a, b), depth or move_to_front; without a value, it lists the designs "
        "(default: spread)",
    )
    draw.add_argument("--seed", type=integer_parser(MOST), default=1, metavar="SEED", help="random seed (default: 1)")
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
        sys.stdout.write(_designs(options))
        return 0
    design, metric = parse_design(options.how), _metric(options)
    _check_output(options)
    guidelines = _guidelines(options)
    check_form_options(options)
    systems = _systems(options)
    graded = _graded(options, systems)
    plan = _plan(systems, design, options, metric, graded)
    drawn = None
    if not options.plan:
        judged = _combined(graded) if design.design.name == "move_to_front" else None
        drawn = pool(systems, options.pairs, options.how, options.seed, depth=options.depth, metric=metric, judged=judged)
        drawn = share_work(drawn, options.judges, options.overlap, guidelines)
        form = form_of(options, drawn, systems)
        write_pool(drawn, Path(options.output))
        keep_pool(drawn)
        write_form(form, options)
    if options.format == "json":
        sys.stdout.write(dumps(_json(plan, drawn, options), indent=2) + "\n")
    else:
        lines = _plan_lines(plan, options) if drawn is None else _pool_lines(plan, drawn, options)
        sys.stdout.write("".join(f"{printable(line)}\n" if "\n" not in line else line for line in lines))
    return 0


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


# Text


def _pool_lines(plan: JudgingPlan, drawn: Pool, options: argparse.Namespace) -> Iterator[str]:
    about = f" on {drawn.benchmark}" if drawn.benchmark else ""
    yield f"pool       {drawn.id}: {drawn.how}, seed {drawn.seed}, for {drawn.metric}{about}"
    yield (
        f"pairs      {len(drawn.drawn):,} of {len(drawn.pairs):,} that could be drawn, "
        f"{counted(len(drawn.queries), 'query')}, {counted(len(drawn.systems), 'system')}"
    )
    shares = _shares(drawn)
    n_to_grade = sum(map(len, shares.values())) if shares else len(drawn.drawn)
    yield f"work       about {counted(round(n_to_grade * _seconds() / 60), 'minute')}, at {_seconds():g} seconds a pair"
    if shares:
        counts = ", ".join(f"{judge} {len(pairs):,}" for judge, pairs in shares.items())
        n_shared = len(set.intersection(*shares.values())) if len(shares) > 1 else 0
        yield f"judges     {counts} pairs{f'; all of them grade {n_shared:,} of these' if n_shared else ''}"
    yield f"expected   {_expected_text(plan, drawn.unit, len(drawn.drawn))}"
    for label, text in _share_texts(plan, drawn):
        yield f"{label:<11}{text}"
    yield f"wrote {options.output}{f' and {options.form}' if options.form else ''}"
    yield from steps_after_pool(drawn, options)


def _shares(drawn: Pool) -> dict[str, set[tuple[str, str]]]:
    """Named judge → the pairs that the judge grades."""
    from assay.judging import pairs_of

    return {judge: {(pair.query, pair.document) for pair in pairs_of(drawn, judge)} for judge in drawn.judges}


def _seconds() -> float:
    from assay.judging import SECONDS_EACH

    return SECONDS_EACH


def _expected_text(plan: JudgingPlan, unit: str, pairs: int) -> str:
    """`precision@10 ± 0.09, A − B ± 0.07 (95 % intervals)`, as far as the design can tell."""
    from assay.judging import DIFFERENCE

    if not unit:
        return "nothing can be estimated, because the other pairs had no chance. The grades can be used again as judgments"
    expected = plan.expected(pairs)
    parts = [] if unit == DIFFERENCE else [f"{plan.metric.name} ± {expected.value:.3f}"]
    if len(plan.frame.systems) > 1:
        parts.append(f"difference of two systems ± {expected.difference:.3f}")
    return f"{', '.join(parts)} ({plan.level:.0%} intervals)".replace("%", " %")


def _share_texts(plan: JudgingPlan, drawn: Pool) -> Iterator[tuple[str, str]]:
    """What could not be drawn: of the systems, and of each system if it had not been pooled."""
    outside = _outside(plan.frame, drawn)
    if not drawn.unit:
        shares = ", ".join(f"{name} {percent(share)}" for name, share in outside.items())
        yield "not drawn", f"share of the first {drawn.depth} documents that could not be drawn: {shares}"
    if len(plan.frame.systems) > 1:
        shares = ", ".join(f"{name} {percent(share)}" for name, share in plan.frame.shares_alone.items())
        yield (
            "new",
            (
                "documents of a new system may not be in the pool. Without a system, this share of its own first "
                f"{drawn.depth} could not be drawn: {shares}"
            ),
        )


def _outside(frame: Frame, drawn: Pool) -> dict[str, float]:
    """System → the share of its first documents that could not be drawn."""
    can = [(frame.queries[query], doc) in drawn.by_pair for query, doc in zip(frame.query, frame.documents, strict=True)]
    shares = {}
    for place, name in enumerate(frame.systems):
        own = [is_in for is_in, rank in zip(can, frame.rank[:, place], strict=True) if rank]
        shares[name] = 1 - sum(own) / len(own) if own else 0.0
    return shares


def _plan_lines(plan: JudgingPlan, options: argparse.Namespace) -> Iterator[str]:
    """A table of numbers of judgments, and how many the width needs."""
    from assay.judging import DIFFERENCE
    from assay.reports import Column, Table, cells, table_section

    if not plan.design.unit:
        yield f"{plan.design.name}: {_expected_text(plan, '', 0)}"
        return
    unit, has_two = plan.design.unit, len(plan.frame.systems) > 1
    sizes = [*(n for n in PLANNED if n < plan.n_pairs), plan.n_pairs]
    rows = []
    for expected in map(plan.expected, sizes):
        gap = f"{expected.difference:.3f}" if has_two else "–"
        value = "–" if unit == DIFFERENCE else f"{expected.value:.3f}"
        rows.append(cells(f"{expected.pairs:,}", f"{expected.minutes:,.0f}", value, gap))
    heads = [Column(title, kind="number") for title in ("judgments", "minutes", f"± {plan.metric.name}", "± A − B")]
    yield text_here([table_section(Table(tuple(heads), tuple(rows)))]) + "\n"
    width = _width(options)
    if unit != DIFFERENCE:
        yield _needed_text(plan, f"{plan.metric.name} ± {width:g}", plan.pairs_for(width))
    if has_two:
        yield _needed_text(plan, f"A − B ± {width:g}", plan.pairs_for(width, difference=True))
    yield (
        f"{plan.design.name}, {counted(len(plan.frame.queries), 'query')}, {counted(plan.n_pairs, 'pair')}; "
        f"{percent(plan.rate)} of the documents are relevant ({_basis(plan)}); ± is half of a 95 % interval."
    )


def _needed_text(plan: JudgingPlan, what: str, needed: int | None) -> str:
    if needed is None:
        return f"{what}: all {counted(plan.n_pairs, 'pair')} are not enough. Only more queries help"
    return f"{what}: {counted(needed, 'judgment')}, about {counted(round(needed * _seconds() / 60), 'minute')}"


def _basis(plan: JudgingPlan) -> str:
    from assay.judging import USUAL_RATE

    return "assumed, because fewer than 30 are graded" if plan.rate == USUAL_RATE else "as in the grades so far"


def _width(options: argparse.Namespace) -> float:
    from assay.judging import USUAL_WIDTH

    return USUAL_WIDTH if options.width is None else float(options.width)


def _designs(options: argparse.Namespace) -> str:
    """The designs, and what each draws."""
    from assay.judging import all_designs

    designs = {name: design.meaning for name, design in all_designs().items()}
    if options.format == "json":
        return dumps({"designs": designs}, indent=2) + "\n"
    return "".join(f"{name:<15}{meaning}\n" for name, meaning in designs.items())


def _json(plan: JudgingPlan, drawn: Pool | None, options: argparse.Namespace) -> dict[str, Any]:
    """Plain JSON values; a width that cannot be estimated is null."""
    from assay.judging import DIFFERENCE

    pairs = options.pairs if drawn is None else len(drawn.drawn)
    content = plan.to_dict(min(pairs, plan.n_pairs), _width(options))
    unit = plan.design.unit if drawn is None else drawn.unit
    if unit in ("", DIFFERENCE):
        content["expected"]["value"] = content["needed"]["value"] = None
    if not unit:
        content["expected"]["difference"] = content["needed"]["difference"] = None
    content["shares_alone"] = dict(plan.frame.shares_alone) if len(plan.frame.systems) > 1 else {}
    content["pool"] = None
    if drawn is not None:
        about = {name: getattr(drawn, name) for name in ("id", "how", "seed", "metric", "depth", "benchmark", "is_complete")}
        counts = {"n_drawn": len(drawn.drawn), "n_pairs": len(drawn.pairs)}
        outside = _outside(plan.frame, drawn)
        content["pool"] = {
            **about,
            **counts,
            "systems": list(drawn.systems),
            "judges": list(drawn.judges),
            "overlap": drawn.overlap,
            "never_eligible": outside,
            "file": options.output,
            "form": options.form,
        }
    return {"schema": SCHEMA, **content}


COMMAND = Command(
    "pool",
    "draw pairs of query and document to judge, and say how exact the estimates from them will be",
    add_arguments,
    run_pool,
    EXAMPLES,
    group=Group.DATA,
)
