"""Flags about scoring: relevance, intervals, the policy, an ontology; and the numbers that flags take."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.errors import UnknownName, UsageError, near_matches
from assay.evaluation import OWN, PROFILES, Profile, find_profile
from assay.model import Policy

if TYPE_CHECKING:
    from assay.datasets import BenchmarkDataset
    from assay.evaluation import Relevance, Result, Setting
    from assay.metrics import BoundMetric
    from assay.model import Qrels
    from assay.relevance import BoundResolver


UNITS = ("as_retrieved", "chunk", "document")
SCORING_FLAGS = ("dataset_format", "relevance", "f1_threshold", "unit", "id_map", "ontology", "annotations", "profile")
"""Flags about scoring, which has been done where results are saved ones; and so have all flags of a policy."""


def add_relevance_arguments(parser: argparse.ArgumentParser, run_help: str = "more runs") -> None:
    """The dataset and the resolver, and runs beside what a command takes anyway."""
    group = parser.add_argument_group("relevance")
    add_dataset_arguments(group, run_help)
    group.add_argument(
        "--relevance",
        metavar="RESOLVER",
        help="auto, qrels, pack, span, token, coverage, substring, lexical, ontology, hybrid; such as token(threshold=0.5)",
    )
    group.add_argument(
        "--f1-threshold", type=_parse_share, metavar="F1", help="lowest F1 that token takes as relevant (default: 0.3)"
    )
    add_unit_arguments(group)
    add_ontology_arguments(group, "for max_ont_sim and relevance by ontology; reads ids under other names for all metrics")


def add_dataset_arguments(group: argparse._ArgumentGroup, run_help: str = "more runs") -> None:
    """The benchmark, and runs beside what a command takes anyway."""
    group.add_argument("--dataset", metavar="DATASET", help="a benchmark by path or name, instead of judgments")
    group.add_argument("--dataset-format", metavar="NAME", help="its format, where it is not recognised")
    group.add_argument("--run", dest="more_runs", nargs="+", action="extend", default=[], metavar="RUN", help=run_help)


def add_unit_arguments(group: argparse._ActionsContainer) -> None:
    """Whether chunks or their documents are judged, and which document a chunk belongs to."""
    group.add_argument(
        "--unit",
        choices=list(dict.fromkeys(spelling for unit in UNITS for spelling in (unit, unit.replace("_", "-")))),
        metavar="|".join(UNITS),
        help="where chunks are retrieved and documents judged; chunk: credit each document once, document: roll chunks up",
    )
    group.add_argument(
        "--id-map", metavar="FILE", help="which document a chunk belongs to: JSON, or lines of chunk and document"
    )


def make_relevance(options: argparse.Namespace) -> Relevance:
    """Who decides, as the flags say."""
    from assay.evaluation import Relevance

    by = options.relevance or "auto"
    defaults = {} if options.f1_threshold is None else {"threshold": options.f1_threshold}
    if by.strip() != "auto" and defaults:
        from assay.relevance import parse_resolver

        _check_threshold(parse_resolver(by), by)
    unit = find_unit(options) or "as_retrieved"
    return Relevance(by, unit, options.id_map, defaults, options.ontology, options.annotations)


def find_unit(options: argparse.Namespace) -> str | None:
    """The unit that flags say, `document` where there is a map of ids and nothing else was said; None: not said."""
    if options.id_map and (options.unit or "").startswith("as"):
        raise UsageError("--id-map is for --unit chunk or document; with as_retrieved ids are compared as they are")
    return (options.unit or "document").replace("-", "_") if options.unit or options.id_map else None


@dataclass(frozen=True)
class ScoringOptions:
    """How runs are scored, as flags say it."""

    profile: Profile
    metrics: Sequence[BoundMetric]
    relevance: Relevance
    """Who decides, where the ground truth is a benchmark; and what is said to domains, in any case."""
    beside: Sequence[BoundMetric] = ()
    """Metrics that nobody asked for: they help to read the others."""
    tie_band: bool = False
    residuals: bool = False
    keep_rankings: bool = False

    @cached_property
    def settings(self) -> list[Setting]:
        """How each metric is scored."""
        from assay.evaluation import Setting, settings_of

        beside = [Setting(metric, metric, self.profile.policy, is_beside=True) for metric in self.beside]
        return [*settings_of(self.metrics, self.profile), *beside]

    @cached_property
    def domain_options(self) -> Mapping[str, Any]:
        """What flags say to domains about judgments in a file, with files read."""
        from assay.evaluation import read_options

        return read_options(self.relevance.domain_options)

    def score(self, truth: Qrels | BenchmarkDataset, source: Any, name: str) -> Result:
        """The result of a run; with its rankings where queries are looked at one by one."""
        from assay.evaluation import with_bands
        from assay.model import Qrels

        if isinstance(truth, Qrels):
            result = self._score_judged(truth, source, name)
        else:
            result = self._score_benchmark(truth, source, name)
        return with_bands(result, tie_band=self.tie_band, residuals=self.residuals)

    def _score_judged(self, qrels: Qrels, source: Any, name: str) -> Result:
        from assay.evaluation import evaluate_judgments
        from assay.model import Run

        run = Run(source, duplicates=self.profile.policy.duplicates) if self.keep_rankings else source
        result = evaluate_judgments(qrels, run, self.settings, self.profile, name, self.domain_options)
        return result.with_fields(run=run) if self.keep_rankings else result

    def _score_benchmark(self, dataset: BenchmarkDataset, source: Any, name: str) -> Result:
        """The ranking that is kept is the one that was judged: of documents, where chunks were rolled up to them."""
        from assay.evaluation import evaluate_dataset, judge
        from assay.model import Run

        result = evaluate_dataset(dataset, source, self.settings, self.profile, name, self.relevance)
        result = result.with_fields(benchmark=dataset.name)
        if not self.keep_rankings:
            return result
        run = judge(dataset, source, self.relevance, self.profile.policy).run
        return result.with_fields(run=run if isinstance(run, Run) else Run(run, duplicates=self.profile.policy.duplicates))


def _check_threshold(resolver: BoundResolver, text: str) -> None:
    """Check that --f1-threshold belongs to the resolver, which must be token without a threshold of its own."""
    if resolver.name != "token":
        has_own = "threshold" in resolver.params
        instead = f"; write --relevance '{resolver.name}(threshold=…)'" if has_own else ""
        raise UsageError(f"--f1-threshold belongs to token, not to {resolver.name}{instead}")
    if "threshold" in text:
        raise UsageError(f"--f1-threshold and {text} both set the threshold; give one")


def check_has_dataset(options: argparse.Namespace) -> None:
    """Check that flags which make sense only with a dataset come with one."""
    flags = ("relevance", "f1_threshold", "unit", "id_map", "dataset_format")
    given_flags = [f"--{name.replace('_', '-')}" for name in flags if getattr(options, name) is not None]
    if given_flags and not options.dataset:
        raise UsageError(f"{', '.join(given_flags)} needs --dataset; judgments in a file decide by ids alone")


def _parse_share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"a number from 0 to 1, not {text!r}")
    return value


INTERVAL_METHODS = ("auto", "bootstrap", "bca", "t", "wilson", "none")
FORMATS_WITHOUT_INTERVALS = {"trec", "html"}
"""Formats that have no place for intervals, or make their own."""
MAX_SEED = 1_000_000_000


def add_confidence_arguments(group: argparse._ArgumentGroup) -> None:
    """How sure a figure is."""
    add_interval_arguments(group)
    group.add_argument(
        "--ci-seed", type=integer_parser(MAX_SEED), default=0, metavar="SEED", help="of the bootstrap (default: 0)"
    )


def add_interval_arguments(group: argparse._ArgumentGroup) -> None:
    """The method and the level."""
    group.add_argument(
        "--ci",
        choices=INTERVAL_METHODS,
        metavar="METHOD",
        help="intervals of all metrics, in every format: auto, bootstrap, bca, t, wilson or none",
    )
    group.add_argument("--level", type=parse_level, metavar="LEVEL", help="of the intervals (default: 0.95)")


def parse_level(text: str) -> float:
    """A confidence level: 0.95, or 95 %."""
    try:
        value = float(text.strip().rstrip("% "))
    except ValueError:
        value = float("nan")
    value = value / 100 if 1 < value < 100 else value
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"a confidence level is a number between 0 and 1, such as 0.95, not {text!r}")
    return value


def add_intervals(options: argparse.Namespace, result: Result, forms: Sequence[str] = ()) -> Result:
    """The result with intervals: all that were asked for; else all where JSON is written, and that of the first metric."""
    forms = forms or [options.format]
    if options.ci == "none" or (options.ci is None and FORMATS_WITHOUT_INTERVALS.issuperset(forms)):
        return result
    from assay.evaluation import with_intervals

    metrics = None if options.ci is not None or "json" in forms else _first_metric_names(result)
    return with_intervals(result, options.ci or "auto", options.level or 0.95, options.ci_seed, metrics)


def intervals_for_format(form: str, options: argparse.Namespace, result: Result) -> Result:
    """The result with the intervals that this format shows: all in JSON or on request, else that of the first metric."""
    if options.ci is not None or form == "json":
        return result
    metrics = set[str]() if form in FORMATS_WITHOUT_INTERVALS else _first_metric_names(result)
    return result.with_fields(intervals={name: interval for name, interval in result.intervals.items() if name in metrics})


def _first_metric_names(result: Result) -> set[str]:
    return {metric.name for metric in result.metrics[:1]}


def integer_parser(most: int, least: int = 0) -> Callable[[str], int]:
    """A whole number from the smallest up to the largest allowed."""

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdecimal()) or len(text) > 18 or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"a whole number from {least} to {most:,}, not {text!r}")
        return int(text)

    return parse


def parse_seconds(text: str) -> float:
    """A time in seconds, above 0."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not value > 0:
        raise argparse.ArgumentTypeError(f"a number of seconds above 0, not {text!r}")
    return value


parse_digits = integer_parser(17)
"""Decimals: what a float has, and no more."""


MAX_CHOICES_LENGTH = 45
"""Letters of all choices together from which on they are listed in the help text instead of the usage."""


def add_policy_arguments(parser: argparse.ArgumentParser) -> None:
    """The profile to start from, and one flag per field to change it."""
    group = parser.add_argument_group("policy")
    group.add_argument("--profile", metavar="TOOL", help=f"score as another tool does: {', '.join(PROFILES)}")
    for setting in fields(Policy):
        flag, meaning = f"--{setting.name.replace('_', '-')}", setting.metadata["meaning"]
        if "choices" in setting.metadata:
            words = setting.metadata["choices"]
            spellings = "|".join(word.replace("_", "-") if setting.name == "duplicates" else word for word in words)
            is_long = len(spellings) > MAX_CHOICES_LENGTH
            help_text = (
                f"{meaning} ({spellings.replace('|', ', ')}; default: {words[0]})"
                if is_long
                else f"{meaning} (default: {words[0]})"
            )
            metavar = "RULE" if is_long else spellings
            group.add_argument(flag, type=_choice_parser(words), choices=words, metavar=metavar, help=help_text)
        elif setting.default is False:
            group.add_argument(flag, action="store_true", default=None, help=meaning)
        else:
            group.add_argument(flag, type=parse_number, metavar="GRADE", help=meaning)


def make_profile(options: argparse.Namespace) -> Profile:
    """The conventions the flags describe: those of a tool or our own, changed where a flag says so."""
    profile = find_profile(options.profile) if options.profile else OWN
    return profile.adjusted(**policy_flags(options))


def policy_flags(options: argparse.Namespace) -> dict[str, Any]:
    """The fields of a policy that flags set."""
    values = {setting.name: getattr(options, setting.name) for setting in fields(Policy)}
    return {name: value for name, value in values.items() if value is not None}


def _choice_parser(words: Sequence[str]) -> Callable[[str], str]:
    """What reads one of the words, with hyphens too; any other is answered with those that may have been meant."""

    def read(text: str) -> str:
        word = text.replace("-", "_")
        if word not in words:
            raise argparse.ArgumentTypeError(str(UnknownName("rule", text, near_matches(word, words), _list_choices(words))))
        return word

    return read


def _list_choices(words: Sequence[str]) -> str:
    return f"there are {', '.join(words)}"


def parse_number(text: str) -> float:
    """Any number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a number, not {text!r}") from None


TERM_FLAGS = ("ontology", "annotations", "labels", "fields")
"""What the flags are called in a plan."""


def add_term_arguments(parser: argparse.ArgumentParser) -> None:
    """An ontology, what was annotated with its terms, and what of them is indexed where terms are searched."""
    add_ontology_arguments(
        parser,
        "reads ids and compares terms; for HPO cases, and where a benchmark has no documents, its terms are searched",
    )
    parser.add_argument(
        "--labels", nargs="+", metavar="FILE", help="of terms: index labels of the queries' language, from a Babelon table"
    )
    parser.add_argument(
        "--fields", nargs="+", metavar="FIELD", help="of terms: index only these of label, synonyms, definition"
    )


def add_ontology_arguments(parser: argparse.ArgumentParser | argparse._ArgumentGroup, use: str) -> None:
    """The files that scoring by terms reads."""
    parser.add_argument("--ontology", metavar="FILE", help=f"OBO, OWL or OBO Graphs (default: HPO): {use}")
    parser.add_argument(
        "--annotations",
        metavar="FILE",
        help="phenotype.hpoa, or lines of thing and term, for max_ont_sim(formula=lin(ic=annotations))",
    )
