"""rag_records: tables of RAG evaluation tools; every sample says the same in the columns of another tool."""

import json
from contextlib import suppress

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import assay
from assay import DataError, UsageError
from assay.datasets import detect_format, load_dataset, load_systems
from assay.files import Reading, reading_with

from ._benchmarks import SAMPLES
from ._cases import write
from ._files import put

FOLDER = SAMPLES / "rag_records"
SLEEP = "Cats sleep 12 to 16 hours a day."
LIONS = "Lions rest for most of the day, even when food is near."
GAPS = "A cat's whiskers help it to judge whether it fits through a gap."
GROWTH = "Whiskers grow back after they fall out."
WATER = "Most cats dislike water, but the Turkish Van likes to swim."
RETRIEVED = [[SLEEP, LIONS], [GAPS, SLEEP], [LIONS, WATER]]
REFERENCES = [{SLEEP}, {GROWTH, GAPS}, None]
EXPECTED = ["12 to 16 hours a day", "They help a cat to judge gaps", "the Turkish Van likes to swim"]
RESPONSES = ["Cats sleep 12 to 16 hours.", "Whiskers help it to judge gaps.", "The Turkish Van."]

WITHOUT_REFERENCES = (
    *("ragas_01.json", "ragas_01.csv", "phoenix_spans.jsonl", "phoenix_answers.csv", "phoenix_documents.csv"),
    *("promptfoo.json", "promptfoo.jsonl", "promptfoo.csv"),
)
IDS_OF_THE_TOOL = {"ragas_ids.json", "langsmith.csv", "phoenix_spans.jsonl"}
TOOLS = {
    "ragas": ("ragas.csv", "ragas_numpy.csv", "ragas.jsonl", "ragas_ids.json"),
    "ragas 0.1": ("ragas_01.json", "ragas_01.csv"),
    "deepeval": ("deepeval.json", "deepeval.csv", "deepeval_results.json"),
    "TruLens": ("trulens.csv", "trulens_records.jsonl"),
    "LangSmith": ("langsmith.csv", "langsmith.jsonl"),
    "LangSmith dataset": ("langsmith_dataset.jsonl",),
    "Phoenix": ("phoenix_spans.jsonl",),
    "Phoenix answers": ("phoenix_answers.csv",),
    "Phoenix documents": ("phoenix_documents.csv",),
    "promptfoo": ("promptfoo.json", "promptfoo.jsonl", "promptfoo.csv"),
}
SYSTEMS = [name for names in TOOLS.values() for name in names if name != "langsmith_dataset.jsonl"]


def texts(dataset, ids):
    return [dataset.documents[doc].text for doc in ids]


def test_every_sample_is_in_the_table_of_tools():
    assert {name for names in TOOLS.values() for name in names} == {path.name for path in FOLDER.iterdir()}
    for tool, names in TOOLS.items():
        for name in names:
            assert load_dataset(FOLDER / name).metadata["tool"] == tool, name


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_tool_says_what_was_retrieved_and_what_is_right(name):
    dataset = load_dataset(FOLDER / name)
    assert dataset.format == "rag_records"
    assert [texts(dataset, ids) for ids in dataset.retrieved.values()] == RETRIEVED
    assert [query.expected for query in dataset.queries.values()] == EXPECTED
    assert len(dataset.documents) == len({document.text for document in dataset.documents.values()})
    answers = [(query.metadata or {}).get("response") for query in dataset.queries.values()]
    if name == "promptfoo.csv":
        answers = [answer.removeprefix("[PASS] ") for answer in answers]
    assert answers == ([None] * 3 if name.startswith(("phoenix_spans", "phoenix_documents")) else RESPONSES)
    if name in WITHOUT_REFERENCES:
        assert dataset.qrels == {}
    elif name == "ragas_ids.json":  # one relevant context was never retrieved, so only its id is known
        assert list(dataset.qrels.values()) == [{"sleep#1": 1}, {"whiskers#2": 1, "whiskers#1": 1}]
    else:
        judged = [set(texts(dataset, dataset.qrels[query])) if query in dataset.qrels else None for query in dataset.queries]
        assert judged == REFERENCES
        assert all(grade == 1 for grades in dataset.qrels.values() for grade in grades.values())
    assert ("sleep#1" in dataset.documents) == (name in IDS_OF_THE_TOOL)
    if name not in IDS_OF_THE_TOOL:
        assert list(dataset.documents) == [f"c{number}" for number in range(1, len(dataset.documents) + 1)]


def test_references_without_a_system_can_be_searched_but_not_scored():
    dataset = load_dataset(FOLDER / "langsmith_dataset.jsonl")
    assert (dataset.retrieved, len(dataset.documents), list(dataset.qrels)) == ({}, 3, ["example-1", "example-2"])
    assert dataset.queries["example-1"].tags["topic"] == "sleep"
    with pytest.raises(UsageError):
        assay.evaluate(dataset)
    with pytest.raises(DataError):
        load_systems([FOLDER / "langsmith_dataset.jsonl"])


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_was_retrieved_is_scored_without_a_run(name):
    dataset = load_dataset(FOLDER / name)
    result = assay.evaluate(dataset)
    assert result.summary == assay.evaluate(dataset, dataset.retrieved).summary
    by_words = name in WITHOUT_REFERENCES
    expected = {"recall@10": 1.0 if by_words else (1 + 0.5 + 1) / 3, "mrr": (1 + 1 + 0.5) / 3, "hit@10": 1.0}
    expected["precision(over=retrieved)@10"] = 0.5
    if name == "ragas_ids.json":
        assert result.counts["judged"] == 3
    assert {metric: result.summary[metric] for metric in expected} == pytest.approx(expected)


def test_a_run_is_needed_elsewhere():
    with pytest.raises(DataError):
        assay.evaluate({"q1": {"d1": 1}})


ROW = {"user_input": "How?", "retrieved_contexts": ["a", "b"], "reference_contexts": ["b"], "reference": "b"}


def test_every_container_holds_the_same(tmp_path):
    rows = [ROW, {**ROW, "user_input": "Why?", "retrieved_contexts": ["c;d, e|f"]}]
    frame = pd.DataFrame(rows)
    frame.to_csv(tmp_path / "frame.csv", index=False)
    frame.to_csv(tmp_path / "frame.tsv", index=False, sep="\t")
    frame.to_json(tmp_path / "frame.jsonl", orient="records", lines=True)
    frame.to_json(tmp_path / "frame.json", orient="records")
    frame.to_parquet(tmp_path / "frame.parquet")
    pd.read_parquet(tmp_path / "frame.parquet").to_csv(tmp_path / "arrays.csv", index=False)
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "arrow.parquet")
    for path in sorted(tmp_path.iterdir()):
        dataset = load_dataset(path)
        assert dataset.format == "rag_records", path
        assert dataset.retrieved == {"q1": ["c1", "c2"], "q2": ["c3"]}, path
        assert dataset.qrels == {"q1": {"c2": 1}, "q2": {"c2": 1}}, path
        assert dataset.documents["c3"].text == "c;d, e|f", path


def test_the_rows_of_a_frame_are_records():
    frame = pd.DataFrame([ROW, {**ROW, "user_input": "Why?", "reference_contexts": None, "score": 0.5}])
    dataset = load_dataset(frame)
    assert (dataset.format, dataset.retrieved) == ("rag_records", {"q1": ["c1", "c2"], "q2": ["c1", "c2"]})
    assert (dataset.qrels, dataset.queries["q2"].tags["score"]) == ({"q1": {"c2": 1}}, "0.5")


def test_a_column_that_the_user_names_wins(tmp_path):
    path = put(tmp_path / "x.jsonl", [{**ROW, "better": "a b", "gold": ["d1"], "returned": "d2; d1"}])
    columns = {"expected": "better", "relevant": "gold", "retrieved": "returned"}
    with reading_with(Reading(columns=columns)):
        dataset = load_dataset(path)
    assert dataset.queries["q1"].expected == "a b"
    assert dataset.metadata["columns"]["retrieved_ids"] == "returned"


LISTS = {
    "python": "['a b', \"it's\"]",
    "json": '["a b", "it\'s"]',
    "numpy": "['a b' \"it's\"]",
    "numpy on two lines": "['a b'\n \"it's\"]",
    "scalars of numpy": "[np.str_('a b'), np.str_(\"it's\")]",
    "documents": "[Document(page_content='a b'), Document(metadata={'n': 1}, page_content=\"it's\")]",
    "objects without commas": "[{'content': 'a b'} {'content': \"it's\"}]",
}


@pytest.mark.parametrize("case", LISTS)
def test_a_list_in_a_cell_is_data_in_any_spelling(tmp_path, case):
    frame = pd.DataFrame([{"user_input": "How?", "retrieved_contexts": LISTS[case], "reference": "a b"}])
    frame.to_csv(tmp_path / "x.csv", index=False)
    dataset = load_dataset(tmp_path / "x.csv")
    assert texts(dataset, dataset.retrieved["q1"]) == ["a b", "it's"]


def test_a_list_in_a_cell_never_runs(tmp_path):
    """A call is read as its arguments, and what is neither text nor list is a fault; nothing is evaluated."""
    there = tmp_path / "there"
    for text in (f"[open({str(there)!r}, 'w')]", f"[__import__('os').mkdir({str(there)!r})]", "[" * 5000 + "]" * 5000):
        frame = pd.DataFrame([{"user_input": "How?", "retrieved_contexts": text, "reference": "x"}])
        frame.to_csv(tmp_path / "x.csv", index=False)
        with suppress(DataError):
            load_dataset(tmp_path / "x.csv")
        assert not there.exists()


def test_texts_are_matched_without_white_space_and_repeats_count_once(tmp_path):
    row = {**ROW, "retrieved_contexts": ["a  b", "c", "a b\n", "c"], "reference_contexts": [" a\nb "]}
    dataset = load_dataset(put(tmp_path / "x.jsonl", [row, {**ROW, "retrieved_contexts": [], "reference_contexts": []}]))
    assert dataset.retrieved == {"q1": ["c1", "c2"]}
    assert dataset.qrels == {"q1": {"c1": 1}}, "an empty list is no judgment"
    assert sum("listed twice" in repair.what for repair in dataset.repairs) == 1


def test_ids_and_texts_of_a_tool_agree(tmp_path):
    rows = [
        {
            "user_input": "a?",
            "retrieved_contexts": ["x", "y"],
            "retrieved_context_ids": ["d1", "d2"],
            "reference_contexts": ["y"],
        },
        {
            "user_input": "b?",
            "retrieved_contexts": ["y", "z"],
            "retrieved_context_ids": ["d3", "d1"],
            "reference_contexts": ["w"],
        },
        {"user_input": "c?", "retrieved_context_ids": [7, "d3"], "reference_context_ids": [7]},
    ]
    dataset = load_dataset(put(tmp_path / "x.jsonl", rows))
    assert dataset.retrieved == {"q1": ["d1", "d2"], "q2": ["d2", "d1"], "q3": ["7", "d2"]}
    assert dataset.qrels == {"q1": {"d2": 1}, "q2": {"c1": 1}, "q3": {"7": 1}}
    assert {doc: document.text for doc, document in dataset.documents.items()} == {"d1": "x", "d2": "y", "c1": "w"}
    assert sum("same text" in repair.what or "several texts" in repair.what for repair in dataset.repairs) == 2


def test_the_delimiter_of_deepeval_is_the_one_of_the_whole_file(tmp_path):
    lines = ["input,expected_output,retrieval_context,context", "a?,x,one; two,one", "b?,y,three,three"]
    dataset = load_dataset(write(tmp_path / "x.csv", "\n".join(lines)))
    assert [texts(dataset, ids) for ids in dataset.retrieved.values()] == [["one", "two"], ["three"]]
    dataset = load_dataset(write(tmp_path / "x.csv", "\n".join([*lines, "c?,z,four|five; six,five; six"])))
    assert [texts(dataset, ids) for ids in dataset.retrieved.values()] == [["one; two"], ["three"], ["four", "five; six"]]
    assert dataset.qrels["q3"] == {dataset.retrieved["q3"][1]: 1}


def test_the_first_of_several_results_for_a_question_counts(tmp_path):
    content = json.loads((FOLDER / "promptfoo.json").read_text())
    results = content["results"]["results"]
    other = json.loads(json.dumps(results))
    for result in other:
        result["promptIdx"], result["response"]["metadata"]["context"] = 1, ["other"]
    content["results"]["results"] = [*results, *other]
    dataset = load_dataset(put(tmp_path / "x.json", content))
    assert [texts(dataset, ids) for ids in dataset.retrieved.values()] == RETRIEVED
    assert any("3 records repeat" in repair.what for repair in dataset.repairs)


RECOGNISED = {
    "names of ragas": ([ROW], "rag_records"),
    "only references": ([{"user_input": "?", "reference_contexts": ["a"], "reference": "b"}], "rag_records"),
    "a first record without contexts": ([{"user_input": "?", "reference": "b"}, ROW], "rag_records"),
    "mixed names": ([{"query": "?", "retrieved_contexts": ["a"], "ground_truth": "b"}], "rag_records"),
    "older ragas": ([{"question": "?", "contexts": ["a"], "answer": "b", "ground_truth": "c"}], "rag_records"),
    "a golden list of ragas": ([{"user_input": "?", "reference_context_ids": ["a"]}], "golden"),
    "contexts to search": ([{"question": "?", "contexts": ["a"], "answer": "b"}], "rag_template"),
    "an expected answer": (
        [{"question": "?", "contexts": ["a"], "answer": "b", "ground_truth": "c", "expected": "d"}],
        "rag_template",
    ),
    "ids of contexts": (
        [{"input": "?", "context": ["a"], "expected_output": "c", "relevantIds": ["c1"]}],
        "rag_template",
    ),
}


@pytest.mark.parametrize("case", RECOGNISED)
def test_columns_decide_which_reading_it_is(tmp_path, case):
    rows, name = RECOGNISED[case]
    for ending in ("json", "jsonl"):
        assert detect_format(put(tmp_path / f"x.{ending}", rows)).name == name


def test_the_other_reading_is_one_option_away(tmp_path):
    path = put(tmp_path / "x.json", [{"question": "?", "contexts": ["a", "b"], "answer": "b", "ground_truth": "c"}])
    assert list(load_dataset(path).retrieved) == ["q1"]
    note = assay.evaluate(load_dataset(path)).notes[0]
    assert "--dataset-format rag_template" in note
    searched = load_dataset(path, "rag_template")
    assert (searched.retrieved, searched.queries["q1"].scope, searched.queries["q1"].expected) == ({}, "q1", "c")
    plain = put(tmp_path / "y.json", [{"question": "?", "contexts": ["a"], "answer": "b"}])
    assert load_dataset(plain, "rag_records").retrieved == {"q1": ["c1"]}


def test_systems_share_their_questions_and_contexts(tmp_path):
    rows = [{**ROW, "user_input": f"{number}?"} for number in range(3)]
    other = [{**row, "retrieved_contexts": ["b", "z"]} for row in reversed(rows)]
    other[0]["reference_contexts"] = ["z"]
    paths = [put(tmp_path / "a.jsonl", rows), put(tmp_path / "b.jsonl", [*other, {**ROW, "user_input": "new?"}])]
    dataset, (first, second) = load_systems(paths)
    assert [dataset.queries[query].text for query in second] == ["0?", "1?", "2?"]
    assert (set(map(tuple, first.values())), set(map(tuple, second.values()))) == ({("c1", "c2")}, {("c2", "c3")})
    assert dataset.qrels == {query: {"c2": 1} for query in ("q1", "q2", "q3")}
    told = [repair.what for repair in dataset.repairs if repair.is_loss]
    assert len(told) == 2, "a question that only one file has, and a question with another ground truth"
    assert [result.notes[2:4] for result in [assay.evaluate(dataset, second)]] == [tuple(dataset.metadata["remarks"])]
