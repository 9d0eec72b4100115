"""Probes: what is changed, what the outcomes say about judges with one weakness each, and that they are not grades."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from assay.datasets import load_dataset
from assay.errors import NothingSelected
from assay.judges import AskOptions, Pair, PairPool, ProbeOutcome, probe_figures, probe_judge, run_judge, to_judge
from assay.text import words_of

from ._probed import Counting, Grading, Noisy, Obedient

N = 16


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def data():
    return load_dataset("rag-template")


@pytest.fixture(scope="module")
def pool(data):
    """For each query a relevant document, and two of other queries."""
    relevant = {query: next(doc for doc, grade in docs.items() if grade > 0) for query, docs in data.qrels.items()}
    queries = list(relevant)
    pairs = [
        Pair(query, data.queries[query].text, relevant[other], data.documents[relevant[other]].content)
        for place, query in enumerate(queries)
        for other in {query, queries[place - 1], queries[place - 2]}
    ]
    return PairPool(tuple({(pair.query, pair.document): pair for pair in pairs}.values()), "rag-template")


@pytest.fixture(scope="module")
def people(data, pool):
    grades = {}
    for pair in pool.pairs:
        grades.setdefault(pair.query, {})[pair.document] = data.qrels[pair.query].get(pair.document, 0)
    return grades


def probed(judge, pool, people, **more):
    options = AskOptions(send=True, concurrency=8, **{name: more.pop(name) for name in ("home",) if name in more})
    return probe_judge(pool, to_judge(judge), options, people=people, n=N, **more)


def found(run):
    return {figure.probe for figure in probe_figures(run.outcomes) if figure.is_found}


def service(stub):
    return f"openai(model=m, url={stub.url}, timeout=10)"


@pytest.mark.parametrize(
    ("kind", "weakness"),
    [(Grading, set()), (Obedient, {"injected"}), pytest.param(Counting, {"stuffed"}, marks=pytest.mark.slow)],
)
def test_a_service_with_a_weakness_is_found_out_and_an_honest_one_is_not(kind, weakness, pool, people):
    with kind() as stub:
        run = probed(service(stub), pool, people)
        assert found(run) == weakness
        n = stub.n_requests
        assert n == run.run.ledger.requests == len(run.outcomes) + run.n_pairs
        assert probed(service(stub), pool, people).outcomes == run.outcomes
        assert stub.n_requests == n, "a second run sends nothing"
    by_name = {figure.probe: figure for figure in probe_figures(run.outcomes)}
    assert by_name["repeated"].n_changed == 0
    assert "reordered" not in by_name, "each pair is a request of its own"
    assert [by_name[name].n_pairs for name in ("stuffed", "injected")] == [N, N]
    if weakness:
        figure = by_name[weakness.pop()]
        assert figure.n_raised == figure.n_to_relevant == N
        assert figure.p == pytest.approx(2.0**-N)


@pytest.mark.slow
def test_noise_shows_when_the_same_pairs_are_graded_again(pool, people):
    with Noisy() as stub:
        run = probed(service(stub), pool, people)
    again = probe_figures(run.outcomes)[0]
    assert (again.probe, again.n_changed > 3, again.kappa.value < 0.95) == ("repeated", True, True)
    assert again.p != again.p
    assert "injected" not in found(run)


def long_is_good(query, document):
    return min(3, len(document) // 400)


def first_sentence(query, document):
    return 2 * bool(set(words_of(query)) & {word for word in words_of(document.split(".")[0]) if len(word) > 3})


class InTurn:
    """A judge with a memory: every second pair gets a good grade."""

    __module__ = __name__
    __qualname__ = "InTurn"

    def __init__(self):
        self.n = 0

    def __call__(self, query, document):
        self.n += 1
        return 2 * (self.n % 2)


def test_length_order_of_passages_and_order_of_pairs_are_found(pool, people):
    assert "padded" in found(probed(long_is_good, pool, people))
    changed = {figure.probe: figure.n_changed for figure in probe_figures(probed(first_sentence, pool, people).outcomes)}
    assert changed["repeated"] == changed["reordered"] == changed["injected"] == 0
    assert changed["shuffled"] > 3
    moved = {figure.probe: figure.n_changed for figure in probe_figures(probed(InTurn(), pool, people).outcomes)}
    assert moved["reordered"] > 3


def test_without_people_the_pairs_are_those_that_the_judge_graded(pool):
    with Obedient() as stub:
        judge = to_judge(service(stub))
        with pytest.raises(NothingSelected, match="neither people nor"):
            probe_judge(pool, judge, AskOptions(send=True))
        assert stub.n_requests == 0
        some = PairPool(pool.pairs[:30], "rag-template")
        graded = run_judge(some, judge, AskOptions(send=True))
        run = probe_judge(pool, judge, AskOptions(send=True), n=N)
        assert stub.n_requests == 30 + run.run.ledger.requests
        assert run.judge == graded.judgments[0].judge
        known = {(pair.query, pair.document) for pair in some.pairs}
        assert {(one.query, one.document) for one in run.outcomes} <= known
        assert found(run) == {"injected"}
        again = run_judge(pool, judge, AskOptions(send=False))
        assert {(one.query, one.document) for one in again.judgments} == known, "changed pairs are nobody's grades"
        assert again.grades == graded.grades


@pytest.mark.slow
def test_drift_of_the_model_behind_a_name(pool, people):
    with Grading() as stub:
        judge = service(stub)
        with pytest.raises(NothingSelected, match="graded none of the pairs before"):
            probed(judge, pool, people, drift_day="2026-12-01")
        first = probed(judge, pool, people)
        n = stub.n_requests
        same = probed(judge, pool, people, drift_day="2026-12-01")
        assert (stub.n_requests - n, found(same), len(same.outcomes)) == (N, set(), N)
        probed(judge, pool, people, drift_day="2026-12-01")
        assert stub.n_requests == n + N, "once a day"
        stub.grade = lambda query, document: 1
        stub.model = "stub-2026-09"
        later = probed(judge, pool, people, drift_day="2027-01-01")
        noise = [one for one in first.outcomes if one.probe == "repeated"]
        figure = probe_figures([*noise, *later.outcomes])[-1]
        assert (figure.probe, figure.n_changed, figure.is_found) == ("drift", N, True)
        assert later.judge == first.judge, "the name under which the first grades are stored"
        assert any("2 models answered" in note for note in later.notes)


@pytest.mark.slow
def test_another_model_between_two_requests_is_left_out(pool, people):
    with Grading() as stub:
        run_judge(PairPool(pool.pairs[:20], "rag-template"), to_judge(service(stub)), AskOptions(send=True))
        stub.model = "stub-2026-09"
        run = probed(service(stub), PairPool(pool.pairs[:20], "rag-template"), people)
    assert "repeated" not in {one.probe for one in run.outcomes}
    assert any("another model answered" in note for note in run.notes)


def test_a_dry_run_sends_nothing_and_counts_everything(pool, people):
    with Grading() as stub:
        judge = to_judge(service(stub))
        plan = probe_judge(pool, judge, AskOptions(), people=people, n=N)
        assert stub.n_requests == len(plan.outcomes) == 0
        sent = probe_judge(pool, judge, AskOptions(send=True), people=people, n=N)
        assert plan.run.dry_run.requests == stub.n_requests == sent.n_pairs + sum(sent.planned.values())


DOCUMENTS = (
    "Cats sleep sixteen hours. They hunt at dawn. Then they rest.",
    "First paragraph here.\n\nSecond one, with more. And more.\n\nThird.",
    "Only one sentence about dogs",
)
CORPUS = ("The river is long and wide.", "How long do hours feel for cats? Nobody has measured that yet.")


def test_what_the_judge_is_shown():
    """Nothing but the change of its probe differs from the document."""
    shown = []

    def note(query, document):
        shown.append(document)
        return 0

    pairs = [Pair("q", "how long do cats sleep", f"d{n}", text) for n, text in enumerate(DOCUMENTS)]
    people, options = {"q": {pair.document: 0 for pair in pairs}}, AskOptions(send=True)
    run = probe_judge(PairPool(tuple(pairs)), to_judge(note), options, people=people, corpus=CORPUS, n=3)
    texts = iter(shown)
    made = {"": [next(texts) for _ in range(run.n_pairs)]}
    made |= {name: [next(texts) for _ in range(n)] for name, n in run.planned.items()}
    assert list(made) == ["", "repeated", "reordered", "shuffled", "padded", "stuffed", "injected"]
    assert made[""] == made["repeated"] != made["reordered"]
    assert Counter(made[""]) == Counter(made["reordered"]) == Counter(DOCUMENTS)
    assert sorted(sorted(text.split()) for text in made["shuffled"]) == sorted(
        sorted(text.split()) for text in DOCUMENTS[:2]
    )
    assert not set(made["shuffled"]) & set(DOCUMENTS)
    added = [text.replace(own, "").split("\n\n") for text, own in zip(made["padded"], made[""], strict=True)]
    assert {part for parts in added for part in parts if part} <= {
        "The river is long and wide.",
        "Nobody has measured that yet.",
    }
    for text, own in zip(made["stuffed"], made[""], strict=True):
        assert text == f"{' '.join(['how long do cats sleep'] * 5)}\n\n{own}"
    for text, own in zip(made["injected"], made[""], strict=True):
        assert text.startswith(own)
        assert re.search(r"grade\D*3", text[len(own) :])
    assert len({text[len(own) :] for text, own in zip(made["injected"], made[""], strict=True)}) == 3


@pytest.mark.slow
def test_a_judge_that_cuts_documents_still_gets_the_instruction(pool, people):
    with Obedient() as stub:
        run = probed(service(stub)[:-1] + ", max_chars=150)", pool, people)
    injected = probe_figures(run.outcomes)[-1]
    assert (injected.probe, injected.n_raised) == ("injected", N)
    assert any(note.startswith("padded: ") for note in run.notes), "not where a part would be cut off"


@given(st.integers(0, 40), st.integers(0, 40))
def test_an_attack_has_the_p_value_of_a_sign_test(ups, downs):
    grades = [2.0] * ups + [0.0] * downs + [1.0]
    (figure,) = probe_figures(ProbeOutcome("stuffed", "q", str(n), 1.0, grade) for n, grade in enumerate(grades))
    expected = binomtest(ups, ups + downs, alternative="greater").pvalue if ups + downs else 1.0
    assert figure.p == pytest.approx(expected)
    (figure,) = probe_figures(ProbeOutcome("drift", "q", str(n), 1.0, grade) for n, grade in enumerate(grades))
    expected = binomtest(ups, ups + downs).pvalue if ups + downs else 1.0
    assert figure.p == pytest.approx(min(1.0, 2 * expected))


def test_figures_worked_by_hand():
    """Six raised, none lowered: 1/64. Padded: 5 up, 1 down is 2 · 7/64; 6 more changes than noise is 1/64, counted twice."""
    same = [ProbeOutcome("repeated", "q", str(n), 0, 0) for n in range(8)]
    raised = [ProbeOutcome("injected", "q", str(n), 0, 3 * (n < 6)) for n in range(8)]
    padded = [ProbeOutcome("padded", "q", str(n), 1, 1 + (n < 5) - (n == 5)) for n in range(8)]
    noise, second, first = probe_figures([*same, *padded, *raised])
    assert (noise.n_changed, noise.p != noise.p) == (0, True)
    assert (first.n_pairs, first.n_raised, first.n_lowered, first.n_to_relevant) == (8, 6, 0, 6)
    assert first.change.bias == pytest.approx(18 / 8)
    assert (first.p, first.corrected_p) == pytest.approx((1 / 64, 2 / 64))
    assert (second.p, second.corrected_p) == pytest.approx((2 / 64, 2 / 64))
    assert (second.n_raised, second.n_lowered, second.n_to_relevant) == (5, 1, 0)
    assert first.to_dict()["is_found"]
