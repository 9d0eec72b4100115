"""hotpotqa: paragraphs are documents, supporting facts are judgments and spans, and the setting decides what is searched."""

import json

import pytest

import assay
from assay import AssayError, DataError, Span
from assay.cli import main
from assay.datasets import detect_format, load_dataset

from ._benchmarks import SAMPLES, assert_same_content
from ._cases import write
from ._files import put

HOTPOT = SAMPLES / "hotpotqa"
SLEEP, FLAG = "5a8b57f25542995d1e6f1371", "5a8c7595554299585d9e36b6"


def question(name="q", **fields):
    context = [["A", ["One.", " Two."]], ["B", ["Three."]]]
    return {"_id": name, "question": "?", "answer": "!", "supporting_facts": [["A", 1]], "context": context, **fields}


def test_a_question_of_the_distractor_setting_searches_its_own_paragraphs():
    found = load_dataset(HOTPOT / "hotpot_dev_distractor.json")
    assert (found.metadata, found.repairs, found.retrieved) == ({"setting": "distractor"}, [], {})
    assert found.qrels == {SLEEP: {f"{SLEEP}/Cat": 1, f"{SLEEP}/Lion": 1}, FLAG: {f"{FLAG}/Bern": 1}}
    assert {query: len(list(found.in_scope(one))) for query, one in found.queries.items()} == {SLEEP: 3, FLAG: 3}
    query, lion = found.queries[SLEEP], found.documents[f"{SLEEP}/Lion"]
    assert (query.expected, query.query_type, query.difficulty, query.scope) == ("a lion", "comparison", "hard", SLEEP)
    assert (lion.title, lion.text) == ("Lion", "Lions are large cats. Lions sleep up to 20 hours a day.")
    facts = {span.text: lion.text[span.start : span.end] for span in found.spans[SLEEP][1:]}
    assert facts == {"Lions sleep up to 20 hours a day.": "Lions sleep up to 20 hours a day."}
    result = assay.run(found, "oracle", ["recall@2", "span_recall@2"])
    assert (result["recall@2"], result["span_recall@2"]) == (1, 1)


def test_paragraphs_of_the_fullwiki_setting_are_what_a_retriever_returned():
    found = load_dataset(HOTPOT / "hotpot_dev_fullwiki.json")
    assert found.metadata == {"setting": "fullwiki"}
    assert found.retrieved == {SLEEP: ["Dog", "Cat"], FLAG: ["Bern", "Dog"]}
    assert found.qrels == {SLEEP: {"Cat": 1, "Lion": 1}, FLAG: {"Bern": 1}}  # Lion is not in the file, and stays relevant
    assert (sorted(found.documents), {query.scope for query in found.queries.values()}) == (["Bern", "Cat", "Dog"], {None})
    result = assay.run(found, "oracle", "recall@2")
    assert result["recall@2"] == pytest.approx(0.75)
    assert [note[-1] for note in result.notes if note.startswith("hotpotqa")] == ["."]


def test_questions_of_the_test_set_are_unjudged():
    found = load_dataset(HOTPOT / "hotpot_test_fullwiki.json")
    assert (found.format, found.qrels, found.spans, len(found.documents)) == ("hotpotqa", {}, {}, 2)
    assert found.queries["t1"].expected is None


@pytest.mark.parametrize("name", ["validation.jsonl", "validation.parquet"])
def test_columns_of_hugging_face_are_the_same(tmp_path, name):
    rows = [json.loads(line) for line in (HOTPOT / "validation.jsonl").read_text(encoding="utf-8").splitlines()]
    found, wanted = load_dataset(put(tmp_path / name, rows)), load_dataset(HOTPOT / "hotpot_dev_distractor.json")
    assert_same_content(found, wanted)
    assert (found.spans, found.metadata) == (wanted.spans, wanted.metadata)
    wiki = load_dataset(put(tmp_path / "fullwiki" / name, rows))
    assert (wiki.metadata, len(wiki.documents)) == ({"setting": "fullwiki"}, 5)  # Dog is one document


def test_a_few_missing_paragraphs_do_not_change_the_setting(tmp_path):
    rows = [question(f"q{number}") for number in range(9)] + [question("odd", supporting_facts=[["C", 0], ["A", 7]])]
    found = load_dataset(write(tmp_path / "h.json", json.dumps(rows)))
    assert found.metadata == {"setting": "distractor"}
    assert found.qrels["odd"] == {"odd/C": 1, "odd/A": 1}
    assert found.spans["q0"] == [Span("q0/A", 5, 9, text="Two.")]
    assert "odd" not in found.spans
    assert [one.is_loss for one in found.repairs] == [True]  # there is no sentence 7
    found = load_dataset(write(tmp_path / "h.json", json.dumps(rows[-2:])))
    assert found.metadata == {"setting": "fullwiki"}


def test_one_title_with_two_texts_is_told(tmp_path):
    rows = [question("a"), question("b", context=[["A", ["Other."]]])]
    found = load_dataset(write(tmp_path / "fullwiki.json", json.dumps(rows)))
    assert (found.documents["A"].text, [one.is_loss for one in found.repairs]) == ("One. Two.", [True, True])


def test_faults_say_where_and_what(snapshots, tmp_path):
    cases = {
        "no question": [question(question=None)],
        "no id": [question(_id=None)],
        "twice": [question(), question()],
        "a context that is none": [question(), question("r", context="A")],
        "a paragraph that is none": [question(context=[["A", "One."]])],
        "two texts": [question(context=[["A", ["x"]], ["A", ["y"]]])],
        "lists of two lengths": [question(context={"title": ["A"], "sentences": []})],
        "a fact that is none": [question(supporting_facts=[["A", "0"]])],
        "no questions": [],
        "not records": [1],
    }

    def refused(rows):
        return lambda: load_dataset(write(tmp_path / "hotpot.json", json.dumps(rows)), "hotpotqa")

    snapshots.check_errors("datasets/faults_of_hotpotqa", {case: refused(rows) for case, rows in cases.items()})


def test_it_is_not_taken_for_another_format(tmp_path):
    context = [{"title": "A", "sentences": ["One."]}]
    assert detect_format(write(tmp_path / "a.json", json.dumps([question(context=context)]))).name == "hotpotqa"
    for fields in ({"context": ["One."]}, {"context": "One."}, {"context": []}):
        rows = [{"_id": "q", "question": "?", "answer": "!", **fields}]
        assert detect_format(write(tmp_path / "b.json", json.dumps(rows))).name == "rag_template"
        with pytest.raises(DataError):
            detect_format(write(tmp_path / "c.json", json.dumps([{**rows[0], "supporting_facts": [["A", 0]]}])))


def test_a_table_in_one_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = str(HOTPOT / "hotpot_dev_distractor.json")
    assert main(["datasets", "check", path]) == 0
    assert main(["eval", "--benchmarks", path, "--providers", "bm25", "-m", "recall@2", "--by", "type"]) == 0
    printed = capsys.readouterr().out
    assert "bridge" in printed
    assert "comparison" in printed
    with pytest.raises(AssayError):
        load_dataset(f"{path}:dev")
