"""The preflight: every code is found where it is, and not where it narrowly is not."""

import io
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.datasets.dataset import BenchmarkDataset, Repair
from assay.datasets.preflight.check import check_dataset, unreadable
from assay.datasets.preflight.findings import CODES, MAX_CASES, Finding
from assay.errors import BadParameter, DataError, Fault
from assay.model.records import Document, Query

from ._checks import ALL_JUDGED, COPY, OF_DATASETS, OF_RUNS, clean, clean_run, graded, judged, scoped, spanned, with_document


def codes(dataset, run=None, **how):
    return [finding.code for finding in check_dataset(dataset, run, **how)]


def find(code, dataset, run=None, **how) -> Finding:
    return next(finding for finding in check_dataset(dataset, run, **how) if finding.code == code)


def as_run(run):
    return io.StringIO(run) if isinstance(run, str) else run


# Every code


def test_every_code_is_tried():
    elsewhere = {"dataset-unreadable", "unreadable-documents"}  # below, and in test_check_documents
    assert OF_DATASETS.keys() | OF_RUNS.keys() == CODES.keys() - elsewhere


def test_a_dataset_that_cannot_be_read_is_one_finding_with_its_faults():
    (found,) = unreadable(DataError("2 faults", [Fault("wrong", 1, source="a.json"), Fault("worse", 2, source="a.json")]))
    assert (found.code, found.severity, found.count) == ("dataset-unreadable", "error", 2)
    assert found.places == ("a.json:1", "a.json:2")
    (found,) = unreadable(DataError("no known format", source="a.json"))
    assert (found.count, found.cases[0].place, found.cases[0].found) == (1, "a.json", "no known format")


@pytest.mark.parametrize("code", OF_DATASETS)
def test_a_fault_of_the_dataset_is_found(code):
    has_it, has_not = OF_DATASETS[code]
    assert code in codes(has_it)
    assert code not in codes(has_not)


@pytest.mark.parametrize("code", OF_RUNS)
def test_a_fault_of_the_run_is_found(code):
    dataset, has_it, has_not = OF_RUNS[code]
    assert code in codes(dataset, as_run(has_it))
    assert code not in codes(dataset, as_run(has_not))


@pytest.mark.parametrize("code", OF_DATASETS)
def test_a_finding_says_what_where_and_what_to_do(code):
    finding = find(code, OF_DATASETS[code][0])
    assert finding.severity in ("error", "warning")
    assert finding.message
    assert finding.advice
    assert finding.count >= len(finding.cases) == len(finding.places)
    assert json.loads(json.dumps(finding.to_dict()))["code"] == code


def test_what_is_clean_has_no_findings():
    assert codes(clean()) == []
    assert codes(ALL_JUDGED, clean_run()) == []
    assert codes(scoped()) == []
    assert codes(spanned(1, 3)) == []


def test_judgments_alone_are_no_fault():
    assert codes(BenchmarkDataset(queries={"q": Query("q")}, qrels={"q": {"d": 1}})) == []


# What is told


def test_errors_come_first():
    found = codes(graded(q1={"d1": 1, "d99": 1}, q2={"d2": -1}, q8={"d1": 1}))
    assert found == [
        "unknown-query",
        "relevant-not-in-corpus",
        "query-without-judgments",
        "query-without-relevant",
        "negative-grades",
    ]


def test_twenty_places_are_kept_and_all_are_counted():
    finding = find("empty-document", clean(documents={f"e{n}": Document(f"e{n}") for n in range(50)}))
    assert (finding.count, len(finding.places)) == (50, MAX_CASES)
    assert finding.places[0] == "document e0"


def test_grades_are_shown_as_a_histogram():
    assert (
        "(grade: judgments; -1: 1, 0: 2, 1: 1)"
        in find("negative-grades", graded(q1={"a": -1, "b": 0, "c": 0, "d": 1})).message
    )


def test_a_scale_without_a_gap_is_one_scale():
    assert "mixed-grade-scales" not in codes(graded(q1={"d1": 0, "d2": 1, "d3": 2, "d4": 3, "d5": 4}))
    assert "mixed-grade-scales" not in codes(graded(q1={"d1": 50, "d2": 100}))
    assert "mixed-grade-scales" in codes(graded(q1={"d1": 0, "d2": 1, "d3": 100}))


def test_nothing_relevant_is_no_error_where_answers_judge():
    dataset = judged(Query("q4", "what else"), {"d1": 0}, qrels={})
    dataset.add_query(Query("q5", "and what then", expected="that"))
    assert "nothing-relevant" not in codes(dataset)


def test_copies_that_are_judged_differently_are_in_conflict():
    dataset = with_document(COPY)
    dataset.qrels["q1"] = {"d13": 0, "d1": 1}
    assert find("conflicting-judgments", dataset).cases[0].found == "grade 1, but its copy d13 has 0"
    dataset.qrels["q1"] = {"d13": 1, "d1": 1}
    assert "conflicting-judgments" not in codes(dataset)


def test_evidence_that_is_judged_irrelevant_is_in_conflict():
    assert find("conflicting-judgments", scoped(("a1",), grades={"a1": 0, "a2": 1})).cases[0].place == "judgment q1/a1"
    assert "conflicting-judgments" not in codes(scoped(("a1",), grades={"a2": 1}))


def test_ids_that_never_match_are_shown_with_what_they_may_mean():
    message = find("no-judged-in-corpus", graded(q1={"d1#0": 1})).message
    assert message.endswith("they are chunks of documents: 'd1#0' is 'd1' there")


@pytest.mark.parametrize(
    ("span", "is_there"),
    [
        ((1, 3), True),
        ((0, 3), False),
        ((3, 2), False),
        ((2, 2), True),
        ((0, 12, "characters"), True),
        ((0, 13, "characters"), False),
        ((5, 5, "characters"), False),
        ((-1, 5, "characters"), False),
        ((1, 1, "lines", "b.py"), False),
        ((1, 99, "tokens"), True),
    ],
)
def test_spans_are_looked_up(span, is_there):
    assert ("span-outside-file" not in codes(spanned(*span))) is is_there


def test_a_span_without_files_cannot_be_looked_up():
    dataset = spanned(2, 40)
    dataset.documents = {}
    assert codes(dataset) == []


def test_a_loss_is_an_error_only_where_no_ground_truth_is_left():
    for place in ("query c/q4", "question c/q4", "c, question 4"):
        dataset = clean(repairs=[Repair(place, "gone", is_loss=True)])
        dataset.add_query(Query("c/q4", "what else", evidence=()))
        assert find("ground-truth-lost", dataset).cases[0].query == "c/q4"
        dataset.qrels["c/q4"] = {"d1": 1}
        assert "ground-truth-lost" not in codes(dataset)


@pytest.mark.parametrize("k", [0, -1, True, 2.5, "10"])
def test_a_cutoff_is_a_whole_number(k):
    with pytest.raises(BadParameter, match="k is a whole number"):
        check_dataset(clean(), k=k)


# Laws

names = st.text(min_size=1, max_size=8)


@st.composite
def sound_datasets(draw):
    """Any ids and texts at all; every query has a relevant document that is there."""
    docs = draw(st.lists(names, min_size=1, max_size=8, unique=True))
    queries = draw(st.lists(names, min_size=1, max_size=8, unique=True))
    dataset = BenchmarkDataset()
    for doc in docs:
        dataset.add_document(Document(doc, draw(st.text(max_size=20)), title=draw(st.none() | names)))
    for query in queries:
        dataset.add_query(Query(query, draw(st.text(min_size=1, max_size=20)).strip() or "x"))
        grades = draw(st.dictionaries(st.sampled_from(docs), st.integers(-2, 4), max_size=4))
        dataset.qrels[query] = {**grades, docs[0]: 1}
    return dataset


@given(sound_datasets())
def test_a_sound_dataset_has_no_errors(dataset):
    findings = check_dataset(dataset)
    assert [finding.code for finding in findings if finding.severity == "error"] == []
    json.dumps([finding.to_dict() for finding in findings])


@given(sound_datasets(), st.dictionaries(names, st.dictionaries(names, st.floats(allow_nan=False), max_size=5), max_size=5))
def test_no_run_breaks_the_check(dataset, run):
    found = codes(dataset, {**run, next(iter(dataset.queries)): dict.fromkeys(dataset.documents, 1.0)})
    assert not {"run-unreadable", "run-no-query-matches", "run-no-id-matches"} & set(found)


@given(sound_datasets())
def test_order_does_not_matter(dataset):
    turned = BenchmarkDataset(
        queries=dict(reversed(dataset.queries.items())),
        documents=dict(reversed(dataset.documents.items())),
        qrels={query: dict(reversed(found.items())) for query, found in reversed(dataset.qrels.items())},
    )
    counts = [{finding.code: finding.count for finding in check_dataset(one)} for one in (dataset, turned)]
    assert counts[0].keys() == counts[1].keys()


def test_ten_thousand_queries_take_seconds():
    dataset = BenchmarkDataset()
    for number in range(10_000):
        text = f"what is thing{number} of the {number % 97} things of {number % 13} kinds"
        dataset.add_query(Query(f"q{number}", text))
        dataset.qrels[f"q{number}"] = {f"d{number + shift}": 1 for shift in range(10)}
    dataset.documents = {f"d{number}": Document(f"d{number}", f"thing {number}") for number in range(10_010)}
    run = {query: {f"d{place}": float(-place) for place in range(20)} for query in dataset.queries}
    start = time.process_time()
    assert codes(dataset, run) == ["run-unjudged"]
    assert (
        time.process_time() - start < 30
    )  # of the processor, however busy it is; a second is usual, a square takes minutes
