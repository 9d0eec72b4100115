"""Options for scoring: relevance, intervals, the policy, an ontology; and parsers for numbers in options."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.cli.reading_options import add_reading_arguments
from assay.errors import UnknownName, UsageError, near_matches
from assay.evaluation import MISSING_DOCUMENTS, OWN, PROFILES, Profile, find_profile
from assay.grammar import WrittenName
from assay.model import Policy

if TYPE_CHECKING:
    from assay.datasets import BenchmarkDataset
    from assay.evaluation import Relevance, Result, Setting
    from assay.metrics import BoundMetric
    from assay.model import Qrels
    from assay.relevance import BoundResolver


UNITS = ("as_retrieved", "chunk", "document")
SCORING_FLAGS = (
    *("dataset_format", "relevance", "f1_threshold", "unit", "id_map", "missing_documents"),
    *("ontology", "annotations", "profile"),
)
"""Flags about scoring, which cannot be used with saved results. Neither can the flags of a policy."""
INTERSECT_HELP = "if queries, data or policies differ, use only what the systems share; never across benchmarks"
RUN_HELP = "runs; the same as giving them as arguments"
RELEVANCE_HELP = (
    "how to decide which documents are relevant: auto, qrels, pack, span, token, coverage, substring, lexical, "
    "semantic, ontology or hybrid; with parameters as in token(threshold=0.5) (default: auto)"
)


def add_relevance_arguments(parser: argparse.ArgumentParser, run_help: str = RUN_HELP) -> None:
    """The dataset, the resolver, and runs."""
    group = parser.add_argument_group("relevance")
    add_dataset_arguments(group, run_help)
    group.add_argument("--relevance", type=WrittenName, metavar="RESOLVER", help=RELEVANCE_HELP)
    group.add_argument(
        "--f1-threshold",
        type=_parse_shares,
        metavar="F1",
        help="lowest F1 at which the resolver token counts a document as relevant; assay score also accepts several, such "
        "as 0.1,0.2,0.3, and shows a column for each (default: that of the benchmark, otherwise 0.3)",
    )
    add_unit_arguments(group)
    add_ontology_arguments(group, "for max_ont_sim and --relevance ontology; all metrics use it to map alternative ids")


def add_dataset_arguments(group: argparse._ArgumentGroup, run_help: str = RUN_HELP) -> None:
    """The benchmark, and runs."""
    group.add_argument("--dataset", metavar="DATASET", help="path or name of a benchmark, instead of judgments")
    group.add_argument("--dataset-format", metavar="NAME", help="format of the benchmark, if it is not recognised")
    add_reading_arguments(group)
    group.add_argument("--run", dest="more_runs", nargs="+", action="extend", default=[], metavar="RUN", help=run_help)


def add_unit_arguments(group: argparse._ActionsContainer) -> None:
    """Whether chunks or whole documents are scored, and which document a chunk belongs to."""
    group.add_argument(
        "--unit",
        choices=list(dict.fromkeys(spelling for unit in UNITS for spelling in (unit, unit.replace("_", "-")))),
        metavar="|".join(UNITS),
        help="what to rank if chunks are retrieved but documents are judged. chunk: rank chunks and credit each document "
        "once; document: merge the chunks of a document; as_retrieved: use ids as they are (default: as_retrieved)",
    )
    group.add_argument(
        "--id-map",
        metavar="FILE",
        help="file that says which document a chunk belongs to: JSON, or lines with a chunk id and a document id",
    )
    group.add_argument(
        "--missing-documents",
        choices=MISSING_DOCUMENTS,
        metavar="|".join(MISSING_DOCUMENTS),
        help="what to do with a relevant document that is not among the documents of the benchmark. keep: it counts as not "
        "found; drop: remove its judgment (default: keep)",
    )


def make_relevance(options: argparse.Namespace) -> Relevance:
    """How relevance is decided, as the flags say."""
    from assay.evaluation import Relevance

    by = options.relevance or "auto"
    if isinstance(options.f1_threshold, tuple):
        raise UsageError("--f1-threshold: only assay score accepts several values. Use one value")
    defaults = {} if options.f1_threshold is None else {"threshold": options.f1_threshold}
    if by.strip() != "auto" and defaults:
        from assay.relevance import parse_resolver

        _check_threshold(parse_resolver(by), by)
    unit = find_unit(options) or "as_retrieved"
    rule = options.missing_documents or MISSING_DOCUMENTS[0]
    return Relevance(by, unit, options.id_map, defaults, options.ontology, options.annotations, missing_documents=rule)


def find_unit(options: argparse.Namespace) -> str | None:
    """The unit that the flags say; `document` if there is only an id map; None if the flags do not say it."""
    if options.id_map and (options.unit or "").startswith("as"):
        raise UsageError("--id-map needs --unit chunk or --unit document: with as_retrieved, ids are not mapped")
    return (options.unit or "document").replace("-", "_") if options.unit or options.id_map else None


@dataclass(frozen=True)
class ScoringOptions:
    """How runs are scored, as the flags say."""

    profile: Profile
    metrics: Sequence[BoundMetric]
    relevance: Relevance
    """How relevance is decided if the ground truth is a benchmark; and the options of domains, in any case."""
    beside: Sequence[BoundMetric] = ()
    """Additional metrics that help to read the requested ones."""
    tie_band: bool = False
    residuals: bool = False
    keep_rankings: bool = False
    looks_up_unjudged: bool = False
    """Whether unjudged documents are looked up later, so that small files stay in memory."""
    has_own_depth: bool = False
    """Whether the systems chose themselves how many documents they return, as in the tables of RAG tools."""

    @cached_property
    def settings(self) -> list[Setting]:
        """How each metric is scored."""
        from assay.evaluation import Setting, settings_of

        beside = [Setting(metric, metric, self.profile.policy, is_beside=True) for metric in self.beside]
        return [*settings_of(self.metrics, self.profile), *beside]

    @cached_property
    def domain_options(self) -> Mapping[str, Any]:
        """The options of domains for judgments in a file, with their files read."""
        from assay.evaluation import read_options

        return read_options(self.relevance.domain_options)

    def score(self, truth: Qrels | BenchmarkDataset, source: Any, name: str) -> Result:
        """The result of a run; with its rankings if single queries are shown."""
        from assay.evaluation import with_bands, with_ranked_rows, with_short_run
        from assay.model import Qrels

        source = with_ranked_rows(source, truth)
        if isinstance(truth, Qrels):
            result = with_short_run(self._score_judged(truth, source, name))
        else:
            result = self._score_benchmark(truth, source, name)
        return with_bands(result, tie_band=self.tie_band, residuals=self.residuals)

    def _score_judged(self, qrels: Qrels, source: Any, name: str) -> Result:
        from assay.evaluation import evaluate_judgments
        from assay.files import is_large
        from assay.model import Run

        is_kept = self.keep_rankings or (self.looks_up_unjudged and not is_large(source))
        run = Run(source, duplicates=self.profile.policy.duplicates) if is_kept else source
        result = evaluate_judgments(qrels, run, self.settings, self.profile, name, self.domain_options)
        return result.with_fields(run=run) if self.keep_rankings else result

    def _score_benchmark(self, dataset: BenchmarkDataset, source: Any, name: str) -> Result:
        """The ranking in the result is the one that was judged: of documents, if chunks were merged into documents."""
        from assay.evaluation import evaluate_dataset, judge, with_short_run
        from assay.model import Run

        scored = evaluate_dataset(dataset, source, self.settings, self.profile, name, self.relevance)
        result = with_short_run(scored, dataset, is_own_choice=self.has_own_depth).with_fields(benchmark=dataset.name)
        if not self.keep_rankings:
            return result
        run = judge(dataset, source, self.relevance, self.profile.policy).run
        return result.with_fields(run=run if isinstance(run, Run) else Run(run, duplicates=self.profile.policy.duplicates))


def _check_threshold(resolver: BoundResolver, text: str) -> None:
    """Check that --f1-threshold is used with the resolver token, and that its threshold is not set twice."""
    if resolver.name != "token":
        has_own = "threshold" in resolver.params
        instead = f". Write --relevance '{resolver.name}(threshold=…)'" if has_own else ""
        raise UsageError(f"--f1-threshold is for the resolver token, not for {resolver.name}{instead}")
    if "threshold" in text:
        raise UsageError(f"--f1-threshold and {text} both set the threshold. Use one of them")


def check_has_dataset(options: argparse.Namespace) -> None:
    """Check that flags that need a dataset have one."""
    flags = ("relevance", "f1_threshold", "unit", "id_map", "missing_documents", "dataset_format")
    given_flags = [f"--{name.replace('_', '-')}" for name in flags if getattr(options, name) is not None]
    if given_flags and not options.dataset:
        needs = "needs" if len(given_flags) == 1 else "need"
        advice = "write --dataset qrels.txt instead of the file of judgments"
        raise UsageError(f"{', '.join(given_flags)} {needs} --dataset: {advice}")


def _parse_shares(text: str) -> float | tuple[float, ...]:
    """One share, or several that differ, separated by commas."""
    shares = tuple(map(_parse_share, text.split(",")))
    if len(set(shares)) < len(shares):
        raise argparse.ArgumentTypeError(f"must have each value once, not {text!r}")
    return shares if len(shares) > 1 else shares[0]


def _parse_share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 1, not {text!r}")
    return value


INTERVAL_METHODS = ("auto", "bootstrap", "bca", "t", "wilson", "none")
FORMATS_WITHOUT_INTERVALS = {"trec", "html"}
"""Formats that do not show intervals, or compute their own."""
MAX_SEED = 1_000_000_000
LEVEL_HELP = "confidence level of the intervals, such as 0.99 or 99 (default: 0.95)"


def add_confidence_arguments(group: argparse._ArgumentGroup) -> None:
    """The options for confidence intervals."""
    add_interval_arguments(group)
    group.add_argument(
        "--ci-seed",
        type=integer_parser(MAX_SEED),
        default=0,
        metavar="SEED",
        help="random seed for bootstrap intervals (default: 0)",
    )
    add_cluster_argument(group)


def add_cluster_argument(group: argparse._ActionsContainer) -> None:
    """The tag that clusters queries."""
    group.add_argument(
        "--cluster",
        metavar="TAG",
        help="treat queries with the same value of this tag as one unit, such as paraphrases or questions of one document",
    )


def add_interval_arguments(group: argparse._ArgumentGroup) -> None:
    """The method and the level."""
    group.add_argument(
        "--ci",
        choices=INTERVAL_METHODS,
        metavar="METHOD",
        help="method of the confidence intervals: auto, bootstrap, bca, t, wilson or none; if given, all metrics get "
        "intervals, not only the first (default: auto)",
    )
    group.add_argument("--level", type=parse_level, metavar="LEVEL", help=LEVEL_HELP)


def parse_level(text: str) -> float:
    """A confidence level: 0.95, or 95 %."""
    try:
        value = float(text.strip().rstrip("% "))
    except ValueError:
        value = float("nan")
    value = value / 100 if 1 < value < 100 else value
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"must be a number between 0 and 1, such as 0.95, not {text!r}")
    return value


def add_intervals(options: argparse.Namespace, result: Result, forms: Sequence[str] = ()) -> Result:
    """The result with intervals: of all metrics if --ci is given or JSON is written, else of the first metric."""
    forms = forms or [options.format]
    if options.ci == "none" or (options.ci is None and FORMATS_WITHOUT_INTERVALS.issuperset(forms)):
        return result
    from assay.evaluation import with_intervals

    metrics = None if options.ci is not None or "json" in forms else _first_metric_names(result)
    level = options.level or 0.95
    return with_intervals(result, options.ci or "auto", level, options.ci_seed, metrics, options.cluster)


def intervals_for_format(form: str, options: argparse.Namespace, result: Result) -> Result:
    """The result with the intervals that this format shows: all with --ci or in JSON, else that of the first metric."""
    if options.ci is not None or form == "json":
        return result
    metrics = set[str]() if form in FORMATS_WITHOUT_INTERVALS else _first_metric_names(result)
    return result.with_fields(intervals={name: interval for name, interval in result.intervals.items() if name in metrics})


def _first_metric_names(result: Result) -> set[str]:
    return {metric.name for metric in result.metrics[:1]}


def integer_parser(most: int, least: int = 0) -> Callable[[str], int]:
    """A parser for whole numbers in a range."""

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdecimal()) or len(text) > 18 or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"must be a whole number from {least} to {most:,}, not {text!r}")
        return int(text)

    return parse


def parse_seconds(text: str) -> float:
    """A time in seconds, above 0."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not value > 0:
        raise argparse.ArgumentTypeError(f"must be a number of seconds above 0, not {text!r}")
    return value


parse_digits = integer_parser(17)
"""Decimals: at most as many as a float has."""


MAX_CHOICES_LENGTH = 45
"""If the choices together have more characters than this, they are listed in the help text instead of the usage."""


def add_policy_arguments(parser: argparse.ArgumentParser) -> None:
    """The profile to start from, and one flag per field to change it."""
    group = parser.add_argument_group("policy")
    group.add_argument("--profile", metavar="TOOL", help=f"score like another tool: {', '.join(PROFILES)}")
    for setting in fields(Policy):
        flag, meaning = f"--{setting.name.replace('_', '-')}", setting.metadata["meaning"]
        if "choices" in setting.metadata:
            words = setting.metadata["choices"]
            spellings = "|".join(word.replace("_", "-") if setting.name == "duplicates" else word for word in words)
            is_long = len(spellings) > MAX_CHOICES_LENGTH
            help_text = (
                f"{meaning}. Choose from {spellings.replace('|', ', ')} (default: {words[0]})"
                if is_long
                else f"{meaning} (default: {words[0]})"
            )
            metavar = "RULE" if is_long else spellings
            group.add_argument(flag, type=_choice_parser(words), choices=words, metavar=metavar, help=help_text)
        elif "short" in setting.metadata:
            short = setting.metadata["short"]
            group.add_argument(short, flag, type=integer_parser(10**9, 1), metavar="N", help=meaning)
        elif setting.default is False:
            group.add_argument(flag, action="store_true", default=None, help=meaning)
        else:
            group.add_argument(flag, type=parse_number, metavar="GRADE", help=meaning)


def make_profile(options: argparse.Namespace) -> Profile:
    """The conventions that the flags describe: those of a tool or of assay, with the changes of other flags."""
    profile = find_profile(options.profile) if options.profile else OWN
    return profile.adjusted(**policy_flags(options))


def policy_flags(options: argparse.Namespace) -> dict[str, Any]:
    """The fields of a policy that flags set."""
    values = {setting.name: getattr(options, setting.name) for setting in fields(Policy)}
    return {name: value for name, value in values.items() if value is not None}


def _choice_parser(words: Sequence[str]) -> Callable[[str], str]:
    """A parser for one of the words, also with hyphens; the error for another word suggests similar ones."""

    def read(text: str) -> str:
        word = text.replace("-", "_")
        if word not in words:
            raise argparse.ArgumentTypeError(
                str(UnknownName("choice", text, near_matches(word, words), _list_choices(words)))
            )
        return word

    return read


def _list_choices(words: Sequence[str]) -> str:
    return f"choose from {', '.join(words)}"


def parse_number(text: str) -> float:
    """Any number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, not {text!r}") from None


TERM_FLAGS = ("ontology", "annotations", "labels", "fields")
"""The names of these flags in a plan."""


def add_term_arguments(parser: argparse.ArgumentParser) -> None:
    """An ontology, its annotations, and which parts of its terms are indexed if terms are searched."""
    add_ontology_arguments(
        parser,
        "it maps ids and compares terms; HPO cases and benchmarks without documents use its terms as documents",
    )
    parser.add_argument(
        "--labels",
        nargs="+",
        metavar="FILE",
        help="tables in Babelon format with the labels of terms to index, in the language of the queries",
    )
    parser.add_argument(
        "--fields", nargs="+", metavar="FIELD", help="parts of terms to index: label, synonyms, definition (default: all)"
    )


def add_ontology_arguments(parser: argparse.ArgumentParser | argparse._ArgumentGroup, use: str) -> None:
    """The files for scoring by terms."""
    parser.add_argument(
        "--ontology", metavar="FILE", help=f"ontology in OBO, OWL or OBO Graphs format: {use} (default: HPO)"
    )
    parser.add_argument(
        "--annotations",
        metavar="FILE",
        help="annotations for max_ont_sim(formula=lin(ic=annotations)): phenotype.hpoa, or lines with an item and a term",
    )
