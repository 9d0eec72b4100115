"""Seed 002, single-term HPO retrieval: every row and printed example, with the corrected numbers.

`phentrieve.evaluation` is `assay.compat.phentrieve` here. The document was decoded wrongly:
"KrampfanfÃ¤lle" is Krampfanfälle.
"""

from __future__ import annotations

import inspect
import json
import math
import re
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.charts import draw
from assay.cli import main
from assay.compat.phentrieve import (
    SingleTermRetrievalMetrics,
    average_precision_at_k,
    bootstrap_confidence_interval,
    calculate_test_case_max_ont_sim,
    compare_models,
    evaluate_multilingual_model,
    hit_rate_at_k,
    mean_reciprocal_rank,
    ndcg_at_k,
    paired_bootstrap_test,
    precision_at_k,
    recall_at_k,
    run_evaluation,
)
from assay.datasets import load_bundled

pytestmark = pytest.mark.filterwarnings("ignore::assay.compat.phentrieve.DifferenceWarning")

SEIZURE, FOCAL = "HP:0001250", "HP:0007359"
TERMS = [f"HP:000000{number}" for number in range(8)]
CASE = {
    "case_id": "de_neuro_001",
    "text": "Krampfanfälle",
    "description": "German word for seizures",
    "expected_hpo_ids": ["HP:0001250"],
    "difficulty": "easy",
    "category": "exact_match",
    "hpo_domain": "Abnormality of the nervous system",
}
LIST_FORM = [
    {
        "description": "Hypertrophic cardiomyopathy with septal hypertrophy",
        "text": "Hypertrophe Kardiomyopathie mit Septumhypertrophie",
        "expected_hpo_ids": ["HP:0001639", "HP:0001712"],
    }
]


@pytest.fixture(scope="module")
def figures():
    """What a retriever that always finds one term reaches on nine cases."""
    return run_evaluation(Always(SEIZURE), "hpo-en:tiny")


def chroma(terms):
    """What Chroma returns for one query."""
    return {
        "ids": [[f"vector {rank}" for rank in range(len(terms))]],
        "metadatas": [[{"hpo_id": one} for one in terms]],
        "distances": [[rank / 10 for rank in range(len(terms))]],
    }


class Always:
    """A retriever that finds the same terms for every phrase."""

    def __init__(self, *terms):
        self.terms = terms

    def search(self, queries, k):
        return [[(one, -float(rank)) for rank, one in enumerate(self.terms)][:k] for _ in queries]


# 1. Current implementation
def test_printed_mean_reciprocal_rank_and_hit_rate_at_k_with_k_5():
    assert mean_reciprocal_rank(chroma(["HP:1", SEIZURE, "HP:2"]), [SEIZURE]) == 1 / 2
    assert mean_reciprocal_rank(chroma(["HP:1"]), [SEIZURE]) == 0.0
    found = chroma(["HP:1", "HP:2", "HP:3", "HP:4", "HP:5", SEIZURE])
    assert (hit_rate_at_k(found, [SEIZURE]), hit_rate_at_k(found, [SEIZURE], k=6)) == (0.0, 1.0)


def test_printed_max_ont_sim_is_1_for_an_exact_match_else_by_the_ontology():
    assert calculate_test_case_max_ont_sim([SEIZURE], ["HP:0000365", SEIZURE], "hybrid") == 1.0
    near = calculate_test_case_max_ont_sim([SEIZURE], [FOCAL], "hybrid")
    far = calculate_test_case_max_ont_sim([SEIZURE], ["HP:0000365"], "hybrid")
    assert 0 <= far < near < 1, "a parent and its child are not the same"
    assert calculate_test_case_max_ont_sim([SEIZURE], [FOCAL], "simple") < 1
    assert calculate_test_case_max_ont_sim([SEIZURE], [], "hybrid") == calculate_test_case_max_ont_sim([], [FOCAL]) == 0.0


def test_printed_list_form_of_test_cases(tmp_path):
    for folder in ("german", "de"):  # which says the language
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "tiny_v1.json").write_text(json.dumps(LIST_FORM))
        found = assay.load_dataset(tmp_path / folder / "tiny_v1.json")
        (query,) = found.queries.values()
        assert query.text == "Hypertrophe Kardiomyopathie mit Septumhypertrophie"
        assert found.get_relevant_docs(query.query_id) == {"HP:0001639", "HP:0001712"}
        assert found.metadata["language"] == "de", folder


# 3. Recommended metrics: the printed code is the oracle wherever it is right
def printed_ndcg(retrieved, expected, k, scores):
    def gain(one):
        return scores.get(one, 1.0) if scores else 1.0

    dcg = sum(gain(one) / math.log2(rank + 2) for rank, one in enumerate(retrieved[:k]) if one in expected)
    ideal = sorted(map(gain, expected), reverse=True)[:k]
    idcg = sum(value / math.log2(rank + 2) for rank, value in enumerate(ideal))
    return dcg / idcg if idcg else 0.0


def printed_average_precision(retrieved, expected, k):
    found = [one in expected for one in retrieved[:k]]
    total = sum(sum(found[: rank + 1]) / (rank + 1) for rank, hit in enumerate(found) if hit)
    return total / min(len(expected), k) if any(found) else 0.0


@given(
    retrieved=st.lists(st.sampled_from(TERMS), unique=True),
    expected=st.lists(st.sampled_from([*TERMS, "HP:0000009"]), unique=True),
    k=st.integers(1, 10),
    scores=st.none() | st.dictionaries(st.sampled_from(TERMS), st.floats(0, 3)),
)
def test_printed_functions_give_these_numbers(retrieved, expected, k, scores):
    results, top = chroma(retrieved), retrieved[:k]
    n_found = len(set(top) & set(expected))
    assert ndcg_at_k(results, expected, k, scores) == pytest.approx(printed_ndcg(retrieved, expected, k, scores))
    assert recall_at_k(results, expected, k) == pytest.approx(n_found / len(expected) if expected else 0.0)
    assert precision_at_k(results, expected, k) == pytest.approx(n_found / len(top) if top else 0.0)
    assert average_precision_at_k(results, expected, k) == pytest.approx(printed_average_precision(retrieved, expected, k))


def test_printed_defaults_are_k_10():
    for function in (ndcg_at_k, recall_at_k, precision_at_k, average_precision_at_k):
        assert inspect.signature(function).parameters["k"].default == 10
    assert list(inspect.signature(ndcg_at_k).parameters) == ["results", "expected_ids", "k", "relevance_scores"]


def test_printed_difference_of_recall_from_hit_rate():
    expected = ["HP:1", "HP:2", "HP:3"]
    for n_found, (hit, recall) in enumerate([(0.0, 0.0), (1.0, 1 / 3), (1.0, 2 / 3), (1.0, 1.0)]):
        results = chroma([*expected[:n_found], "HP:9"])
        found = hit_rate_at_k(results, expected, 10), recall_at_k(results, expected, 10)
        assert found == (hit, pytest.approx(recall)), n_found


def test_printed_nothing_retrieved_or_expected_is_0():
    for function in (mean_reciprocal_rank, hit_rate_at_k, ndcg_at_k, recall_at_k, precision_at_k, average_precision_at_k):
        for results in ({}, None, {"metadatas": []}, {"ids": [[]], "metadatas": [[]]}):
            assert function(results, [SEIZURE]) == 0.0, (function, results)
        assert function(chroma([SEIZURE]), []) == 0.0, function


def test_mistake_a_term_that_comes_twice_counts_once():
    results = chroma([SEIZURE, SEIZURE, FOCAL])
    assert ndcg_at_k(results, [SEIZURE, FOCAL]) == pytest.approx((1 + 1 / math.log2(4)) / (1 + 1 / math.log2(3)))
    assert (
        recall_at_k(results, [SEIZURE]) == ndcg_at_k(results, [SEIZURE]) == average_precision_at_k(results, [SEIZURE]) == 1
    )
    assert precision_at_k(results, [SEIZURE]) == pytest.approx(1 / 3)
    assert recall_at_k(results, [SEIZURE, SEIZURE]) == 1


def test_row_chroma_shaped_results_are_accepted_from_a_retriever_too():
    wanted = load_bundled("hpo-en:tiny").qrels

    def query(text, n_results):
        return chroma([SEIZURE, SEIZURE, *(term for terms in wanted.values() for term in terms)][:n_results])

    found = run_evaluation(query, "hpo-en:tiny", k_values=(1, 10))
    assert found["avg_recall_dense@10"] == pytest.approx(1.0), "nine terms and the one that comes twice"
    assert found["avg_hit_rate_dense@1"] == 0.0
    plain = {"ids": [[term for terms in wanted.values() for term in terms]]}
    assert run_evaluation(lambda text, n_results: plain, "hpo-en:tiny", k_values=[1])["avg_hit_rate_dense@1"] == 1 / 9


def test_printed_single_term_retrieval_metrics(figures):
    assert [one.name for one in fields(SingleTermRetrievalMetrics)] == [
        *("mrr", "hit_rate_at_k", "max_ont_sim_at_k", "ndcg_at_k", "recall_at_k", "precision_at_k", "map_at_k")
    ]
    found = figures["metrics"]
    assert isinstance(found, SingleTermRetrievalMetrics)
    for name in ("hit_rate_at_k", "max_ont_sim_at_k", "ndcg_at_k", "recall_at_k", "precision_at_k", "map_at_k"):
        assert list(getattr(found, name)) == [1, 3, 5, 10]
    assert {"hit@1", "hit@3", "hit@5", "hit@10"} <= set(SingleTermRetrievalMetrics.names())
    assert "hit@20" not in SingleTermRetrievalMetrics.names(), "20 is optional"


# 4. Statistical significance
def test_printed_bootstrap_confidence_interval():
    parameters = inspect.signature(bootstrap_confidence_interval).parameters
    assert [parameters[name].default for name in ("n_bootstrap", "confidence_level", "metric_fn")] == [1000, 0.95, np.mean]
    point_estimate, ci_lower, ci_upper = bootstrap_confidence_interval([0.2, 0.4, 0.6, 0.8])
    assert point_estimate == pytest.approx(0.5)
    assert 0.2 < ci_lower < 0.5 < ci_upper < 0.8
    assert bootstrap_confidence_interval([0.2, 0.9, 1.0], metric_fn=np.median)[0] == 0.9


def test_worked_hit_rate_3_of_9_has_an_interval_of_about_0_to_0667():
    estimate, low, high = bootstrap_confidence_interval([1, 1, 1, 0, 0, 0, 0, 0, 0], n_bootstrap=10_000)
    assert (round(estimate, 3), low) == (0.333, 0)
    assert high == pytest.approx(0.667, abs=0.001)


def test_printed_paired_bootstrap_test():
    assert inspect.signature(paired_bootstrap_test).parameters["n_bootstrap"].default == 10_000
    rng = np.random.default_rng(1)
    base = rng.random(60)
    p_value, is_significant = paired_bootstrap_test(base + 0.1 + rng.normal(0, 0.05, 60), base)
    assert 0 < p_value < 0.01
    assert is_significant
    with pytest.raises(assay.DataError, match="values_a has 2 scores, values_b has 1"):
        paired_bootstrap_test([0.1, 0.2], [0.1])


def test_mistakes_unseeded_p_exactly_0_and_empty_input():
    assert bootstrap_confidence_interval([0.1, 0.5, 0.9]) == bootstrap_confidence_interval([0.1, 0.5, 0.9])
    assert paired_bootstrap_test([1.0] * 50, [0.0] * 50)[0] > 0
    for function in (bootstrap_confidence_interval, lambda values: paired_bootstrap_test(values, values)):
        with pytest.raises(assay.DataError):
            function([])


@pytest.mark.slow
def test_printed_reporting_format(snapshots):
    found = compare_models([run_evaluation(model, "hpo-en:tiny") for model in ("bm25", "tfidf_chars")])
    snapshots.check("compat/phentrieve_comparison", found.to_markdown())
    assert [row["metric"] for row in found.significance] == ["MRR", "NDCG@10", "Recall@10", "HR@1"]
    for row in found.significance:
        assert row["comparison"] == "tfidf_chars vs bm25"
        assert row["significant"] == (row["p_corrected"] <= 0.05)


def test_row_visualisation_of_comparisons():
    """Bars of the models with their intervals, and the same in words; each model case by case against another."""
    judged = {f"q{number}": {"d": 1} for number in range(8)}
    old = assay.evaluate(judged, {query: ["x", "d"] for query in judged}, "mrr", name="old")
    new = assay.evaluate(judged, {query: ["d"] if query < "q4" else ["x", "d"] for query in judged}, "mrr", name="new")
    bars = draw("bars", [old, new], metric="mrr")
    assert [(row["system"], row["value"]) for row in bars.rows] == [("old", 0.5), ("new", 0.75)]
    assert bars.rows[1]["low"] < 0.75 < bars.rows[1]["high"]
    assert "old 0.500" in bars.alt
    assert "new 0.750" in bars.alt
    pairs = draw("paired_scatter", [old, new], metric="mrr")
    assert "is better on 4 queries, the same on 4, and worse on 0" in pairs.alt
    assert [row["change"] for row in pairs.rows] == [0.5] * 4 + [0.0] * 4


# 5. Languages
def test_printed_evaluate_multilingual_model():
    found = evaluate_multilingual_model(Always("HP:0000204", SEIZURE), ["German", "en"], size="tiny", k_values=[1])
    assert list(found) == ["per_language", "cross_lingual_variance", "average_mrr"]
    assert list(found["per_language"]) == ["de", "en"]
    mrr_values = [r["avg_mrr_dense"] for r in found["per_language"].values()]
    assert found["cross_lingual_variance"] == pytest.approx(np.var(mrr_values))
    assert found["average_mrr"] == pytest.approx(np.mean(mrr_values))
    languages = inspect.signature(evaluate_multilingual_model).parameters["languages"]
    assert tuple(languages.default) == ("de", "en", "fr", "es", "nl")


def test_row_language_isolation(tmp_path):
    cases = {"metadata": {"language": "de"}, "test_cases": [CASE]}
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    with pytest.raises(assay.DataError):
        evaluate_multilingual_model(Always(SEIZURE), {"en": tmp_path / "cases.json"})
    with pytest.raises(assay.UsageError):
        evaluate_multilingual_model(Always(SEIZURE), ["it"])


@pytest.mark.slow
def test_row_german_french_spanish_and_dutch_are_cross_lingual_and_say_so():
    for code in ("de", "fr", "es", "nl"):
        notes = run_evaluation(Always(SEIZURE), f"hpo-{code}:tiny")["notes"]
        assert any("cross-lingual" in note for note in notes), code
    assert not any("cross-lingual" in note for note in run_evaluation(Always(SEIZURE), "hpo-en:tiny")["notes"])


# 6. Test data
def test_printed_schema_and_enhanced_test_case(tmp_path):
    cases = {"metadata": {"dataset_id": "mine", "version": "1.0", "language": "de"}, "test_cases": [CASE]}
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    query = assay.load_dataset(tmp_path / "cases.json").queries["de_neuro_001"]
    assert query.text == "Krampfanfälle"
    assert (query.difficulty, query.query_type, query.domain) == ("easy", "exact_match", "Abnormality of the nervous system")


def test_row_the_schema_is_enforced(tmp_path):
    for field, value in (("difficulty", "trivial"), ("category", "guess"), ("expected_hpo_ids", ["HP:1"])):
        cases = {"metadata": {"language": "de"}, "test_cases": [{**CASE, field: value}]}
        (tmp_path / "cases.json").write_text(json.dumps(cases))
        with pytest.raises(assay.DataError, match=field):
            assay.load_dataset(tmp_path / "cases.json")


def test_printed_difficulty_categories_and_sizes():
    sizes = load_bundled("hpo-en").metadata["sizes"]
    assert {name: sizes[name] for name in ("tiny", "small", "standard")} == {"tiny": 9, "small": 50, "standard": 200}
    categories = {query.query_type for query in load_bundled("hpo-en").queries.values()}
    assert categories == {"exact_match", "synonym", "abbreviation", "layperson", "complex"}
    for code in ("de", "en"):
        assert len(load_bundled(f"hpo-{code}").queries) == 200
        assert len(load_bundled(f"hpo-{code}:comprehensive").queries) >= 500


def test_row_stratified_reporting_by_language_difficulty_and_category(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["eval", "--benchmarks", "hpo-en:tiny", "--providers", "random_order", "--no-store", "--quiet", "-m", "mrr"]
    assert main([*words, "--by", "language", "difficulty", "category"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"^by language: the slice en contains every query \(9\)", printed, re.MULTILINE)
    for tag in ("difficulty", "category"):
        assert re.search(rf"^random_order by {tag}$", printed, re.MULTILINE)


# Roadmap
def test_row_run_evaluation_returns_each_case_mean_and_interval(figures):
    found = figures
    assert "9 cases: too few to publish a result; use at least 200." in found["notes"]
    assert (found["model_name"], found["test_file"], found["num_test_cases"]) == ("Always", "hpo-en:tiny", 9)
    for key in ("mrr_dense", "hit_rate_dense@1", "ndcg_dense@10", "recall_dense@10", "precision_dense@10", "map_dense@10"):
        assert len(found[key]) == 9
        assert found[f"avg_{key}"] == pytest.approx(np.mean(found[key]))
        interval = found["confidence_intervals"][key]
        assert interval["ci_lower"] <= interval["point_estimate"] <= interval["ci_upper"]


@pytest.mark.slow
def test_mistake_a_case_that_fails_is_kept_so_that_pairs_stay_aligned():
    class Failing(Always):
        def search(self, queries, k):
            if any("HP" not in one.query_id and one.query_id.endswith("1") for one in queries):
                raise RuntimeError("no")
            return super().search(queries, k)

    whole, partly = run_evaluation(Always(SEIZURE), "hpo-en:tiny"), run_evaluation(Failing(SEIZURE), "hpo-en:tiny")
    assert partly["failures"]
    assert partly["case_ids"] == whole["case_ids"]
    assert compare_models([whole, partly]).significance[0]["diff"] <= 0


def test_row_results_are_saved_and_k_20_is_optional(tmp_path):
    folder = tmp_path / "results"
    found = run_evaluation(Always(SEIZURE), "hpo-en:tiny", k_values=(20,), save_results=True, results_dir=folder)
    assert "avg_hit_rate_dense@20" in found
    (file,) = folder.iterdir()
    assert file.name == "Always_hpo-en_tiny.json"
    assert json.loads(file.read_text())["mrr_dense"] == found["mrr_dense"]


# Appendix A
def test_printed_formulas_of_precision_and_average_precision_against_the_printed_code():
    """Precision there is over what was retrieved, and average precision over the smaller of k and relevant."""
    assert precision_at_k(chroma([SEIZURE, FOCAL]), [SEIZURE], k=10) == 1 / 2
    assert assay.metrics.precision_at_k([SEIZURE, FOCAL], [SEIZURE], 10) == 1 / 10
    retrieved, expected = ["HP:4", "HP:1", "HP:5", "HP:2"], ["HP:1", "HP:2", "HP:3"]
    assert average_precision_at_k(chroma(retrieved), expected, k=2) == pytest.approx(0.25)
    assert assay.metrics.average_precision_at_k(retrieved, expected, 2) == pytest.approx(0.166667, abs=5e-7)
