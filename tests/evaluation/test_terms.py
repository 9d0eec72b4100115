"""Ontologies in evaluations: metrics by similarity, relevance by ontology, notes, provenance, and what is refused."""

import json

import pytest

import assay
from assay import BadParameter, DataError, Policy, UsageError
from assay.datasets import BenchmarkDataset
from assay.evaluation import Relevance
from assay.execution.plan import make_plan
from assay.metrics.parsing import parse_metrics
from assay.model.records import Document, Query
from assay.ontology import TermRecord, build_ontology
from assay.ontology.domain import ontology_for

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


def test_an_ontology_is_compared_by_only_where_somebody_asks():
    assert ontology_for("no such file", QRELS, parse_metrics("mrr")) is None
    with pytest.raises(DataError, match="no such file"):
        assay.evaluate(QRELS, RUN, "mrr", ontology="no such file")
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


# Ids under other names


OLD = {"q": {"O": 1}}
"""What is expected is called by its obsolete id."""


def test_an_ontology_that_is_given_reads_ids_for_all_metrics():
    result = assay.evaluate(OLD, {"q": ["C"]}, ["hit@1", "max_ont_sim@1"], ontology=ONTOLOGY)
    assert result.summary == {"hit@1": 1, "max_ont_sim@1": 1}
    assert result.notes == ("1 expected id obsolete in tiny, read as the replacement: O → C.",)
    assert assay.evaluate({"q": {"C": 1}}, {"q": ["O"]}, ["mrr"], ontology=ONTOLOGY)["mrr"] == 1
    by_dataset = assay.evaluate(dataset(OLD), {"q": ["C"]}, ["mrr"], ontology=ONTOLOGY)
    assert (by_dataset["mrr"], by_dataset.relevant["q"]) == (1, {"C": 1})


def test_without_one_only_similarities_do_and_the_note_says_so():
    result = assay.evaluate({"q": {"HP:0000057": 1}}, {"q": ["HP:0008665"]}, ["hit@1", "max_ont_sim@1"])
    assert result.summary == {"hit@1": 0, "max_ont_sim@1": 1}
    assert (
        "only similarities read obsolete ids so: other metrics compare ids as written, without --ontology." in result.notes
    )
    plain = assay.evaluate({"q": {"HP:0001250": 1}}, {"q": ["HP:0001250"]}, ["max_ont_sim@1"])
    assert plain.notes == ()


@pytest.mark.parametrize("one", ["HP_0002121", "http://purl.obolibrary.org/obo/HP_0002121", "HP:0007143", "HP:0002121"])
def test_hpo_cases_find_a_term_under_any_of_its_ids(tmp_path, one):
    (tmp_path / "mine.json").write_text(json.dumps([{"text": "absence seizure", "expected_hpo_ids": ["HP:0007143"]}]))
    mine = assay.load_dataset(tmp_path / "mine.json")
    found = assay.run(mine, lambda text, k: [one], ["mrr", "hit@1", "max_ont_sim@1"])
    assert found.summary.items() >= {"mrr": 1, "hit@1": 1, "max_ont_sim@1": 1}.items()
    assert found.run == {"1": {"HP:0002121": 0.0}}
    assert "1 expected id alternative in hp, read as the term's own: HP:0007143 → HP:0002121." in found.notes
    assert assay.evaluate(mine, {"1": [one]}, ["mrr"])["mrr"] == 1


def test_an_ontology_that_knows_nothing_of_it_is_refused():
    said = r"judgments: not one of 1 expected id, such as 'Z', is a term of tiny"
    with pytest.raises(DataError, match=said):
        assay.evaluate({"q": {"Z": 1}}, {"q": ["Z"]}, ["mrr"], ontology=ONTOLOGY)
    with pytest.raises(DataError, match=r"tiny: not one of 1 expected id"):
        assay.evaluate(dataset({"q": {"Z": 1}}), {"q": ["Z"]}, ["mrr"], ontology=ONTOLOGY)


# Where HPO needs no file


@pytest.mark.parametrize(
    "judged",
    [{"x": 0, "HP:0001250": 1}, {"HP_0001250": 1}, {"http://purl.obolibrary.org/obo/HP_0001250": 1}, {"hp:0001250": 1}, {}],
)
def test_hpo_is_the_default_for_its_ids_however_they_are_written(judged):
    assert ontology_for(None, {"q": judged}, parse_metrics("max_ont_sim")).name == "hp"


def test_other_ids_need_a_file():
    for strange in ("C", "HPX:1", "HP:abc", "d1"):
        with pytest.raises(UsageError, match=f"needs an ontology, for documents like '{strange}'"):
            ontology_for(None, {"q": {"HP:0001250": 0, strange: 1}}, parse_metrics("max_ont_sim"))


# Annotations


@pytest.fixture
def annotated(tmp_path):
    """Three things with their terms."""
    (tmp_path / "things.tsv").write_text("t1\tC\nt2\tE\nt3\tE\n")
    return tmp_path / "things.tsv"


COUNTING = "max_ont_sim(formula=lin(ic=annotations))@1"


def test_formulas_that_count_annotations_are_refused_without_them(obo):
    for metrics, by in ((parse_metrics(COUNTING), "auto"), ((), "ontology(formula=lin(ic=annotations))")):
        with pytest.raises(UsageError, match=r"counts annotations, and there are none: --annotations FILE"):
            ontology_for(ONTOLOGY, QRELS, metrics, by)

    def never(text, k):
        raise AssertionError("nobody may be asked")

    with pytest.raises(UsageError, match="counts annotations"):
        assay.run(dataset(), never, [COUNTING], ontology=str(obo))


def test_annotations_count_in_relevance_and_in_a_plan(obo, annotated):
    by = Relevance("auto", ontology=ONTOLOGY, annotations=annotated)
    result = assay.evaluate(dataset({"q": {"C": 1}}), {"q": ["E"]}, [COUNTING], relevance=by)
    assert result[COUNTING] == pytest.approx(0.0), "B, above both, is had by all things: it says nothing"
    assert result.relevance["ontology"]["n_annotated"] == 3
    ran = assay.run(dataset({"q": {"C": 1}}), lambda text, k: ["C"], [COUNTING], ontology=str(obo), annotations=annotated)
    assert ran[COUNTING] == 1
    plan = make_plan({"benchmarks": ["b"], "providers": ["bm25"], "ontology": str(obo), "annotations": str(annotated)})
    assert plan.describe()["relevance"]["annotations"] == str(annotated)
