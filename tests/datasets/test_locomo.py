"""locomo: turns are documents, conversations are scopes, and evidence is mended or its loss is told."""

import gzip
import shutil
from pathlib import Path

import pytest

import assay
from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.format import Probe, all_formats, detect_format, load_dataset
from assay.datasets.formats.locomo import CATEGORIES, EXAMPLE, FORMAT
from assay.errors import UsageError
from assay.model.records import Hit

from ._cases import BOM, write
from ._locomo import QUESTION, TURN, losses, read, sample

SAMPLES = Path(__file__).parent / "samples"
GOLDEN = SAMPLES / "locomo10.json"
METRICS = ("mrr", "recall", "ndcg@10")


@pytest.fixture(scope="module")
def golden():
    return load_dataset(GOLDEN)


def question(folder, **fields):
    """The only question of a file, and what was noted."""
    dataset = read(folder, sample([{**QUESTION, **fields}]))
    return dataset.queries["c/q1"], [(one.place, one.what, one.is_loss) for one in dataset.repairs]


def mended(dataset, place):
    return [one.what for one in dataset.repairs if one.place == place and not one.is_loss]


# The golden sample


def test_a_turn_is_a_document_of_its_conversation(golden):
    document = golden.documents["conv-1/D1:2"]
    assert document.text == "Piet: Look who is new here. [a photo of hens in a yard]"
    assert (document.group, document.section) == ("conv-1", "session_1")
    own = {"speaker": "Piet", "session": 1, "date_time": "1:56 pm on 3 March, 2024", "dia_id": "D1:2"}
    assert own.items() <= document.metadata.items()
    assert document.metadata["img_url"] == ["https://example.org/hens.jpg"]


def test_the_same_turn_id_in_two_conversations_is_two_documents(golden):
    assert len(golden.documents) == 12
    assert golden.documents["conv-2/D1:1"].text == "Ола: У меня новый велосипед."
    assert golden.documents["conv-1/D1:1"].text.startswith("Nora: I adopted")


def test_a_picture_without_words_is_its_caption(golden):
    assert golden.documents["conv-1/D1:3"].text == "Nora: [a photo of a cat]"


def test_questions_are_numbered_and_search_their_conversation(golden):
    assert list(golden.queries) == [*(f"conv-1/q{number}" for number in range(1, 13)), "conv-2/q1"]
    assert {query.scope for query in golden.queries.values()} == {"conv-1", "conv-2"}
    assert set(golden.in_scope(golden.queries["conv-2/q1"])) == {"conv-2/D1:1", "conv-2/D1:2"}


@pytest.mark.parametrize(
    ("number", "evidence"),
    [
        (1, ["D1:1"]),
        (3, ["D1:4", "D2:3"]),
        (4, ["D2:1", "D1:2", "D4:2"]),
        (5, ["D4:1"]),
        (6, ["D4:3"]),
        (7, []),
        (8, []),
        (9, ["D1:2", "D2:1"]),
        (10, ["D1:1"]),
        (11, None),
        (12, ["D4:1"]),
    ],
)
def test_the_evidence_of_each_question(golden, number, evidence):
    expected = None if evidence is None else tuple(f"conv-1/{turn}" for turn in evidence)
    assert golden.queries[f"conv-1/q{number}"].evidence == expected


def test_answers_are_text_or_missing(golden):
    expected = [query.expected for query in golden.queries.values()]
    assert (expected[1], expected[5], expected[9], expected[10]) == ("4", "2.5", None, None)


def test_an_adversarial_question_cannot_be_answered(golden):
    query = golden.queries["conv-1/q10"]
    assert query.metadata == {"category": 5, "answerable": False, "adversarial_answer": "Miso"}
    assert query.tags["query_type"] == "adversarial"
    assert golden.queries["conv-1/q1"].metadata == {"category": 2, "answerable": True}


def test_everything_mended_and_lost_is_told_with_its_place(golden):
    assert mended(golden, "conv-1") == [
        "session 5 has no turns",
        "session 4 has no date",
        "sessions 6, 7 have a date and nothing else",
        "session 3 is missing",
    ]
    assert mended(golden, "conv-1, session 4, turn 3") == ["has no dia_id; called D4:3"]
    assert mended(golden, "conv-1, question 3") == ["'D1:4; D2:3' read as D1:4, D2:3"]
    assert mended(golden, "conv-1, question 5") == ["'D:4:1' read as D4:1"]
    assert losses(golden, "conv-1, question 5") == ["evidence 'D' names no turn of the conversation"]
    assert losses(golden, "conv-1, question 7")[-1] == "none of its evidence can be used: nothing to find"
    assert losses(golden, "conv-1, question 8") == ["its evidence is empty: nothing to find"]
    assert losses(golden, "conv-1, question 11") == ["says nothing of evidence; only the expected answer can judge it"]
    assert mended(golden, "conv-1, question 12") == ["category '2' read as 2", "evidence is text, not a list"]
    assert mended(golden, "conv-2, question 1") == ["evidence D1:1 is named twice"]
    assert len(golden.repairs) == 20


def test_what_is_fine_is_not_noted(tmp_path):
    assert read(tmp_path, sample()).repairs == []


def test_the_example_reads(tmp_path):
    dataset = load_dataset(write(tmp_path / "example.json", EXAMPLE))
    assert (len(dataset.queries), len(dataset.documents), dataset.repairs) == (2, 2, [])


# Files and folders


@pytest.mark.parametrize("path", [GOLDEN, SAMPLES / "locomo_folder", SAMPLES / "locomo_folder" / "conv-10.json"])
def test_only_this_format_claims_it(path):
    assert detect_format(path).name == "locomo"
    assert [one.name for one in all_formats().values() if one.detect(Probe(path))] == ["locomo"]


def test_it_does_not_claim_others(tmp_path):
    load_dataset(GOLDEN).save_json(tmp_path / "converted.json")
    assert detect_format(tmp_path / "converted.json").name == "json"
    assert not FORMAT.detect(Probe(SAMPLES / "longmemeval_s.json"))
    assert not FORMAT.detect(Probe(tmp_path / "nowhere.json"))
    (tmp_path / "empty").mkdir()
    assert not FORMAT.detect(Probe(tmp_path / "empty"))


def test_a_folder_is_read_in_the_order_of_its_numbers():
    dataset = load_dataset(SAMPLES / "locomo_folder")
    assert list(dataset.queries) == ["conv-9/q1", "conv-10/q1"]
    assert dataset.queries["conv-10/q1"].evidence == ("conv-10/D1:1",)
    assert mended(dataset, "conv-10") == ["has no sample_id; called so after its file"]


def test_other_files_of_a_folder_are_left_out_and_told(tmp_path):
    shutil.copytree(SAMPLES / "locomo_folder", tmp_path / "folder")
    write(tmp_path / "folder" / "config.json", "{}")
    write(tmp_path / "folder" / "README.md", "conversations")
    dataset = load_dataset(tmp_path / "folder")
    assert len(dataset.queries) == 2
    assert losses(dataset, "config.json") == ["holds no conversation and is left out"]


def test_a_list_without_ids_is_numbered(tmp_path):
    one = sample()
    del one["sample_id"]
    assert list(read(tmp_path, one, one).queries) == ["c-1/q1", "c-2/q1"]


def test_bom_carriage_returns_and_gzip_change_nothing(tmp_path, golden):
    content = GOLDEN.read_bytes()
    write(tmp_path / "bom.json", BOM + content.replace(b"\n", b"\r\n"))
    write(tmp_path / "packed.json.gz", gzip.compress(content))
    for name in ("bom.json", "packed.json.gz"):
        other = load_dataset(tmp_path / name)
        assert (other.queries, other.documents, other.repairs) == (golden.queries, golden.documents, golden.repairs)
    assert load_dataset(tmp_path / "packed.json.gz").name == "packed"


def test_json_keeps_everything(tmp_path, golden):
    golden.save_json(tmp_path / "d.json")
    again = BenchmarkDataset.from_json(tmp_path / "d.json")
    assert again.documents == golden.documents
    for part in ("queries", "documents", "judgments"):
        assert again.fingerprint(part) == golden.fingerprint(part)
    for query_id, query in golden.queries.items():
        other = again.queries[query_id]
        assert (other.expected, other.scope, other.tags) == (query.expected, query.scope, query.tags)
        assert (other.evidence is None) == (query.evidence is None)
        assert list(other.evidence or ()) == list(query.evidence or ())


@pytest.mark.parametrize("field", ["dia_id", "dia_ids", "turn_ids", "evidence"])
def test_json_keeps_the_scores_of_hits_known_by_their_metadata(tmp_path, golden, field):
    golden.save_json(tmp_path / "d.json")
    again = BenchmarkDataset.from_json(tmp_path / "d.json")
    turns = ["D4:1"] if field == "dia_id" else ["D1:1", "D2:3"]
    value = turns[0] if field == "dia_id" else turns
    hits = [Hit("memory 1"), Hit("memory 2", -1.0, metadata={field: value}), Hit("D1:2#0", -2.0)]
    run = dict.fromkeys(golden.queries, hits)
    before, after = (assay.evaluate(dataset, run, METRICS, relevance="pack") for dataset in (golden, again))
    assert [before.scores(metric) for metric in METRICS] == [after.scores(metric) for metric in METRICS]
    assert before.relevance == after.relevance
    assert {query.split("/")[1] for query, score in before.scores("mrr").items() if score == 0.5} >= (
        {"q5", "q12"} if field == "dia_id" else {"q1", "q3", "q10"}
    )


def test_it_is_not_written(tmp_path, golden):
    with pytest.raises(UsageError, match="locomo can be read, not written"):
        FORMAT.save(golden, tmp_path / "x.json")


# Odd conversations


def test_a_turn_without_id_never_takes_the_id_of_another(tmp_path):
    nameless = {"speaker": "Ben", "text": "Hi"}
    dataset = read(tmp_path, sample(session_1=[nameless, TURN]))
    assert dataset.documents["c/D1:1"].text == "Ada: Hello"
    assert dataset.documents["c/D1:1~2"].text == "Ben: Hi"


def test_a_repeated_turn_is_kept_once(tmp_path):
    dataset = read(tmp_path, sample(session_1=[TURN, TURN]))
    assert list(dataset.documents) == ["c/D1:1"]
    assert mended(dataset, "c, session 1, turn 2") == ["repeats D1:1; kept once"]


def test_of_two_turns_with_one_id_both_are_kept_and_the_first_is_meant(tmp_path):
    dataset = read(tmp_path, sample(session_1=[TURN, {**TURN, "text": "Bye"}]))
    assert {doc_id: one.text for doc_id, one in dataset.documents.items()} == {
        "c/D1:1": "Ada: Hello",
        "c/D1:1~2": "Ada: Bye",
    }
    assert dataset.queries["c/q1"].evidence == ("c/D1:1",)
    assert losses(dataset, "c, session 1, turn 2")
    assert dataset.pack.is_relevant(dataset.queries["c/q1"], Hit("c/D1:1~2")) == ()


def test_a_turn_without_words_or_speaker_is_kept(tmp_path):
    dataset = read(tmp_path, sample(session_1=[{"dia_id": "D1:1"}]))
    assert dataset.documents["c/D1:1"].text == ""
    assert losses(dataset, "c, session 1, turn 1") == ["has no text"]
    assert mended(dataset, "c, session 1, turn 1") == ["has no speaker"]


def test_a_session_that_is_null_has_no_turns(tmp_path):
    dataset = read(tmp_path, sample(session_2=None, session_2_date_time="one"))
    assert mended(dataset, "c") == ["session 2 has no turns"]


def test_a_gap_of_sessions_is_told_however_wide(tmp_path):
    dataset = read(tmp_path, sample(session_900000000=[{**TURN, "dia_id": "x"}], session_900000000_date_time="one"))
    assert mended(dataset, "c") == ["sessions 2 to 899999999 are missing"]


def test_a_conversation_without_questions_is_kept(tmp_path):
    dataset = read(tmp_path, sample(), sample([], "d"))
    assert "d/D1:1" in dataset.documents
    assert mended(dataset, "d") == ["has no questions"]


# Odd questions


@pytest.mark.parametrize(
    ("answer", "expected"), [("x", "x"), (2022, "2022"), (1.5, "1.5"), (None, None), (["a"], "a"), (["a", 2], "a; 2")]
)
def test_an_answer_becomes_text(tmp_path, answer, expected):
    assert question(tmp_path, answer=answer)[0].expected == expected


def test_an_answer_that_is_no_text_is_lost_and_told(tmp_path):
    query, notes = question(tmp_path, answer={"a": 1})
    assert query.expected is None
    assert notes == [("c, question 1", "the answer {'a': 1} is neither text nor a number", True)]


@pytest.mark.parametrize("number", CATEGORIES)
def test_categories_have_names(tmp_path, number):
    by_number, notes = question(tmp_path, category=number)
    by_name, mended = question(tmp_path, category=CATEGORIES[number].replace("-", "_"))
    assert by_number == by_name
    assert by_number.query_type == CATEGORIES[number]
    assert by_number.metadata["answerable"] == (number != 5)
    assert (len(notes), len(mended)) == (0, 1)


@pytest.mark.parametrize("category", [6, None, True, "cognitive"])
def test_a_category_nobody_knows_is_told(tmp_path, category):
    query, notes = question(tmp_path, category=category)
    assert query.query_type is None
    assert query.metadata.get("category") == category
    assert [is_loss for _, _, is_loss in notes] == [True]


@pytest.mark.parametrize("text", [None, "", 7])
def test_a_question_without_words_is_kept_and_told(tmp_path, text):
    query, notes = question(tmp_path, question=text)
    assert query.text == ""
    assert notes == [("c, question 1", f"expected the question as text, found {text!r}", True)]


def test_fields_nobody_knows_go_to_the_metadata(tmp_path):
    assert question(tmp_path, source="book")[0].metadata["source"] == "book"
