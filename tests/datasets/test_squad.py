"""squad: paragraphs are documents, each question has its own, and answers and their places are kept."""

import json

from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import Span
from assay.datasets import load_dataset
from assay.evaluation import expected_answers

from ._benchmarks import SAMPLES, TEXTS, WORDS, assert_same_content
from ._cases import write


def test_answers_and_retrieval_are_scored():
    golden = load_dataset(SAMPLES / "squad.json")
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
