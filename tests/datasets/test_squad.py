"""squad: paragraphs are documents, each question has its own, and answers and their places are kept."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import Document, Query, Span
from assay.datasets import load_dataset
from assay.evaluation import expected_answers

from ._benchmarks import SAMPLES, TEXTS, WORDS, assert_same_content
from ._cases import write
from ._faults import SQUAD_ANSWER, SQUAD_QUESTION, squad
from ._files import put


@pytest.fixture(scope="module")
def golden():
    return load_dataset(SAMPLES / "squad.json")


def load(folder, content):
    return load_dataset(put(folder / "pets.json", content), "squad")


def question(folder, **fields):
    """The only question of a file, its spans, and what was noted."""
    dataset = load(folder, squad({**SQUAD_QUESTION, **fields}))
    (query,) = dataset.queries.values()
    return query, dataset.spans.get(query.query_id), [(one.place, one.what, one.is_loss) for one in dataset.repairs]


def test_the_sample(golden):
    assert (golden.name, golden.version, golden.repairs) == ("squad", "v2.0", [])
    assert golden.documents == {
        "House_cat/1": Document("House_cat/1", "Cats sleep 12 to 16 hours a day. Kittens sleep more.", title="House cat"),
        "House_cat/2": Document("House_cat/2", "The purr is a soft sound.", title="House cat"),
        "Großkatze/1": Document("Großkatze/1", "Löwen schlafen bis zu 20 Stunden. 𝄞 Sie jagen nachts.", title="Großkatze"),
    }
    answers = [{"text": "12 to 16 hours", "answer_start": 11}, {"text": "16 hours", "answer_start": 17}]
    assert golden.queries["56be4db0"] == Query(
        "56be4db0",
        "How long do cats sleep?",
        metadata={"answerable": True, "answers": answers},
        expected="12 to 16 hours",
    )
    assert golden.qrels == {"56be4db0": {"House_cat/1": 1}, "56be4db1": {"House_cat/1": 1}, "7": {"Großkatze/1": 1}}
    assert golden.spans == {
        "56be4db0": [Span("House_cat/1", 11, 25, text="12 to 16 hours")],
        "7": [Span("Großkatze/1", 46, 52, text="nachts")],
    }
    impossible = golden.queries["56be4db1"]
    plausible = {"plausible_answers": [{"text": "12 to 16 hours", "answer_start": 11}], "answerable": False}
    assert (impossible.expected, impossible.metadata) == (None, plausible)


def test_answers_and_retrieval_are_scored(golden):
    wanted = {name: one.references for name, one in expected_answers(golden.queries).items()}
    assert wanted == {"56be4db0": ("12 to 16 hours", "16 hours"), "56be4db1": (), "7": ("nachts",)}
    replies = {"56be4db0": "16 hours", "56be4db1": None, "7": "am Tag"}
    answers = [{"query_id": query, "answer": text} for query, text in replies.items()]
    result = assay.evaluate_answers(answers, golden, ["answer_exact", "abstention_accuracy"])
    exact = result.scores("answer_exact")
    assert (exact["56be4db0"], exact["7"]) == (1, 0)
    assert (result["abstention_accuracy"], result.scores("abstention_accuracy")["56be4db1"]) == (1, 1)
    found = assay.run(golden, "oracle", ["recall@1", "span_recall@1"])
    assert (found["recall@1"], found["span_recall@1"]) == (1, 1)
    assert found.relevance["strategy_used"] == "qrels"


def test_what_may_be_otherwise(tmp_path):
    found = load_dataset(put(tmp_path / "a.json", squad(SQUAD_QUESTION)["data"]))  # a bare list of articles
    assert (found.format, found.version, found.qrels) == ("squad", "1.0", {"q": {"Pets/1": 1}})
    query, spans, noted = question(tmp_path)  # version 1 says nothing of impossible questions
    assert (query.metadata, spans, noted) == ({"answers": [SQUAD_ANSWER]}, [Span("Pets/1", 11, 18, text="all day")], [])
    content = squad(SQUAD_QUESTION)
    content["data"] += squad({**SQUAD_QUESTION, "id": "r"})["data"]
    assert load(tmp_path, content).qrels == {"q": {"Pets/1": 1}, "r": {"Pets/2": 1}}
    found = load(tmp_path, squad({**SQUAD_QUESTION, "lang": "en", "none": None}, document_id=4))
    assert found.queries["q"].metadata == {"lang": "en", "answers": [SQUAD_ANSWER]}
    assert found.documents["Pets/1"].metadata == {"document_id": 4}


def test_without_title_or_id_things_are_called_by_their_number(tmp_path):
    found = load(tmp_path, squad({**SQUAD_QUESTION, "id": None}, {**SQUAD_QUESTION, "id": ""}, title=" "))
    assert found.qrels == {"article-1/1/q1": {"article-1/1": 1}, "article-1/1/q2": {"article-1/1": 1}}
    assert [(one.place, one.what) for one in found.repairs] == [("article 1", "has no title; called article-1")]
    assert found.documents["article-1/1"].title is None


def test_a_place_is_moved_to_the_only_one_that_has_the_answer(tmp_path):
    for start in (0, 12, -29, 999):
        query, spans, noted = question(tmp_path, answers=[{"text": "all day", "answer_start": start}])
        assert spans == [Span("Pets/1", 11, 18, text="all day")]
        assert query.metadata == {"answers": [SQUAD_ANSWER]}
        said = f"the answer 'all day' does not stand at character {start}; it is found at 11"
        assert noted == [("Pets/1, question 1", said, False)]


def test_a_place_in_doubt_is_lost_and_the_answer_stays(tmp_path):
    answers = {"at several places": {"text": "sleep", "answer_start": 0}, "nowhere in": {"text": "Owls"}}
    for where, answer in answers.items():
        query, spans, ((_, what, is_loss),) = question(tmp_path, answers=[answer])
        assert (query.expected, spans, is_loss) == (answer["text"], None, True)
        assert query.metadata == {"answers": [{"text": answer["text"]}]}
        assert where in what


def test_questions_that_contradict_themselves_are_told(tmp_path):
    query, spans, noted = question(tmp_path, is_impossible=True)
    assert (query.expected, query.metadata, spans) == (None, {"answerable": False}, None)
    assert noted[0][1:] == ("is impossible, and has answers all the same, which are left out", False)
    query, _, noted = question(tmp_path, answers=[])
    assert (query.expected, query.metadata, noted[0][2]) == (None, None, True)


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
def test_nothing_is_lost_on_the_way_in_nor_to_another_format(folder, made):
    content, n_paragraphs, wanted = made
    found = load_dataset(write(folder / "a.json", json.dumps(content)))
    assert (found.format, found.repairs, len(found.documents)) == ("squad", [], n_paragraphs)
    assert found.qrels == {query: {doc: 1} for query, (doc, _, _) in wanted.items()}
    for query, (doc, text, start) in wanted.items():
        assert found.queries[query].expected == text
        assert found.spans.get(query) == (None if text is None else [Span(doc, start, start + len(text), text=text)])
    found.save_json(folder / "b.json")
    again = load_dataset(folder / "b.json", "json")
    assert_same_content(again, found)
    assert again.spans == found.spans
