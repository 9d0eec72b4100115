"""squad: paragraphs are documents, each question has its own, and answers and their places are kept."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.datasets.format import find_format, load_dataset
from assay.datasets.formats.squad import EXAMPLE, read_squad
from assay.evaluation.answers import expected_answers
from assay.model.records import Document, Query, Span

from ._benchmarks import SAMPLES, TEXTS, WORDS, assert_same_content, claims, faults
from ._cases import BOM, write

GOLDEN = SAMPLES / "squad.json"
CONTEXT = "Cats sleep all day. Dogs sleep at night."
ANSWER = {"text": "all day", "answer_start": 11}
QUESTION = {"id": "q", "question": "When do cats sleep?", "answers": [ANSWER]}


@pytest.fixture(scope="module")
def golden():
    return load_dataset(GOLDEN)


def squad(*questions, title="Pets", context=CONTEXT, **fields):
    """The content of a file with one paragraph."""
    return {"version": "1.1", "data": [{"title": title, "paragraphs": [{"context": context, "qas": questions, **fields}]}]}


def read(folder, content):
    return read_squad(write(folder / "pets.json", json.dumps(content)))


def question(folder, **fields):
    """The only question of a file, its spans, and what was noted."""
    dataset = read(folder, squad({**QUESTION, **fields}))
    (query,) = dataset.queries.values()
    return query, dataset.spans.get(query.query_id), [(one.place, one.what, one.is_loss) for one in dataset.repairs]


def complaints(folder, *questions, **fields):
    return faults(read_squad, write(folder / "pets.json", json.dumps(squad(*questions, **fields))))


# The golden sample


def test_the_sample_is_recognised(golden):
    assert claims(GOLDEN)[0] == "squad"
    assert (golden.name, golden.version, golden.format, golden.repairs) == ("squad", "v2.0", "squad", [])


def test_paragraphs_are_documents(golden):
    assert golden.documents == {
        "House_cat/1": Document("House_cat/1", "Cats sleep 12 to 16 hours a day. Kittens sleep more.", title="House cat"),
        "House_cat/2": Document("House_cat/2", "The purr is a soft sound.", title="House cat"),
        "Großkatze/1": Document("Großkatze/1", "Löwen schlafen bis zu 20 Stunden. 𝄞 Sie jagen nachts.", title="Großkatze"),
    }


def test_a_question_has_its_paragraph_its_answers_and_their_place(golden):
    answers = [{"text": "12 to 16 hours", "answer_start": 11}, {"text": "16 hours", "answer_start": 17}]
    metadata = {"answerable": True, "answers": answers}
    assert golden.queries["56be4db0"] == Query(
        "56be4db0", "How long do cats sleep?", metadata=metadata, expected="12 to 16 hours"
    )
    assert golden.qrels == {"56be4db0": {"House_cat/1": 1}, "56be4db1": {"House_cat/1": 1}, "7": {"Großkatze/1": 1}}
    assert golden.spans == {
        "56be4db0": [Span("House_cat/1", 11, 25, text="12 to 16 hours")],
        "7": [Span("Großkatze/1", 46, 52, text="nachts")],
    }
    for spans in golden.spans.values():
        assert all(golden.documents[one.doc_id].text[one.start : one.end] == one.text for one in spans)


def test_an_impossible_question_has_no_answer(golden):
    query = golden.queries["56be4db1"]
    plausible = [{"text": "12 to 16 hours", "answer_start": 11}]
    assert (query.expected, query.metadata) == (None, {"plausible_answers": plausible, "answerable": False})
    wanted = expected_answers(golden.queries)
    assert {name: one.references for name, one in wanted.items()} == {
        "56be4db0": ("12 to 16 hours", "16 hours"),
        "56be4db1": (),
        "7": ("nachts",),
    }


def test_answers_are_scored_against_it(golden):
    replies = {"56be4db0": "16 hours", "56be4db1": None, "7": "am Tag"}
    answers = [{"query_id": query, "answer": text} for query, text in replies.items()]
    result = assay.evaluate_answers(answers, golden, ["answer_exact", "abstention_accuracy"])
    assert result.scores("answer_exact")["56be4db0"] == 1
    assert result.scores("answer_exact")["7"] == 0
    assert (result["abstention_accuracy"], result.scores("abstention_accuracy")["56be4db1"]) == (1, 1)


def test_retrieval_is_scored_by_paragraph_and_by_place(golden):
    result = assay.run(golden, "oracle", ["recall@1", "span_recall@1"])
    assert (result["recall@1"], result["span_recall@1"]) == (1, 1)
    assert result.relevance["strategy_used"] == "qrels"


# What may be otherwise


def test_the_example_reads(tmp_path):
    found = load_dataset(write(tmp_path / "cats.json", EXAMPLE))
    assert (found.format, len(found.queries), found.repairs) == ("squad", 2, [])


@pytest.mark.parametrize("pack", [bytes, gzip.compress, BOM.__add__])
def test_packed_files(tmp_path, pack):
    path = write(tmp_path / ("a.json.gz" if pack is gzip.compress else "a.json"), pack(json.dumps(squad(QUESTION)).encode()))
    assert load_dataset(path).qrels == {"q": {"Pets/1": 1}}


def test_a_bare_list_of_articles_is_recognised(tmp_path):
    found = load_dataset(write(tmp_path / "a.json", json.dumps(squad(QUESTION)["data"])))
    assert (found.format, found.version, found.qrels) == ("squad", "1.0", {"q": {"Pets/1": 1}})


def test_version_1_says_nothing_of_impossible_questions(tmp_path):
    query, spans, noted = question(tmp_path)
    assert (query.metadata, spans, noted) == ({"answers": [ANSWER]}, [Span("Pets/1", 11, 18, text="all day")], [])


def test_articles_of_one_title_go_on_counting(tmp_path):
    content = squad(QUESTION)
    content["data"] += squad({**QUESTION, "id": "r"})["data"]
    found = read(tmp_path, content)
    assert found.qrels == {"q": {"Pets/1": 1}, "r": {"Pets/2": 1}}


def test_without_title_or_id_things_are_called_by_their_number(tmp_path):
    content = squad({**QUESTION, "id": None}, {**QUESTION, "id": ""}, title=" ")
    found = read(tmp_path, content)
    assert found.qrels == {"article-1/1/q1": {"article-1/1": 1}, "article-1/1/q2": {"article-1/1": 1}}
    assert [(one.place, one.what) for one in found.repairs] == [("article 1", "has no title; called article-1")]
    assert found.documents["article-1/1"].title is None


def test_other_fields_go_to_the_metadata(tmp_path):
    found = read(tmp_path, squad({**QUESTION, "lang": "en", "none": None}, document_id=4))
    assert found.queries["q"].metadata == {"lang": "en", "answers": [ANSWER]}
    assert found.documents["Pets/1"].metadata == {"document_id": 4}


# Repairs and losses


@pytest.mark.parametrize("start", [0, 12, -29, 999])
def test_a_place_is_moved_to_the_only_one_that_has_the_answer(tmp_path, start):
    query, spans, noted = question(tmp_path, answers=[{"text": "all day", "answer_start": start}])
    assert spans == [Span("Pets/1", 11, 18, text="all day")]
    assert query.metadata == {"answers": [ANSWER]}
    said = f"the answer 'all day' does not stand at character {start}; it is found at 11"
    assert noted == [("Pets/1, question 1", said, False)]


@pytest.mark.parametrize(
    ("answer", "where"), [({"text": "sleep", "answer_start": 0}, "at several places"), ({"text": "Owls"}, "nowhere in")]
)
def test_a_place_in_doubt_is_lost_and_the_answer_stays(tmp_path, answer, where):
    query, spans, ((_, what, is_loss),) = question(tmp_path, answers=[answer])
    assert (query.expected, spans, is_loss) == (answer["text"], None, True)
    assert query.metadata == {"answers": [{"text": answer["text"]}]}
    assert f"and is found {where}" in what


def test_an_impossible_question_with_answers_has_none(tmp_path):
    query, spans, noted = question(tmp_path, is_impossible=True)
    assert (query.expected, query.metadata, spans) == (None, {"answerable": False}, None)
    assert noted[0][1:] == ("is impossible, and has answers all the same, which are left out", False)


def test_a_question_without_answers_is_told(tmp_path):
    query, _, noted = question(tmp_path, answers=[])
    assert (query.expected, query.metadata, noted[0][2]) == (None, None, True)


# Faults


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"question": None}, "expected the question as text, found None"),
        ({"is_impossible": "no"}, "is_impossible is true or false, not 'no'"),
        ({"answers": "all day"}, "expected answers to be a list, found 'all day'"),
        ({"answers": ["all day"]}, "expected an answer with text and answer_start, found 'all day'"),
        ({"answers": [{"text": " "}]}, "expected an answer with text and answer_start, found {'text': ' '}"),
        ({"answers": [{"text": "a", "answer_start": 1.5}]}, "answer_start is a whole number, not 1.5"),
        ({"id": [1]}, "[1]"),
    ],
)
def test_a_fault_names_its_question(tmp_path, fields, says):
    (said,) = complaints(tmp_path, {**QUESTION, **fields})
    assert said.startswith("pets.json: Pets/1, question 1: ")
    assert says in said


def test_faults_are_told_together(tmp_path):
    assert complaints(tmp_path, QUESTION, QUESTION, 3) == [
        "pets.json: Pets/1, question 2: question q appears twice; each needs an id of its own",
        "pets.json: Pets/1, question 3: expected an object with question, id and answers, found 3",
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({"data": 1}, "expected a list of articles under data, found 1"),
        ({"data": [1]}, "article 1: expected an object with a list of paragraphs, found 1"),
        ({"data": [{"title": "a", "paragraphs": [1]}]}, "a/1: expected an object with context as text and qas, found 1"),
        ({"data": [{"title": "a", "paragraphs": [{"context": "", "qas": 1}]}]}, "expected qas to be a list of questions"),
        ({"data": []}, "quer"),
    ],
)
def test_a_fault_of_the_whole(tmp_path, content, says):
    (said,) = faults(read_squad, write(tmp_path / "pets.json", json.dumps(content)))
    assert says in said


def test_no_json_is_told(tmp_path):
    (said,) = faults(read_squad, write(tmp_path / "pets.json", "{"))
    assert said.startswith("pets.json")


# Anything that is SQuAD


@st.composite
def contents(draw):
    """A file as SQuAD has it, with what should come out of it: question → paragraph, expected answer, place."""
    n_paragraphs, articles, wanted = 0, [], {}
    for title in draw(st.lists(WORDS, min_size=1, max_size=3, unique=True)):
        paragraphs = []
        for number in range(draw(st.integers(1, 2))):
            context, qas = draw(st.text("abc äß日𝄞", min_size=1, max_size=20)), []
            for _ in range(draw(st.integers(0 if n_paragraphs else 1, 2))):
                name = f"q{len(wanted)}"
                start = draw(st.integers(0, len(context) - 1))
                text = context[start : draw(st.integers(start + 1, len(context)))]
                answers = [{"text": text, "answer_start": start}] if text.strip() else []
                qas.append({"id": name, "question": draw(TEXTS), "answers": answers, "is_impossible": not answers})
                wanted[name] = (f"{title}/{number + 1}", text if answers else None, start)
            n_paragraphs += 1
            paragraphs.append({"context": context, "qas": qas})
        articles.append({"title": title, "paragraphs": paragraphs})
    return {"version": "v2.0", "data": articles}, n_paragraphs, wanted


@given(contents())
def test_nothing_is_lost_on_the_way_in_nor_to_another_format(tmp_path_factory, made):
    content, n_paragraphs, wanted = made
    folder = tmp_path_factory.mktemp("squad")
    found = load_dataset(write(folder / "a.json", json.dumps(content)))
    assert (found.format, found.repairs, len(found.documents)) == ("squad", [], n_paragraphs)
    assert found.qrels == {query: {doc: 1} for query, (doc, _, _) in wanted.items()}
    for query, (doc, text, start) in wanted.items():
        assert found.queries[query].expected == text
        assert found.spans.get(query) == (None if text is None else [Span(doc, start, start + len(text), text=text)])
    find_format("json").save(found, folder / "b.json")
    again = load_dataset(folder / "b.json", "json")
    assert_same_content(again, found)
    assert again.spans == found.spans
