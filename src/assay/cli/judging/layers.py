"""Judgment layers: results with the grades in the store, by people or by a model that people correct."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.judging.texts import with_present_texts
from assay.cli.output_options import open_store
from assay.cli.terminal import write_notes
from assay.errors import DataError, NothingSelected, UnknownName, UsageError, near_matches
from assay.text import counted, percent, printable, some_of

if TYPE_CHECKING:
    from assay.evaluation import Result
    from assay.judging import Corrected, Pool
    from assay.store import Judgment

PEOPLE, CORRECTED, MODEL = "people", "corrected", "model"
LAYERS = (PEOPLE, CORRECTED)
DIFFERENCE, QUERIES = "difference", "queries"
OUTSIDE = (
    "{share} of the documents that tell {a} and {b} apart could not be drawn, because the rankings have changed since. "
    "They count as not relevant."
)
STANDS_FOR = "The pool was drawn for {two}. All documents that tell {a} and {b} apart could be drawn."
MOST_OUTSIDE = 0.05
"""A gate cannot decide if more of the documents that tell its two sides apart could not be drawn."""
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
    group.add_argument(
        "--texts",
        metavar="DATASET",
        help="with --judgments: benchmark or documents with the texts as they are now; grades for other texts do not count "
        "(default: the bundled benchmark of the results)",
    )
    group.add_argument("--judge", metavar="NAME", help="with --judgments corrected: the model judge, if there are several")


def check_layer(options: argparse.Namespace) -> None:
    """Check the options before anything is read."""
    if options.judgments is None:
        if flags := [f"--{name}" for name in ("pool", "judge", "texts") if getattr(options, name)]:
            raise UsageError(f"{' and '.join(flags)} is for --judgments people or corrected")
        return
    if options.judgments == MODEL:
        raise UsageError(MODEL_ALONE)
    if options.judgments not in LAYERS:
        near = near_matches(options.judgments, LAYERS)
        raise UnknownName("kind of judgments", options.judgments, near, f"choose from {', '.join(LAYERS)}")
    if options.judge and options.judgments != CORRECTED:
        raise UsageError("--judge names a model, which only --judgments corrected uses")


def with_layer(
    options: argparse.Namespace, results: Sequence[Result], side: str = "", others: Sequence[Result] = ()
) -> list[Result]:
    """Results of one benchmark with the grades of the layer: estimates from a pool, or scores with merged judgments.

    Without a pool, people's grades overrule the judgments that the results were scored with. `side` is a or b if all results
    belong to this side of a pool for a difference, and `others` are the results of the other side; otherwise their names say
    it.
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
        _note_sampled(options, people)
        return [_rejudged(result, people) for result in results]
    pool = drawn or _named_pool(people)
    if pool.unit == DIFFERENCE and not side:
        _check_two_systems(pool, results, options)
    layer = _corrected(options, pool, people, benchmark)
    if pool.unit != DIFFERENCE:
        return [_estimated(layer, result, options.metrics) for result in results]
    if side:
        return _on_one_side(layer, results, options, side, others)
    return _two_systems(layer, results, options)


def _two_systems(layer: Corrected, results: Sequence[Result], options: argparse.Namespace) -> list[Result]:
    """Estimates for the two systems of a pool for a difference."""
    pool: Pool = layer.pool  # type: ignore[assignment]
    a, b = pool.compared
    named = {result.name: result for result in results}
    outside = pool.difference_outside(named[a], named[b])
    note = (OUTSIDE.format(share=percent(outside, 1), a=a, b=b),) if outside > 0 else ()
    return [_noted(_estimated(layer, result, options.metrics), note) for result in results]


def _check_two_systems(pool: Pool, results: Sequence[Result], options: argparse.Namespace) -> None:
    """Raise if the results are not of the two systems of a pool for a difference; name the command without the others."""
    names = [result.name for result in results]
    a, b = pool.compared
    if sorted(names) == sorted((a, b)):
        return
    if {a, b} <= set(names):
        words = shlex.join(f"{_reference(options)}#{results[0].benchmark}/{name}" for name in (a, b))
        others = some_of([name for name in names if name not in (a, b)])
        raise UsageError(
            f"the pool was drawn for the difference of {a} and {b}, so nothing can be estimated for {others}. "
            f"Compare these two alone: assay compare {words} --judgments {options.judgments}{_pool_flag(options)}"
        )
    raise UsageError(
        f"the pool was drawn for the difference of {a} and {b}, but the results are of {some_of(names)}. Name "
        "results of these two systems, or draw a pool of the others: assay pool … --how spread"
    )


def _on_one_side(
    layer: Corrected, results: Sequence[Result], options: argparse.Namespace, side: str, others: Sequence[Result]
) -> list[Result]:
    """The result of a gate: the baseline is system a of the pool, the checked result system b, whatever they are called.

    Names do not say whether these are the systems of the pool, so the documents that tell both sides apart must be in it.
    """
    pool: Pool = layer.pool  # type: ignore[assignment]
    if len(results) != 1:
        raise UsageError(
            f"the pool was drawn for the difference of two systems ({pool.how}), so a gate can check one result, "
            f"found {some_of([result.name for result in results])}. Name one, as in "
            f"latest#{results[0].benchmark}/{results[0].name}"
        )
    (result,) = results
    known = [other for other in others if other.benchmark == result.benchmark]
    opposite = next((other for other in known if other.name == result.name or len(known) == 1), None)
    notes = () if opposite is None else _notes_on_sides(pool, *((result, opposite) if side == "a" else (opposite, result)))
    estimate = _estimated(layer, result.renamed(pool.compared["ab".index(side)]), options.metrics)
    return [_noted(estimate.renamed(result.name), notes)]


def _notes_on_sides(pool: Pool, baseline: Result, checked: Result) -> tuple[str, ...]:
    """What the two sides of a gate have to do with the pool; a DataError if it is too little."""
    two, a, b = " and ".join(pool.compared), f"{baseline.name} of the baseline", f"the checked {checked.name}"
    outside = pool.difference_outside(baseline, checked)
    if outside > MOST_OUTSIDE:
        raise DataError(
            f"the pool was drawn for the difference of {two}, and {percent(outside, 1)} of the documents that tell {a} and "
            f"{b} apart could not be drawn, so the gate cannot decide. Check the two systems that the pool was drawn for, "
            "or draw a pool of these two: assay pool … --how spread"
        )
    if outside > 0:
        return (OUTSIDE.format(share=percent(outside, 1), a=a, b=b),)
    return (STANDS_FOR.format(two=two, a=a, b=b),)


def _noted(result: Result, notes: tuple[str, ...]) -> Result:
    return result.with_fields(notes=(*result.notes, *notes))


def _reference(options: argparse.Namespace) -> str:
    """The evaluation that the command names, if it is one; else the newest."""
    words = [str(word).partition("#")[0] for word in options.files]
    return words[0] if len(words) == 1 else "latest"


def _pool_flag(options: argparse.Namespace) -> str:
    return f" --pool {shlex.quote(str(options.pool))}" if options.pool else ""


def each_with_layer(
    options: argparse.Namespace, results: Sequence[Result], side: str, others: Sequence[Result] = ()
) -> tuple[Result, ...]:
    """Results of several benchmarks with the grades of the layer, in the same order; `side` and `others` as above."""
    done: dict[int, Result] = {}
    for benchmark in dict.fromkeys(result.benchmark for result in results):
        places = [place for place, result in enumerate(results) if result.benchmark == benchmark]
        done |= zip(places, with_layer(options, [results[place] for place in places], side, others), strict=True)
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
        judgments = list(store.judgments.find(benchmark, kind=kind))
    return with_present_texts(options, judgments, benchmark)


def _note_sampled(options: argparse.Namespace, people: Sequence[Judgment]) -> None:
    """Say if grades of a random sample are mixed with the judgments of a benchmark, and what else can be done."""
    from assay.judging import kept_pool_path

    sampled = [judgment for judgment in people if judgment.pool]
    if not sampled:
        return
    files = " or ".join(f"--pool {kept_pool_path(name)}" for name in sorted({judgment.pool for judgment in sampled}))
    write_notes(
        options,
        f"note: {len(sampled):,} of the {counted(len(people), 'grade')} by people were given for drawn pairs, and overrule "
        "the judgments of the benchmark for these pairs only. To estimate from the drawn pairs alone, add "
        f"{files}. To use the judgments of the benchmark alone, leave out --judgments",
    )


def _named_pool(people: Iterable[Judgment]) -> Pool:
    """The pool that the grades name, from the copies of drawn pools.

    Of a pool and those that extend it, it is the largest one of which every pair is judged, else the largest one.
    """
    from assay.judging import kept_pool

    names = sorted({judgment.pool for judgment in people if judgment.pool})
    if not names:
        raise UsageError(
            "these grades name no pool, and the results have no judgments that they could overrule. Estimates need the pool "
            "that the judged pairs were drawn from: --pool pool.jsonl. Pairs that were chosen in another way say nothing "
            "about the others. If all relevant documents are judged, use the grades as a benchmark: assay judgments export "
            "-o judged.json --dataset QUERIES, then assay eval --benchmarks judged.json --documents DOCUMENTS"
        )
    kept = {name: kept_pool(name) for name in names}
    if len(names) == 1 and kept[names[0]] is None:
        raise DataError(f"the grades are from the pool {names[0]}, which is not in this folder. Add --pool pool.jsonl")
    largest = next((drawn for drawn in kept.values() if drawn and set(names) <= {drawn.id, *drawn.extends}), None)
    if largest is None:
        raise UsageError(f"the grades are from {len(names)} pools: {some_of(names)}. Choose one with --pool pool.jsonl")
    graded = {(judgment.query, judgment.document) for judgment in people}
    smaller = (drawn for name in reversed(largest.extends) if (drawn := kept_pool(name)) is not None)
    return next((drawn for drawn in (largest, *smaller) if _ids(drawn) <= graded), largest)


def _ids(drawn: Pool) -> set[tuple[str, str]]:
    """The drawn pairs, with ids as the store has them."""
    return {(printable(pair.query), printable(pair.document)) for pair in drawn.drawn}


def _corrected(options: argparse.Namespace, drawn: Pool, people: Sequence[Judgment], benchmark: str) -> Corrected:
    from assay.judging import Corrected, grades_in_order, kept_pool
    from assay.store import combined, restore_ids

    counted_grades = grades_in_order(drawn, people, kept_pool(drawn.id))
    _note_left_out(options, drawn, people, counted_grades)
    known: dict[str, list[str]] = {}
    for pair in drawn.pairs:
        known.setdefault(pair.query, []).append(pair.document)
    model = None
    if options.judgments == CORRECTED:
        model = restore_ids(combined(_by_one_model(options, benchmark)), known)
    return Corrected(restore_ids(combined(counted_grades), known), model, drawn)


def _note_left_out(
    options: argparse.Namespace, drawn: Pool, people: Sequence[Judgment], counted_grades: Sequence[Judgment]
) -> None:
    """Say how many drawn pairs have a grade that does not count, because it was not given in the order of the pool."""
    pairs = _ids(drawn)
    used, graded = ({(judgment.query, judgment.document) for judgment in some} & pairs for some in (counted_grades, people))
    if n_left := len(graded - used):
        write_notes(
            options,
            f"note: the grades for {counted(n_left, 'drawn pair')} do not count yet, because they were not given in the "
            "order of the pool. They count when the pairs before them, or all drawn pairs, are graded",
        )


def _by_one_model(options: argparse.Namespace, benchmark: str) -> list[Judgment]:
    """The grades of the one model judge; an error if there is none, or if it is unclear which."""
    every = _stored(options, benchmark, MODEL)
    return choose_judge(every, options.judge, benchmark)


def choose_judge(every: Sequence[Judgment], name: str | None, benchmark: str = "") -> list[Judgment]:
    """The grades of the named model judge, or of the only one. `gpt #12ab34cd` may be called `gpt` if no other is."""
    names = sorted({judgment.judge for judgment in every})
    on = f" on {benchmark}" if benchmark else ""
    if not names:
        raise NothingSelected(f"no model has graded documents{on} yet. To let one grade the pairs of a pool: assay judge")
    same = [known for known in names if known.rpartition(" #")[0] == name]
    if len(same) == 1 and name not in names:
        name = same[0]
    if name is not None and name not in names:
        raise UnknownName("model judge", name, near_matches(name, names), f"choose from {', '.join(names)}")
    if name is None and len(names) > 1:
        raise UsageError(f"{len(names)} models have graded documents{on}. Add --judge   (choose from {', '.join(names)})")
    return [judgment for judgment in every if judgment.judge == (name or names[0])]


def _estimated(layer: Corrected, result: Result, asked: Sequence[str] | None) -> Result:
    """Estimates of the asked metrics, else of the metric of the pool and of those of the result that the pool allows.

    A pool of pairs was drawn for its metric, so this metric is there and decides, also if the result does not have it.
    """
    pool: Pool = layer.pool  # type: ignore[assignment]
    own = result.metrics
    if asked or pool.metric in [metric.name for metric in own]:
        return layer.estimate(result, asked)
    can = pool.unit == QUERIES and any(layer.can_estimate(metric) for metric in own)
    return layer.estimate(result, None if can else [pool.metric, *own])


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
