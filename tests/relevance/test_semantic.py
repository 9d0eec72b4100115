"""semantic: cosines worked out by hand, the model in the wheel, what is embedded, and what data may not load."""

import json
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import BenchmarkDataset, Document, Hit, Query
from assay.cli import main
from assay.embeddings import embed, load_model, register_model
from assay.errors import BadParameter, UsageError
from assay.execution import WrittenPlan, make_plan
from assay.grammar import WrittenName
from assay.relevance import parse_resolver, resolve

from ._cases import grades_by_text, ground, grounds

BY_HAND = {"gold": (1, 0), "four-five": (4, 3), "three-five": (3, 4), "twice": (2, 0), "across": (0, 1), "against": (-1, 0)}
"""Text → its vector. With gold, the cosines are 4 ÷ 5, 3 ÷ 5, 1, 0 and -1."""


@pytest.fixture
def by_hand():
    """A model with the vectors above, and the texts that it was asked for."""
    asked = []

    def vectors(texts):
        asked.extend(texts)
        return [BY_HAND[text] for text in texts]

    register_model("by hand", vectors)
    return asked


def semantic(threshold, model="by hand"):
    return WrittenName(f"semantic(threshold={threshold}, model='{model}')")


def hits(*texts):
    return [Hit(text, -float(place), text) for place, text in enumerate(texts)]


def test_cosines_by_hand(by_hand):
    made = ground(Query("q", expected="gold"), hits(*BY_HAND))
    for threshold, relevant in (
        ("1", {"gold", "twice"}),
        ("0.8000001", {"gold", "twice"}),
        ("0.8", {"gold", "twice", "four-five"}),
        ("0.7999999", {"gold", "twice", "four-five"}),
        ("0.6", {"gold", "twice", "four-five", "three-five"}),
        ("0.6000001", {"gold", "twice", "four-five"}),
        ("0", {"gold", "twice", "four-five", "three-five", "across"}),
    ):
        grades = resolve(made, semantic(threshold)).qrels["q"]
        assert {doc for doc, grade in grades.items() if grade} == relevant, threshold
        assert set(grades.values()) <= {0, 1}
    assert sorted(by_hand) == sorted(BY_HAND), "each text is embedded once, also for seven thresholds"


def test_relevant_documents_are_counted_in_the_scope(by_hand):
    query = Query("q", expected="gold", scope="mine")
    made = ground(
        query,
        ["a"],
        documents={"a": "across", "b": "four-five", "c": "twice", "d": "", "e": "gold"},
        scopes={"mine": ["a", "b", "c", "d"], "theirs": ["e"]},
    )
    resolved = resolve(made, semantic(0.8))
    assert resolved.qrels["q"] == {"a": 0, "b": 1, "c": 1}
    assert dict(resolved.counted_over) == {"scope": 1}
    assert resolved.settings == {"semantic_threshold": 0.8, "semantic_model": "by hand"}
    chunks = resolve(ground(query, hits("three-five", "twice"), documents={"a": "across"}), semantic(0.8))
    assert (chunks.qrels["q"], dict(chunks.counted_over)) == ({"three-five": 0, "twice": 1}, {"retrieved": 1})


def test_hits_without_text_are_not_relevant(by_hand):
    made = ground(Query("q", expected="gold"), [Hit("a"), Hit("b", 0.0, ""), Hit("c", 0.0, " ")])
    assert resolve(made, semantic(0.1)).qrels["q"] == {"a": 0, "b": 0, "c": 0}


def cosine_of_wordllama(wanted, text):
    a, b = embed(load_model("test", "wordllama"), [wanted, text]).astype(float)
    return float(a @ b)


PARAPHRASES = (
    ("Paris is the capital of France.", "Paris is the capital and most populous city of France..."),
    ("The meeting was moved to Friday.", "They rescheduled the meeting for Friday"),
    ("The cat sleeps on the sofa", "A kitten is napping on the couch"),
    ("She bought a car last year", "Last year she purchased an automobile"),
    ("THE COMPANY FIRED 200 EMPLOYEES", "200 workers were laid off by the firm"),
    ("He bought a car.", "John purchased an automobile."),
)
UNRELATED = ("Interest rates rose by two percent", "Water the cactus once a month", "The train leaves at nine", "…")


def test_paraphrases_are_relevant_and_other_texts_are_not():
    for expected, paraphrase in PARAPHRASES:
        texts = (paraphrase, *UNRELATED)
        grades = resolve(ground(Query("q", expected=expected), hits(*texts)), "semantic").qrels["q"]
        assert {text for text, grade in grades.items() if grade} == {paraphrase}, expected
    expected, paraphrase = PARAPHRASES[5]
    assert resolve(ground(Query("q", expected=expected), hits(paraphrase)), "token").qrels["q"] == {paraphrase: 0}


@given(made=grounds(), threshold=st.sampled_from([0.2, 0.5, 0.9, 1.0]))
def test_grades_are_those_of_numpy(made, threshold):
    resolved = resolve(made, f"semantic(threshold={threshold})")
    for query in made.queries.values():
        expected = grades_by_text(made, query, lambda *texts: cosine_of_wordllama(*texts) + 1e-6, threshold)
        least = grades_by_text(made, query, lambda *texts: cosine_of_wordllama(*texts) - 1e-6, threshold)
        judged = resolved.qrels[query.query_id]
        assert {doc for doc, grade in least.items() if grade} <= {doc for doc, grade in judged.items() if grade}
        assert {doc for doc, grade in judged.items() if grade} <= {doc for doc, grade in expected.items() if grade}


@given(st.lists(st.lists(st.integers(-9, 9), min_size=3, max_size=3), min_size=1, max_size=8), st.integers(0, 20))
def test_grades_are_those_of_numpy_for_any_vectors(rows, twentieths):
    matrix, threshold = np.array(rows, dtype=float), twentieths / 20
    names = [f"text {number}" for number in range(len(rows))]
    register_model("drawn", lambda texts: [matrix[int(text.split()[1])] for text in texts])
    documents = dict(zip(names, names, strict=True))
    judged = resolve(ground(Query("q", expected=names[0]), names[:2], documents=documents), semantic(threshold, "drawn"))
    lengths = np.linalg.norm(matrix, axis=1)
    with np.errstate(invalid="ignore"):
        cosines = np.nan_to_num(matrix @ matrix[0] / (lengths * lengths[0]))
    if (np.abs(cosines - threshold) < 1e-9).any() and threshold not in (0, 1):
        return
    relevant = {name for name, grade in judged.qrels["q"].items() if grade}
    assert relevant == {name for name, cosine in zip(names, cosines, strict=True) if cosine >= threshold - 1e-9}


def test_more_documents_than_a_block_has():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(20_000, 4))
    register_model("many", lambda texts: matrix[[int(text) for text in texts]])
    documents = {str(number): str(number) for number in range(len(matrix))}
    queries = [Query(f"q{number}", expected=str(number)) for number in range(600)]
    resolved = resolve(ground(queries, {}, documents=documents), semantic(0.99, "many"))
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    for number in (0, 511, 512, 599):
        near = {str(row) for row in np.flatnonzero(unit @ unit[number] >= 0.99)}
        assert {doc for doc, grade in resolved.qrels[f"q{number}"].items() if grade} == near


def test_what_a_model_must_not_return(snapshots):
    faults = {
        "too few rows": lambda texts: [[1, 0]],
        "no matrix": lambda texts: [1.0 for _ in texts],
        "rows of different lengths": lambda texts: [[1.0], [1.0, 2.0]][: len(texts)],
        "no numbers": lambda texts: ["vector" for _ in texts],
        "not finite": lambda texts: [[float("nan")] for _ in texts],
    }
    made = ground([Query("q", expected="a"), Query("r", expected="b")], {"q": hits("b", "c"), "r": hits("c")})
    cases = {}
    for name, vectors in faults.items():
        register_model(name, vectors)
        cases[name] = lambda name=name: resolve(made, semantic(0.5, name))
    cases["a name that is taken"] = lambda: register_model("wordllama", len)
    snapshots.check_errors("relevance/embedding_models", cases)


def test_a_model_that_data_names_is_not_loaded(monkeypatch, by_hand):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    for text in ("semantic(model=some/model)", "semantic(model='by hand')"):
        with pytest.raises(BadParameter, match="accepted only in text that you write"):
            parse_resolver(text)
        with pytest.raises(BadParameter, match="accepted only in text that you write"):
            make_plan({"benchmarks": "rag-template", "providers": "bm25", "relevance": text})
    with pytest.raises(BadParameter, match="accepted only in text that you write"):
        parse_resolver("semantic", model="some/model")
    assert parse_resolver("semantic(model=wordllama)").params["model"] == "wordllama"
    for relevance in (semantic(0.5), {"by": semantic(0.5), "unit": "document"}):
        plan = make_plan(WrittenPlan({"benchmarks": "rag-template", "providers": "bm25", "relevance": relevance}))
        assert parse_resolver(plan.relevance.by).params["model"] == "by hand"
        assert type(plan.describe()["relevance"]["by"]) is str


def test_a_missing_package_is_an_error_with_its_command(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    for package, text, extra in (
        ("wordllama", "semantic", "dense"),
        ("sentence_transformers", "semantic(model=some/model)", "sentence-transformers"),
    ):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(UsageError, match=rf"relevance semantic.* needs the package .*pip install 'assay-ir\[{extra}\]'"):
            parse_resolver(WrittenName(text))
        words = ["eval", "--benchmarks", "rag-template", "--providers", "bm25", "--relevance", text, "--quiet", "--no-store"]
        assert main(words) == 2
        assert f"pip install 'assay-ir[{extra}]'" in capsys.readouterr().err


def facts():
    dataset = BenchmarkDataset("Facts", "1.0")
    for doc, text in DOCUMENTS_OF_FACTS.items():
        dataset.add_document(Document(doc, text))
    dataset.add_query(Query("q1", "Where is the cat?", expected="The cat sleeps on the sofa"))
    return dataset


DOCUMENTS_OF_FACTS = {"d1": "Interest rates rose by two percent", "d2": "A kitten is napping on the couch"}


def test_every_way_in(by_hand, tmp_path, monkeypatch, capsys):
    """Python, plans, and the command line."""
    run, metrics = {"q1": ["d1", "d2"]}, ["mrr", "recall@1"]
    result = assay.evaluate(facts(), run, metrics, relevance="semantic")
    assert result.summary["mrr"] == 0.5
    assert (result.relevance["strategy_used"], result.relevance["semantic_threshold"]) == ("semantic", 0.5)
    strict = assay.evaluate(facts(), run, metrics, relevance=assay.Relevance("semantic", defaults={"threshold": 0.9}))
    assert strict.summary["mrr"] == 0.0
    register_model("mine", lambda texts: [(1, 0) if "kitten" in text or "cat" in text else (0, 1) for text in texts])
    mine = "semantic(model=mine, threshold=1)"
    for relevance in (mine, assay.Relevance(mine)):
        assert assay.evaluate(facts(), run, metrics, relevance=relevance).summary["mrr"] == 0.5
        compared = assay.compare(facts(), {"a": run, "b": {"q1": ["d2"]}}, "mrr", relevance=relevance)
        assert compared.best("mrr") == "b"
    assert assay.run(facts(), lambda text, k: ["d1", "d2"], "mrr", relevance=mine)["mrr"] == 0.5
    monkeypatch.chdir(tmp_path)
    facts().save(tmp_path / "facts.json")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 9 a\nq1 Q0 d2 2 8 a\n", "utf-8")
    words = {"--dataset": "facts.json", "--run": "a.run", "-m": "mrr", "--relevance": "semantic(threshold=0.4)"}
    assert main(["score", *(word for option in words.items() for word in option)]) == 0
    printed = capsys.readouterr().out
    assert "relevance: semantic (cosine ≥ 0.4)" in printed
    assert "0.5000" in printed
    (tmp_path / "plan.yaml").write_text(
        "benchmarks: [facts.json]\nproviders: [bm25]\nmetrics: [mrr]\nrelevance: semantic(threshold=0.4)\n", "utf-8"
    )
    assert main(["eval", "plan.yaml", "--quiet", "--no-store", "-f", "json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)["results"]
    assert entry["relevance"]["semantic_model"] == "wordllama"


def test_results_with_other_thresholds_are_not_compared():
    results = {
        str(threshold): assay.evaluate(facts(), {"q1": ["d1", "d2"]}, "mrr", relevance=f"semantic(threshold={threshold})")
        for threshold in (0.4, 0.5)
    }
    with pytest.raises(assay.DataError, match=r"semantic threshold of relevance is 0\.4 for 0\.4 and 0\.5 for 0\.5"):
        assay.compare(None, results, "mrr")
