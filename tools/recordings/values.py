"""Part C: values with all their digits, of every metric, test, interval, fusion, similarity and chunker."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

from tools.recordings.masks import mask
from tools.recordings.process import in_parallel, value_of
from tools.recordings.scene import Scene

METRICS = Path(__file__).with_name("metrics.txt")
PROFILES = "trec_eval-9 trec_eval-10 pytrec_eval ranx ir_measures beir mteb sentence-transformers".split()
TIES = "docid_desc docid_asc input_order reverse_order rank_column expected ranx".split()
PAIR_TESTS = """
    randomization randomization(resamples=1000) paired_t wilcoxon wilcoxon(zeros=pratt) wilcoxon(method=normal)
    sign bootstrap bootstrap(method=studentised) bayesian bayesian(rope=0.02) independent_t
    non_inferiority(margin=0.01) equivalence(margin=0.1) paired_t(alternative=greater)
    randomization(alternative=less)
""".split()
MANY_TESTS = "tukey_hsd randomized_tukey_hsd friedman friedman(statistic=chi2) anova".split()
INTERVALS = "auto bootstrap bca t wilson".split()
DIFFERENCE_INTERVALS = "bootstrap bca t studentised".split()
NORMS = "min_max max sum z_score rank borda none".split()
SIZES = (60, 200, 1500)
Cases = dict[str, str]


def record_values(scene: Scene) -> Cases:
    """Case → values, as Python writes them."""
    parts: list[Callable[[], Cases]] = [
        *(partial(_metrics, view) for view in _specs()),
        _profiles,
        _tie_rules,
        _tests,
        _intervals,
        _agreement,
        _fusions,
        _similarities,
        _chunkers,
    ]
    works = [partial(value_of, part, scene.fixture, scene.environment(scene.fixture)) for part in parts]
    cases: Cases = {}
    for found in in_parallel(works, scene.jobs):
        cases |= found
    return {name: mask(text, (scene.place,)) for name, text in cases.items()}


def _specs() -> dict[str, list[list[str]]]:
    """View → a list of variants for each metric."""
    found: dict[str, list[list[str]]] = {}
    for line in METRICS.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            found[line[3:]] = []
        elif line and not line.startswith("#"):
            found[list(found)[-1]].append(line.split("; "))
    return found


def _attempt(work: Callable[[], Any]) -> str:
    """The value of something, or the error it ends in."""
    from assay import AssayError

    try:
        return plain(work())
    except AssayError as error:
        return f"{type(error).__name__}: {error}"


def plain(value: Any) -> str:
    """A value with all its digits; arrays as lists, named tuples by name."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {plain(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(plain, value)) + "]"
    return repr(value.tolist() if hasattr(value, "tolist") else value)


def _metrics(view: str) -> Cases:
    """The values of each query and the summary, of every metric of a view, over all that this view can be made of."""
    inputs = _INPUTS[view]()
    cases = {variants[0]: _metric_text(variants, inputs) for variants in _specs()[view]}
    names = {variants[0].partition("@")[0] for variants in _specs()[view]}
    missing = sorted(name for name in _catalog(view) if name not in names)
    if missing:
        cases |= {name: _metric_text([name], inputs) for name in missing}
    return {f"metric {name}": text for name, text in cases.items()}


def _catalog(view: str) -> list[str]:
    """What `assay metrics` lists, so that metrics.txt cannot lag behind."""
    from assay.cli import main

    with contextlib.redirect_stdout(io.StringIO()) as out:
        main(["metrics", "-f", "json"])
    return [metric["name"] for metric in json.loads(out.getvalue()) if metric["view"] == view]


def _metric_text(variants: Iterable[str], inputs: Mapping[str, Callable[[str], Any]]) -> str:
    lines = []
    for spec in variants:
        for name, score in inputs.items():
            lines.append(f"{spec} on {name}: {_attempt(lambda: _values(score(spec)))}\n")  # noqa: B023 (called at once)
    return "".join(lines)


def _values(result: Any) -> dict[str, Any]:
    names = list(result.summary)
    return {"summary": dict(result.summary), "queries": {name: dict(result.scores(name)) for name in names}}


def seeded_runs() -> dict[str, tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]]:
    """Judgments and a run: graded ones, ones with many ties, and ones with gaps of every kind."""
    return {"graded": _seeded(1, 9), "ties": _seeded(2, 1), "gaps": _with_gaps(_seeded(3, 2))}


def _seeded(seed: int, digits: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    random = Random(seed)
    qrels, run = {}, {}
    for number in range(8):
        documents = [f"d{place:02}" for place in range(24)]
        qrels[f"q{number}"] = {doc: random.choice([0, 0, 1, 1, 2, 3]) for doc in random.sample(documents, 12)}
        run[f"q{number}"] = {doc: round(random.random(), digits) for doc in random.sample(documents, 16)}
    return qrels, run


def _with_gaps(pair: tuple[Any, Any]) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    qrels, run = pair
    del run["q1"]
    run["q2"] = {"d01": 0.5}
    qrels["q3"] = dict.fromkeys(qrels["q3"], 0)
    qrels["q4"]["d05"] = -1
    run["q9"] = {"d00": 1.0}
    return qrels, run


def _ranking_inputs() -> dict[str, Callable[[str], Any]]:
    import assay

    return {name: partial(assay.evaluate, qrels, run) for name, (qrels, run) in seeded_runs().items()}


def _subtopic_inputs() -> dict[str, Callable[[str], Any]]:
    import assay

    random = Random(5)
    rows, run = [], {}
    for number in range(5):
        documents = [f"d{place:02}" for place in range(12)]
        rows += [(f"q{number}", doc, random.choice([0, 0, 1, 2]), topic) for doc in documents[:10] for topic in "abc"]
        run[f"q{number}"] = {doc: random.random() for doc in random.sample(documents, 9)}
    return {"subtopics": partial(assay.evaluate, rows, run)}


def _span_inputs() -> dict[str, Callable[[str], Any]]:
    import assay
    from assay import BenchmarkDataset, Document, Query, Span

    text = "".join(f"line {number:02} with some words\n" for number in range(1, 31))
    spans = {"q1": [Span("a.py", 6, 11, "lines")], "q2": [Span("b.py", 30, 95, "characters"), Span("a.py", 1, 2, "lines")]}
    dataset = BenchmarkDataset(
        "Code",
        queries={name: Query(name, "where?") for name in ("q1", "q2")},
        documents={name: Document(name, text) for name in ("a.py", "b.py", "c.py")},
        spans=spans,
    )
    small = {"q1": ["a.py:6-8", "c.py:1-2", "a.py:9-12", "a.py:1-5"], "q2": ["c.py:1-9", "b.py:1-3", "b.py:2-5", "a.py:1-1"]}
    large = {"q1": ["a.py:1-30", "b.py:1-30"], "q2": ["c.py:1-30", "b.py:1-30", "a.py:1-30"]}
    return {name: partial(assay.evaluate, dataset, run) for name, run in (("small", small), ("large", large))}


def _answer_inputs() -> dict[str, Callable[[str], Any]]:
    import assay

    def score(file: str, spec: str) -> Any:
        return assay.evaluate_answers(file, "golden.json", spec, run="golden.run")

    return {name: partial(score, f"{name}.jsonl") for name in ("answers", "answers-new")}


def _routing_inputs() -> dict[str, Callable[[str], Any]]:
    import assay

    return {name: partial(assay.evaluate_routing, f"{name}.jsonl") for name in ("routes", "routes-new")}


def _similarity_inputs() -> dict[str, Callable[[str], Any]]:
    import assay

    judged = {"t1": {"X:0003": 1}, "t2": {"X:0005": 1, "X:0044": 1}, "t3": {"X:0001": 1}}
    ranked = {"t1": ["X:0005", "X:0004", "X:0002"], "t2": ["X:0003", "X:0001"], "t3": ["X:0002", "X:0006"]}
    terms = partial(assay.evaluate, "terms.qrels", "terms.run", ontology="small.obo")
    return {"terms": terms, "near misses": partial(assay.evaluate, judged, ranked, ontology="small.obo")}


def _timing_inputs() -> dict[str, Callable[[str], Any]]:
    """A retriever that moves the clock on, by more for longer queries."""
    import assay

    clock = [1000.0]
    time.perf_counter = lambda: clock[0]

    def search(query: str, k: int) -> list[tuple[str, float]]:
        clock[0] += len(query) / 1024
        return [("p171", 1.0)][:k]

    return {"a clock": lambda spec: assay.run("rag-template", search, spec, concurrency=1)}


def _reranking_inputs() -> dict[str, Callable[[str], Any]]:
    import sys

    import assay

    sys.path.insert(0, ".")
    provider = "rerank(bm25, function='my_search:order_again')"
    return {"words": lambda spec: assay.run("rag-template", provider, spec, selection={"limit": 8})}


_INPUTS: dict[str, Callable[[], dict[str, Callable[[str], Any]]]] = {
    "ranking": _ranking_inputs,
    "subtopics": _subtopic_inputs,
    "spans": _span_inputs,
    "answers": _answer_inputs,
    "routing": _routing_inputs,
    "similarity": _similarity_inputs,
    "timing": _timing_inputs,
    "reranking": _reranking_inputs,
}


def _profiles() -> Cases:
    """Every metric of rankings as other tools have it."""
    import assay

    specs = [spec for variants in _specs()["ranking"] for spec in variants[:2]]
    runs = seeded_runs()
    return {
        f"profile {profile}": "".join(
            f"{spec} on {name}: {_attempt(lambda: _values(assay.evaluate(qrels, run, spec, profile=profile)))}\n"  # noqa: B023
            for spec in specs
            for name, (qrels, run) in runs.items()
        )
        for profile in PROFILES
    }


def _tie_rules() -> Cases:
    """Orders of equal scores, bands over them, and bounds over what was not judged."""
    import assay

    qrels, run = seeded_runs()["ties"]
    specs = ["ndcg@5", "map", "mrr", "precision@3", "bpref", "rbp(p=0.8)", "err@5"]

    def bands() -> dict[str, Any]:
        result = assay.evaluate(qrels, run, specs, tie_band=True, residuals=True).to_dict()
        return {name: result[name] for name in ("tie_bands", "residuals", "ties") if name in result}

    cases = {
        f"ties {rule}": _attempt(lambda: _values(assay.evaluate(qrels, run, specs, policy=assay.Policy(ties=rule)))) + "\n"  # noqa: B023
        for rule in TIES
    }
    return {**cases, "tie bands and residuals": _attempt(bands) + "\n"}


def _score_pairs() -> dict[str, tuple[Any, Any]]:
    import numpy as np

    generator = np.random.default_rng(11)
    a = generator.random((24, 2))
    close = np.clip(a + generator.normal(0.03, 0.1, a.shape), 0, 1)
    same = a.copy()
    same[:5] += 0.125
    return {"close": (a, close), "mostly the same": (a, same), "coarse": (np.round(a, 1), np.round(close, 1))}


def _tests() -> Cases:
    """Statistic, p and direction of every test; corrections; effect sizes."""
    import numpy as np

    from assay.stats import CORRECTIONS, Field, Pairs, correct, effects, parse_test, posterior

    cases: Cases = {}
    for name, (a, b) in _score_pairs().items():
        pairs, field = Pairs(a, b), Field(np.column_stack([a[:, 0], b[:, 0], a[:, 1]]))
        for test in PAIR_TESTS:
            cases[f"test {test} on {name}"] = _attempt(lambda: parse_test(test).compare(pairs)) + "\n"  # noqa: B023
        for test in MANY_TESTS:
            cases[f"test {test} on {name}"] = _attempt(lambda: parse_test(test).compare_many(field)) + "\n"  # noqa: B023
        cases[f"effects on {name}"] = _attempt(lambda: effects(a, b, 0.001)) + "\n"  # noqa: B023
        cases[f"posterior on {name}"] = _attempt(lambda: posterior(pairs, 0.01)) + "\n"  # noqa: B023
    p = [0.001, 0.01, 0.02, 0.04, 0.2, float("nan"), 0.9]
    cases |= {f"correction {name}": _attempt(lambda: correct(p, name)) + "\n" for name in CORRECTIONS}  # noqa: B023
    return cases


def _intervals() -> Cases:
    """Intervals of means and of differences, and what a number of queries can tell."""
    import assay
    from assay import stats

    cases: Cases = {}
    qrels, run = seeded_runs()["graded"]
    result = assay.evaluate(qrels, run, ["ndcg@5", "hit@1", "map", "gm_map", "num_rel"])
    for method in INTERVALS:
        given = partial(assay.with_intervals, result, method)
        cases[f"interval {method}"] = _attempt(lambda: given().to_dict()["intervals"]) + "\n"  # noqa: B023
    for name, (a, b) in _score_pairs().items():
        for method in DIFFERENCE_INTERVALS:
            cases[f"interval {method} of differences on {name}"] = (
                _attempt(lambda: stats.difference_intervals(a, b, method)) + "\n"  # noqa: B023
            )
        shift = (b - a)[:, 0]
        cases[f"power on {name}"] = _attempt(lambda: stats.analyse_power(shift, 0.05)) + "\n"  # noqa: B023
        cases[f"functions on {name}"] = "".join(f"{line}\n" for line in _function_values(a[:, 0], b[:, 0]))
    cases["power by the book"] = plain([stats.normal_power(n, 0.2, 0.05) for n in (10, 50, 500)]) + "\n"
    return cases


def _function_values(a: Any, b: Any) -> Iterator[str]:
    from assay import stats

    yield f"bootstrap: {plain(stats.bootstrap_confidence_interval(a))}"
    yield f"t: {plain(stats.calculate_confidence_interval(a))}"
    yield f"paired bootstrap: {plain(stats.paired_bootstrap_test(a, b))}"
    yield f"significance: {plain(stats.statistical_significance_test(a, b))}"


def _agreement() -> Cases:
    """How alike rankings are."""
    from assay import stats

    (qrels, run), (_, other) = seeded_runs()["graded"], seeded_runs()["ties"]
    a, b = list(run["q0"]), list(other["q0"])
    found = {
        "kendall_tau": [stats.kendall_tau(a, b, over, variant) for over in ("union",) for variant in ("b",)],
        "ap_correlation": [stats.ap_correlation(a, b), stats.ap_correlation(a, b, symmetric=False)],
        "rbo": [stats.rbo(a, b, p) for p in (0.5, 0.9)],
        "overlap": [stats.overlap_at_k(a, b, k) for k in (1, 5, 10)],
        "moved": stats.moved_documents(run, other, qrels, 5),
        "order": stats.order_agreement({"x": 0.1, "y": 0.2, "z": 0.3}, {"x": 0.2, "y": 0.1, "z": 0.3}),
    }
    cases = {f"agreement {name}": plain(value) + "\n" for name, value in found.items()}
    alike = stats.agreement(run, other)
    cases["agreement of runs"] = plain({name: getattr(alike, name) for name in ("tau", "tau_ap", "rbo", "overlap")}) + "\n"
    return cases


def _fusions() -> Cases:
    """Every method, those with weights or judgments too, and every normalisation."""
    import assay
    from assay.fusion import all_fusions, train

    (qrels, run), (_, other) = seeded_runs()["graded"], seeded_runs()["gaps"]
    runs = [run, other]

    def fused(method: str, **settings: Any) -> str:
        return _attempt(lambda: {query: dict(hits) for query, hits in assay.fuse(runs, method, **settings).items()})

    cases: Cases = {}
    for name in sorted(all_fusions()):
        lines = [fused(name)]
        lines.append(fused(name, weights=[0.7, 0.3]))
        lines.append(_attempt(lambda: assay.fuse(runs, name, trained=train(runs, qrels, name)).items()))  # noqa: B023
        cases[f"fusion {name}"] = "\n".join(lines) + "\n"
    cases |= {f"fusion comb_sum by {norm}": fused("comb_sum", norm=norm) + "\n" for norm in NORMS}
    cases["fusion tuned"] = _attempt(lambda: _tuned(runs, qrels)) + "\n"
    return cases


def _tuned(runs: list[Any], qrels: Any) -> str:
    import assay

    return str(assay.tune_fusion(runs, qrels, "ndcg@5"))


def _similarities() -> Cases:
    """Every formula between every two terms of a small ontology."""
    import numpy as np

    from assay import load_ontology
    from assay.ontology import all_similarities, parse_similarity

    ontology = load_ontology("small.obo")
    pairs = np.array(list(combinations(range(len(ontology.ids)), 2)))
    names = [*sorted(all_similarities()), "lin(ic=zhou)", "resnik(ic=zhou)", "jiang_conrath(ic=zhou)"]
    return {
        f"similarity {name}": _attempt(lambda: parse_similarity(name).of_pairs(ontology, pairs[:, 0], pairs[:, 1])) + "\n"  # noqa: B023
        for name in names
    }


def _chunkers() -> Cases:
    """The ids and a digest of the texts of chunks, at several sizes."""
    from assay import Document
    from assay.chunkers import all_chunkers, chunk_documents, parse_chunker

    files = [Path("shop.py"), Path("guide.md"), Path("examples/make_code_spans.py"), Path("golden.json")]
    documents = [Document(file.name, file.read_text(encoding="utf-8")) for file in files]

    def cut(spec: str) -> str:
        chunks = chunk_documents(parse_chunker(spec), documents)
        texts = "\0".join(chunk.to_document().text for chunk in chunks)
        return f"{hashlib.sha256(texts.encode()).hexdigest()[:16]} {' '.join(chunk.chunk_id for chunk in chunks)}"

    return {
        f"chunker {name}": "".join(f"{size}: {_attempt(lambda: cut(f'{name}(size={size})'))}\n" for size in SIZES)  # noqa: B023
        for name in sorted(all_chunkers())
    }
