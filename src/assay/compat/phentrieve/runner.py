"""`phentrieve.evaluation.runner`: evaluate a model on a file of test cases, or on benchmarks in several languages."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

from assay.atomic_write import atomic_write
from assay.compat.phentrieve.differences import DIFFERENCES
from assay.compat.phentrieve.metrics import SimilarityFormula, similarity_name, terms_of
from assay.datasets import BenchmarkDataset
from assay.errors import DataError, UsageError
from assay.evaluation import Result
from assay.execution import run
from assay.grammar import mark_written
from assay.metrics import K_VALUES, SingleTermRetrievalMetrics
from assay.ontology import DEFAULT_HPO_SIZE, HPO_PREFIX, LANGUAGES, language_of, load_hpo
from assay.providers import is_retriever, parse_provider
from assay.stats import bootstrap_confidence_interval

ALL = ("de", "en", "fr", "es", "nl")
FOLDER = Path("tests/data/benchmarks")
"""Where Phentrieve has its own cases, seen from its repository."""
KEYS = {
    "hit_rate": "hit@{k}",
    "max_ont_similarity": "max_ont_sim(formula={formula})@{k}",
    "ndcg": "ndcg@{k}",
    "recall": "recall@{k}",
    "precision": "precision(over=retrieved)@{k}",
    "map": "map(norm=min)@{k}",
}
"""Key in Phentrieve → metric in assay, with the conventions of the original."""


def run_evaluation(
    model_name: Any,
    test_file: str | Path,
    k_values: Iterable[int] = K_VALUES,
    save_results: bool = False,
    results_dir: str | Path = "benchmark_results",
    similarity_formula: str | SimilarityFormula = SimilarityFormula.HYBRID,
) -> dict[str, Any]:
    """Evaluate a model on a file of cases: `avg_mrr_dense`, `mrr_dense` (scores by case), `avg_hit_rate_dense@1` …

    The model is a provider (`bm25`, `dense`), a sentence-transformers model with a slash in its name
    (`FremyCompany/BioLORD-2023-M`), an object with `search(queries, k)`, or a function of a text and `n_results` that
    returns results like Chroma. The file is a path or a bundled benchmark, such as `hpo-de:tiny`. `save_results` writes
    `<results_dir>/<model>_<benchmark>.json`. `similarity_formula` is that of MaxOntSim.
    """
    how = _How(tuple(k_values), results_dir if save_results else None, similarity_name(similarity_formula))
    return _evaluate_file(model_name, load_hpo(test_file), str(test_file), how)


class _How(NamedTuple):
    """How a file is evaluated."""

    k_values: tuple[int, ...]
    folder: str | Path | None
    """Where values are written; None: nowhere."""
    formula: str


def evaluate_multilingual_model(
    model_name: Any,
    languages: str | Iterable[str] | Mapping[str, str | Path] = ALL,
    *,
    size: str = DEFAULT_HPO_SIZE,
    k_values: Iterable[int] = K_VALUES,
    save_results: bool = False,
    results_dir: str | Path = "benchmark_results",
    similarity_formula: str | SimilarityFormula = SimilarityFormula.HYBRID,
) -> dict[str, Any]:
    """`per_language`, `cross_lingual_variance` and `average_mrr` of a model. Each language has its own cases and values.

    Languages are one or several codes or names (`de`, `german`), or a mapping from language to your own file. The cases of a
    code are in `tests/data/benchmarks/<code>/standard_v1.json` if you have this file, otherwise in the bundled benchmark;
    the notes of each language say which. The same language twice is an error.
    """
    files = _files(languages, size)
    loaded = {code: (load_hpo(file), str(file)) for code, file in files.items()}
    for code, (dataset, _) in loaded.items():
        if language_of(dataset) != code:
            raise DataError(f"{dataset.name}: expected only cases in {code}, found cases in {language_of(dataset)}")
    how = _How(tuple(k_values), results_dir if save_results else None, similarity_name(similarity_formula))
    by_language = {code: _evaluate_file(model_name, *parts, how) for code, parts in loaded.items()}
    figures = [result["avg_mrr_dense"] for result in by_language.values()]
    mean = sum(figures) / len(figures)
    variance = sum((figure - mean) ** 2 for figure in figures) / len(figures)
    return {"per_language": by_language, "cross_lingual_variance": variance, "average_mrr": mean}


def _files(languages: str | Iterable[str] | Mapping[str, str | Path], size: str) -> dict[str, str | Path]:
    """Code → the file of each language."""
    named = [languages] if isinstance(languages, str) else list(languages)
    if not named:
        raise UsageError(f"no language was given; choose from {', '.join(ALL)}")
    codes = [_code(language) for language in named]
    if twice := next((code for code in codes if codes.count(code) > 1), None):
        twins = " and ".join(language for language, code in zip(named, codes, strict=True) if code == twice)
        raise UsageError(f"{twins} are the same language; give each language once")
    if isinstance(languages, Mapping):
        return {code: languages[language] for language, code in zip(named, codes, strict=True)}
    own = {code: file for code in codes if (file := _own_file(code, size)) is not None}
    if FOLDER.is_dir() and (missing := [code for code in codes if code not in own]):
        names = ", ".join(f"{FOLDER.as_posix()}/{code}/{size}_v1.json" for code in missing)
        DIFFERENCES.warn("language", f"missing: {names}")
    return {code: own.get(code, f"{HPO_PREFIX}{code}:{size}") for code in codes}


def _own_file(code: str, size: str) -> Path | None:
    """The user's own file of a language, in a folder with its code or its name; None if there is none."""
    names = (code, *(name for name, other in LANGUAGES.items() if other == code))
    return next((file for name in names if (file := FOLDER / name / f"{size}_v1.json").is_file()), None)


def _evaluate_file(model: Any, dataset: BenchmarkDataset, file: str, how: _How) -> dict[str, Any]:
    """The values for one file, which are also written to the folder if one is given."""
    metrics = {"mrr_dense": "mrr"}
    for k in how.k_values:
        metrics |= {f"{key}_dense@{k}": metric.format(k=k, formula=how.formula) for key, metric in KEYS.items()}
    copies: list[str] = []
    result = run(dataset, _provider(model, copies), list(metrics.values()))
    _warn_of_differences(result, copies)
    report: dict[str, Any] = {
        "model_name": result.name,
        "model_slug": re.sub(r"[^\w.-]+", "_", result.name),
        "test_file": file,
        "num_test_cases": len(result.query_ids),
        "case_ids": list(result.query_ids),
        **_figures(result, metrics),
        "metrics": _single_term(result, how),
        "failures": dict(result.failures),
        "notes": [*_note_on_cases(file), *result.notes],
    }
    if how.folder is not None:
        _save(report, dataset, Path(how.folder))
    return report


def _warn_of_differences(result: Result, copies: Sequence[str]) -> None:
    """Warn of values that the original computes differently."""
    if copies:
        DIFFERENCES.warn("twice in an evaluation")
    if result.failures:
        DIFFERENCES.warn("failed case")
    similarities = [result.array(metric.name) for metric in result.metrics if metric.metric.name == "max_ont_sim"]
    if any(((scores > 0) & (scores < 1)).any() for scores in similarities):
        DIFFERENCES.warn("depth")


def _note_on_cases(file: str) -> list[str]:
    """A note on whose cases these are, if that is not what the caller wrote."""
    return [f"cases: your own file {Path(file).as_posix()}."] if FOLDER in Path(file).parents else []


def _provider(model: Any, copies: list[str]) -> Any:
    """The model as a provider for `assay.run`: a name with a slash is a sentence-transformers model.

    Terms that a function returns twice are added to `copies`.
    """
    if isinstance(model, str) and "/" in model and "(" not in model:
        return replace(parse_provider(mark_written({"dense": {"model": model}})), label=model)
    return _by_term(model, copies) if callable(model) and not is_retriever(model) else model


def _by_term(search: Callable[..., Any], copies: list[str]) -> Callable[..., Any]:
    """The function with terms as results, from the metadata of Chroma's results, each at its best rank."""

    def terms(answer: Any) -> Any:
        if not isinstance(answer, Mapping) or not answer.get("metadatas"):
            return answer
        ranked = terms_of(answer).ranked
        copies.extend(term for term, n in Counter(filter(None, ranked)).items() if n > 1)
        return [term for term in dict.fromkeys(ranked) if term]

    async def later(answer: Any) -> Any:
        return terms(await answer)

    @wraps(search)
    def searched(*arguments: Any, **named: Any) -> Any:
        answer = search(*arguments, **named)
        return later(answer) if inspect.isawaitable(answer) else terms(answer)

    return searched


def _figures(result: Result, metrics: Mapping[str, str]) -> dict[str, Any]:
    """Scores by case, means and intervals of every metric, under the keys of Phentrieve."""
    scores = {key: result.array(metric).tolist() for key, metric in metrics.items()}
    means = {key: float(result[metric]) for key, metric in metrics.items()}
    intervals = {}
    for key, values in scores.items():
        _, low, high = bootstrap_confidence_interval(values)
        intervals[key] = {"point_estimate": means[key], "ci_lower": low, "ci_upper": high}
    return {**scores, **{f"avg_{key}": mean for key, mean in means.items()}, "confidence_intervals": intervals}


def _single_term(result: Result, how: _How) -> SingleTermRetrievalMetrics:
    """The same means by name and cutoff."""
    plain = {re.sub(r"\(.*\)", "", metric.name): metric.name for metric in result.metrics}
    return SingleTermRetrievalMetrics.of({name: result[own] for name, own in plain.items()}, how.k_values)


def _save(result: Mapping[str, Any], dataset: BenchmarkDataset, folder: Path) -> None:
    import msgspec

    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^\w.-]+", "_", f"{result['model_name']}_{dataset.name}")
    content = msgspec.json.encode({**result, "metrics": result["metrics"].to_dict()})
    with atomic_write(folder / f"{name}.json") as file:
        file.write(msgspec.json.format(content, indent=2) + b"\n")


def _code(language: Any) -> str:
    """The code of a language: `de` for both `de` and `german`."""
    if not isinstance(language, str):
        raise UsageError(f"a language must be a code or a name, such as de or german, not {language!r}")
    code = LANGUAGES.get(language.lower(), language.lower())
    if code not in ALL:
        raise UsageError(f"no benchmark has the language {language!r}; choose from {', '.join(ALL)}")
    return code
