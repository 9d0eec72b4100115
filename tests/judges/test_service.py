"""Judges behind a service: grades, faults, cache, ledger, limits, keys, and what a dry run sends."""

import json
import time
from pathlib import Path

import pytest

import assay
from assay.errors import BadParameter, UsageError
from assay.judges import AskOptions, PairPool, Prices, run_judge, to_judge

from ._stub import FAILING, FAULTS, KEY, READABLE, UNREADABLE, Stub, fault_of, pairs_of, truth


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A folder of its own, and the key in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STUB_KEY", KEY)
    return tmp_path


def text_of(stub, more="") -> str:
    return f"openai(model=stub, url={stub.url}, key=${{STUB_KEY}}, timeout=10{more})"


def asked(stub, pairs, more="", systems=(), **options):
    settings = {"send": True, "backoff": 0.001, "retries": 2, "concurrency": 4, **options}
    pool = PairPool(tuple(pairs), "bench", "pool-1", systems)
    return run_judge(pool, to_judge(text_of(stub, more)), AskOptions(**settings))


def grades_of(run) -> dict[str, float]:
    return {judgment.document: judgment.grade for judgment in run.judgments}


def check_grades(run, n_pairs: int) -> None:
    """Readable replies have the grade of the service; all others are ungraded."""
    readable = {f"d{n}": float(truth(n)) for n in range(n_pairs) if fault_of(n) in READABLE}
    assert grades_of(run) == readable
    assert {pair.document for pair in run.ungraded} == {f"d{n}" for n in range(n_pairs)} - readable.keys()
    assert run.n_unasked == 0


def written(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def run_with_faults(n_pairs: int, place: Path) -> None:
    with Stub() as stub:
        run = asked(stub, pairs_of(n_pairs), prices=Prices(1.0, 10.0), concurrency=8)
        check_grades(run, n_pairs)
        assert run.ledger.requests == run.total.requests == stub.n_requests
        assert stub.n_requests > n_pairs
        assert stub.keys == {f"Bearer {KEY}"}
        n_refused = sum(stub.by_pair[n] for n in range(n_pairs) if fault_of(n) in ("always_down", "too_long", "denied"))
        n_refused += sum(fault_of(n) in ("busy", "down", "unavailable") for n in range(n_pairs))
        assert run.ledger.estimated == stub.n_requests - n_refused - stub.n_usage
        before = stub.n_requests
        again = asked(stub, pairs_of(n_pairs), concurrency=8)
        assert stub.n_requests == before
        assert grades_of(again) == grades_of(run)
        assert again.ledger.requests == 0
        assert again.total.requests == before
        assert again.n_cached == n_pairs
    files = written(place)
    assert b"pair" in files
    assert KEY.encode() not in files
    assert KEY not in repr(run.to_dict())


def test_faults_and_a_second_run(place):
    run_with_faults(3 * len(FAULTS), place)


@pytest.mark.slow
def test_a_thousand_pairs(place):
    run_with_faults(1000, place)


def test_each_unreadable_reply_says_why_and_is_not_sent_again():
    with Stub() as stub:
        run = asked(stub, pairs_of(len(UNREADABLE), UNREADABLE))
        assert run.judgments == ()
        assert stub.n_requests == len(UNREADABLE)
        assert all(pair.why for pair in run.ungraded)
        whys = dict(zip(UNREADABLE, (pair.why for pair in run.ungraded), strict=True))
    assert "7" in whys["range"]
    assert "max_tokens" in whys["length"]
    assert "2 grades" in whys["two"]


def test_pairs_that_failed_are_sent_again_with_resume_alone():
    """Three attempts for faults that may pass, and one for a text that is too long and for a refusal."""
    faults = ("none", *FAILING)
    pairs, n_sent = pairs_of(len(faults), faults), 1 + 3 * 3 + 2
    with Stub() as stub:
        first = asked(stub, pairs, concurrency=1)
        assert len(first.ungraded) == len(FAILING)
        assert stub.n_requests == n_sent
        asked(stub, pairs)
        assert stub.n_requests == n_sent
        asked(stub, pairs, resume=True, concurrency=1)
        assert len(first.judgments) == 1
        assert stub.n_requests < 2 * n_sent


def test_a_dry_run_sends_nothing_and_shows_everything():
    with Stub() as stub:
        run = asked(stub, pairs_of(10, ("none",)), send=False, prices=Prices(2.0, 4.0))
        plan = run.dry_run
        assert stub.n_requests == 0
        assert run.judgments == ()
        assert run.n_unasked == 10
        assert plan.requests == 10
        assert plan.hosts == (stub.url.split("/")[2],)
        assert "question 0" in plan.request
        assert "pair 0 fault=none: some text" in plan.request
        assert f"POST {stub.url}/chat/completions" in plan.request
        assert KEY not in plan.request
        assert plan.most_tokens_out == 10 * 512
        assert plan.most_cost == pytest.approx((plan.tokens_in * 2 + plan.most_tokens_out * 4) / 1e6)
        asked(stub, pairs_of(1, ("none",)))
        head, _, body = plan.request.partition("\n\n")
        assert json.loads(body) == stub.bodies[0]
        assert "Authorization" in head


def test_nothing_but_the_argument_sends(monkeypatch):
    """No variable of the environment does."""
    for name in ("ASSAY_SEND", "SEND", "ASSAY_JUDGE_SEND"):
        monkeypatch.setenv(name, "1")
    with Stub() as stub:
        assay.judge(pairs_of(3, ("none",)), text_of(stub))
        assert stub.n_requests == 0
        run = assay.judge(pairs_of(3, ("none",)), text_of(stub), send=True)
        assert stub.n_requests == 3
    assert grades_of(run) == {f"d{n}": truth(n) for n in range(3)}


@pytest.mark.parametrize(
    "more", [", prompt=binary", ", temperature=1", ", max_chars=10000", ", prompt=own.md", ", extra='{\"seed\": 1}'"]
)
def test_a_change_of_what_is_sent_is_a_new_judge(more):
    Path("own.md").write_text("---\ngrades: 0, 1, 2, 3\n---\n{query} {document}\n")
    with Stub() as stub:
        first = asked(stub, pairs_of(4, ("none",)))
        second = asked(stub, pairs_of(4, ("none",)), more)
        assert stub.n_requests == 8
    assert len({judgment.judge for judgment in first.judgments}) == 1
    assert {judgment.judge for judgment in first.judgments}.isdisjoint(judgment.judge for judgment in second.judgments)


def test_an_edited_prompt_is_a_new_judge_and_a_key_is_not(monkeypatch):
    prompt = Path("own.md")
    prompt.write_text("---\ngrades: 0, 1, 2, 3\n---\n{query} {document}\n")
    with Stub() as stub:
        asked(stub, pairs_of(2, ("none",)), ", prompt=own.md")
        prompt.write_text("---\ngrades: 0, 1, 2, 3\n---\n{query}: {document}\n")
        asked(stub, pairs_of(2, ("none",)), ", prompt=own.md")
        assert stub.n_requests == 4
        monkeypatch.setenv("STUB_KEY", f"{KEY}-new")
        asked(stub, pairs_of(2, ("none",)), ", prompt=own.md")
        assert stub.n_requests == 4


def test_another_model_that_answers_is_another_judge():
    with Stub() as stub:
        first = asked(stub, pairs_of(3, ("none",)))
        stub.model = "stub-2026-02"
        both = asked(stub, pairs_of(6, ("none",)))
        assert stub.n_requests == 6
    names = [judgment.judge for judgment in both.judgments]
    assert names[0] == first.judgments[0].judge
    assert len(set(names)) == 2
    assert names[0].startswith("stub-2026-01 #")
    assert names[-1].startswith("stub-2026-02 #")
    assert any("2 models answered" in note for note in both.notes)


def test_a_grade_belongs_to_the_text_that_was_shown():
    pairs = pairs_of(2, ("none",))
    with Stub() as stub:
        first = asked(stub, pairs)
        changed = [pair._replace(document_text=pair.document_text + " and more") for pair in pairs]
        second = asked(stub, changed)
        assert stub.n_requests == 4
    assert first.judgments[0].text_digest != second.judgments[0].text_digest
    assert first.judgments[0].kind == "model"
    assert first.judgments[0].pool == "pool-1"
    assert first.judgments[0].probability == 0.5
    assert first.judgments[0].reason == f"because of {truth(0)}"


def test_a_refused_key_stops_early_is_never_shown_and_is_not_remembered(place):
    with Stub(status=401) as stub:
        run = asked(stub, pairs_of(40, ("none",)), concurrency=2)
        assert stub.n_requests <= 3 + 2
        assert run.ledger.requests == stub.n_requests
        assert run.judgments == run.ungraded == ()
        assert any("401" in note for note in run.notes)
        stub.status = 0
        before = stub.n_requests
        good = asked(stub, pairs_of(40, ("none",)))
        assert len(good.judgments) == 40
        assert stub.n_requests == before + 40
    assert KEY not in repr(run)
    assert KEY.encode() not in written(place)


def test_the_cost_limit_holds_over_several_runs():
    """A request costs 100 tokens in and 10 out: 0.0002. What it may cost at most is reserved before it is sent."""
    prices, pairs = Prices(1.0, 10.0), pairs_of(50, ("none",))
    with Stub() as stub:
        first = asked(stub, pairs, prices=prices, most_cost=0.008, concurrency=1)
        assert 0 < len(first.judgments) < 50
        assert first.ledger.cost <= 0.008
        assert first.ledger.cost == pytest.approx(0.0002 * stub.n_requests)
        assert first.n_unasked == 50 - len(first.judgments)
        assert any("limit" in note for note in first.notes)
        second = asked(stub, pairs, prices=prices, most_cost=0.008, concurrency=1)
        assert second.total.cost <= 0.008
        assert len(second.judgments) <= len(first.judgments) + 1
        done = asked(stub, pairs, prices=prices, most_cost=1.0)
        assert len(done.judgments) == stub.n_requests == done.total.requests == 50
    with pytest.raises(BadParameter, match="--price"):
        asked(stub, pairs, most_cost=1.0)


def test_tokens_and_prices_are_those_of_the_service():
    with Stub() as stub:
        run = asked(stub, pairs_of(7, ("none", "fence")), prices=Prices(2.0, 30.0))
    totals = run.ledger
    assert (totals.requests, totals.replies, totals.tokens_in, totals.tokens_out, totals.estimated) == (7, 7, 700, 70, 0)
    assert totals.cost == pytest.approx((700 * 2 + 70 * 30) / 1e6)


def test_requests_per_minute_are_spaced():
    """Six requests at 1,200 in a minute take at least five pauses of 50 ms."""
    with Stub() as stub:
        began = time.monotonic()
        asked(stub, pairs_of(6, ("none",)), per_minute=1200)
        assert time.monotonic() - began >= 5 * 0.05
        assert stub.n_requests == 6


def test_a_long_document_is_cut_and_counted():
    pair = pairs_of(1, ("none",))[0]
    long = pair._replace(document_text=pair.document_text + "x" * 500 + "END")
    with Stub() as stub:
        run = asked(stub, [long], ", max_chars=100")
        assert "END" not in stub.bodies[0]["messages"][0]["content"]
    assert run.dry_run.truncated == 1


def test_slots_in_texts_are_not_filled():
    pair = pairs_of(1, ("none",))[0]._replace(query_text="what is {document}?")
    with Stub() as stub:
        asked(stub, [pair])
        assert "what is {document}?" in stub.bodies[0]["messages"][0]["content"]


def test_a_panel_asks_each_judge_and_combines():
    with Stub() as a, Stub(model="other") as b:
        models = f"openai(model=a, url={a.url}), openai(model=b, url={b.url})"
        judge = to_judge(f"panel({models}, python:tests.judges._mine:three)")
        pool = PairPool(tuple(pairs_of(8, ("none",))), "bench")
        run = run_judge(pool, judge, AskOptions(send=True))
        assert (a.n_requests, b.n_requests) == (8, 8)
        assert run.ledger.requests == 16
    assert grades_of(run) == {f"d{n}": truth(n) for n in range(8)}
    assert len({judgment.judge for judgment in run.judgments}) == 1
    assert run.judgments[0].judge.startswith("panel of 3 #")


def test_a_judge_that_is_also_a_system_is_reported():
    systems = ("bm25", "rerank(bm25, model='BAAI/stub-2026-01')")
    with Stub() as stub:
        run = asked(stub, pairs_of(1, ("none",)), systems=systems)
        assert [note for note in run.notes if "rerank" in note]
        other = asked(stub, pairs_of(1, ("none",)), systems=("bm25", "dense"))
        assert other.notes == ()


def test_words_are_not_grades():
    with pytest.raises(UsageError, match="not grades"):
        assay.judge(pairs_of(2), "words", send=True)
    with pytest.raises(UsageError, match="not grades"):
        assay.judge(pairs_of(2), "panel(words, python:tests.judges._mine:three)", send=True)
