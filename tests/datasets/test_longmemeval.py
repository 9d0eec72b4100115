"""longmemeval: one haystack of sessions per question; what its lists get wrong is mended or told."""

import gzip
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.format import Probe, all_formats, detect_format, load_dataset
from assay.datasets.formats import longmemeval
from assay.datasets.formats.longmemeval import EXAMPLE, LONGMEMEVAL
from assay.errors import DataError, UsageError
from assay.model.records import Hit

from ._cases import BOM, write

GOLDEN = Path(__file__).parent / "samples" / "longmemeval_s.json"
HELLO = [{"role": "user", "content": "Hello", "has_answer": True}]
OTHER = [{"role": "user", "content": "Bye"}]


@pytest.fixture(scope="module")
def golden():
    return load_dataset(GOLDEN)


def item(**fields):
    return {
        "question_id": "q",
        "question_type": "multi-session",
        "question": "What?",
        "answer": "That",
        "question_date": "today",
        "haystack_dates": ["one", "two"],
        "haystack_session_ids": ["s1", "s2"],
        "haystack_sessions": [HELLO, OTHER],
        "answer_session_ids": ["s1"],
        **fields,
    }


def read(folder, *items, read=LONGMEMEVAL.read):
    return read(write(folder / "lme.json", json.dumps(items)))


def one(folder, **fields):
    """The only question of a file, its dataset, losses and repairs."""
    dataset = read(folder, item(**fields))
    lost = [note.what for note in dataset.repairs if note.is_loss]
    mended = [note.what for note in dataset.repairs if not note.is_loss]
    assert {note.place for note in dataset.repairs} <= {"question q"}
    return dataset.queries["q"], dataset, lost, mended


# The golden sample


def test_a_session_is_a_document_of_its_question(golden):
    document = golden.documents["c0ffee01/answer_01"]
    assert document.text == "user: My cat Miso will not eat.\nassistant: Try warming the food.\nSome cats like that. 🐈"
    assert document.group == "c0ffee01"
    assert document.metadata == {"date": "2024/05/20 (Mon) 02:21", "session_id": "answer_01"}
    assert len(golden.documents) == 10


def test_the_questions(golden):
    assert {query.query_id: (query.expected, query.evidence) for query in golden.queries.values()} == {
        "c0ffee01": ("Miso", ("c0ffee01/answer_01",)),
        "c0ffee02": ("5", ("c0ffee02/answer_02_1", "c0ffee02/answer_02_2")),
        "c0ffee03_abs": ("You did not mention a boat.", ()),
        "c0ffee04": ("Ghent", ("c0ffee04/answer_04",)),
        "c0ffee05": ("One without caffeine.", ()),
    }
    assert all(query.scope == query.query_id for query in golden.queries.values())


def test_a_question_searches_its_haystack(golden):
    assert set(golden.in_scope(golden.queries["c0ffee04"])) == {"c0ffee04/answer_04", "c0ffee04/filler_80"}


def test_an_abstention_question_has_nothing_to_find(golden):
    query = golden.queries["c0ffee03_abs"]
    assert query.metadata["answerable"] is False
    assert query.metadata["answer_session_ids"] == ["answer_03"]
    assert golden.queries["c0ffee01"].metadata == {"answerable": True, "question_date": "2024/05/30 (Thu) 23:40"}
    assert query.tags["query_type"] == "temporal-reasoning"


def test_everything_mended_and_lost_is_told_with_its_place(golden):
    assert [(note.place.removeprefix("question "), note.what, note.is_loss) for note in golden.repairs] == [
        (
            "c0ffee01",
            "session filler_77 appears again, dated 2024/05/23 (Thu) 08:00; kept once, dated 2024/05/21 (Tue) 10:05",
            False,
        ),
        ("c0ffee01", "1 session without turns: filler_78", False),
        ("c0ffee02", "answer session answer_02_3 is not in the haystack", True),
        ("c0ffee04", "3 haystack_session_ids for 2 sessions; paired by position; unused: ['filler_81']", True),
        ("c0ffee04", "1 haystack_dates for 2 sessions; paired by position", True),
        ("c0ffee05", "answer session answer_05 is not in the haystack", True),
        ("c0ffee05", "no session is known to hold the answer: nothing to find", True),
    ]


def test_a_text_that_haystacks_share_is_held_once(golden):
    assert golden.documents["c0ffee01/filler_77"].text is golden.documents["c0ffee02/filler_77"].text


def test_sessions_of_one_id_and_different_words_stay_apart(tmp_path):
    dataset = read(tmp_path, item(), item(question_id="r", haystack_sessions=[OTHER, OTHER]))
    assert dataset.documents["q/s1"].text == "user: Hello"
    assert dataset.documents["r/s1"].text == "user: Bye"


def test_what_is_fine_is_not_noted(tmp_path):
    assert read(tmp_path, item()).repairs == []


def test_the_example_reads(tmp_path):
    dataset = load_dataset(write(tmp_path / "example.json", EXAMPLE))
    assert (len(dataset.queries), len(dataset.documents), dataset.repairs) == (1, 2, [])


# Files


def test_only_this_format_claims_it(tmp_path):
    shutil.copy(GOLDEN, tmp_path / "longmemeval_m")
    for path in (GOLDEN, tmp_path / "longmemeval_m"):
        assert detect_format(path).name == "longmemeval"
        assert [known.name for known in all_formats().values() if known.detect(Probe(path))] == ["longmemeval"]


def test_it_does_not_claim_others(tmp_path):
    load_dataset(GOLDEN).save_json(tmp_path / "converted.json")
    assert detect_format(tmp_path / "converted.json").name == "json"
    assert not LONGMEMEVAL.detect(Probe(GOLDEN.parent / "locomo10.json"))
    assert not LONGMEMEVAL.detect(Probe(tmp_path))


def test_bom_carriage_returns_and_gzip_change_nothing(tmp_path, golden):
    content = GOLDEN.read_bytes()
    write(tmp_path / "bom.json", BOM + content.replace(b"\n", b"\r\n"))
    write(tmp_path / "packed.json.gz", gzip.compress(content))
    for name in ("bom.json", "packed.json.gz"):
        other = load_dataset(tmp_path / name)
        assert (other.queries, other.documents, other.repairs) == (golden.queries, golden.documents, golden.repairs)


@pytest.mark.parametrize("name", ["longmemeval", "longmemeval_turns"])
def test_json_keeps_the_scores_of_hits_that_go_by_bare_ids_or_metadata(tmp_path, name):
    golden = load_dataset(GOLDEN, name)
    golden.save_json(tmp_path / "d.json")
    again = BenchmarkDataset.from_json(tmp_path / "d.json")
    run = {
        "c0ffee01": [Hit("x"), Hit("answer_01_1", -1.0)],
        "c0ffee02": [Hit("answer_02_1_3"), Hit("m", -1.0, metadata={"answerCorpusIds": ["answer_02_2/1"]})],
    }
    metrics = ("mrr", "recall", "ndcg@10")
    before, after = (assay.evaluate(dataset, run, metrics, relevance="pack") for dataset in (golden, again))
    assert [before.scores(metric) for metric in metrics] == [after.scores(metric) for metric in metrics]
    assert before.relevance == after.relevance
    assert (before.scores("mrr")["c0ffee01"], before.scores("recall")["c0ffee02"]) == (0.5, 1.0)


def test_json_keeps_everything(tmp_path, golden):
    golden.save_json(tmp_path / "d.json")
    again = BenchmarkDataset.from_json(tmp_path / "d.json")
    assert again.documents == golden.documents
    for query_id, query in golden.queries.items():
        other = again.queries[query_id]
        assert (other.expected, other.scope, other.tags) == (query.expected, query.scope, query.tags)
        assert list(other.evidence) == list(query.evidence)
    for part in ("queries", "documents", "judgments"):
        assert again.fingerprint(part) == golden.fingerprint(part)


def test_it_is_not_written(tmp_path, golden):
    with pytest.raises(UsageError, match="longmemeval can be read, not written"):
        LONGMEMEVAL.save(golden, tmp_path / "x.json")


# Odd haystacks


def test_a_different_session_of_the_same_id_is_kept(tmp_path):
    query, dataset, lost, mended = one(tmp_path, haystack_session_ids=["s1", "s1"])
    assert {doc_id: document.text for doc_id, document in dataset.documents.items()} == {
        "q/s1": "user: Hello",
        "q/s1~": "user: Bye",
    }
    assert query.evidence == ("q/s1",)
    assert lost == ["a different session is called s1 as well; it is called s1~ here"]
    assert mended == ["of the sessions called s1, the one with marked turns holds the answer: s1"]


def test_the_mark_tells_which_of_two_sessions_is_meant(tmp_path):
    query, *_ = one(tmp_path, haystack_session_ids=["s1", "s1"], haystack_sessions=[OTHER, HELLO])
    assert query.evidence == ("q/s1~",)


def test_without_a_mark_the_first_of_two_sessions_is_meant(tmp_path):
    third = [{"role": "user", "content": "Third"}]
    query, _, lost, _ = one(tmp_path, haystack_session_ids=["s1", "s1"], haystack_sessions=[OTHER, third])
    assert query.evidence == ("q/s1",)
    assert lost[1:] == ["2 sessions are called s1; the first is taken to hold the answer"]


def test_sessions_without_ids_are_numbered(tmp_path):
    query, dataset, lost, _ = one(tmp_path, haystack_session_ids=None, answer_session_ids=None)
    assert list(dataset.documents) == ["q/session_1", "q/session_2"]
    assert query.evidence == ("q/session_1",)
    assert lost == ["0 haystack_session_ids for 2 sessions; paired by position"]


def test_ids_may_be_numbers(tmp_path):
    dataset = read(tmp_path, item(question_id=7, haystack_session_ids=[1, 2], answer_session_ids=[2]))
    assert dataset.queries["7"].evidence == ("7/2",)


def test_without_named_sessions_the_marked_ones_are_taken(tmp_path):
    query, _, lost, mended = one(tmp_path, answer_session_ids=[])
    assert query.evidence == ("q/s1",)
    assert (lost, len(mended)) == ([], 1)


@pytest.mark.parametrize(("given_ids", "evidence"), [(None, None), ([], ())])
def test_where_nothing_tells_the_answer_it_is_told(tmp_path, given_ids, evidence):
    query, _, lost, _ = one(tmp_path, haystack_sessions=[OTHER, []], answer_session_ids=given_ids)
    assert query.evidence == evidence
    assert len(lost) == 1


def test_a_marked_session_that_is_not_named_is_told(tmp_path):
    query, _, lost, _ = one(tmp_path, answer_session_ids=["s2"])
    assert query.evidence == ("q/s2",)
    assert lost == ["turns of s1 are marked, but answer_session_ids does not name it; not counted"]


def test_an_answer_session_that_is_named_twice_counts_once(tmp_path):
    query, _, _, mended = one(tmp_path, answer_session_ids=["s1", "s1"])
    assert query.evidence == ("q/s1",)
    assert mended == ["answer session s1 is named twice"]


def test_a_question_without_haystack_is_kept(tmp_path):
    query, dataset, lost, _ = one(tmp_path, haystack_sessions=None, haystack_session_ids=[], haystack_dates=[])
    assert (query.evidence, len(dataset.documents)) == ((), 0)
    assert lost[0] == "has no sessions to search"


def test_a_question_without_id_is_numbered(tmp_path):
    dataset = read(tmp_path, item(), item(question_id=None))
    assert list(dataset.queries) == ["q", "question_2"]
    assert [(note.place, note.is_loss) for note in dataset.repairs] == [("question 2", False)]


def test_a_question_without_words_or_type_is_kept_and_told(tmp_path):
    query, _, lost, _ = one(tmp_path, question=None, question_type=None)
    assert (query.text, query.query_type) == ("", None)
    assert lost == ["has no question", "has no question_type"]


def test_turns_without_role_or_content_are_read(tmp_path):
    _, dataset, *_ = one(tmp_path, haystack_sessions=[[{"content": "Hm", "has_answer": True}], [{"role": "user"}, {}]])
    assert [document.text for document in dataset.documents.values()] == ["Hm", "user: \n"]


def test_fields_nobody_knows_go_to_the_metadata(tmp_path):
    query, *_ = one(tmp_path, source={"a": [1]})
    assert query.metadata["source"] == {"a": [1]}


# Faults


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('[{"question_id": "q"', "lme.json:1: input data was truncated"),
        ('[\n\n{"question_id": nope}]', "lme.json:3: "),
        ("{}", "expected `array`, got `object`"),
        ("[]", "there is no query in it"),
        ("[7]", "question 1: Expected `object`, got `int`"),
        ('[{"question_id": "q", "haystack_dates": "x"}]', "question 1: Expected `array | null`, got `str`"),
        ('[{"question_id": "q", "haystack_sessions": [7]}]', "question q: session 1 (session_1): Expected `array | null`"),
        ('[{"question_id": "q", "haystack_sessions": [[{"content": 1}]]}]', "at `$[0].content`"),
        ('[{"question_id": "q"}, {"question_id": "q"}]', "question 2: the question_id q has been there already"),
    ],
)
@pytest.mark.parametrize("reader", [LONGMEMEVAL.read, longmemeval.LONGMEMEVAL_TURNS.read], ids=["sessions", "turns"])
def test_a_fault_says_where_and_what_was_expected(tmp_path, content, message, reader):
    with pytest.raises(DataError) as error:
        reader(write(tmp_path / "lme.json", content))
    assert message in str(error.value)


@pytest.mark.parametrize("place", ["question", "content"])
def test_text_that_is_not_utf8_is_a_fault(tmp_path, place):
    content = json.dumps([item(question="QQ", haystack_sessions=[[{"content": "CC"}]])]).encode()
    with pytest.raises(DataError, match="question"):
        LONGMEMEVAL.read(write(tmp_path / "lme.json", content.replace(b"QQ" if place == "question" else b"CC", b"\xff")))


def test_faults_are_raised_together_up_to_twenty(tmp_path):
    with pytest.raises(DataError, match="2 faults"):
        read(tmp_path, 1, 2, item())
    with pytest.raises(DataError, match="20 faults or more"):
        read(tmp_path, *range(50))


def test_documents_of_two_questions_never_share_an_id(tmp_path):
    with pytest.raises(DataError, match="leave / out of ids"):
        read(tmp_path, item(haystack_session_ids=["r/s1", "s2"]), item(question_id="q/r"))


# The pack


@pytest.mark.parametrize(
    ("hit", "covered"),
    [
        (Hit("c0ffee02/answer_02_1"), "c0ffee02/answer_02_1"),
        (Hit("answer_02_1"), "c0ffee02/answer_02_1"),
        (Hit("c0ffee02/answer_02_1/3"), "c0ffee02/answer_02_1"),
        (Hit("answer_02_1_3"), "c0ffee02/answer_02_1"),
        (Hit("c0ffee02/answer_02_2#1"), "c0ffee02/answer_02_2"),
        (Hit("answer_02_10"), None),
        (Hit("c0ffee02/filler_77"), None),
        (Hit("c0ffee01/answer_01"), None),
        (Hit("m1", metadata={"session_id": "answer_02_2"}), "c0ffee02/answer_02_2"),
        (Hit("m1", metadata={"answerCorpusIds": ["filler_77", "answer_02_1"]}), "c0ffee02/answer_02_1"),
        (Hit("m1", metadata={"session_id": "filler_77"}), None),
    ],
)
def test_a_hit_covers_the_session_it_belongs_to(golden, hit, covered):
    query = golden.queries["c0ffee02"]
    assert golden.pack.is_relevant(query, hit) == ((covered,) if covered else ())
    assert golden.pack.n_evidence(query) == 2


def test_nothing_covers_an_abstention_question(golden):
    query = golden.queries["c0ffee03_abs"]
    assert golden.pack.n_evidence(query) == 0
    assert golden.pack.is_relevant(query, Hit("answer_03")) == ()


# Laws

NAME = st.sampled_from(["a", "b", "a_1", "a_1_2", "s~", ""])
TURN = st.fixed_dictionaries(
    {}, optional={"role": st.just("user"), "content": st.sampled_from("xyz"), "has_answer": st.booleans()}
)
FIELDS = {
    "haystack_session_ids": st.lists(NAME, max_size=4),
    "haystack_dates": st.lists(st.just("today"), max_size=4),
    "haystack_sessions": st.lists(st.lists(TURN, max_size=3), max_size=4),
    "answer_session_ids": st.lists(NAME, max_size=3),
    "answer": st.one_of(st.none(), st.text(max_size=3), st.integers(), st.floats(allow_nan=False, allow_infinity=False)),
}
QUESTION = st.fixed_dictionaries({"question": st.text(max_size=4), "suffix": st.sampled_from(["", "_abs"])}, optional=FIELDS)


@pytest.mark.parametrize("reader", [LONGMEMEVAL.read, longmemeval.LONGMEMEVAL_TURNS.read], ids=["sessions", "turns"])
@given(questions=st.lists(QUESTION, min_size=1, max_size=3))
def test_every_question_is_kept_and_no_evidence_vanishes_silently(tmp_path_factory, reader, questions):
    items = [{**fields, "question_id": f"q{number}{fields['suffix']}"} for number, fields in enumerate(questions)]
    dataset = read(tmp_path_factory.mktemp("lme"), *items, read=reader)
    assert [(query.query_id, query.text) for query in dataset.queries.values()] == [
        (fields["question_id"], fields["question"]) for fields in items
    ]
    for query in dataset.queries.values():
        scope = set(dataset.in_scope(query))
        lost = [note for note in dataset.repairs if note.is_loss and note.place == f"question {query.query_id}"]
        assert set(query.evidence or ()) <= scope
        assert len(set(query.evidence or ())) == len(query.evidence or ())
        assert query.evidence or lost or query.query_id.endswith("_abs")
        for hit in (*dataset.documents, "a", "a_1", "a_1#0", "a/1", "q0", "?"):
            found = dataset.pack.is_relevant(query, Hit(hit, metadata={"answerCorpusIds": ["b", hit]}))
            assert set(found) <= set(query.evidence or ())
