"""Traces: retriever spans of OpenTelemetry become a run; texts of queries are matched with the ids of a benchmark."""

import json
from pathlib import Path

import pytest

import assay
from assay import DataError, Run
from assay.cli import main

SAMPLES = Path(__file__).parent / "samples" / "traces"
SLEEP, WHISKERS, PURR = "How long do cats sleep?", "What are whiskers for?", "Do dogs purr?"
REQUESTS = [json.loads(line) for line in (SAMPLES / "openinference.jsonl").read_text().splitlines()]


def span_in(request):
    """The last span of an export request."""
    return request["resourceSpans"][0]["scopeSpans"][0]["spans"][-1]


@pytest.fixture
def traces(tmp_path):
    """Writes export requests, one per line, and says where they are."""

    def write(*requests, name="traces.jsonl"):
        path = tmp_path / name
        path.write_text("".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in requests))
        return path

    return write


@pytest.fixture
def golden(tmp_path):
    path = tmp_path / "golden.csv"
    path.write_text(f"query_id,query,relevant_ids\nq1,{SLEEP},d1\nq2,{WHISKERS.lower()},d3\n")
    return path


def test_an_export_of_the_collector_is_a_run():
    """The latest retrieval of a query counts, and what a retriever gives rather than what one of its steps gives."""
    run = Run(SAMPLES / "openinference.jsonl")
    assert run.to_dict() == {SLEEP: {"d1": 0.9, "d2": 0.4}, WHISKERS: {"d2": 0.8, "d3": 0.7}, PURR: {"d4": 0.6}}
    assert ["1 retriever span" in run.notes[0], "1 earlier retrieval" in run.notes[1]] == [True, True]


def test_lines_in_a_file_called_json_and_one_document_read_the_same(traces, tmp_path):
    run = Run(SAMPLES / "openinference.jsonl").to_dict()
    assert Run(traces(*REQUESTS, name="traces.json")).to_dict() == run
    (tmp_path / "all.json").write_text(json.dumps(REQUESTS, indent=1))
    assert Run(tmp_path / "all.json").to_dict() == run


def test_spans_of_the_conventions_for_generative_ai():
    """Documents are a list or JSON text; an empty list is an empty ranking; an attribute may name the query."""
    assert Run(SAMPLES / "genai.json").to_dict() == {"7": {"d1": 0.9, "d2": 0.4}, WHISKERS: {}}


def test_spans_as_rows():
    """Without scores, the order counts; an id may be in the metadata."""
    run = Run(SAMPLES / "spans.jsonl")
    assert {query: run.ranked(place) for place, query in enumerate(run)} == {
        SLEEP: ["d1", "d2"],
        WHISKERS: ["d3", "4"],
        "q3": ["d4"],
    }


def test_scores_that_rise_are_distances(traces):
    request = json.loads(json.dumps(REQUESTS[0]).replace("0.9", "0.1"))
    run = Run(traces(request))
    assert run.to_dict() == {SLEEP: {"d1": -0.1, "d2": -0.4}}
    assert "distances" in run.notes[0]


def test_texts_are_matched_with_the_queries_of_a_benchmark(golden, capsys):
    result = assay.evaluate(assay.load_dataset(golden), SAMPLES / "openinference.jsonl", "mrr")
    assert result.query_ids == ("q1", "q2")
    assert result.table.columns["mrr"].score.tolist() == [1.0, 0.5]
    assert any("2 of 3 queries matched by text" in note for note in result.notes)
    assert main(["score", "--dataset", str(golden), str(SAMPLES / "openinference.jsonl"), "-m", "mrr", "-f", "csv"]) == 0
    assert "0.75" in capsys.readouterr().out


@pytest.mark.parametrize(
    "source",
    [
        {SLEEP: ["d1"], WHISKERS: ["d2", "d3"]},
        {SLEEP: [{"id": "d1", "text": "a"}], WHISKERS: [{"id": "d2", "text": "b"}, {"id": "d3", "text": "c"}]},
        Run({SLEEP: ["d1"], WHISKERS: ["d2", "d3"]}),
    ],
)
def test_any_run_may_have_texts_instead_of_ids(golden, tmp_path, source):
    dataset = assay.load_dataset(golden)
    assert assay.evaluate(dataset, source, "mrr")["mrr"] == 0.75


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("run.csv", f"query,doc_id,score\n{SLEEP},d1,1\n{WHISKERS},d2,2\n{WHISKERS},d3,1\n"),
        ("run.json", json.dumps({SLEEP: {"d1": 1}, WHISKERS: {"d2": 2, "d3": 1}})),
        ("run.txt", f"{SLEEP}\tQ0\td1\t1\t1\ta\n{WHISKERS}\tQ0\td2\t1\t2\ta\n{WHISKERS}\tQ0\td3\t2\t1\ta\n"),
        ("run.jsonl", f'{{"query": "{SLEEP}", "results": ["d1"]}}\n{{"query": "{WHISKERS}", "results": ["d2", "d3"]}}\n'),
    ],
)
def test_files_with_texts_instead_of_ids(golden, tmp_path, name, content):
    (tmp_path / name).write_text(content)
    assert assay.evaluate(assay.load_dataset(golden), tmp_path / name, "mrr")["mrr"] == 0.75


def test_a_text_of_two_queries_is_matched_with_neither(tmp_path):
    (tmp_path / "golden.csv").write_text(f"query_id,query,relevant_ids\nq1,{SLEEP},d1\nq2,{SLEEP},d2\nq3,{PURR},d4\n")
    result = assay.evaluate(assay.load_dataset(tmp_path / "golden.csv"), SAMPLES / "openinference.jsonl", "mrr")
    assert dict(zip(result.query_ids, result.table.columns["mrr"].score.tolist(), strict=True)) == {
        "q1": 0,
        "q2": 0,
        "q3": 1,
    }


def without(request, start):
    """The request, with the attributes of its last span that do not begin like this."""
    changed = json.loads(json.dumps(request))
    span = span_in(changed)
    span["attributes"] = [pair for pair in span["attributes"] if not pair["key"].startswith(start)]
    return changed


FAULTS = {
    "no documents in any span": [without(REQUESTS[3], "retrieval")],
    "no query": [without(REQUESTS[3], "input")],
    "no JSON": [REQUESTS[0], '{"resourceSpans": [', REQUESTS[1]],
    "no object": [REQUESTS[0], "[1, 2]"],
    "spans that are not a list": ['{"resourceSpans": [{"scopeSpans": [{"spans": 3}]}]}'],
    "attributes without keys": ['{"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": [1]}]}]}]}'],
    "a score that is not a number": [json.dumps(REQUESTS[3]).replace("0.6", '"high"')],
    "a document with neither id nor content": [
        '{"spanId": "a", "span_kind": "RETRIEVER", "attributes": {"input.value": "x", "retrieval.documents": [{"rank": 1}]}}'
    ],
    "documents that are not a list": [
        '{"spanId": "a", "span_kind": "RETRIEVER", "attributes": {"input.value": "x", "retrieval.documents": 5}}'
    ],
    "no retriever": [without(REQUESTS[3], "openinference")],
    "no span": ['{"resourceSpans": []}'],
    "a document twice": [json.dumps(REQUESTS[0]).replace('"d2"', '"d1"')],
}


def reading(path):
    def read():
        try:
            return Run(path)
        except DataError as error:
            raise DataError(str(error).replace(str(path), "traces.jsonl")) from None

    return read


def test_faults_have_their_place(traces, snapshots):
    paths = {case: traces(*requests, name=f"{place}.jsonl") for place, (case, requests) in enumerate(FAULTS.items())}
    snapshots.check_errors("files/faults_of_traces", {case: reading(path) for case, path in paths.items()})


def test_bad_spans_can_be_left_out(traces):
    path = traces(*[REQUESTS[0]] * 200, without(REQUESTS[3], "input"))
    with assay.lenient_reading():
        run = Run(path)
    assert run.to_dict() == {SLEEP: {"d1": 0.9, "d2": 0.4}}
    assert any("1 bad record left out" in note for note in run.notes)


def test_a_span_without_documents_found_nothing(traces):
    run = Run(traces(REQUESTS[0], without(REQUESTS[3], "retrieval")))
    assert run.to_dict() == {SLEEP: {"d1": 0.9, "d2": 0.4}, PURR: {}}
    assert any("1 retriever span without documents read as empty rankings" in note for note in run.notes)


def test_texts_need_a_benchmark(tmp_path, capsys):
    """Judgments alone have no texts, so the message says what to give."""
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    assert main(["score", str(tmp_path / "qrels.txt"), str(SAMPLES / "openinference.jsonl")]) == 3
    assert "--dataset" in capsys.readouterr().err


def test_texts_that_no_query_of_the_benchmark_has(golden, tmp_path):
    with pytest.raises(assay.DataError, match="none of them is the text of a query in the benchmark") as caught:
        assay.evaluate(assay.load_dataset(golden), {"an other question": ["d1"]}, "mrr")
    assert "--dataset" not in str(caught.value)
