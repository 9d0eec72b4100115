"""Ontologies in evaluations: metrics by similarity, relevance by ontology, notes, provenance, and what is refused."""

import json

import pytest

import assay
from assay import Document, Hit, Policy, Query, Relevance
from assay.datasets import BenchmarkDataset
from assay.execution import make_plan
from assay.ontology import TermRecord, build_ontology

from ._small import TINY, obo, tiny

ONTOLOGY = tiny()
QRELS = {"q1": {"C": 1}, "q2": {"E": 1, "D": 1}, "q3": {"S": 1}}
RUN = {"q1": ["E", "C"], "q2": ["D", "R"], "q3": ["A"]}
ALIKE = 0.7 / 3 + 0.3 * (1 - 2 / 4)
"""C and E."""


@pytest.fixture
def file(tmp_path):
    """The ontology as a file."""
    (tmp_path / "tiny.obo").write_text(obo({one: [f"is_a: {up}" for up in above] for one, above in TINY.items()}, "tiny"))
    return tmp_path / "tiny.obo"


def dataset(qrels=QRELS, documents=TINY):
    made = BenchmarkDataset("tiny", queries={one: Query(one, one) for one in qrels}, qrels=qrels)
    for one in documents:
        made.add_document(Document(one, one))
    return made


def test_judgments_a_run_a_dataset_and_an_ontology_file(file):
    result = assay.evaluate(QRELS, RUN, ["max_ont_sim@1", "max_ont_sim@2", "mrr"], ontology=ONTOLOGY)
    assert result.scores("max_ont_sim@1") == {"q1": pytest.approx(ALIKE), "q2": 1, "q3": 0}
    assert result.scores("max_ont_sim@2") == {"q1": 1, "q2": 1, "q3": 0}
    assert result.notes == ()
    result = assay.evaluate(dataset(), RUN, ["MaxOntSim@1", "ndcg@10"], ontology=str(file))
    assert result["max_ont_sim@1"] == pytest.approx((ALIKE + 1) / 3)
    assert result.relevance["ontology"]["name"] == "tiny"
    assert result.relevance["ontology"]["source"] == "tiny.obo"
    json.dumps(result.to_dict())


def test_files_and_policies_rank_as_for_other_metrics(tmp_path):
    (tmp_path / "run.txt").write_text("q1 Q0 E 1 5 x\nq1 Q0 C 2 5 x\nq2 Q0 D 1 5 x\n")
    for ties, score in (("docid_desc", ALIKE), ("docid_asc", 1)):
        policy = Policy(ties=ties)
        found = assay.evaluate(QRELS, tmp_path / "run.txt", ["max_ont_sim@1", "hit@1"], ontology=ONTOLOGY, policy=policy)
        assert found.scores("max_ont_sim@1")["q1"] == pytest.approx(score), ties


def test_graded_by_the_ontology():
    by = Relevance("ontology(formula=simple, threshold=0.3)", ontology=ONTOLOGY)
    result = assay.evaluate(
        dataset(), {"q1": ["E", "C"]}, ["dcg@2", "ideal_dcg@2"], relevance=by, policy=Policy(missing="skip")
    )
    assert result.scores("dcg@2")["q1"] == pytest.approx(1 / 3 + 1 / 1.5849625)
    assert result.scores("ideal_dcg@2")["q1"] == pytest.approx(1 + 2 / 3 / 1.5849625)
    assert result.relevance["strategy_used"] == "ontology"
    similar = assay.evaluate(dataset(), RUN, ["max_ont_sim@1"], relevance=Relevance("ontology", ontology=ONTOLOGY))
    assert similar.scores("max_ont_sim@1")["q1"] == pytest.approx(ALIKE), "it reads what was expected, whoever grades"


def test_errors(snapshots, file):
    def score(qrels, metric="mrr", run=RUN, **more):
        return lambda: assay.evaluate(qrels, run, [metric], **more)

    snapshots.check_errors(
        "ontology/evaluate",
        {
            "no such file": score(QRELS, ontology="none.obo"),
            "a metric without an ontology": score(QRELS, "max_ont_sim@1"),
            "relevance without an ontology": score(dataset(), relevance="ontology"),
            **{f"ids like {doc}": score({"q": {"HP:0001250": 0, doc: 1}}, "max_ont_sim") for doc in ("HPX:1", "HP:abc")},
            "judgments of something else": score({"q": {"Z": 1}}, ontology=ONTOLOGY),
            "a benchmark of something else": score(dataset({"q": {"Z": 1}}), ontology=ONTOLOGY),
            "no annotations for a metric": score(QRELS, COUNTING, ontology=ONTOLOGY),
            "no annotations for relevance": score(
                dataset(), relevance=Relevance("ontology(formula=lin(ic=annotations))", ontology=ONTOLOGY)
            ),
            "no annotations for a run": lambda: assay.run(dataset(), lambda *_: 1 / 0, [COUNTING], ontology=str(file)),
        },
    )


def test_an_ontology_that_is_given_reads_ids_for_all_metrics():
    result = assay.evaluate({"q": {"OLD": 1, "Z": 1}}, {"q": ["C", "Y"]}, ["hit@1", "max_ont_sim@1"], ontology=ONTOLOGY)
    assert result.summary == {"hit@1": 1, "max_ont_sim@1": 1}
    assert result.notes[:3] == (
        "1 expected id is obsolete in tiny, and the replacement is used: OLD → C.",
        "1 expected id is not a current term of tiny and has similarity 0 to every other id: Z.",
        "1 retrieved id is not a current term of tiny and has similarity 0 to every other id: Y.",
    )
    assert assay.evaluate({"q": {"C": 1}}, {"q": ["OLD"]}, ["mrr"], ontology=ONTOLOGY)["mrr"] == 1
    by_dataset = assay.evaluate(dataset({"q": {"OLD": 1}}), {"q": ["C"]}, ["mrr"], ontology=ONTOLOGY)
    assert (by_dataset["mrr"], by_dataset.relevant["q"]) == (1, {"C": 1})


MANY = build_ontology(
    [
        TermRecord("X:1"),
        TermRecord("X:2", parents=("X:1",), alternatives=("X:22",)),
        TermRecord("X:3", parents=("X:1",)),
        TermRecord("X:9", is_obsolete=True, replaced_by=("X:3",)),
        TermRecord("X:8", is_obsolete=True),
    ],
    "many",
)


def run_of(expected, retrieved, documents=()):
    """What is scored of a run on a benchmark with these documents."""
    made = dataset({"q": expected}, documents)
    result = assay.evaluate(made, {"q": retrieved}, ["mrr", "num_ret"], ontology=MANY)
    return result["mrr"], result["num_ret"], dict(result.relevant["q"])


def test_a_term_goes_by_one_id():
    names = dict.fromkeys(("X:2", "X:22", "X_2", "http://purl.example.org/obo/X_2"), "X:2")
    for doc, own in {**names, "X:9": "X:3", "X:8": "X:8", "d1": "d1"}.items():
        assert run_of({"X:1": 1, doc: 1}, [own])[0] == 1, doc
        assert run_of({"X:1": 1, own: 1}, [doc])[0] == 1, doc
    assert run_of({"X:22": 1}, ["X:2"], ["X_2", "readme"]) == (1, 1, {"X_2": 1}), "as documents write it"
    assert run_of({"X:2": 1}, ["X:22", "X:2"], ["X:2", "X:22"]) == (0.5, 2, {"X:2": 1}), "two documents stay two"
    assert run_of({"X:9": 1, "X:3": 0}, {"X:22": 0.5, "X:2": 2.0, "X:3": 1.0}) == (0.5, 2, {"X:3": 1}), "the best counts"
    hits = [Hit("X:22", 1.0, "worse"), Hit("X:2", 3.0, "better"), Hit("d", 2.0, "other")]
    assert run_of({"X:2": 1}, hits)[:2] == (1, 2)


COUNTING = "max_ont_sim(formula=lin(ic=annotations))@1"


def test_annotations_count_in_relevance_and_in_a_plan(file, tmp_path):
    annotated = tmp_path / "things.tsv"
    annotated.write_text("t1\tC\nt2\tE\nt3\tE\n")
    by = Relevance("auto", ontology=ONTOLOGY, annotations=annotated)
    result = assay.evaluate(dataset({"q": {"C": 1}}), {"q": ["E"]}, [COUNTING], relevance=by)
    assert result[COUNTING] == pytest.approx(0.0), "B, above both, is had by all things: it says nothing"
    assert result.relevance["ontology"]["n_annotated"] == 3
    ran = assay.run(dataset({"q": {"C": 1}}), lambda text, k: ["C"], [COUNTING], ontology=str(file), annotations=annotated)
    assert ran[COUNTING] == 1
    plan = make_plan({"benchmarks": ["b"], "providers": ["bm25"], "ontology": str(file), "annotations": str(annotated)})
    about = plan.describe()["relevance"]
    assert (about["annotations"], about["ontology"]) == (str(annotated), str(file))
