"""Inputs that may be stored: results by reference, baselines, rules; and the sources of a report."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.inputs import (
    NamedFile,
    check_metrics_are_no_files,
    check_only_results,
    read_ground_truth,
    read_systems,
    system_names,
    with_unique_names,
)
from assay.cli.scoring_options import check_has_dataset, make_profile
from assay.errors import DataError, UsageError
from assay.store import LookupResult

if TYPE_CHECKING:
    from assay.evaluation import Result
    from assay.monitoring import Recorded, Rule


@dataclass(frozen=True)
class ReportSources:
    """The results, benchmark by benchmark, and what each word stood for where they are results already."""

    groups: list[list[Result]]
    lookups: tuple[LookupResult, ...] = ()


def read_sources(options: argparse.Namespace) -> ReportSources:
    """What is no file is looked up in the store; runs are scored, with their rankings kept."""
    from assay.evaluation import check_not_empty

    check_has_dataset(options)
    check_metrics_are_no_files(options, options.files)
    words = [NamedFile.of(word) for word in (*options.files, *options.more_runs)]
    for word in words:
        check_not_empty(word.path)
    if not options.dataset and words and all(_is_result(word) for word in words):
        check_only_results(options, words, words)
        return _read_results(words, options.store)
    if stored := [word for word in words if not _is_file(word) and not _looks_like_file(word)]:
        raise UsageError(
            f"{stored[0].path} is no file, and others are: give results alone, stored or saved, or judgments and runs"
        )
    n_runs = len(words) - (0 if options.dataset else 1)
    if n_runs < 1 and all(map(_is_file, words)):
        start = (
            f"{options.prog} --dataset {shlex.quote(options.dataset)}" if options.dataset else f"{options.prog} qrels.txt"
        )
        here = words[0].path if words else options.dataset
        raise UsageError(f"{here} says what is relevant; give at least one run as well:\n  {start} bm25.run -m ndcg@10")
    return ReportSources([_score_one_run(options, words)] if n_runs == 1 else read_systems(options, with_rankings=True))


def _is_file(word: NamedFile) -> bool:
    return word.path == "-" or Path(word.path.partition("#")[0]).exists() or Path(word.path).exists()


def _looks_like_file(word: NamedFile) -> bool:
    from assay.store import looks_like_file

    return looks_like_file(word.path.partition("#")[0])


def _is_result(word: NamedFile) -> bool:
    """Whether it is a saved result, or can only be a stored one."""
    from assay.evaluation import is_saved_result

    return is_saved_result(word.path) or (not _is_file(word) and not _looks_like_file(word))


def _read_results(words: Sequence[NamedFile], store: str | None) -> ReportSources:
    """Results under the names given to them, those on one benchmark together."""
    lookups: list[LookupResult] = []
    groups: dict[str, list[tuple[NamedFile, Result]]] = {}
    for word in words:
        lookup = find_results(word.path, store)
        named = [_with_given_name(word, result, len(lookup.results)) for result in lookup.results]
        lookups.append(replace(lookup, results=tuple(named)))
        for result in named:
            groups.setdefault(result.benchmark, []).append((word, result))
    if "" in groups and len(groups) == 2:  # one that does not say what it is about goes with the only one there is
        only = next(name for name in groups if name)
        groups[only] = [*groups.pop(""), *groups[only]]
    return ReportSources([with_unique_names(group) for group in groups.values()], tuple(lookups))


def _with_given_name(word: NamedFile, result: Result, n: int) -> Result:
    if not word.name:
        return result
    return result.renamed(word.name if n == 1 else f"{word.name}/{result.name}")


def _score_one_run(options: argparse.Namespace, words: Sequence[NamedFile]) -> list[Result]:
    """One run scored against judgments or a benchmark."""
    from assay.evaluation import settings_of
    from assay.files import as_source
    from assay.metrics import parse_metrics

    for word in words:
        if word.path != "-" and not Path(word.path).exists():
            raise DataError("no such file", source=word.path)
    truth = options.dataset or words[0].path
    profile = make_profile(options)
    source = as_source(words[-1].path)
    scoring = read_ground_truth(options, truth, settings_of(parse_metrics(options.metrics, profile.name), profile), profile)
    return [scoring.score(source, system_names(words[-1:], [source.name])[0], with_rankings=True)]


def find_results(reference: str, store: str | None) -> LookupResult:
    """A file of `--format json` where that is one, else an evaluation of the store."""
    from assay.store import find_results

    return find_results(reference, store)


def find_baseline(reference: str, store: str | None) -> tuple[LookupResult | None, str]:
    """The baseline, or None where nobody has blessed one of that name, and then what may have been meant."""
    from assay.store import find_baseline

    return find_baseline(reference, store)


def bless_command(name: str, evaluation: str) -> str:
    """What makes an evaluation the baseline of a name; empty where it is a file, or nothing can be blessed so."""
    from assay.store import is_baseline_name

    return f"assay bless {evaluation} --as {name}" if evaluation and is_baseline_name(name) else ""


def read_rules(files: Iterable[str], texts: Iterable[str], recorded: Recorded = tuple) -> list[Rule]:
    """The rules of files and of the command line, each once. `recorded` gives the metrics of the results they are about."""
    from assay.monitoring import parse_rule, rules_from_yaml
    from assay.yaml_tree import MAX_LETTERS

    rules: list[Rule] = []
    for file in files:
        try:
            with Path(file).open(encoding="utf-8-sig") as stream:
                text = stream.read(MAX_LETTERS + 1)
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror or error}", source=file) from None
        except UnicodeDecodeError:
            raise DataError("rules are text in UTF-8", source=file) from None
        rules += rules_from_yaml(text, file, recorded)
    rules += [parse_rule(text, "--rule", recorded=recorded) for text in texts]
    if not rules:
        raise UsageError('there is no rule: give --rules gate.yaml, or --rule "ndcg@10 >= 0.42"')
    return list({rule.text: rule for rule in rules}.values())


def best_so_far(rules: Iterable[Rule], lookup: LookupResult, store: str | None) -> dict[tuple[str, str, str], float]:
    """The best earlier figures of the metrics that have a ratchet."""
    from assay.monitoring import RatchetRule, best_before, series_of

    metrics = {rule.bound.name: rule.bound for rule in rules if isinstance(rule, RatchetRule)}
    if not metrics or not lookup.evaluation:
        return {}
    from assay.store import Store

    with Store.open(store, create=False) as opened:
        series = [line for name, bound in metrics.items() for line in series_of(opened.history(name), bound)]
    return best_before(series, lookup.evaluation)
