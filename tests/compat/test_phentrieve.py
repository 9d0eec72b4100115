"""compat.phentrieve: what tests/seeds/test_seed_002.py does not say about it."""

import asyncio
import json
import sys

import pytest

import assay
from assay.compat.phentrieve import (
    DifferenceWarning,
    SimilarityFormula,
    average_precision_at_k,
    calculate_test_case_max_ont_sim,
    compare_models,
    evaluate_multilingual_model,
    hit_rate_at_k,
    mean_reciprocal_rank,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    run_evaluation,
)

pytestmark = pytest.mark.filterwarnings("ignore::assay.compat.phentrieve.DifferenceWarning")
SEIZURE = "HP:0001250"


def results(*terms):
    return {"ids": [[f"v{rank}" for rank, _ in enumerate(terms)]], "metadatas": [[{"hpo_id": one} for one in terms]]}


def finding(*terms):
    """A function that answers every phrase with these terms, as Chroma does."""

    def query(text, n_results):
        return results(*terms[:n_results])

    return query


# What Chroma returns
def test_a_text_is_one_id_and_not_its_letters():
    found = results("HP:0012638", SEIZURE)
    for function in (mean_reciprocal_rank, hit_rate_at_k, recall_at_k, ndcg_at_k, precision_at_k):
        assert function(found, SEIZURE) == function(found, [SEIZURE]) > 0, function
        assert function(found, None) == 0.0, function


def test_ids_are_terms_where_metadata_say_nothing_of_terms():
    for metadatas in (None, [[{"x": 1}, {"x": 2}]], [[None, None]], [[{}, {}]], [[{"x": 1}, None]]):
        found = {"ids": [["HP:0012638", SEIZURE]], "metadatas": metadatas}
        assert mean_reciprocal_rank(found, [SEIZURE]) == 1 / 2
    mixed = {"ids": [["HP:0012638", SEIZURE]], "metadatas": [[{"hpo_id": "HP:0000204"}, {"x": 1}]]}
    assert mean_reciprocal_rank(mixed, [SEIZURE]) == 1 / 2
    assert mean_reciprocal_rank(mixed, ["HP:0012638"]) == 0.0, "metadata come first"
    nameless = {"ids": [[SEIZURE]], "metadatas": [[{"hpo_id": None}]]}
    assert mean_reciprocal_rank(nameless, [SEIZURE]) == 0.0, "they say that it is no term"


def test_a_hit_without_a_term_holds_its_rank():
    metadatas = [[None, {}, {"hpo_id": None}, {"hpo_id": SEIZURE}]]
    assert mean_reciprocal_rank({"metadatas": metadatas}, [SEIZURE]) == 1 / 4
    assert precision_at_k({"metadatas": metadatas}, [SEIZURE, ""]) == 1 / 4


def test_what_cannot_be_scored(snapshots):
    shapes = {
        "two queries": {"metadatas": [[{"hpo_id": SEIZURE}], [{"hpo_id": SEIZURE}]]},
        "no list of lists": {"metadatas": [{"hpo_id": SEIZURE}]},
        "no hpo_id": {"ids": [["v_1"]], "metadatas": [[{"term": SEIZURE, "lang": "de"}]]},
        "no hpo_id, no ids": {"metadatas": [[{"term": SEIZURE}]]},
        "no maps": {"metadatas": [["HP:1"]]},
        "unequal": {"ids": [["a", "b"]], "metadatas": [[{"hpo_id": SEIZURE}]]},
        "one id": {"ids": SEIZURE},
        "a list": [SEIZURE],
    }
    cases = {name: lambda wrong=wrong: recall_at_k(wrong, [SEIZURE]) for name, wrong in shapes.items()}
    for k in (0, -1, "many", None, 2.5, True):
        for function in (ndcg_at_k, recall_at_k, precision_at_k, average_precision_at_k):
            with pytest.raises(assay.BadParameter):
                function(results(SEIZURE), [SEIZURE], k)
    two = [made("a", [1.0]), made("b", [1.0])]
    cases |= {
        "k": lambda: ndcg_at_k(results(SEIZURE), [SEIZURE], 0),
        "expected": lambda: recall_at_k(results(SEIZURE), 5),
        "retrieved": lambda: calculate_test_case_max_ont_sim(SEIZURE, 5),
        "formula": lambda: calculate_test_case_max_ont_sim([SEIZURE], [SEIZURE], "hybird"),
        "other terms": lambda: calculate_test_case_max_ont_sim(["GO:1"], ["GO:2"]),
        "model": lambda: run_evaluation("bm52", "hpo-en:tiny"),
        "no language": lambda: evaluate_multilingual_model(finding(SEIZURE), []),
        "one language twice": lambda: evaluate_multilingual_model(finding(SEIZURE), ["german", "en", "de"]),
        "no name of a language": lambda: evaluate_multilingual_model(finding(SEIZURE), [5]),
        "one name": lambda: compare_models([two[0], two[0]]),
        "baseline": lambda: compare_models(two, baseline="c"),
        "metric": lambda: compare_models(two, metrics=["mmr"]),
        "other cases": lambda: compare_models([two[0], made("b", [1.0], ["z"])]),
    }
    snapshots.check_errors("compat/phentrieve", cases)


def test_expected_ids_may_be_any_collection_or_one():
    for expected in ([SEIZURE, "HP:2"], {SEIZURE, "HP:2"}, (SEIZURE, "HP:2"), {SEIZURE: 1, "HP:2": 1}):
        assert recall_at_k(results(SEIZURE), expected) == 1 / 2
    alone, listed = (calculate_test_case_max_ont_sim(one, ["HP:0007359"]) for one in (SEIZURE, [SEIZURE]))
    assert alone == listed < calculate_test_case_max_ont_sim(SEIZURE, SEIZURE) == 1.0


# Evaluations
def test_a_coroutine_may_answer_as_chroma_does():
    async def query(text, n_results):
        await asyncio.sleep(0)
        return results(SEIZURE, SEIZURE, "HP:0000204")

    found = run_evaluation(query, "hpo-de:tiny", k_values=[1])
    assert set(found["mrr_dense"]) == {0.0, 1 / 2, 1.0}, "each term at its best rank"


def test_a_model_of_sentence_transformers_is_known_by_its_slash(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(assay.AssayError) as caught:
        run_evaluation("FremyCompany/BioLORD-2023-M", "hpo-en:tiny")
    assert not isinstance(caught.value, assay.UnknownName)


def test_precision_and_map_have_the_conventions_of_the_printed_code():
    one = run_evaluation(finding("HP:0000204"), "hpo-de:tiny", k_values=[10])
    assert max(one["precision_dense@10"]) == max(one["map_dense@10"]) == 1.0, "one hit, and it is right"
    assert one["metrics"].precision_at_k[10] == one["avg_precision_dense@10"]


# Comparisons
def made(name, scores, cases=("a", "b", "c")):
    mean = sum(scores) / len(scores)
    interval = {"point_estimate": mean, "ci_lower": min(scores), "ci_upper": max(scores)}
    return {
        "model_name": name,
        "test_file": "cases.json",
        "case_ids": list(cases),
        "mrr_dense": scores,
        "avg_mrr_dense": mean,
        "confidence_intervals": {"mrr_dense": interval},
    }


def test_the_baseline_is_the_first_or_the_one_named():
    models = [made("old", [0.1, 0.2, 0.3]), made("new", [0.2, 0.3, 0.4])]
    assert compare_models(models).significance[0]["comparison"] == "new vs old"
    (row,) = compare_models(models, baseline="new", metrics="mrr").significance
    assert compare_models(models, baseline="new", metrics=["mrr"]).significance == (row,)
    assert (row["comparison"], row["diff"]) == ("old vs new", pytest.approx(-0.1))


def test_p_is_corrected_over_all_rows():
    cases = [str(number) for number in range(12)]
    models = [made(name, [0.1 + gain] * 12, cases) for name, gain in (("a", 0.0), ("b", 0.5), ("c", 0.2))]
    rows = compare_models(models).significance
    assert [row["p_corrected"] for row in rows] == pytest.approx([2 * row["p_value"] for row in rows])
    assert all(row["significant"] for row in rows)
    assert not any(row["significant"] for row in compare_models(models, alpha=1e-9).significance)


def test_a_comparison_is_a_frame_with_the_printed_columns():
    pandas = pytest.importorskip("pandas")
    models = [
        made("old", [0.1, 0.2, 0.3]),
        {**made("new", [0.2, 0.3, 0.4]), "ndcg_dense@10": [0.5, 1.0, 0.0], "model_slug": "n"},
    ]
    table = compare_models(results_list=models)
    assert isinstance(table, pandas.DataFrame)
    assert list(table.columns) == ["Model", "MRR (Dense)", "NDCG@10 (Dense)"]
    assert list(table["Model"]) == ["n", "old"], "best first"
    assert list(table["MRR (Dense)"]) == pytest.approx([0.3, 0.2])
    assert table.significance[0]["comparison"] == "new vs old"
    assert type(table[table["MRR (Dense)"] > 0.25]) is pandas.DataFrame
    assert len(compare_models(models[:1])) == 1
    assert len(compare_models([])) == 0


def test_without_pandas_a_comparison_has_the_same_rows(monkeypatch):
    monkeypatch.setattr("assay.compat.phentrieve.comparison.find_spec", lambda name: None)
    found = compare_models([made("old", [0.1, 0.2, 0.3]), made("new", [0.2, 0.3, 0.4])])
    assert [row["Model"] for row in found.rows] == ["new", "old"]
    assert len(found.significance) == 1


def test_a_full_comparison_has_every_column():
    found = compare_models([run_evaluation(finding(SEIZURE), "hpo-en:tiny")])
    names = [
        f"{name}@{k} (Dense)" for name in ("HR", "MaxOntSim", "NDCG", "Recall", "Precision", "MAP") for k in (1, 3, 5, 10)
    ]
    assert list(found.columns) == ["Model", "MRR (Dense)", *names]


# Formulas
def test_formulas_have_the_printed_names():
    names = {"simple": "simple_resnik_like", "Simple_Resnik": "simple_resnik_like", "complex": "hybrid", "HYBRID": "hybrid"}
    assert {name: SimilarityFormula.from_string(name).value for name in names} == names
    child = "HP:0007359"
    for member, name in ((SimilarityFormula.SIMPLE_RESNIK_LIKE, "simple"), (SimilarityFormula.HYBRID, "hybrid")):
        by_member = calculate_test_case_max_ont_sim([SEIZURE], [child], formula=member)
        assert by_member == calculate_test_case_max_ont_sim([SEIZURE], [child], name)
        assert by_member == calculate_test_case_max_ont_sim([SEIZURE], [child], member.value)
    simple = run_evaluation(finding(child), "hpo-en:tiny", k_values=[1], similarity_formula="simple_resnik_like")
    hybrid = run_evaluation(finding(child), "hpo-en:tiny", k_values=[1])
    assert simple["avg_max_ont_similarity_dense@1"] != hybrid["avg_max_ont_similarity_dense@1"]
    with pytest.raises(assay.UnknownName):
        SimilarityFormula.from_string("hybird")


# The user's own files
def cases_in(folder, language, n=2):
    folder.mkdir(parents=True)
    cases = [{"text": f"phrase {number}", "expected_hpo_ids": [SEIZURE]} for number in range(n)]
    (folder / "standard_v1.json").write_text(json.dumps({"metadata": {"language": language}, "test_cases": cases}))


def test_own_files_of_a_language_come_before_the_bundled_ones(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cases_in(tmp_path / "tests/data/benchmarks/de", "de")
    cases_in(tmp_path / "tests/data/benchmarks/french", "fr", 3)
    found = evaluate_multilingual_model(model_name=finding(SEIZURE), languages=["de", "fr"])["per_language"]
    assert [found[code]["num_test_cases"] for code in ("de", "fr")] == [2, 3]
    assert found["de"]["test_file"] == "tests/data/benchmarks/de/standard_v1.json"
    assert found["de"]["notes"][0] == "cases: your own file tests/data/benchmarks/de/standard_v1.json."
    with pytest.warns(DifferenceWarning, match="tests/data/benchmarks/en/tiny_v1.json"):
        bundled = evaluate_multilingual_model(finding(SEIZURE), ["en"], size="tiny")["per_language"]
    assert (bundled["en"]["test_file"], bundled["en"]["num_test_cases"]) == ("hpo-en:tiny", 9)


def test_names_of_languages_are_names_of_benchmarks():
    for name, code in {"german": "de", "English": "en", "french": "fr", "spanish": "es", "dutch": "nl"}.items():
        assert assay.load_hpo(f"hpo-{name}:tiny").name == f"hpo-{code}:tiny"
    assert assay.load_dataset("hpo-german").name == "hpo-de"
    with pytest.raises(assay.UnknownName):
        assay.load_dataset("hpo-italian")
