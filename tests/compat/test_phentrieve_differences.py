"""compat.phentrieve: input that meets each difference, and input that does not."""

import json
from pathlib import Path

import pytest
from tests.compat._differences import check_case

from assay.compat import phentrieve

SEIZURE, KIDNEY, FOCAL = "HP:0001250", "HP:0000204", "HP:0007359"


def results(*terms):
    return {"ids": [[f"v{rank}" for rank, _ in enumerate(terms)]], "metadatas": [[{"hpo_id": term} for term in terms]]}


def by_ids(*ids):
    return {"ids": [list(ids)], "metadatas": [[{"label": "x"} for _ in ids]]}


def evaluated(*terms, fails=False):
    """An evaluation on two cases by a model that always answers the same."""
    cases = [{"text": text, "expected_hpo_ids": [SEIZURE]} for text in ("Krampfanfall", "Anfall")]
    Path("cases.json").write_text(json.dumps(cases), encoding="utf-8")

    def query(text, n_results):
        if fails and text == "Anfall":
            raise RuntimeError("the index is down")
        return results(*terms)

    return phentrieve.run_evaluation(query, "cases.json", k_values=[1])


def own_files(*codes):
    """An evaluation in two languages, with own files for some of them."""
    for code in codes:
        cases = [{"text": "a", "expected_hpo_ids": [SEIZURE]}]
        (make_folder(code) / "tiny_v1.json").write_text(json.dumps(cases), encoding="utf-8")
    return phentrieve.evaluate_multilingual_model(lambda text, n_results: results(SEIZURE), ["de", "en"], size="tiny")


def make_folder(code):
    folder = phentrieve.runner.FOLDER / code
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def model(name, scores):
    interval = {"mrr_dense": {"point_estimate": 0.5, "ci_lower": 0.0, "ci_upper": 1.0}}
    case_ids = [str(number) for number, _ in enumerate(scores)]
    known = {"model_name": name, "test_file": "f", "case_ids": case_ids, "confidence_intervals": interval}
    return {**known, "mrr_dense": scores, "avg_mrr_dense": sum(scores) / len(scores)}


def compared(*names):
    """Each other model is better on 5 of 40 cases, which is significant at 0.05 alone (p is about 0.03)."""
    base = model("base", [0.0] * 40)
    return phentrieve.compare_models([base, *(model(name, [1.0] * 5 + [0.0] * 35) for name in names)])


RARE = ([1.0] * 30, [0.0] * 15 + [0.5] * 15)
CASES = {
    "twice": (
        lambda: phentrieve.ndcg_at_k(results(SEIZURE, SEIZURE), [SEIZURE]),
        lambda: (
            phentrieve.ndcg_at_k(results(KIDNEY, KIDNEY, SEIZURE), [SEIZURE]),
            phentrieve.ndcg_at_k(results(SEIZURE, KIDNEY, SEIZURE), [SEIZURE], k=2),
            phentrieve.recall_at_k(results(SEIZURE, SEIZURE), [SEIZURE]),
            phentrieve.mean_reciprocal_rank(results(SEIZURE, SEIZURE), [SEIZURE]),
        ),
    ),
    "twice in an evaluation": (lambda: evaluated(KIDNEY, KIDNEY), lambda: evaluated(KIDNEY, SEIZURE)),
    "expected twice": (
        lambda: phentrieve.recall_at_k(results(SEIZURE), [SEIZURE, SEIZURE, KIDNEY]),
        lambda: (
            phentrieve.recall_at_k(results(SEIZURE), [SEIZURE, KIDNEY]),
            phentrieve.recall_at_k(results(FOCAL), [SEIZURE, SEIZURE]),  # 0 in any case
            phentrieve.precision_at_k(results(SEIZURE), [SEIZURE, SEIZURE]),
        ),
    ),
    "expected text": (
        lambda: phentrieve.recall_at_k(results(SEIZURE), SEIZURE),
        lambda: (phentrieve.recall_at_k(results(SEIZURE), [SEIZURE]), phentrieve.recall_at_k(results(KIDNEY), SEIZURE)),
    ),
    "ids as terms": (
        lambda: phentrieve.hit_rate_at_k(by_ids(SEIZURE), [SEIZURE]),
        lambda: (
            phentrieve.hit_rate_at_k(by_ids(KIDNEY, SEIZURE), [SEIZURE], k=1),
            phentrieve.hit_rate_at_k(results(SEIZURE), [SEIZURE]),
        ),
    ),
    "no terms": (
        lambda: phentrieve.hit_rate_at_k(by_ids("v1"), [SEIZURE]),
        lambda: phentrieve.hit_rate_at_k(results(KIDNEY), [SEIZURE]),
    ),
    "several queries": (
        lambda: phentrieve.recall_at_k({"metadatas": [[{"hpo_id": SEIZURE}], [{"hpo_id": KIDNEY}]]}, [SEIZURE]),
        lambda: phentrieve.recall_at_k({"metadatas": [[{"hpo_id": SEIZURE}]]}, [SEIZURE]),
    ),
    "depth": (
        lambda: phentrieve.calculate_test_case_max_ont_sim([SEIZURE], [FOCAL]),
        lambda: (
            phentrieve.calculate_test_case_max_ont_sim([SEIZURE], [FOCAL, SEIZURE]),
            phentrieve.calculate_test_case_max_ont_sim([SEIZURE], []),
        ),
    ),
    "p is 0": (
        lambda: phentrieve.paired_bootstrap_test(*RARE, n_bootstrap=1000),
        lambda: phentrieve.paired_bootstrap_test([0.1, 0.9, 0.3], [0.2, 0.7, 0.4], n_bootstrap=1000),
    ),
    "failed case": (lambda: evaluated(SEIZURE, fails=True), lambda: evaluated(SEIZURE)),
    "language": (lambda: own_files("de"), lambda: own_files("de", "en")),
    "language twice": (
        lambda: phentrieve.evaluate_multilingual_model("bm25", ["de", "german"]),
        lambda: own_files("de", "en"),
    ),
    "unknown formula": (
        lambda: phentrieve.calculate_test_case_max_ont_sim([SEIZURE], [SEIZURE], "hybird"),
        lambda: phentrieve.calculate_test_case_max_ont_sim([SEIZURE], [SEIZURE], phentrieve.SimilarityFormula.HYBRID),
    ),
    "correction": (lambda: compared("a", "b", "c", "d", "e"), lambda: compared("a")),
}


@pytest.mark.parametrize("name", phentrieve.DIFFERENCES)
def test_a_difference_is_noticed_where_it_matters(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_case(phentrieve.DIFFERENCES, name, CASES[name], __file__)


def test_an_evaluation_and_an_id_as_text_warn_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.warns(phentrieve.DifferenceWarning, match="two different terms"):
        evaluated(FOCAL)
    with pytest.warns(phentrieve.DifferenceWarning, match="as text instead of a list"):
        phentrieve.calculate_test_case_max_ont_sim(SEIZURE, SEIZURE)
