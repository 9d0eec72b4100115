"""Ontologies in evaluations: metrics by similarity, relevance by ontology, notes, provenance, and what is refused."""

import json

import pytest

import assay
from assay import BadParameter, BenchmarkDataset, DataError, Policy, Relevance, UsageError
from assay.evaluation.plan import make_plan
from assay.evaluation.terms import ontology_for
from assay.metrics._parse import parse_metrics
from assay.model.records import Document, Query
from assay.ontology import TermRecord, build_ontology

PARENTS = {"R": (), "A": ("R",), "B": ("R",), "C": ("A", "B"), "D": ("C",), "E": ("B",), "S": ()}
ONTOLOGY = build_ontology(
    [
        *(TermRecord(one, parents=above) for one, above in PARENTS.items()),
        TermRecord("O", is_obsolete=True, replaced_by=("C",)),
    ],
    "tiny",
)
QRELS = {"q1": {"C": 1}, "q2": {"E": 1, "D": 1}, "q3": {"S": 1}}
RUN = {"q1": ["E", "C"], "q2": ["D", "R"], "q3": ["A"]}
OBO = "format-version: 1.2\nontology: tiny\n\n" + "\n".join(
    f"[Term]\nid: {one}\n" + "".join(f"is_a: {up}\n" for up in above) for one, above in PARENTS.items()
)
ALIKE = 0.7 / 3 + 0.3 * (1 - 2 / 4)
"""C and E."""


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of the test's own."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def obo(tmp_path):
    """The ontology as a file."""
    (tmp_path / "tiny.obo").write_text(OBO)
    return tmp_path / "tiny.obo"


def dataset(qrels=QRELS, documents=PARENTS):
    made = BenchmarkDataset("tiny", queries={one: Query(one, one) for one in qrels}, qrels=qrels)
    for one in documents:
        made.add_document(Document(one, one))
    return made


def test_judgments_and_a_run():
    result = assay.evaluate(QRELS, RUN, ["max_ont_sim@1", "max_ont_sim@2", "mrr"], ontology=ONTOLOGY)
    assert result.scores("max_ont_sim@1") == {"q1": pytest.approx(ALIKE), "q2": 1, "q3": 0}
    assert result.scores("max_ont_sim@2") == {"q1": 1, "q2": 1, "q3": 0}
    assert result.notes == ()


def test_a_dataset_and_an_ontology_file(obo):
    result = assay.evaluate(dataset(), RUN, ["MaxOntSim@1", "ndcg@10"], ontology=str(obo))
    assert result["max_ont_sim@1"] == pytest.approx((ALIKE + 1) / 3)
    assert result.relevance["ontology"]["name"] == "tiny"
    assert result.relevance["ontology"]["source"] == "tiny.obo"
    json.dumps(result.to_dict())


def test_files_and_policies_rank_as_for_other_metrics(tmp_path):
    (tmp_path / "run.txt").write_text("q1 Q0 E 1 5 x\nq1 Q0 C 2 5 x\nq2 Q0 D 1 5 x\n")
    run = str(tmp_path / "run.txt")
    down = assay.evaluate(QRELS, run, ["max_ont_sim@1", "hit@1"], ontology=ONTOLOGY)
    assert down.scores("max_ont_sim@1")["q1"] == pytest.approx(ALIKE)
    up = assay.evaluate(QRELS, run, ["max_ont_sim@1", "hit@1"], ontology=ONTOLOGY, policy=Policy(ties="docid_asc"))
    assert up.scores("max_ont_sim@1") == {"q1": 1, "q2": 1, "q3": 0}


def test_graded_by_the_ontology():
    by = Relevance("ontology(formula=simple, threshold=0.3)", ontology=ONTOLOGY)
    result = assay.evaluate(
        dataset(), {"q1": ["E", "C"]}, ["dcg@2", "ideal_dcg@2"], relevance=by, policy=Policy(missing="skip")
    )
    assert result.scores("dcg@2")["q1"] == pytest.approx(1 / 3 + 1 / 1.5849625)
    assert result.scores("ideal_dcg@2")["q1"] == pytest.approx(1 + 2 / 3 / 1.5849625)
    assert result.relevance["strategy_used"] == "ontology"


def test_similarity_metrics_read_what_was_expected_whoever_grades():
    by = Relevance("ontology", ontology=ONTOLOGY)
    result = assay.evaluate(dataset(), RUN, ["max_ont_sim@1"], relevance=by)
    assert result.scores("max_ont_sim@1")["q1"] == pytest.approx(ALIKE)


def test_notes_on_ids_that_are_no_terms():
    result = assay.evaluate({"q": {"O": 1, "Z": 1}}, {"q": ["C", "Y"]}, ["max_ont_sim"], ontology=ONTOLOGY)
    assert result["max_ont_sim"] == 1
    assert result.notes[:3] == (
        "1 expected id obsolete in tiny, read as the replacement: O → C.",
        "1 expected id without a current term in tiny, like no other: Z.",
        "1 retrieved id without a current term in tiny, like no other: Y.",
    )


def test_an_ontology_is_read_only_where_somebody_asks():
    assert ontology_for("no such file", QRELS, parse_metrics("mrr")) is None
    assert assay.evaluate(QRELS, RUN, "mrr", ontology="no such file")["mrr"] > 0
    with pytest.raises(DataError, match="no such file"):
        ontology_for("no such file", QRELS, parse_metrics("max_ont_sim"))


def test_without_an_ontology():
    with pytest.raises(UsageError, match=r"max_ont_sim@1 needs an ontology, for documents like 'C': --ontology FILE"):
        assay.evaluate(QRELS, RUN, ["max_ont_sim@1"])
    with pytest.raises(UsageError, match="relevance by ontology needs an ontology"):
        assay.evaluate(dataset(), RUN, ["mrr"], relevance="ontology")


def test_hpo_needs_no_file():
    result = assay.evaluate({"q": {"HP:0001250": 1}}, {"q": ["HP:0002197"]}, ["max_ont_sim(formula=simple)@1"])
    assert 0.2 < result["max_ont_sim(formula=simple)@1"] < 0.5


def test_a_plan_names_its_ontology(obo):
    content = {"benchmarks": ["rag-template"], "providers": ["bm25"], "metrics": ["max_ont_sim@5"]}
    plan = make_plan({**content, "ontology": str(obo)})
    assert plan.relevance.ontology == str(obo)
    assert plan.describe()["relevance"]["ontology"] == str(obo)
    with pytest.raises(BadParameter, match=r"ontology: there is no file none\.obo"):
        make_plan({**content, "ontology": "none.obo"})
