"""Judgment layers: results with the grades in the store, by people or by a model that people correct."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.output_options import open_store
from assay.errors import DataError, NothingSelected, UnknownName, UsageError, near_matches
from assay.text import some_of

if TYPE_CHECKING:
    from assay.evaluation import Result
    from assay.judging import Corrected, Pool
    from assay.store import Judgment

PEOPLE, CORRECTED, MODEL = "people", "corrected", "model"
LAYERS = (PEOPLE, CORRECTED)
MODEL_ALONE = (
    "grades of a model alone are not used as judgments, because their errors differ by query and system. Use people, or "
    "corrected, which corrects the model by the grades of people"
)


def add_layer_arguments(parser: argparse.ArgumentParser) -> None:
    """Whose grades are used, and the pool that the judged pairs were drawn from."""
    group = parser.add_argument_group("grades in the store")
    group.add_argument(
        "--judgments",
        metavar="|".join(LAYERS),
        help="people: use grades by people; corrected: also those of a model, corrected by people's (default: neither)",
    )
    group.add_argument(
        "--pool",
        metavar="FILE",
        help="with --judgments: estimate from the pairs of this pool (default: the pool that the grades name)",
    )
    group.add_argument("--judge", metavar="NAME", help="with --judgments corrected: the model judge, if there are several")


def check_layer(options: argparse.Namespace) -> None:
    """Check the options before anything is read."""
    if options.judgments is None:
        if flags := [f"--{name}" for name in ("pool", "judge") if getattr(options, name)]:
            raise UsageError(f"{' and '.join(flags)} is for --judgments people or corrected")
        return
    if options.judgments == MODEL:
        raise UsageError(MODEL_ALONE)
    if options.judgments not in LAYERS:
        near = near_matches(options.judgments, LAYERS)
        raise UnknownName("kind of judgments", options.judgments, near, f"choose from {', '.join(LAYERS)}")
    if options.judge and options.judgments != CORRECTED:
        raise UsageError("--judge names a model, which only --judgments corrected uses")


def with_layer(options: argparse.Namespace, results: Sequence[Result]) -> list[Result]:
    """Results of one benchmark with the grades of the layer: estimates from a pool, or scores with merged judgments.

    Without a pool, people's grades overrule the judgments that the results were scored with.
    """
    if options.judgments is None:
        return list(results)
    drawn = _pool_in(Path(options.pool)) if options.pool else None
    benchmark = _benchmark(results, drawn)
    people = _stored(options, benchmark, PEOPLE)
    if not people:
        raise NothingSelected(
            f"nobody has graded documents on {benchmark} yet. To judge documents on a web page: assay serve"
        )
    if options.judgments == PEOPLE and drawn is None and all(result.relevant for result in results):
        return [_rejudged(result, people) for result in results]
    layer = _corrected(options, drawn or _named_pool(people), people, benchmark)
    return [_estimated(layer, result, options.metrics) for result in results]


def each_with_layer(options: argparse.Namespace, results: Sequence[Result]) -> tuple[Result, ...]:
    """Results of several benchmarks with the grades of the layer, in the same order."""
    done: dict[int, Result] = {}
    for benchmark in dict.fromkeys(result.benchmark for result in results):
        places = [place for place, result in enumerate(results) if result.benchmark == benchmark]
        done |= zip(places, with_layer(options, [results[place] for place in places]), strict=True)
    return tuple(done[place] for place in range(len(results)))


def _pool_in(path: Path) -> Pool:
    from assay.judging import read_pool_file

    return read_pool_file(path)


def _benchmark(results: Sequence[Result], drawn: Pool | None) -> str:
    known = list(dict.fromkeys(result.benchmark for result in results if result.benchmark))
    if drawn is not None and drawn.benchmark and known and drawn.benchmark not in known:
        raise UsageError(f"the pool was drawn on {drawn.benchmark}, but the results are on {', '.join(known)}")
    benchmark = known[0] if known else drawn.benchmark if drawn is not None else ""
    if not benchmark:
        raise UsageError("grades belong to a benchmark, but the results name none. Use results of assay eval")
    return benchmark


def _stored(options: argparse.Namespace, benchmark: str, kind: str) -> list[Judgment]:
    with open_store(options) as store:
        return list(store.judgments.find(benchmark, kind=kind))


def _named_pool(people: Iterable[Judgment]) -> Pool:
    """The pool that the grades name, from the copies of drawn pools."""
    from assay.judging import kept_pool

    names = sorted({judgment.pool for judgment in people if judgment.pool})
    if not names:
        raise UsageError(
            "these grades name no pool, and the results have no judgments that they could overrule. Estimates need the pool "
            "that the judged pairs were drawn from: --pool pool.jsonl. Pairs that were chosen in another way say nothing "
            "about the others"
        )
    if len(names) > 1:
        raise UsageError(f"the grades are from {len(names)} pools: {some_of(names)}. Choose one with --pool pool.jsonl")
    drawn = kept_pool(names[0])
    if drawn is None:
        raise DataError(f"the grades are from the pool {names[0]}, which is not in this folder. Add --pool pool.jsonl")
    return drawn


def _corrected(options: argparse.Namespace, drawn: Pool, people: Sequence[Judgment], benchmark: str) -> Corrected:
    from assay.judging import Corrected
    from assay.store import combined, restore_ids

    known: dict[str, list[str]] = {}
    for pair in drawn.pairs:
        known.setdefault(pair.query, []).append(pair.document)
    model = None
    if options.judgments == CORRECTED:
        model = restore_ids(combined(_by_one_model(options, benchmark)), known)
    return Corrected(restore_ids(combined(people), known), model, drawn)


def _by_one_model(options: argparse.Namespace, benchmark: str) -> list[Judgment]:
    """The grades of the one model judge; an error if there is none, or if it is unclear which."""
    every = _stored(options, benchmark, MODEL)
    return choose_judge(every, options.judge, benchmark)


def choose_judge(every: Sequence[Judgment], name: str | None, benchmark: str = "") -> list[Judgment]:
    """The grades of the named model judge, or of the only one."""
    names = sorted({judgment.judge for judgment in every})
    on = f" on {benchmark}" if benchmark else ""
    if not names:
        raise NothingSelected(f"no model has graded documents{on} yet. To let one grade the pairs of a pool: assay judge")
    if name is not None and name not in names:
        raise UnknownName("model judge", name, near_matches(name, names), f"choose from {', '.join(names)}")
    if name is None and len(names) > 1:
        raise UsageError(f"{len(names)} models have graded documents{on}. Add --judge   (choose from {', '.join(names)})")
    return [judgment for judgment in every if judgment.judge == (name or names[0])]


def _estimated(layer: Corrected, result: Result, asked: Sequence[str] | None) -> Result:
    """Estimates of the asked metrics, else of those of the result that the pool allows, else of the metric of the pool."""
    from assay.judging import DIFFERENCE

    pool: Pool = layer.pool  # type: ignore[assignment]
    if pool.unit == DIFFERENCE:
        raise UsageError(
            f"the pool was drawn for the difference of two systems ({pool.how}), so values cannot be estimated. In Python: "
            "assay.Corrected(people, pool=pool).difference(a, b); or draw with --how spread"
        )
    can = any(layer.can_estimate(metric) for metric in result.metrics)
    return layer.estimate(result, asked or (None if can else [pool.metric]))


def _rejudged(result: Result, people: Sequence[Judgment]) -> Result:
    """A result with people's grades instead of those of the benchmark, as the web pages show it."""
    from assay.evaluation import rejudge
    from assay.store import combined, restore_ids

    known: dict[str, list[str]] = {}
    for source in (result.run, result.relevant, result.nonrelevant):
        for query in source:
            known.setdefault(query, []).extend(source[query])
    effect = rejudge(result, restore_ids(combined(people), known), layer=PEOPLE)
    if not effect.left_out:
        return effect.result
    note = f"Left out, because the result does not have all that they need: {some_of(effect.left_out)}."
    return effect.result.with_fields(notes=(*effect.result.notes, note))


def refuse_model_alone(results: Iterable[Result]) -> None:
    """Raise if a result was computed with the grades of a model alone, which no gate should trust."""
    for result in results:
        layer = (result.provenance.get("judgments") or {}).get("layer", PEOPLE)
        if layer not in LAYERS:
            raise UsageError(f"{result.name} is computed with the layer {layer}: {MODEL_ALONE}")


def check_decidable(now: Sequence[Result], before: Sequence[Result], metrics: Iterable[str]) -> None:
    """Raise if rankings changed, but no judged document tells an estimate from that of the baseline.

    The estimated difference would be 0 without an interval, and every rule about it would pass.
    """
    names = list(dict.fromkeys(metrics))
    baseline = {(result.benchmark, result.name): result for result in before}
    for result in now:
        other = baseline.get((result.benchmark, result.name))
        for name in names if other is not None else ():
            if _is_blind(result, other, name):  # type: ignore[arg-type]
                raise DataError(
                    f"no judged document tells {result.name} from the baseline on {name}, although the rankings differ, so "
                    "the gate cannot decide. Draw a pool of both systems and judge more pairs"
                )


def _is_blind(now: Result, before: Result, name: str) -> bool:
    columns = [result.table.columns.get(name) for result in (now, before)]
    if any(column is None or not column.is_estimate for column in columns):
        return False
    contributions = [column.weight[:, 0].tolist() for column in columns if column is not None]
    if contributions[0] != contributions[1] or now.table.query_ids != before.table.query_ids:
        return False
    k = next(metric.params.get("k") for metric in now.metrics if metric.name == name)
    tops = [{query: set(list(result.run[query])[:k]) for query in result.run} for result in (now, before)]
    return tops[0] != tops[1]


def estimate_notes(results: Iterable[Result]) -> tuple[str, ...]:
    """What estimates are based on, each sentence once; a sentence about one system names it."""
    about = [result for result in results if any(column.is_estimate for column in result.table.columns.values())]
    notes = [(result.name, note) for result in about for note in result.notes]
    return tuple(dict.fromkeys(f"{name}: {note}" if "could not be drawn" in note else note for name, note in notes))
