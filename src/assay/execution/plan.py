"""Plan: what an evaluation does (benchmarks, providers, metrics, settings), from a file or from options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from assay.chunkers import BoundChunker, parse_chunker
from assay.datasets import AsOf, BenchmarkDataset, find_format, parse_as_of
from assay.errors import BadParameter, parse_share
from assay.evaluation import (
    OWN,
    Profile,
    Relevance,
    default_metrics,
    describe_options,
    domain_keys,
    find_profile,
    formats_of,
)
from assay.execution.plan_file import (
    PlanFaults,
    known_keys,
    parse_flag,
    parse_list,
    parse_number,
    parse_texts,
    parse_whole,
    read_plan,
)
from assay.execution.plan_logs import PlannedLog, describe_logs, metrics_of_logs, parse_logs
from assay.execution.plan_parts import (
    STATISTICS_KEYS,
    Statistics,
    describe_relevance,
    parse_options,
    parse_providers,
    parse_relevance,
    parse_statistics,
)
from assay.execution.retry import RetryPolicy
from assay.execution.runner import DEFAULT_DEPTH
from assay.execution.selection import Selection, parse_range, parse_where
from assay.files import parse_columns
from assay.grammar import WrittenName, mark_written
from assay.metrics import BoundMetric, parse_metrics
from assay.model import Policy
from assay.providers import BoundProvider
from assay.text import counted

KEYS = (
    *(
        "benchmarks",
        "queries",
        "logs",
        "dataset_format",
        "documents",
        "columns",
        "lenient",
        "as_of",
        "vectors",
        "popularity",
        "chunkers",
        "providers",
        "metrics",
        "k",
        "relevance",
        "unit",
        "id_map",
        "profile",
    ),
    *("policy", "selection", "concurrency", "timeout", "index_timeout", "retries", "batch_size", "cache", "strict"),
    *("outputs", "seed", "statistical_analysis", "retrieval_metrics", "by", "repeats", "missing_documents"),
)
"""The keys of a plan; domains add keys for their options."""
REQUIRED_KEYS = {"benchmarks": "rag-template", "providers": "bm25"}
"""Required keys, with an example."""
NAME_KEYS = ("providers", "metrics")
"""Keys with names that may refer to the user's own code."""
SELECTION_KEYS = ("limit", "sample", "seed", "where", "range")
SEED_KEYS = ("enabled_metrics", "graded_relevance", "statistical_analysis", "performance")
PERFORMANCE_KEYS = ("batch_size", "caching_enabled", "parallel_processing")
MAX_CONCURRENCY, MAX_RETRIES, MAX_REPEATS = 1000, 100, 1000
BUDGET_DEPTH = 1000  # minimum number of chunks if a budget of tokens has to be filled


@dataclass(frozen=True)
class Plan:
    """A parsed plan. A wrong name is an error before any query is sent."""

    benchmarks: tuple[str, ...]
    providers: tuple[BoundProvider, ...]
    metrics: tuple[BoundMetric, ...]
    chunkers: tuple[BoundChunker, ...] = ()
    """The chunkers, each used separately; empty: whole documents are retrieved."""
    k: int = DEFAULT_DEPTH
    has_own_depth: bool = False
    """Whether the plan says k. If not, all documents of a query with features are ranked, because there are few."""
    relevance: Relevance = field(default_factory=Relevance)
    profile: Profile = OWN
    selection: Selection = field(default_factory=Selection)
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)
    batch_size: int | None = None
    """Queries per batch; None: the provider decides."""
    cache: bool = True
    is_graded: bool = True
    """Whether grades count; if not, all relevant documents have the same grade."""
    strict: bool = False
    outputs: tuple[str, ...] = ()
    statistics: Statistics = field(default_factory=Statistics)
    by: tuple[str, ...] = ()
    """Tags to slice queries by; `language*difficulty` crosses two."""
    dataset_format: str | None = None
    """The format of all benchmarks; None: detected."""
    documents: str | None = None
    """Where the documents of all benchmarks come from; None: from the benchmarks."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Role → column, for columns whose names are not known."""
    lenient: float | None = None
    """The share of bad records in a file that may be left out; None: a bad record is an error."""

    as_of: AsOf | None = None
    """The time as of which documents count; None: documents of any time."""
    vectors: str | None = None
    """The file or the model with vectors of the documents; None: the usual model."""
    popularity: str | None = None
    """The file with the popularity of the documents; None: from the documents."""
    query_files: tuple[str, ...] = ()
    """Those of the benchmarks that are files of queries, which may have no judgments."""
    repeats: int = 1
    """How often each query is sent; the score of a query is the mean over its repeats."""
    logs: tuple[PlannedLog, ...] = ()
    """The search logs to score; a plan has these, or benchmarks and providers."""
    repeated: tuple[str, ...] = ()
    """What is listed twice but used once, or has no effect; one sentence each."""

    def depth(self, dataset: BenchmarkDataset) -> int:
        """The number of documents to retrieve for each query of a benchmark."""
        return self.k if self.has_own_depth or dataset.features is None else max(self.k, dataset.features.longest)

    @property
    def notes(self) -> tuple[str, ...]:
        """What may not be what the user meant; one sentence each."""
        return (*self.notes_on_depth, *self.repeated)

    @property
    def notes_on_depth(self) -> tuple[str, ...]:
        """A note on metrics whose cutoff is larger than k; results have it too."""
        if self.logs:
            return ()
        beyond = {metric.name: k for metric in self.metrics if (k := metric.params.get("k") or 0) > self.k}
        if not beyond:
            return ()
        retrieved = f"only {counted(self.k, 'document')} {'is' if self.k == 1 else 'are'} retrieved for each query"
        advice = f"Increase k to {max(beyond.values())}"
        return (f"k = {self.k} is less than the cutoff of {', '.join(beyond)}: {retrieved}. {advice}",)

    def describe(self) -> dict[str, Any]:
        """Everything that affects responses and scores, as plain values; settings that affect only speed are left out."""
        if self.logs:
            return describe_logs(self)
        return {
            "benchmarks": list(self.benchmarks),
            "dataset_format": self.dataset_format,
            **({"queries": list(self.query_files)} if self.query_files else {}),
            **({"documents": self.documents} if self.documents else {}),
            **({"columns": dict(self.columns)} if self.columns else {}),
            **({"lenient": self.lenient} if self.lenient else {}),
            **({"as_of": str(self.as_of)} if self.as_of is not None else {}),
            **({"vectors": self.vectors} if self.vectors else {}),
            **({"popularity": self.popularity} if self.popularity else {}),
            "providers": [provider.configuration for provider in self.providers],
            **({"chunkers": [chunker.configuration for chunker in self.chunkers]} if self.chunkers else {}),
            "metrics": [metric.name for metric in self.metrics],
            "k": self.k,
            "relevance": describe_relevance(self.relevance),
            "profile": self.profile.name,
            "policy": self.profile.policy.to_dict(),
            "selection": self.selection.to_dict(),
            **({"repeats": self.repeats} if self.repeats > 1 else {}),
            "graded": self.is_graded,
            **describe_options(self.relevance.options),
        }


class WrittenPlan(dict[str, Any]):
    """Plain values of a plan that the user wrote in a file, as options or in a call, so that names in it may run code.

    All names of providers, metrics and resolvers are marked.
    """

    def __init__(self, content: Mapping[str, Any]) -> None:
        super().__init__({name: mark_written(value) if name in NAME_KEYS else value for name, value in content.items()})
        relevance = self.get("relevance")
        if isinstance(relevance, str):
            self["relevance"] = WrittenName(relevance)
        elif isinstance(relevance, Mapping) and isinstance(relevance.get("by"), str):
            self["relevance"] = {**relevance, "by": WrittenName(relevance["by"])}
        block = self.get("retrieval_metrics")
        if isinstance(block, Mapping) and "enabled_metrics" in block:
            self["retrieval_metrics"] = {**block, "enabled_metrics": mark_written(block["enabled_metrics"])}


FLAGS = {"cache": ("cache", True), "is_graded": ("graded_relevance", True), "strict": ("strict", False)}
"""Field of a plan → its key, which is true or false, and what it is if it is not given."""


def make_plan(content: WrittenPlan, where: str = "plan") -> Plan:
    """A plan from plain values. All errors are reported together, including unknown keys."""
    faults = PlanFaults(where)
    are_all_known = all(name in KEYS for name in content)
    keys = KEYS if are_all_known else (*KEYS, *domain_keys())
    values = _with_seed_block(known_keys(content, keys, where, faults), where, faults)
    logs = faults.attempt(_parse_logs, values, where, faults) or ()
    attempt = faults.attempt
    metrics = _parse_metrics(values, logs, where, faults)
    chunkers = _parse_chunkers(values.get("chunkers"), where, faults)
    parts: dict[str, Any] = {
        "benchmarks": attempt(_parse_benchmarks, values, where, faults),
        "providers": parse_providers(values["providers"], where, faults) if "providers" in values else (),
        "metrics": tuple(metrics),
        "logs": logs,
        "chunkers": chunkers,
        "k": attempt(_parse_depth, values.get("k"), metrics, where, is_cut=bool(chunkers)),
        "has_own_depth": values.get("k") is not None,
        "relevance": attempt(parse_relevance, values, where),
        "profile": attempt(_parse_profile, values, where, faults),
        "selection": attempt(_parse_selection, values, where, faults),
        "retry_policy": attempt(_parse_retry_policy, values, where),
        "batch_size": attempt(parse_whole, values.get("batch_size"), "batch_size", where),
        **{name: attempt(parse_flag, values.get(key, usual), key, where) for name, (key, usual) in FLAGS.items()},
        "outputs": attempt(_parse_outputs, values, where),
        "statistics": attempt(parse_statistics, values.get("statistical_analysis", {}), where),
        "by": tuple(attempt(parse_texts, values["by"], "by", where, "language") or ()) if values.get("by") else (),
        "dataset_format": attempt(_parse_format, values.get("dataset_format"), where),
        **{key: attempt(_parse_path, values.get(key), key, where) for key in PATHS},
        "columns": attempt(parse_columns, values.get("columns")) or {},
        "lenient": attempt(_parse_lenient, values.get("lenient"), where),
        "as_of": attempt(_parse_as_of, values.get("as_of"), where),
        "query_files": attempt(_parse_query_files, values, where) or (),
        "repeats": attempt(parse_whole, values.get("repeats", 1), "repeats", where, most=MAX_REPEATS),
    }
    options = {} if are_all_known else parse_options(values, where, faults)
    faults.raise_if_any()
    parts["relevance"] = parts["relevance"].with_options(options)
    return Plan(**parts, repeated=tuple(faults.repeated))


def load_plan(path: Path) -> Plan:
    """The plan in a file."""
    return make_plan(WrittenPlan(read_plan(path)), str(path))


def _parse_logs(values: Mapping[str, Any], where: str, faults: PlanFaults) -> tuple[PlannedLog, ...]:
    """The logs; a plan without logs needs benchmarks and providers."""
    if "logs" in values:
        return parse_logs(values, where, faults)
    _check_required_keys(values, where)
    return ()


def _check_required_keys(values: Mapping[str, Any], where: str) -> None:
    keys = {*values, *(["benchmarks"] if "queries" in values else [])}
    missing = {name: example for name, example in REQUIRED_KEYS.items() if name not in keys}
    if missing:
        in_file = " and ".join(f"{name}: [{example}]" for name, example in missing.items())
        as_flags = " ".join(f"--{name} {example}" for name, example in missing.items())
        advice = f"Write {in_file} in the plan, or {as_flags} on the command line"
        raise BadParameter(f"{where}: {' and '.join(missing)} are missing. {advice}")


def _with_seed_block(values: dict[str, Any], where: str, faults: PlanFaults) -> dict[str, Any]:
    """The plan with the values of its `retrieval_metrics:` block under our key names; keys of the plan take precedence."""
    place = f"{where}: retrieval_metrics"
    block = known_keys(values.get("retrieval_metrics"), SEED_KEYS, place, faults)
    performance = known_keys(block.get("performance"), PERFORMANCE_KEYS, f"{place}.performance", faults)
    inner = f"{place}.statistical_analysis"
    statistics = known_keys(block.get("statistical_analysis"), STATISTICS_KEYS, inner, faults)
    own = known_keys(values.get("statistical_analysis"), STATISTICS_KEYS, f"{where}: statistical_analysis", faults)
    from_block = {
        "metrics": block.get("enabled_metrics"),
        "graded_relevance": block.get("graded_relevance"),
        "batch_size": performance.get("batch_size"),
        "cache": performance.get("caching_enabled"),
        "parallel_processing": performance.get("parallel_processing"),
    }
    from_block = {name: value for name, value in from_block.items() if value is not None}
    return {**from_block, **values, "statistical_analysis": {**statistics, **own}}


def _parse_benchmarks(values: Mapping[str, Any], where: str, faults: PlanFaults) -> tuple[str, ...]:
    """The benchmarks and the files of queries, each once; empty if there are none."""
    key = "benchmarks"
    names = parse_texts(values[key], key, where, REQUIRED_KEYS[key]) if key in values else []
    names = [*names, *_parse_query_files(values, where)]
    faults.note_repeated("benchmark", names)
    return tuple(dict.fromkeys(names))


def _parse_query_files(values: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """The files of queries, each once."""
    names = parse_texts(values["queries"], "queries", where, "queries.jsonl") if "queries" in values else []
    return tuple(dict.fromkeys(names))


def _parse_metrics(
    values: Mapping[str, Any], logs: Sequence[PlannedLog], where: str, faults: PlanFaults
) -> list[BoundMetric]:
    """The metrics, or the default metrics of the benchmarks. Errors are collected."""
    if "logs" in values:
        return metrics_of_logs(values.get("metrics"), logs, where, faults)
    if values.get("metrics") is None:
        return default_metrics(formats_of(values.get("benchmarks"), values.get("dataset_format")))
    names = faults.attempt(parse_texts, values["metrics"], "metrics", where, "ndcg@10") or []
    profile = str(values.get("profile") or "")
    known = [name for name in names if faults.attempt(parse_metrics, name, profile)]
    return parse_metrics(known, profile) if known else []


def _parse_chunkers(value: Any, where: str, faults: PlanFaults) -> tuple[BoundChunker, ...]:
    """The chunkers, each once. Errors are collected."""
    listed = [] if value is None else faults.attempt(parse_list, value, "chunkers", where, "fixed_lines") or []
    chunkers = [faults.attempt(parse_chunker, entry) for entry in listed]
    return tuple({chunker.name: chunker for chunker in chunkers if chunker is not None}.values())


def _parse_format(value: Any, where: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise BadParameter(f"{where}: dataset_format must be a name such as beir, not {value!r}")
    return None if value is None else find_format(value).name


PATHS = {
    "documents": "a path such as corpus.csv or ./docs",
    "vectors": "a path such as vectors.npz, or the name of a model such as wordllama",
    "popularity": "a path such as views.csv",
}
"""Key → what its value must be."""


def _parse_path(value: Any, key: str, where: str) -> str | None:
    if value is not None and (not isinstance(value, str) or not value):
        raise BadParameter(f"{where}: {key} must be {PATHS[key]}, not {value!r}")
    return value


def _parse_lenient(value: Any, where: str) -> float | None:
    """The share of bad records that may be left out; `true` means the usual share."""
    if value is None or value is False:
        return None
    try:
        return parse_share(value)
    except ValueError:
        raise BadParameter(f"{where}: lenient must be true or a share such as 0.05 or 5%, not {value!r}") from None


def _parse_as_of(value: Any, where: str) -> AsOf | None:
    try:
        return parse_as_of(value)
    except BadParameter as error:
        raise BadParameter(f"{where}: {error}") from None


def _parse_outputs(values: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """The files to write, relative to the current folder."""
    paths = parse_texts(values["outputs"], "outputs", where, "result.json") if values.get("outputs") else []
    places = [Path(path).resolve() for path in paths]
    for number, path in enumerate(paths):
        if places[number] in places[:number]:
            raise BadParameter(f"{where}: outputs lists {path} twice. Remove one of them")
    return tuple(paths)


def _parse_depth(value: Any, metrics: Sequence[BoundMetric], where: str, *, is_cut: bool) -> int:
    deepest = max((metric.params.get("k") or 0 for metric in metrics), default=0)
    if is_cut and any(metric.params.get("tokens") for metric in metrics):
        deepest = max(deepest, BUDGET_DEPTH)
    return parse_whole(value, "k", where) or max(DEFAULT_DEPTH, deepest)


def _parse_profile(values: Mapping[str, Any], where: str, faults: PlanFaults) -> Profile:
    profile = find_profile(str(values["profile"])) if "profile" in values else OWN
    known = {field.name: field for field in fields(Policy)}
    settings = known_keys(values.get("policy"), tuple(known), f"{where}: policy", faults)
    conventions = {name: _parse_convention(known[name], value, where) for name, value in settings.items()}
    try:
        return profile.adjusted(**conventions)
    except BadParameter as error:
        raise error.at(f"{where}: policy") from None


def _parse_convention(setting: Field[Any], value: Any, where: str) -> Any:
    """The value of one policy field; flags and numbers may be strings."""
    if isinstance(setting.default, bool):
        return parse_flag(value, f"policy: {setting.name}", where)
    if not isinstance(value, str):
        return value
    if "choices" in setting.metadata:
        return value.replace("-", "_")
    try:
        number = float(value)
    except ValueError:
        return value
    return int(number) if setting.name == "depth" and number.is_integer() else number


def _parse_selection(values: Mapping[str, Any], where: str, faults: PlanFaults) -> Selection:
    chosen = known_keys(values.get("selection"), SELECTION_KEYS, f"{where}: selection", faults)
    return Selection(
        where=_parse_tags(chosen.get("where"), where),
        range=parse_range(str(chosen["range"])) if "range" in chosen else None,
        sample=parse_whole(chosen.get("sample"), "sample", where),
        seed=parse_whole(chosen.get("seed", values.get("seed")), "seed", where, least=0) or 0,
        limit=parse_whole(chosen.get("limit"), "limit", where),
    )


def _parse_tags(tags: Any, where: str) -> dict[str, list[str]]:
    """Parse `{language: de}`, `{language: [de, en]}`, or `language=de` as on the command line."""
    place = f"{where}: selection"
    if tags is None:
        return {}
    if not isinstance(tags, Mapping):
        return parse_where(parse_texts(tags, "where", place, "language=de"))
    if empty := [name for name, value in tags.items() if value is None]:
        raise BadParameter(f"{place}: where: {empty[0]} has no value. Write {empty[0]}: value, or a list of values")
    return {
        str(name): [str(choice) for choice in parse_list(value, str(name), place, "de, en")] for name, value in tags.items()
    }


def _parse_retry_policy(values: Mapping[str, Any], where: str) -> RetryPolicy:
    default = RetryPolicy()
    is_parallel = parse_flag(values.get("parallel_processing", True), "parallel_processing", where)
    retries = parse_whole(values.get("retries"), "retries", where, least=0, most=MAX_RETRIES)
    concurrency = parse_whole(values.get("concurrency"), "concurrency", where, most=MAX_CONCURRENCY)
    index_timeout = values.get("index_timeout")
    return RetryPolicy(
        timeout=parse_number(values.get("timeout", default.timeout), "timeout", where),
        index_timeout=None if index_timeout is None else parse_number(index_timeout, "index_timeout", where),
        retries=default.retries if retries is None else retries,
        concurrency=concurrency or (default.concurrency if is_parallel else 1),
    )
