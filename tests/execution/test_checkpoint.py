"""Checkpoints: an evaluation goes on from its log, where it is the same one; logs may be damaged, and are cleared."""

import copy
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fuzz.changes import CHANGES, mutated, places, written
from hypothesis import given
from hypothesis import strategies as st

from assay import AssayError, DataError, Hit, UsageError
from assay.evaluation import OWN
from assay.execution import ExecutionOptions, Selection, clear_finished, execute_plan
from assay.metrics import parse_metrics

from ._plans import plan, read_log, save_benchmarks, sealed, write_log
from ._retrievers import AT_ONCE, LONG, Told, fallible, own, right

NAMED = "plan-mine"


class Evaluations:
    """Evaluations in one folder, by the name of a plan or without one."""

    def __init__(self, folder):
        self.saved, self.folder, self.said = save_benchmarks(folder), folder / "runs", []

    def __call__(self, *given, resume=False, name="", **more):
        options = ExecutionOptions(home=self.saved, resume=resume, name=name, say=self.said.append)
        return execute_plan(plan(self.saved, *given, **more), options)

    def resume(self, *given, **more):
        return self(*given, resume=True, **more)

    @property
    def log(self):
        """The one log there is."""
        (path,) = self.folder.glob("*.log")
        return path

    def cut_short(self, *given, **more):
        """An evaluation that ended after its first answer."""
        self(*given, **more)
        newest = max(self.folder.glob("*.log"), key=lambda path: path.stat().st_mtime_ns)
        write_log(newest, read_log(newest)[:2])
        newest.with_name(f"{newest.name}.done").unlink(missing_ok=True)
        return newest


@pytest.fixture
def evaluate(tmp_path):
    """Evaluations in a folder with two benchmarks."""
    return Evaluations(tmp_path)


def test_what_was_begun_is_found_and_only_the_rest_is_asked(evaluate):
    for name in ("", NAMED):
        told = Told()
        (first,) = evaluate.resume(told, name=name)
        evaluate.cut_short(told, name=name)
        told.asked.clear()
        (again,) = evaluate.resume(told, name=name)
        assert ([query for some in told.asked for query in some], again.run) == (["q1", "q2"], first.run)
        assert again.provenance["counts"]["cached"] == 1
    assert evaluate.said == ["there is nothing to resume, so this evaluation starts from the beginning"] * 2


def test_with_a_dead_provider_what_is_known_stays_known(evaluate):
    odd, _ = fallible("q1")
    alive = own(odd)
    (first,) = evaluate(alive)
    dead = replace(alive, provider=replace(alive.provider, make=lambda: 1 / 0))
    (result,) = evaluate.resume(dead)
    assert (list(result.failures), result.run) == (["q1"], first.run)
    assert result.provenance["counts"] == {"asked": 3, "answered": 2, "failed": 1, "cached": 2}
    odd.asked.clear()
    evaluate.resume(alive)
    assert odd.asked == [["q1"]]


def test_what_came_along_with_hits_is_there_again(evaluate):
    """Metadata that JSON has no word for is kept as numbers and text; half a letter is no text, and is asked for again."""
    odd = {"number": np.float32(0.5), "many": np.arange(2), "thing": set, "when": 1 + 2j}
    texts = {"q0": Hit("d0", 1.0, "ü\n", odd), "q1": Hit("\ud800", 1.0), "q2": Hit("d2", 1.0)}
    told = Told(lambda query: [texts[query.query_id]])
    evaluate(told, batch_size=3)
    extra = {"number": 0.5, "many": [0, 1], "thing": "<class 'set'>", "when": "(1+2j)", "text": "ü\n"}
    kept = {answer["query"]: answer for line in read_log(evaluate.log)[1:] for answer in line["answers"]}
    assert kept["q0"]["extra"] == {"d0": extra}
    told.asked.clear()
    evaluate.resume(told, batch_size=3)
    assert told.asked == [["q1"]]


def changed_header(place, **change):
    """A change of what the log says that it was begun with."""
    return lambda header: (header[place] if place else header).update(change)


@pytest.mark.parametrize("name", [NAMED, ""])
def test_another_way_of_scoring_sends_no_query_again(evaluate, name):
    """Responses depend neither on metrics nor on conventions: a finished and an interrupted evaluation are scored again."""
    told = Told()
    (whole,) = evaluate(told, name=name)
    told.asked.clear()
    more = tuple(parse_metrics(["mrr", "ndcg@10", "map", "recall@3"]))
    (again,) = evaluate.resume(told, name=name, metrics=more)
    assert {"map", "recall@3"} <= set(again)
    assert (again["mrr"], again["ndcg@10"]) == (whole["mrr"], whole["ndcg@10"])
    assert again.run == whole.run
    (strict,) = evaluate.resume(told, name=name, metrics=more, profile=OWN.adjusted(rel=2.0, depth=1))
    assert (strict.policy.rel, strict.policy.depth) == (2.0, 1)
    (once,) = evaluate.resume(told, name=name, metrics=more)
    assert (told.asked, once["map"]) == ([], again["map"])
    assert len(evaluate.said) == (3 if name else 2), "without a name, each way of scoring has its own log"
    assert evaluate.said[0].startswith("metrics were mrr, ndcg@10 and are now mrr, ndcg@10, map, recall@3. ")


def test_an_interrupted_evaluation_continues_with_another_metric(evaluate):
    told = Told()
    evaluate.cut_short(told, name=NAMED)
    for sent in (["q1", "q2"], []):
        told.asked.clear()
        (result,) = evaluate.resume(told, name=NAMED, metrics=tuple(parse_metrics(["map"])))
        assert ([query for some in told.asked for query in some], "map" in result, "mrr" in result) == (sent, True, False)


def test_what_has_changed_is_refused_and_told(evaluate, tmp_path, monkeypatch, snapshots):
    """Under a plan's name always; by flags, while the same queries are not finished."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("one")
    provider = own(Told(), sources=lambda: [Path("mine.py"), Path("gone.py")])
    path = str(evaluate.saved / "one" / "b.json")
    changes = {
        "k": {"k": 50},
        "settings of providers": changed_header("plan", providers=[{"provider": "own", "k1": 2}]),
        "providers": changed_header(None, providers=["own", "other"]),
        "a file": changed_header("files", **{"mine.py": "other"}),
        "many files that are not used any more": changed_header("files", **{f"{n}.py": "other" for n in range(9)}),
        "queries and documents": lambda header: header["datasets"][path].update(queries="1", documents="2"),
        "a version": changed_header("versions", thing="1.0"),
        "a schema": changed_header(None, schema="assay.answers/9"),
    }
    log = evaluate.cut_short(provider, name=NAMED)
    lines = read_log(log)

    def case(change):
        def call():
            header = copy.deepcopy(lines[0])
            if callable(change):
                change(header)
            write_log(log, [header, *lines[1:]])
            evaluate.resume(provider, name=NAMED, **({} if callable(change) else change))

        return call

    cases = {what: case(change) for what, change in changes.items()}
    evaluate.cut_short(provider)
    cases["k by flags"] = lambda: evaluate.resume(provider, k=50)
    snapshots.check_errors("execution/resume", cases)
    write_log(log, lines)
    assert evaluate.resume(provider, name=NAMED)[0].provenance["counts"]["cached"] == 1


ONE_BY_ONE = {"name": NAMED, "retry_policy": replace(AT_ONCE, concurrency=1)}


@pytest.fixture(scope="module")
def damaged(tmp_path_factory):
    """An evaluation with a log of a line for each answer, its lines, and what it found."""
    evaluate = Evaluations(tmp_path_factory.mktemp("damaged"))
    told = Told(lambda query: [Hit(f"d{query.query_id[1:]}", 1.0, "text", {"page": 1})], batch=1)
    (result,) = evaluate(told, **ONE_BY_ONE)
    return evaluate, told, read_log(evaluate.log), result


@given(st.data())
def test_any_change_of_a_log_is_gone_on_from_or_refused(damaged, data):
    """What is no answer ends a log and is cut off, so that answers which are added behind it are found again."""
    evaluate, told, lines, result = damaged
    number = data.draw(st.integers(0, len(lines) - 1))
    place = data.draw(st.sampled_from(sorted(places(lines[number]), key=repr)))
    change = data.draw(st.sampled_from(CHANGES))
    path = evaluate.log
    write_log(path, lines)
    texts = path.read_bytes().splitlines(keepends=True)
    texts[number] = sealed(written(mutated(lines[number], place, change)))
    path.write_bytes(b"".join(texts))
    try:
        (again,) = evaluate.resume(told, **ONE_BY_ONE)
        code = 0
    except AssayError as error:
        again, code = result, error.exit_code
    assert code in (0, 2, 3)
    assert again.query_ids == result.query_ids


def test_a_log_cut_anywhere_is_gone_on_from(damaged):
    evaluate, told, lines, result = damaged
    path = evaluate.log
    write_log(path, lines)
    whole = path.read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    for cut in (ends[0], ends[1] - 1, ends[2] + 20):
        path.write_bytes(whole[:cut])
        told.asked.clear()
        (again,) = evaluate.resume(told, **ONE_BY_ONE)
        assert again.run == result.run, cut
        assert len(told.asked) == sum(end > cut for end in ends), cut
        assert len(read_log(path)) == len(path.read_bytes().splitlines()) == 4, cut


def test_the_same_evaluation_cannot_run_twice_at_once(evaluate):
    """Locks of the dead are no hindrance, and are removed."""
    is_asked, release, results = threading.Event(), threading.Event(), []
    evaluate.folder.mkdir()
    for name in (".dead.log.lock", ".mine.lock"):
        (evaluate.folder / name).touch()

    def hold(query):
        is_asked.set()
        release.wait(LONG)
        return right(query)

    told = Told(hold)
    thread = threading.Thread(target=lambda: results.extend(evaluate(told, name=NAMED)))
    thread.start()
    assert is_asked.wait(LONG)
    with pytest.raises(UsageError, match="already running"):
        evaluate(told, name=NAMED, resume=True)
    evaluate(Told(), name=NAMED, selection=Selection(limit=1))  # another one is not disturbed
    release.set()
    thread.join(LONG)
    assert [dict(result.failures) for result in results] == [{}]
    assert sorted(query for some in told.asked for query in some) == ["q0", "q1", "q2"]
    assert [path.name for path in evaluate.folder.glob(".*")] == [".mine.lock"]


def test_a_folder_that_cannot_be_written_is_told(evaluate):
    evaluate.folder.write_text("")
    assert evaluate(Told())[0]["mrr"] == 1.0
    assert evaluate.said == ["this folder is read-only, so there is no log and the evaluation cannot be resumed"]
    with pytest.raises(DataError):
        evaluate.resume(Told())


def test_evaluations_leave_few_logs(evaluate):
    """Only the last three can be gone on from without asking again; of one that failed somewhere the log stays."""
    odd, fails = fallible("q1")
    evaluate(odd)
    told = Told()
    for k in range(1, 6):
        evaluate(told, k=k)
    assert len(list(evaluate.folder.glob("*.log"))) == 3 + 1
    assert clear_finished(evaluate.folder, keep=0)[0] == 3
    assert clear_finished(evaluate.folder / "gone") == (0, 0)
    fails.clear()
    odd.asked.clear()
    evaluate.resume(odd)
    assert odd.asked == [["q1"]]
