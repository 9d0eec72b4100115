"""Answers judged by a service: faults, cache, ledger, limits, keys, dry run, and what changes the judge."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from tests.judges._stub import KEY, READABLE

import assay
from assay.errors import BadParameter, UsageError

from ._service import ALL_FAULTS, AnswerStub, is_true, rows

METRICS = ["faithfulness", "correctness", "nugget_recall(only=vital)", "context_precision", "context_recall"]


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A folder of its own, and the key in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STUB_KEY", KEY)
    return tmp_path


def judged(stub, answers, metrics=METRICS, more="", **options):
    text = f"openai(model=stub, url={stub.url}, key=${{STUB_KEY}}, timeout=10{more})"
    return assay.judge_answers(answers, text, metrics=metrics, **{"send": True, **options})


def scores_of(done) -> dict[str, float | None]:
    return {query: row["faithfulness"] for query, row in done.result.table.by_query().items()}


def test_values_are_those_of_the_service():
    """Every answer says claims 0, 1 and 2 of the 4 facts of its reference, and the service supports the even ones."""
    with AnswerStub() as stub:
        done = judged(stub, rows())
        assert done.result.summary == {
            "faithfulness": pytest.approx(2 / 3),
            "correctness": pytest.approx(2 * (2 / 3) * (2 / 4) / (2 / 3 + 2 / 4)),
            "nugget_recall(only=vital)": 1.0,
            "context_precision": pytest.approx(1 / 2),
            "context_recall": pytest.approx(2 / 4),
        }
        n = 6 * (1 + 1 + 1 + 3 + 4 + 4 + 4 + 2)  # claims twice, nuggets, and verdicts; equal ones about contexts once
        assert stub.n_requests == n
        assert done.run.total.requests == n
    assert {judgment.kind for judgment in done.verdicts} == {"model"}
    assert all(re.fullmatch(r"stub-2026-01 #[0-9a-f]{8}", judgment.judge) for judgment in done.verdicts)
    assert done.result.provenance["judgments"]["layer"] == "model"
    assert done.result.notes[0].endswith("not corrected by people. A gate refuses these values.")


def test_faults_are_unjudged_and_never_0(place):
    """Each claim has a fault: the readable ones count, all others are left out, and a second run sends nothing."""
    answers = rows(n=2 * len(ALL_FAULTS), faults=ALL_FAULTS)
    with AnswerStub() as stub:
        done = judged(stub, answers, ["faithfulness"], prices=(1.0, 10.0), concurrency=8)
        n_sent = stub.n_requests
        assert done.run.ledger.requests == n_sent
        again = judged(stub, answers, ["faithfulness"])
        assert stub.n_requests == n_sent
        assert again.run.ledger.requests == 0
        assert again.run.total.requests == n_sent
        assert scores_of(again) == scores_of(done)
    expected = {}
    for row in answers:
        claims = re.findall(r"claim (\d+) of \w+ fault=(\w+)", row["answer"])
        known = [is_true(int(number)) for number, fault in claims if fault in READABLE]
        expected[row["query_id"]] = sum(known) / len(known) if known else None
    assert scores_of(done) == pytest.approx(expected)
    assert len(done.run.unjudged) == sum(fault not in READABLE for fault in ALL_FAULTS) * 6
    assert any("unjudged and left out, not counted as 0" in note for note in done.result.notes)
    written = b"".join(file.read_bytes() for file in place.rglob("*") if file.is_file())
    assert b"claim" in written
    assert KEY.encode() not in written
    assert KEY not in repr(done)


def test_claims_that_cannot_be_read_leave_the_query_undefined():
    bad = ("prose", "length", "null", "word", "two", "empty")
    answers = rows(len(bad) + 3)
    for row, fault in zip(answers, (*bad, "fence", "think", "none"), strict=True):
        row["answer"] += f" writing={fault}"
    answers.append({"query_id": "silent", "question": "?", "answer": None, "contexts": ["useful"]})
    with AnswerStub() as stub:
        done = judged(stub, answers, ["faithfulness"])
    scores = scores_of(done)
    assert [query for query, value in scores.items() if value is None] == [f"q{n}" for n in range(len(bad))] + ["silent"]
    assert done.result["faithfulness"] == pytest.approx(2 / 3)  # a number, not nan
    assert len(done.run.unwritten) == len(bad)
    assert any(note.startswith("the claims of 6 texts are unknown") for note in done.result.notes)


def test_a_dry_run_sends_nothing_and_estimates_what_follows():
    with AnswerStub() as stub:
        plan = judged(stub, rows(), send=False, prices=(2.0, 4.0))
        assert stub.n_requests == 0
        assert plan.result is None
        assert plan.run.dry_run.hosts == (stub.url.split("/")[2],)
        assert KEY not in plan.run.dry_run.request
        judged(stub, rows())
        assert 0 <= plan.run.dry_run.requests - stub.n_requests <= 6  # one claim in each sentence, with its full stop
        assert plan.run.n_guessed == plan.run.dry_run.requests - 6 * (3 + 2)
        body = json.loads(plan.run.dry_run.request.partition("\n\n")[2])
        assert body in stub.bodies
        assert judged(stub, rows(), send=False).run.dry_run.requests == 0
    assert not Path(".assay", "judges", "grades").exists()


def test_one_limit_on_the_cost_for_all_steps():
    """Claims, nuggets and verdicts share a ledger, also over several runs. Replies have 100 tokens in and 10 out."""
    price = (100 * 100 + 10 * 1000) / 1e6
    with AnswerStub() as stub:
        for _ in range(3):
            done = judged(stub, rows(), more=", max_tokens=10", prices=(100.0, 1000.0), most_cost=0.5)
            assert stub.n_requests * price <= 0.5 + 1e-9
        assert 0 < stub.n_requests < 6 * 24
        assert done.run.n_unasked > 0
        assert any("limit" in note for note in done.run.notes)


def test_a_changed_prompt_is_a_new_judge(tmp_path):
    folder = tmp_path / "prompts"
    folder.mkdir()
    with AnswerStub() as stub:
        first = judged(stub, rows(), ["faithfulness"])
        n = stub.n_requests
        own = "Decide whether a text supports a claim, strictly.\n<claim>\n{statement}\n</claim>\n<text>\n{text}\n</text>\n"
        (folder / "supported.md").write_text(own)
        second = judged(stub, rows(), ["faithfulness"], prompts=folder)
        assert stub.n_requests == n + 6 * 3  # the claims are fixed, and each is decided again
    assert {each.judge for each in first.verdicts}.isdisjoint(each.judge for each in second.verdicts)
    (folder / "supported.md").write_text("no slot")
    with pytest.raises(BadParameter, match=r"no slot \{statement\}"):
        judged(stub, rows(), prompts=folder)
    (folder / "suported.md").write_text(own)
    with pytest.raises(UsageError, match=r"Did you mean supported\?"):
        judged(stub, rows(), prompts=folder)
    with pytest.raises(BadParameter, match="--prompts"):
        judged(stub, rows(), more=", prompt=binary")


def test_equal_texts_are_sent_once():
    """Two systems, or two answers of one system, share verdicts about the same texts."""
    answers = rows(2)
    answers[1] |= {name: answers[0][name] for name in ("answer", "question", "references", "contexts")}
    with AnswerStub() as stub:
        judged(stub, answers[:1], ["faithfulness"])
        n = stub.n_requests
        judged(stub, [answers[0] | {"answer": ". ".join(reversed(answers[0]["answer"].split(". ")))}], ["faithfulness"])
        assert stub.n_requests == n + 1  # another answer with the same claims in another order
        texts = Counter(json.dumps(body) for body in stub.bodies)
    assert set(texts.values()) == {1}
