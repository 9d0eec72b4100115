"""Judges on this machine, their names, prompts and pools."""

import json
import sys
import types
from pathlib import Path
from typing import NamedTuple

import pytest

import assay
from assay.errors import AssayError, BadParameter, DataError, ProviderError, UnknownName
from assay.grammar import WrittenName
from assay.judges import (
    AskOptions,
    Pair,
    PairPool,
    all_judges,
    conflict_notes,
    load_prompt,
    parse_judge,
    parse_prompt,
    read_pool,
    run_judge,
    score_pairs,
    shipped_prompts,
    to_judge,
    to_pool,
)
from assay.store import digest_of_text

from ._stub import pairs_of


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def graded(judge, pairs=None, **options):
    settings = {"send": True, "backoff": 0.001, "retries": 1, **options}
    return run_judge(PairPool(tuple(pairs or pairs_of(4))), to_judge(judge), AskOptions(**settings))


def grades_of(run) -> list[float]:
    return [judgment.grade for judgment in run.judgments]


# Names


def test_all_judges_are_there():
    assert set(all_judges()) == {"openai", "cross_encoder", "words", "python", "command", "replay", "panel"}


@pytest.mark.parametrize(
    "text",
    [
        "openai(model=m, url=http://127.0.0.1:1/v1)",
        "python:os:getcwd",
        "command('rm x')",
        "replay(grades.jsonl)",
        "cross_encoder(model=m)",
        "panel(words, python:os:getcwd)",
    ],
)
def test_only_what_the_user_wrote_names_code_files_and_hosts(text):
    with pytest.raises(BadParameter, match="that you write yourself"):
        parse_judge(text)
    assert parse_judge(WrittenName(text))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("opnai(model=m)", "openai"),
        ("openai", "needs model"),
        ("openai(modl=m)", "model"),
        ("openai(model=m, url=nowhere)", "address"),
        ("openai(model=m, extra='[1]')", "JSON object"),
        ("openai(model=m, temperature=hot)", "none"),
        ("openai:m", "brackets"),
        ("panel(words)", "two judges"),
        ("words(a=1)", "no parameters"),
        ("openai(model=m", "not a judge"),
    ],
)
def test_a_typo_is_explained(text, what):
    with pytest.raises(AssayError, match=what):
        to_judge(text)


def test_a_key_in_the_text_is_never_shown():
    bound = to_judge("openai(model=m, url='http://user:pass-word-1@127.0.0.1:9/v1', key=sk-very-secret-77)")
    shown = f"{bound.name} {bound.settings} {bound.preview(pairs_of(1)[0])}"
    assert "sk-very-secret-77" not in shown
    assert "pass-word-1" not in shown
    (note, other) = run_judge(PairPool(tuple(pairs_of(1))), bound, AskOptions()).notes
    assert "openai: url contains a secret" in note
    assert "openai: key contains a secret" in other
    with pytest.raises(BadParameter) as error:
        to_judge("openai(model=m, key='sk-very-secret-77)")
    assert "sk-very" not in str(error.value)


def test_the_same_judge_twice_is_not_a_panel():
    with pytest.raises(BadParameter, match="the same"):
        to_judge("panel(python:tests.judges._mine:three, python:tests.judges._mine:three)").check()


# Judges on this machine


def test_functions_of_a_user():
    assert grades_of(graded("python:tests.judges._mine:three")) == [3, 3, 3, 3]
    reasons = graded("python:tests.judges._mine:two_with_a_reason").judgments
    assert {(judgment.grade, judgment.reason) for judgment in reasons} == {(2, f"question {n} fits") for n in range(4)}
    assert grades_of(graded("python:tests.judges._mine:later")) == [1, 1, 1, 1]
    some = graded("python:tests.judges._mine:as_map")
    assert (grades_of(some), [pair.document for pair in some.ungraded]) == ([1, 1, 1], ["d1"])
    broken = graded("python:tests.judges._mine:broken")
    assert (broken.judgments, len(broken.ungraded)) == ((), 4)
    assert "KeyError" in broken.ungraded[0].why
    with pytest.raises(ProviderError, match="no 'nothing'"):
        graded("python:tests.judges._mine:nothing")


def test_a_function_object_is_a_judge():
    run = assay.judge(pairs_of(3), lambda query, document: len(query) % 2, send=True)
    assert grades_of(run) == [len("question 0") % 2] * 3


def test_calls_are_cached_by_the_text():
    calls = []

    def counting(query, document):
        calls.append(document)
        return 1

    for _ in range(2):
        assay.judge(pairs_of(3), counting, send=True)
    assert len(calls) == 3
    assay.judge(pairs_of(4), counting, send=True)
    assert len(calls) == 4


PROGRAM = """
import json, sys
for line in sys.stdin:
    pair = json.loads(line)
    if "pair 2 " in pair["document"]:
        sys.exit(3)
    grade = None if "pair 1 " in pair["document"] else len(pair["query"]) % 4
    print(json.dumps({"id": pair["id"], "grade": grade, "reason": "counted"}), flush=True)
"""


def test_a_program_that_exits_loses_one_pair():
    Path("program.py").write_text(PROGRAM)
    run = graded(f"command('{sys.executable} program.py')", pairs_of(5))
    expected = len("question 0") % 4
    assert {judgment.document: judgment.grade for judgment in run.judgments} == {
        "d0": expected,
        "d3": expected,
        "d4": expected,
    }
    assert {pair.document for pair in run.ungraded} == {"d1", "d2"}
    assert any("code 3" in pair.why for pair in run.ungraded)


def test_replay_reads_grades_and_refuses_another_text():
    pairs = pairs_of(4)
    rows = [
        {
            "query": pairs[0].query,
            "document": "d0",
            "grade": 2,
            "reason": "old",
            "text_digest": digest_of_text(pairs[0].document_text),
        },
        {"query": pairs[1].query, "document": "d1", "grade": 2, "text_digest": digest_of_text("another text")},
        {"query": pairs[2].query, "document": "d2", "grade": None},
    ]
    Path("old.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = graded("replay(old.jsonl)", pairs)
    assert [(judgment.document, judgment.grade, judgment.reason) for judgment in run.judgments] == [("d0", 2.0, "old")]
    assert {pair.document: pair.why for pair in run.ungraded}.keys() == {"d1", "d2", "d3"}


def test_words_order_pairs():
    pairs = [
        Pair("q", "red apple pie", "all", "a red apple pie"),
        Pair("q", "red apple pie", "one", "red things"),
        Pair("q", "red apple pie", "none", "a blue car"),
    ]
    scores = score_pairs("words", pairs)
    assert scores["q", "all"] == pytest.approx(1.0)
    assert scores["q", "all"] > scores["q", "one"] > scores["q", "none"] == 0.0


def test_a_cross_encoder_turns_scores_into_grades(monkeypatch):
    module = types.ModuleType("sentence_transformers")
    module.__spec__ = types.SimpleNamespace(name="sentence_transformers")

    class CrossEncoder:
        def __init__(self, name):
            assert name == "tiny"

        def predict(self, texts, show_progress_bar):
            return [0.1, 0.5, 0.95, float("nan")][: len(texts)]

    module.CrossEncoder = CrossEncoder
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    run = graded("cross_encoder(model=tiny, thresholds=[0.2, 0.5, 0.9])")
    assert grades_of(run) == [0, 2, 3]
    assert len(run.ungraded) == 1


def test_a_missing_package_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ProviderError, match="pip install"):
        to_judge("cross_encoder(model=tiny)").check()


def test_votes_of_a_panel():
    names = ("three", "two_with_a_reason", "later")
    panel = ", ".join(f"python:tests.judges._mine:{name}" for name in names)
    assert grades_of(graded(f"panel({panel})")) == [2, 2, 2, 2]
    split = graded(f"panel({panel}, vote=majority)")
    assert (split.judgments, len(split.ungraded)) == ((), 4)
    lonely = graded("panel(python:tests.judges._mine:three, python:tests.judges._mine:broken)")
    assert lonely.judgments == ()


# Prompts


@pytest.mark.parametrize("name", shipped_prompts())
def test_bundled_prompts_have_their_slots_and_ask_for_json(name):
    Path("rules.txt").write_text("Manuals of old versions are 0.")
    prompt = load_prompt(name, "rules.txt" if name == "guidelines" else "")
    text = prompt.fill(Pair("q", "QUERY", "d", "DOCUMENT"), 100)
    assert "QUERY" in text
    assert "DOCUMENT" in text
    assert ("Manuals of old versions" in text) == (name == "guidelines")
    assert '{"grade"' in text
    assert len(prompt.scale) > 1


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{query} {document}", "must begin with the grades"),
        ("---\ngrades: many\n---\n{query} {document}", "must begin with the grades"),
        ("---\ngrades: 0, 1\n---\n{query}", "no slot {document}"),
        ("---\ngrades: 0, 1\n---\n{query} {document} {rank}", "unknown slot {rank}"),
    ],
)
def test_a_wrong_prompt_is_explained(text, what):
    with pytest.raises(BadParameter, match=what.replace("{", r"\{").replace("}", r"\}")):
        parse_prompt("own.md", text)


def test_the_digest_is_that_of_the_content():
    head = "---\ngrades: 0, 1\n---\n"
    one, same, other = (
        parse_prompt(name, head + text)
        for name, text in (("a", "{query}{document}"), ("b", "{query}{document}"), ("a", "{document}{query}"))
    )
    assert one.digest == same.digest != other.digest
    assert parse_prompt("a", "---\ngrades: 0, 2\n---\n{query}{document}").digest != one.digest
    with pytest.raises(UnknownName, match="graded"):
        load_prompt("grade")


# Pools


def test_a_drawn_pool_of_a_file_gets_its_texts_from_the_benchmark():
    head = {"schema": "assay.pool/1", "id": "abc", "systems": ["bm25"], "benchmark": "small", "n_drawn": 1, "n_pairs": 2}
    rows = [
        {"query": "q1", "document": "d1", "probability": 0.25, "place": 0},
        {"query": "q1", "document": "d2", "probability": 0.5},
    ]
    Path("pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [head, *rows]))
    pool = read_pool(Path("pool.jsonl"))
    assert (pool.name, pool.benchmark, pool.systems) == ("abc", "small", ("bm25",))
    assert [(pair.probability, pair.is_drawn) for pair in pool.pairs] == [(0.25, True), (None, False)]
    assert [pair.document for pair in pool.drawn.pairs] == ["d1"]
    with pytest.raises(DataError, match="no text"):
        pool.check_texts()
    dataset = assay.BenchmarkDataset("small")
    dataset.queries["q1"] = assay.Query("q1", "what?")
    dataset.documents.update({name: assay.Document(name, f"text of {name}") for name in ("d1", "d2")})
    filled = pool.with_texts(dataset)
    assert [pair.document_text for pair in filled.pairs] == ["text of d1", "text of d2"]


class Drawn(NamedTuple):
    query: str
    document: str
    probability: float
    place: int | None


def test_a_drawn_pool_is_accepted():
    drawn = types.SimpleNamespace(
        id="abc", benchmark="small", systems=("a", "b"), pairs=[Drawn("q1", "d1", 0.5, 0), Drawn("q1", "d2", 0.5, None)]
    )
    pool = to_pool(drawn)
    assert (pool.name, pool.benchmark, pool.systems) == ("abc", "small", ("a", "b"))
    assert [(pair.document, pair.probability, pair.is_drawn) for pair in pool.pairs] == [
        ("d1", 0.5, True),
        ("d2", None, False),
    ]


@pytest.mark.parametrize(
    "rows",
    [[], [("q", "text", "d")], [("q", "t", "d", "t"), ("q", "t", "d", "other")], [("q", "t", "d", "t", 1.5)], ["text"]],
)
def test_what_is_not_a_pool(rows):
    with pytest.raises(DataError):
        to_pool(rows)


def test_models_are_recognised_among_systems():
    assert conflict_notes(["openai/gpt-4o-mini-2024-07-18"], {"rerank(bm25, model=gpt-4o-mini)": ""})
    assert conflict_notes(["bge-reranker"], {"mine": '{"model": "BAAI/bge_reranker"}'})
    assert not conflict_notes(["gpt-4o"], {"rerank(model=gpt-4o-mini2)": "", "bm25": ""})
    assert not conflict_notes(["", "m"], {"m": "m"})
