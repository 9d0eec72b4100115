"""Layers of verdicts: people, model and corrected; random draws; judges on this machine; statements that are fixed."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.comparison import compare_results
from assay.errors import BadParameter, DataError, UsageError
from assay.judged_answers import Draw, draw_queries, parse_draw, read_verdicts
from assay.judged_answers import Item as JudgedItem
from assay.judging import prediction_powered_mean

from ._service import rows

N = 60


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sentences(task, statement, text):
    """A judge of claims that says yes to claims of even queries, and to claim 0."""
    if task == "claims":
        return [part for part in text.split(". ") if part]
    if task == "nuggets":
        return [(part.removeprefix("Right answer: "), "vital") for part in text.split(". ")]
    if task == "contained":
        return "support" if statement in text else ("partial" if statement[:7] in text else "none")
    if task == "useful":
        return "useful" in text, "because"
    number, query = int(statement.split()[1]), int(statement.split()[3][1:])
    return (query % 2 == 0 or number == 0), "so"


def truth(item: JudgedItem) -> str:
    """What people say: as the judge, but claim 1 is never supported."""
    return "yes" if sentences("supported", item.statement, "")[0] and not item.statement.startswith("claim 1") else "no"


def write(path, items, draw="", verdict=truth) -> str:
    lines = [
        {
            "query": i.query,
            "task": i.task.name,
            "item": i.id,
            "verdict": verdict(i),
            "judge": "ada",
            "draw": str(draw),
        }
        for i in items
    ]
    Path(path).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def scores_of(result) -> dict[str, float | None]:
    return {query: row["faithfulness"] for query, row in result.table.by_query().items()}


def first(answers, metrics=("faithfulness",)):
    return assay.judge_answers(answers, sentences, metrics=list(metrics), send=True)


def test_people_alone_for_all_queries_have_scores():
    answers = rows(4)
    write("people.jsonl", first(answers).items)
    done = assay.judge_answers(answers, sentences, verdicts="people.jsonl", judgments="people", send=True)
    assert scores_of(done.result) == {"q0": 2 / 3, "q1": 1 / 3, "q2": 2 / 3, "q3": 1 / 3}
    assert done.result.provenance["judgments"]["layer"] == "people"
    assert done.result.notes == ("faithfulness: verdicts by people (ada).",)


def test_layers_are_never_mixed_in_silence():
    answers = rows(4)
    write("people.jsonl", first(answers).items[:1])
    with pytest.raises(UsageError, match="never mixed"):
        assay.judge_answers(answers, sentences, verdicts="people.jsonl", send=True)
    model = assay.judge_answers(answers, sentences, verdicts="people.jsonl", judgments="model", send=True).result
    assert scores_of(model)["q0"] == 1.0  # the verdict of people is not used
    for layer in ("people", "corrected"):
        with pytest.raises(DataError, match="name no random draw"):
            assay.judge_answers(answers, sentences, verdicts="people.jsonl", judgments=layer, send=True)


def test_the_correction_is_that_of_ppi():
    answers = rows(N)
    items = first(answers).items
    draw = draw_queries([f"q{n}" for n in range(N)], 20, 7)
    drawn = set(draw.queries([f"q{n}" for n in range(N)]))
    write("people.jsonl", [item for item in items if item.query in drawn], draw)
    results = {
        layer: assay.judge_answers(answers, sentences, verdicts="people.jsonl", judgments=layer, send=True).result
        for layer in ("people", "corrected", "model")
    }
    model = scores_of(results["model"])
    by_query = {}
    for item in items:
        by_query.setdefault(item.query, []).append(truth(item) == "yes")
    people = {query: np.mean(values) for query, values in by_query.items()}
    ordered = sorted(model, key=lambda query: int(query[1:]))
    own = [query for query in ordered if query in drawn]
    estimate = prediction_powered_mean(
        np.array([people[query] for query in own]),
        np.array([model[query] for query in own]),
        np.array([model[query] for query in ordered if query not in drawn]),
    )
    assert results["corrected"]["faithfulness"] == pytest.approx(estimate.value, abs=1e-12)
    assert results["people"]["faithfulness"] == pytest.approx(np.mean([people[query] for query in own]), abs=1e-12)
    for layer in ("people", "corrected"):
        assert set(scores_of(results[layer]).values()) == {None}
        assert f"20 queries of {N} (drawn: {draw})" in results[layer].notes[0]
        assert any("fewer than 30" in note for note in results[layer].notes)
    compared = compare_results([results["corrected"].renamed("a"), results["corrected"].renamed("b")])
    assert compared.pairs[0].difference == 0


def test_queries_without_claims_do_not_count_in_an_estimate():
    answers = rows(N)
    for row in answers[::3]:
        row["answer"] = None
    items = first(answers).items
    draw = draw_queries([f"q{n}" for n in range(N)], 30, 1)
    drawn = set(draw.queries([f"q{n}" for n in range(N)]))
    write("people.jsonl", [item for item in items if item.query in drawn], draw, lambda _: "yes")
    done = assay.judge_answers(answers, sentences, verdicts="people.jsonl", judgments="people", send=True).result
    assert done["faithfulness"] == pytest.approx(1.0)
    assert any(f"undefined for {N // 3} queries" in note for note in done.notes)


def test_a_query_counts_as_judged_only_with_all_its_verdicts():
    answers = rows(8)
    items = first(answers).items
    draw = draw_queries([f"q{n}" for n in range(8)], 4, 1)
    drawn = draw.queries([f"q{n}" for n in range(8)])
    mine = [item for item in items if item.query in drawn]
    write("people.jsonl", mine, draw, lambda item: None if item is mine[0] else "yes")
    done = assay.judge_answers(answers, sentences, verdicts="people.jsonl", judgments="people", send=True).result
    assert "on 3 queries of 8" in done.notes[0]
    assert any("1 of the 4 drawn queries has not all verdicts yet" in note for note in done.notes)
    with pytest.raises(DataError, match="draw again with --form"):
        assay.judge_answers(rows(9), sentences, verdicts="people.jsonl", judgments="people", send=True)


@given(st.lists(st.text(min_size=1), unique=True, min_size=1, max_size=30), st.integers(1, 40), st.integers(0, 2**40))
def test_a_draw_depends_on_ids_and_seed_alone(ids, n, seed):
    draw = draw_queries(ids, n, seed)
    assert draw.queries(ids) == draw.queries(list(reversed(ids)))
    assert len(set(draw.queries(ids))) == min(n, len(ids))
    assert parse_draw(str(draw)) == draw


def test_a_draw_takes_every_query_equally_often():
    ids = [f"q{n}" for n in range(10)]
    counts = np.zeros(10)
    for seed in range(2000):
        for query in Draw(3, 10, seed, draw_queries(ids, 3, seed).digest).queries(ids):
            counts[int(query[1:])] += 1
    assert np.abs(counts / 2000 - 0.3).max() < 4 * np.sqrt(0.3 * 0.7 / 2000)


def test_verdicts_belong_to_the_texts_that_were_shown():
    answers = rows(2)
    write("people.jsonl", first(answers).items)
    answers[0]["contexts"][0] += " and more"
    with pytest.raises(DataError, match="name no random draw"):
        assay.judge_answers(answers, sentences, verdicts="people.jsonl", judgments="people", send=True)


def test_abstentions_and_unanswerable_queries():
    answers = [
        {"query_id": "open", "question": "?", "answer": None, "references": ["claim 0 of q0"], "contexts": []},
        {"query_id": "none", "question": "?", "answer": "claim 0 of q0", "references": [], "contexts": ["x"]},
        {"query_id": "right", "question": "?", "answer": "I do not know", "references": [], "contexts": ["x"]},
    ]
    metrics = ["faithfulness", "correctness", "nugget_recall", "context_precision", "context_recall"]
    done = assay.judge_answers(answers, sentences, metrics=metrics, send=True, abstentions=["I do not know"])
    assert done.result.table.by_query() == {
        "open": dict(zip(metrics, (None, 0.0, 0.0, 0.0, 0.0), strict=True)),
        "none": dict(zip(metrics, (1.0, 0.0, None, None, None), strict=True)),
        "right": dict(zip(metrics, (None, 1.0, None, None, None), strict=True)),
    }


def test_nuggets_are_fixed_and_may_be_written_by_hand():
    Path("nuggets.jsonl").write_text(
        '{"query": "q0", "nugget": "claim 0 of q0", "importance": "vital"}\n'
        '{"query": "q0", "nugget": "claim 1 of nothing", "importance": "okay"}\n'
        '{"query": "q1", "nugget": ""}\n'
    )
    metrics = ["nugget_recall", "nugget_recall(only=vital)", "nugget_recall(credit=partial)"]
    done = assay.judge_answers(rows(3), sentences, metrics=metrics, nuggets="nuggets.jsonl", send=True)
    assert done.result.table.by_query()["q0"] == dict(zip(metrics, (0.5, 1.0, 0.75), strict=True))
    assert set(done.result.table.by_query()["q1"].values()) == {None}  # it has none, and none are invented
    assert {item.query for item in done.items} == {"q0"}
    Path("nuggets.jsonl").write_text('{"query": "q0", "nugget": "a", "importance": "big"}\n{"query": "q0"}\n')
    with pytest.raises(DataError, match=r"(?s)vital or okay.*query and nugget"):
        assay.judge_answers(rows(3), sentences, metrics=metrics, nuggets="nuggets.jsonl", send=True)


def broken(task, statement, text):
    if task == "claims":
        return [part for part in text.split(". ") if part]
    return {"claim 0": 1.5, "claim 1": "maybe", "claim 2": None}[statement[:7]]


def test_a_function_that_says_nothing_readable_is_unjudged():
    done = assay.judge_answers(rows(1), broken, send=True)
    assert done.result is None
    assert len(done.run.unjudged) == 3


def test_judges_that_only_decide_need_claims():
    with pytest.raises(BadParameter, match="--claims"):
        assay.judge_answers(rows(1), "replay(v.jsonl)", send=True)
    with pytest.raises(UsageError, match="not verdicts"):
        assay.judge_answers(rows(1), "words", send=True)


def test_a_panel_decides_by_median_and_its_first_judge_writes():
    Path("panel_judges.py").write_text(
        "def writer(task, statement, text):\n    return text.split('. ') if task == 'claims' else True\n"
        "def no(task, statement, text):\n    return False\n"
        "def yes(task, statement, text):\n    return statement.startswith('claim 0')\n"
    )
    names = ", ".join(f"python:panel_judges:{name}" for name in ("writer", "no", "yes"))
    done = assay.judge_answers(rows(2), f"panel({names})", send=True)
    assert done.result["faithfulness"] == pytest.approx(1 / 3)
    assert all("panel of 3" in verdict.judge for verdict in done.verdicts)


def test_a_program_gets_the_task_and_both_texts():
    Path("judge.py").write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    got = json.loads(line)\n"
        "    said = {'claims': got['text'].split('. ')} if got['task'] == 'claims' else {'verdict': 'yes'}\n"
        "    print(json.dumps({'id': got['id'], **said}), flush=True)\n"
    )
    done = assay.judge_answers(rows(2), f"command('{sys.executable} judge.py')", send=True)
    assert done.result["faithfulness"] == 1.0


def test_files_of_verdicts_are_checked():
    Path("v.jsonl").write_text(
        '{"query": "q", "task": "supported", "item": "i1", "verdict": "perhaps"}\n'
        '{"query": "q", "task": "helpful", "item": "i1", "verdict": "yes"}\n'
        '{"query": "q", "task": "supported", "verdict": "yes"}\n'
        '{"query": "q", "task": "supported", "item": "i1", "verdict": "yes", "kind": "robot"}\n'
    )
    with pytest.raises(DataError) as caught:
        read_verdicts(Path("v.jsonl"))
    for place, what in ((1, "yes, no or empty"), (2, "supported, contained, useful"), (3, "item is missing"), (4, "robot")):
        assert f"v.jsonl:{place}: " in str(caught.value)
        assert what in str(caught.value)
