"""What assay pool prints: the draw and what to do with it, a plan, the designs, and all of this as JSON."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.cli.judging.next_steps import steps_after_pool
from assay.cli.terminal import text_here
from assay.serialize import dumps
from assay.text import counted, percent

if TYPE_CHECKING:
    from assay.judging import Frame, JudgingPlan, Pool

SCHEMA = "assay.judging_plan/1"
PLANNED = (50, 100, 200, 300, 500, 1000, 2000, 5000)
"""Numbers of judgments in the table of a plan."""


def pool_lines(plan: JudgingPlan, drawn: Pool, options: argparse.Namespace, earlier: Pool | None) -> Iterator[str]:
    """What was drawn, how much work it is, what it will tell, and what to do next."""
    about = f" on {drawn.benchmark}" if drawn.benchmark else ""
    yield f"pool       {drawn.id}: {drawn.how}, seed {drawn.seed}, for {drawn.metric}{about}"
    yield (
        f"pairs      {len(drawn.drawn):,} of {len(drawn.pairs):,} that could be drawn, "
        f"{counted(len(drawn.queries), 'query')}, {counted(len(drawn.systems), 'system')}"
    )
    if earlier is not None:
        n_new = len(drawn.drawn) - len(earlier.drawn)
        yield f"extends    {earlier.id}: its {counted(len(earlier.drawn), 'pair')} are part of it, {n_new:,} are new"
    shares = _shares(drawn)
    n_to_grade = sum(map(len, shares.values())) if shares else len(drawn.drawn)
    n_to_grade -= len(earlier.drawn) if earlier is not None and not shares else 0
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


def plan_lines(plan: JudgingPlan, options: argparse.Namespace) -> Iterator[str]:
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


def designs_text(options: argparse.Namespace) -> str:
    """The designs, and what each draws."""
    from assay.judging import all_designs

    designs = {name: design.meaning for name, design in all_designs().items()}
    if options.format == "json":
        return dumps({"designs": designs}, indent=2) + "\n"
    return "".join(f"{name:<15}{meaning}\n" for name, meaning in designs.items())


def plan_json(plan: JudgingPlan, drawn: Pool | None, options: argparse.Namespace) -> dict[str, Any]:
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
        about["extends"] = list(drawn.extends)
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
