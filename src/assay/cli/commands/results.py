"""assay results: list, delete, tag, annotate, export or import stored results, merge shards, and log results to MLflow."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.output_options import SINCE_HELP, add_store_argument, open_store, stored_metric
from assay.cli.program import Command, Group
from assay.cli.scoring_options import integer_parser
from assay.cli.streams import write_json
from assay.cli.terminal import text_here
from assay.errors import NothingSelected, UsageError, near_matches
from assay.grammar import WrittenName
from assay.text import counted, printable, some_of

if TYPE_CHECKING:
    from assay.store import Entry, Store

EXAMPLES = """\
  assay results --benchmark rag-template --since 30d
  assay results tag latest release
  assay results delete latest~3
  assay results export all.jsonl.zst
  assay results merge first.json second.json -o all.json
  assay results mlflow latest --tracking-uri sqlite:///mlflow.db"""
SCHEMA = "assay.results/1"
DEFAULT_LIMIT = 20
"""The number of results that are shown by default."""
FORMS = {
    "delete": "delete REFERENCE …",
    "tag": "tag REFERENCE TAG …",
    "note": "note REFERENCE TEXT",
    "export": "export FILE [REFERENCE …], or export [REFERENCE …] -o FILE",
    "import": "import FILE …",
    "merge": "merge RESULT.json RESULT.json … -o FILE.json",
    "mlflow": "mlflow REFERENCE … [--tracking-uri URI]",
}
"""Action → its arguments."""
EXPORT_ENDINGS = (".zst", ".jsonl", ".json", ".gz")
"""File extensions that distinguish a file from a reference."""
OUTPUT_IS_FOR_EXPORT = "-o is for export and merge. To write a list to a file: assay results -f csv > results.csv"
MIN_WORDS = {"delete": 1, "tag": 2, "note": 2, "export": 1, "import": 1, "merge": 2, "mlflow": 1}
MAX_WORDS = {"note": 2}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to list, or which action on which evaluations."""
    parser.add_argument(
        "action",
        nargs="?",
        metavar="|".join(FORMS),
        help="what to do with evaluations; without it, list the stored results, newest first",
    )
    parser.add_argument(
        "words",
        nargs="*",
        metavar="reference",
        help="delete: evaluations; tag: an evaluation and tags; note: an evaluation and a text; export: a file, then "
        "evaluations (default: all); import: files; merge: results of assay eval --range; mlflow: evaluations or files. "
        "An evaluation is latest, "
        "latest~1, an id, the beginning or end of an id, or a baseline",
    )
    _add_list_arguments(parser.add_argument_group("list"))
    change = parser.add_argument_group("change")
    change.add_argument("--force", action="store_true", help="delete: also delete evaluations that are baselines")
    change.add_argument("--remove", action="store_true", help="tag: remove the tags instead of adding them")
    change.add_argument(
        "-o", "--output", metavar="FILE", help="export: file to write, instead of the first argument; merge: file to write"
    )
    _add_mlflow_arguments(parser.add_argument_group("mlflow"))
    add_store_argument(parser)


def _add_mlflow_arguments(group: argparse._ArgumentGroup) -> None:
    """Where results are logged."""
    group.add_argument(
        "--tracking-uri",
        metavar="URI",
        help="server or database of MLflow, such as http://host:5000 or sqlite:///mlflow.db (default: MLflow's own setting)",
    )
    group.add_argument("--experiment", metavar="NAME", help="experiment of MLflow (default: assay)")


def _add_list_arguments(group: argparse._ArgumentGroup) -> None:
    """The options for the list of results."""
    group.add_argument("--benchmark", metavar="BENCHMARK", help="list only results on this benchmark")
    group.add_argument("--provider", metavar="PROVIDER", help="list only results of this provider")
    group.add_argument("--since", metavar="AGE", help=f"list only {SINCE_HELP}")
    group.add_argument("--tag", metavar="TAG", help="list only results of evaluations with this tag")
    group.add_argument(
        "-m",
        "--metric",
        type=WrittenName,
        metavar="METRIC",
        help="metric to show (default: the first metric of each result)",
    )
    group.add_argument(
        "--limit",
        type=integer_parser(10**9),
        default=DEFAULT_LIMIT,
        metavar="N",
        help="largest number of results to list; 0 lists all (default: 20)",
    )
    group.add_argument(
        "-f",
        "--format",
        default="table",
        choices=("table", "json", "csv"),
        metavar="FORMAT",
        help="output format: table, json or csv (default: table)",
    )


def run_results(options: argparse.Namespace) -> int:
    """Run the action; its arguments are counted before the store is opened."""
    if options.action != "mlflow" and (options.tracking_uri or options.experiment):
        raise UsageError(f"--tracking-uri and --experiment are for mlflow. Write assay results {FORMS['mlflow']}")
    if options.action is None:
        if options.output is not None:
            raise UsageError(OUTPUT_IS_FOR_EXPORT)
        return _list(options)
    _check_words(options)
    if options.action in ("merge", "mlflow"):
        return _merge(options) if options.action == "merge" else _log(options)
    do = {"delete": _delete, "tag": _tag, "note": _note, "export": _export, "import": _import}[options.action]
    if options.action == "import":
        from assay.store import Store

        with Store.open(options.store) as store:
            lines = do(store, options)
    else:
        with open_store(options) as store:
            lines = do(store, options)
    sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))
    return 0


def _check_words(options: argparse.Namespace) -> None:
    if options.action not in FORMS:
        near = near_matches(options.action, FORMS)
        hint = f"Did you mean {near[0]}?" if near else f"To show an evaluation: assay show {options.action}"
        raise UsageError(f"assay results has no action {options.action!r}. {hint}   (choose from {', '.join(FORMS)})")
    if options.output is not None and options.action != "merge":
        if options.action != "export":
            raise UsageError(OUTPUT_IS_FOR_EXPORT)
        options.words = [options.output, *options.words]
    n_words = len(options.words)
    if n_words < MIN_WORDS[options.action] or n_words > MAX_WORDS.get(options.action, n_words):
        raise UsageError(f"wrong number of arguments. Write assay results {FORMS[options.action]}")


def _merge(options: argparse.Namespace) -> int:
    """Merge results of the same benchmark and provider over different queries into one file."""
    from assay.evaluation import Result, read_results
    from assay.execution import merge_shards
    from assay.reports import write_output

    if options.output is None:
        raise UsageError(f"merge needs a file to write. Write assay results {FORMS['merge']}")
    groups: dict[tuple[str, str], list[Result]] = {}
    for file in options.words:
        for result in read_results(file):
            groups.setdefault((result.benchmark, result.name), []).append(result)
    if alone := ["/".join(names) for names, shards in groups.items() if len(shards) != len(options.words)]:
        raise UsageError(
            f"every file must have a result of every benchmark and provider, but some have none of {some_of(alone)}"
        )
    merged = [merge_shards(shards) for shards in groups.values()]
    write_output(Path(options.output), merged)
    lines = [
        f"{'/'.join(filter(None, names))}: {counted(len(result.query_ids), 'query')} from {counted(len(shards), 'result')}"
        for (names, shards), result in zip(groups.items(), merged, strict=True)
    ]
    sys.stdout.write("".join(f"{printable(line)}\n" for line in [*lines, f"written to {options.output}"]))
    return 0


def _log(options: argparse.Namespace) -> int:
    """Log results to MLflow, each as a run."""
    from assay.reports import DEFAULT_EXPERIMENT, log_to_mlflow
    from assay.store import find_results

    results = [result for word in options.words for result in find_results(word, options.store).results]
    experiment = options.experiment or DEFAULT_EXPERIMENT
    runs = log_to_mlflow(results, options.tracking_uri, experiment)
    names = ["/".join(filter(None, (result.benchmark, result.name))) for result in results]
    lines = [f"{name}: run {run} in the experiment {experiment}" for name, run in zip(names, runs, strict=True)]
    sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))
    return 0


def _list(options: argparse.Namespace) -> int:
    from assay.reports import check_metric, entry_sections, list_notes, render_sections

    metric = stored_metric(options.metric, options).name if options.metric else None
    with open_store(options) as store:
        entries, is_cut = _entries(store, options)
        place = str(store.place)
        if not entries:
            _check_not_filtered_out(store, options)
    if metric is not None:
        check_metric(entries, metric)
    if options.format == "json":
        plain = {"schema": SCHEMA, "results": [entry.to_dict() for entry in entries]}
        write_json(plain)
    elif options.format == "csv":
        sys.stdout.write(render_sections(entry_sections(entries, metric, "csv"), "csv"))
    elif not entries:
        sys.stdout.write(f"{printable(place)} is empty. To add results: assay eval\n")
    else:
        n_evaluations = len({entry.evaluation for entry in entries})
        table = text_here(entry_sections(entries, metric))
        sys.stdout.write(f"{table}\n{list_notes(len(entries), n_evaluations, place, is_cut=is_cut)}\n")
    return 0


def _check_not_filtered_out(store: Store, options: argparse.Namespace) -> None:
    """Say which filters match no result, with similar names. An empty store is not an error."""
    filters = {name: getattr(options, name) for name in ("benchmark", "provider", "tag", "since") if getattr(options, name)}
    every = store.list() if filters else []
    if not every:
        return
    tags = {tag for entry in every for tag in entry.tags}
    known = {"benchmark": {entry.benchmark for entry in every}, "provider": {entry.provider for entry in every}, "tag": tags}
    meant = [near for name, some in known.items() if name in filters for near in near_matches(filters[name], some)]
    conditions = " ".join(f"--{name} {value}" for name, value in filters.items())
    question = f". Did you mean {' or '.join(meant)}?" if meant and not set(meant) & set(filters.values()) else ""
    raise NothingSelected(
        f"no result in {store.place} matches {conditions}{question or '. To list all results: assay results --limit 0'}"
    )


def _entries(store: Store, options: argparse.Namespace) -> tuple[Sequence[Entry], bool]:
    """The results to show, and whether there are more."""
    limit = options.limit + 1 if options.limit else None
    entries = store.list(options.benchmark, options.provider, options.since, options.tag, limit)
    return (entries[: options.limit], True) if limit and len(entries) == limit else (entries, False)


def _delete(store: Store, options: argparse.Namespace) -> list[str]:
    parts = dict(store.parts_of(reference) for reference in options.words)
    deleted = store.delete(*options.words, force=options.force)
    return [f"deleted {name}: {', '.join(parts[name])}" for name in deleted]


def _tag(store: Store, options: argparse.Namespace) -> list[str]:
    name = store.tag(options.words[0], *options.words[1:], remove=options.remove)
    tags = store.find(name).tags
    return [f"{name} is tagged {', '.join(tags)}" if tags else f"{name} has no tags"]


def _note(store: Store, options: argparse.Namespace) -> list[str]:
    return [f"added a note to {store.note(*options.words)}"]


def _export(store: Store, options: argparse.Namespace) -> list[str]:
    file, *references = options.words
    if references and not Path(file).suffix and Path(references[-1]).suffix in EXPORT_ENDINGS:
        right = " ".join([references[-1], file, *references[:-1]])
        raise UsageError(f"the file comes first: assay results export {right}. Or give it with -o {references[-1]}")
    _check_file(Path(file))
    n_written = store.export(file, references)
    return [f"{counted(n_written, 'evaluation')} written to {file}. To import the file: assay results import {file}"]


def _check_file(file: Path) -> None:
    """Check that the folder of the file exists. No folder is created."""
    if file.is_dir() or not file.parent.exists():
        raise UsageError(f"{file}: this must be a file in an existing folder")


def _import(store: Store, options: argparse.Namespace) -> list[str]:
    each = [store.import_(file) for file in options.words]
    named = zip(*(imported[:4] for imported in each), strict=True)
    new, known, baselines, kept_baselines = (list(dict.fromkeys(sum(some, ()))) for some in named)
    known = [name for name in known if name not in new]
    there = f"; {counted(len(known), 'evaluation')} already existed" if known else ""
    lines = [f"{counted(len(new), 'evaluation')} imported into {store.place}{there}"]
    lines += [f"  {name}" for name in new]
    lines += [f"baseline {name} imported" for name in baselines]
    lines += [f"baseline {name} not imported, because this store has one with that name" for name in kept_baselines]
    n_judgments = sum(imported.n_judgments for imported in each)
    n_notes = sum(imported.n_query_notes for imported in each)
    lines += [f"{counted(n_judgments, 'judgment')} imported"] if n_judgments else []
    return lines + ([f"{counted(n_notes, 'note')} on queries imported"] if n_notes else [])


COMMAND = Command(
    "results",
    "list, tag, delete, export, import and merge results",
    add_arguments,
    run_results,
    EXAMPLES,
    also_takes="words",
    group=Group.SHOW,
)
