"""evaluate_multilingual_model: each language by itself, then means over languages."""

import json

import numpy as np
import pytest

from assay import BenchmarkDataset, DataError, Query, UnknownName, UsageError, evaluate_multilingual_model, load_dataset, run
from assay.metrics import SingleTermRetrievalMetrics

from ._small import obo

TERM = "HP:0001250"


class Knowing:
    """Finds the right terms for queries of some languages, and nothing else."""

    def __init__(self, *languages):
        self.answers = {
            query.text: list(load_dataset(f"hpo-{code}:tiny").qrels[query.query_id])
            for code in languages
            for query in load_dataset(f"hpo-{code}:tiny").queries.values()
        }

    def search(self, queries, k):
        return [[(term, 1.0 - rank / 10) for rank, term in enumerate(self.answers.get(one.text, []))][:k] for one in queries]


def made(*languages):
    """A benchmark with a query in each of these languages, said to be in the first."""
    dataset = BenchmarkDataset("mine", metadata={"language": languages[0]})
    for n, code in enumerate(languages):
        dataset.add_query(Query(f"q{n}", "text", metadata={"language": code}))
        dataset.qrels[f"q{n}"] = {TERM: 1}
    return dataset


@pytest.mark.slow
def test_each_language_has_the_result_that_it_has_alone_and_means_are_over_languages():
    found = evaluate_multilingual_model("bm25", ["de", "en"], size="tiny")
    assert list(found.per_language) == ["de", "en"]
    for code, result in found.per_language.items():
        alone = run(f"hpo-{code}:tiny", "bm25", SingleTermRetrievalMetrics.names())
        assert result.summary.items() >= {name: alone[name] for name in SingleTermRetrievalMetrics.names()}.items()
        assert result.benchmark == f"hpo-{code}:tiny"
        assert set(result.query_ids) == set(load_dataset(f"hpo-{code}:tiny").queries)
    values, hits = ([one[name] for one in found.per_language.values()] for name in ("mrr", "hit@10"))
    assert (found.average_mrr, found.cross_lingual_variance) == pytest.approx((np.mean(values), np.var(values)))
    assert (found.average("hit@10"), found.variance("hit@10")) == pytest.approx((np.mean(hits), np.var(hits)))
    assert list(found) == ["per_language", "cross_lingual_variance", "average_mrr"]
    assert (found["average_mrr"], found["per_language"]) == (found.average_mrr, found.per_language)
    with pytest.raises(KeyError):
        found["average_map"]
    plain = found.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["per_language"]["en"]["mrr"] == found.metrics["en"].mrr
    rows = [row for row in found.rows() if row["metric"] == "mrr"]
    assert [(row["language"], row["n"]) for row in rows] == [("de", 9), ("en", 9)]
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows)


@pytest.mark.slow
def test_worked_by_hand_right_in_one_language_of_two():
    outcome = evaluate_multilingual_model(Knowing("de"), ["de", "en"], size="tiny")
    assert [one.mrr for one in outcome.metrics.values()] == [1.0, 0.0]
    assert (outcome.average_mrr, outcome.cross_lingual_variance) == (0.5, 0.25)
    assert outcome.metrics["de"].max_ont_sim_at_k == {1: 1.0, 3: 1.0, 5: 1.0, 10: 1.0}
    lines = str(outcome).splitlines()
    assert lines[0].startswith("de  mrr 1.0000 [")
    assert lines[0].endswith("9 queries")
    assert lines[2].split(", ", 1) == [
        "average mrr 0.5000 (all languages count equally)",
        "cross-lingual variance 0.25000, beyond sampling 0.25000, p < 0.01",
    ]
    assert repr(outcome) == "MultilingualEvaluation(de, en: average mrr 0.5000)"
    named = evaluate_multilingual_model(Knowing("de"), ["German", "de"], size="tiny", k_values=[2, 20])
    assert (list(named.per_language), named.cross_lingual_variance) == (["de"], 0.0)
    assert named.metrics["de"].ndcg_at_k == {2: 1.0, 20: 1.0}


def test_benchmarks_of_ones_own_and_languages_nobody_wrote_cases_in(tmp_path):
    (tmp_path / "small.obo").write_text(obo({TERM: ["name: Seizure"]}))
    both, ontology = {"de": made("de"), "en": made("en")}, str(tmp_path / "small.obo")
    outcome = evaluate_multilingual_model(lambda text, k: [TERM], both, ontology=ontology)
    assert (outcome.average_mrr, outcome.cross_lingual_variance) == (1.0, 0.0)
    for benchmarks, language in (({"de": made("de", "fr")}, "fr"), ({"fr": made("de")}, "de")):
        with pytest.raises(DataError, match=language):  # queries of two languages are never in one mean
            evaluate_multilingual_model(lambda text, k: [TERM], benchmarks, ontology=ontology)
    with pytest.raises(UnknownName):
        evaluate_multilingual_model("bm25", ["de", "Italian"])
    with pytest.raises(UsageError):
        evaluate_multilingual_model("bm25", [])


@pytest.mark.slow
def test_labels_and_an_ontology_of_ones_own(tmp_path):
    file = tmp_path / "hp-de.babelon.tsv"
    head = "translation_language\tsubject_id\tpredicate_id\ttranslation_value"
    file.write_text(f"{head}\nde\t{TERM}\trdfs:label\tKrampfanfälle\n", encoding="utf-8")
    outcome = evaluate_multilingual_model("bm25", ["de"], size="tiny", labels={"german": file})
    assert outcome.per_language["de"].scores("mrr")["de_neuro_001"] == 1.0
    with pytest.raises(UsageError):
        evaluate_multilingual_model("bm25", ["en"], labels={"de": file})
    terms = {"HP:0000001": ["name: All"], TERM: ["name: Seizure", "is_a: HP:0000001"]}
    (tmp_path / "small.obo").write_text(obo(terms))
    how = {"size": "tiny", "ontology": str(tmp_path / "small.obo"), "fields": ["label"]}
    result = evaluate_multilingual_model("bm25", ["de"], **how).per_language["de"]
    about = result.provenance["dataset"]["documents"]
    assert (about["ontology"], about["fields"], result.relevance["ontology"]["name"]) == ("small", ["label"], "small")
    assert {doc for ranking in result.run.values() for doc in ranking} <= set(terms)
