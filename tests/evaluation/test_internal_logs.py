"""Logs of answers: what was kept is read, found again by what was asked for, and refused where that has changed."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import BenchmarkDataset, DataError, Document, Hit, Query, UsageError
from assay.execution import (
    ExecutionOptions,
    Part,
    Progress,
    Response,
    clear_finished,
    collect_responses,
    execute_plan,
    make_plan,
    responses,
)
from assay.execution.checkpoint import (
    ResponseCache,
    describe_changes,
    describe_start,
    find_checkpoint,
    has_changed_files,
    mark_finished,
    mark_unfinished,
)
from assay.execution.responses import SCHEMA, ResponseLog, remove_stale_files
from assay.grammar import mark_written
from assay.providers import BoundProvider, Provider, parse_provider

from ._retrievers import LONG, Told, benchmark

# --- the log of answers -----------------------------------------------------------------------------------------------


IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
SCORES = st.floats(allow_nan=False, allow_infinity=False)
EXTRA = st.none() | st.dictionaries(IDS, st.dictionaries(IDS, st.integers() | st.text(max_size=3), min_size=1), min_size=1)


@st.composite
def answers(draw):
    docs = draw(st.lists(IDS, unique=True, max_size=3))
    scores = [draw(SCORES) for _ in docs]
    ms, error, n_together = draw(st.floats(0, 1e6)), draw(st.none() | st.text(max_size=8)), draw(st.integers(1, 1000))
    return Response(draw(IDS), docs, scores, ms, error, draw(EXTRA), n_together)


RECORDS = st.lists(st.tuples(IDS, st.lists(answers(), min_size=1, max_size=3)), max_size=4)


def written(path, records, header=None):
    log = ResponseLog(path)
    log.begin({"plan": {"name": "p"}} if header is None else header)
    appender = log.appender()
    for part, some in records:
        appender.append(part, some)
    appender.close()
    return log


def by_part(records):
    found = {}
    for part, some in records:
        found.setdefault(part, {}).update({answer.query: answer for answer in some})
    return found


@settings(max_examples=8)
@given(RECORDS, st.dictionaries(IDS.filter(lambda name: name != "schema"), st.text() | st.integers(), max_size=3))
def test_what_was_kept_is_read(tmp_path_factory, records, header):
    log = written(tmp_path_factory.mktemp("log") / "a.log", records, header)
    before = log.path.read_bytes()
    assert log.read() == ({"schema": SCHEMA, **header}, by_part(records))
    assert log.header() == {"schema": SCHEMA, **header}
    assert log.path.read_bytes() == before


THREE = [
    ("a", [Response("q1", ["d1", "ü\n"], [2.5, -1.0], 3.0)]),
    ("a", [Response("q2", error="no")]),
    ("b", [Response("q1")]),
]


def test_cut_at_any_byte_the_whole_lines_before_are_read_and_the_file_is_mended(tmp_path):
    whole = written(tmp_path / "a.log", THREE).path.read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    assert len(ends) == 4
    for cut in range(len(whole) + 1):
        log = ResponseLog(tmp_path / "cut.log")
        log.path.write_bytes(whole[:cut])
        header, answers = log.read()
        n_whole = sum(end <= cut for end in ends)
        assert bool(header) == (n_whole > 0)
        assert answers == by_part(THREE[: max(0, n_whole - 1)])
        assert log.path.read_bytes() == whole[:cut]  # another process may be writing: reading leaves the file alone
        log.truncate_damage()
        assert log.path.read_bytes() == whole[: ends[n_whole - 1] if n_whole else 0]


def test_after_a_cut_it_is_written_on(tmp_path):
    log = written(tmp_path / "a.log", THREE[:2])
    log.path.write_bytes(log.path.read_bytes()[:-3])
    log.truncate_damage()
    appender = log.appender()
    appender.append(*THREE[2])
    appender.close()
    assert log.read()[1] == by_part([THREE[0], THREE[2]])


def test_a_flipped_bit_is_noticed_wherever_it_is(tmp_path):
    whole = written(tmp_path / "a.log", THREE).path.read_bytes()
    line_of = [whole[:place].count(b"\n") for place in range(len(whole))]
    for place in range(0, len(whole), 5):
        log = ResponseLog(tmp_path / "flipped.log")
        log.path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        assert log.read()[1] == by_part(THREE[: max(0, line_of[place] - 1)])


def test_the_later_answer_of_a_query_counts(tmp_path):
    log = written(tmp_path / "a.log", [("a", [Response("q", error="busy")]), ("a", [Response("q", ["d"], [1.0])])])
    assert log.read()[1]["a"]["q"].ranking == {"d": 1.0}


def test_a_log_that_is_not_there_has_nothing(tmp_path):
    assert ResponseLog(tmp_path / "gone.log").read() == ({}, {})
    assert ResponseLog(tmp_path / "gone.log").header() == {}
    assert not (tmp_path / "gone.log").exists()


def test_to_begin_is_to_put_aside_what_was(tmp_path):
    log = written(tmp_path / "deep" / "a.log", THREE)
    log.begin({"plan": {"name": "other"}})
    assert log.read() == ({"schema": SCHEMA, "plan": {"name": "other"}}, {})
    assert sorted(path.name for path in log.path.parent.iterdir()) == ["a.log", "a.log.before"]
    assert ResponseLog(log.path.with_name("a.log.before")).read()[1] == by_part(THREE)


def test_metadata_that_json_has_no_word_for_is_kept_as_numbers_and_text(tmp_path):
    odd = {"d": {"number": np.float32(0.5), "many": np.arange(2), "thing": set, "when": 1 + 2j}}
    log = written(tmp_path / "a.log", [("a", [Response("q", ["d"], [1.0], extra=odd)])])
    extra = log.read()[1]["a"]["q"].extra
    assert extra["d"] == {"number": 0.5, "many": [0, 1], "thing": "<class 'set'>", "when": "(1+2j)"}


def test_hits_have_back_what_came_along():
    answer = Response("q", ["a", "b"], [2.0, 1.0], extra={"a": {"text": "t", "page": 3}})
    assert answer.hits == [Hit("a", 2.0, "t", {"page": 3}), Hit("b", 1.0)]
    assert answer.ranking == {"a": 2.0, "b": 1.0}


def test_what_cannot_be_written_is_left_out_and_the_rest_kept(tmp_path):
    """Half a letter is no text. Such an answer is asked for again when the run goes on."""
    log = written(tmp_path / "a.log", [("a", [Response("q1", ["d"], [1.0]), Response("q2", ["\ud800"], [1.0])])])
    assert list(log.read()[1]["a"]) == ["q1"]


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "a.log").mkdir()
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=r"a\.log: cannot be written"):
        ResponseLog(tmp_path / "a.log").appender()
    below = ResponseLog(tmp_path / "file" / "b.log")
    with pytest.raises(DataError, match=r"b\.log: cannot be written"):
        below.begin({})
    with pytest.raises(DataError, match=r"b\.log: cannot be written"), below.lock():
        pass


def test_who_holds_it_holds_it_alone(tmp_path):
    log, again = ResponseLog(tmp_path / "a.log"), ResponseLog(tmp_path / "a.log")
    refused = pytest.raises(UsageError, match=r"the same evaluation is running already and writes .*a\.log")
    with log.lock(), ResponseLog(tmp_path / "b.log").lock(), refused, again.lock():
        pass
    with again.lock():
        pass


def test_locks_of_the_dead_are_removed_and_those_of_the_living_stay(tmp_path):
    for name in (".dead.log.lock", ".mine.lock"):
        (tmp_path / name).touch()
    with ResponseLog(tmp_path / "alive.log").lock():
        remove_stale_files(tmp_path)
        assert sorted(path.name for path in tmp_path.iterdir()) == [".alive.log.lock", ".mine.lock"]


def test_it_is_let_go_of_when_something_goes_wrong(tmp_path):
    log = ResponseLog(tmp_path / "a.log")
    with pytest.raises(ZeroDivisionError), log.lock():
        1 / 0  # noqa: B018 (it is raised)
    with log.lock():
        pass


def test_one_may_wait_until_it_is_let_go_of(tmp_path):
    log, order, waits = ResponseLog(tmp_path / "a.log"), [], threading.Event()

    def wait():
        waits.set()
        with ResponseLog(tmp_path / "a.log").lock(waits=True):
            order.append("second")

    thread = threading.Thread(target=wait)
    with log.lock():
        thread.start()
        waits.wait(LONG)
        time.sleep(0.1)
        order.append("first")
    thread.join(LONG)
    assert order == ["first", "second"]


FULL = """
import resource, sys
from pathlib import Path
from assay.errors import DataError
from assay.execution.responses import Response, ResponseLog
log = ResponseLog(Path("a.log"))
log.begin({"plan": {"name": "p"}})
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))
appender = log.appender()
n_kept = 0
try:
    for number in range(100):
        appender.append("part", [Response(f"q{number}", ["d"] * 5, [1.0] * 5)])
        n_kept += 1
except DataError as error:
    print(n_kept, error)
try:
    log.begin({"plan": {"name": "x" * 5000}})
except DataError as error:
    print(error)
"""


def test_when_the_disk_is_full_it_is_told_and_what_was_kept_is_there(tmp_path):
    done = subprocess.run([sys.executable, "-c", FULL], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    first, second = done.stdout.splitlines()
    n_kept, _, told = first.partition(" ")
    assert told == second == "a.log: cannot be written: File too large; make room, or work in another folder"
    log = ResponseLog(tmp_path / "a.log")
    assert log.read() == (
        {"schema": SCHEMA, "plan": {"name": "p"}},
        {"part": {f"q{n}": Response(f"q{n}", ["d"] * 5, [1.0] * 5) for n in range(int(n_kept))}},
    )
    assert log.path.stat().st_size == 2000  # with half a line at its end
    log.truncate_damage()
    assert log.path.stat().st_size < 2000
    assert [path.name for path in tmp_path.iterdir()] == ["a.log"]


def test_a_lock_is_removed_by_who_held_it(tmp_path):
    log = ResponseLog(tmp_path / "a.log")
    with log.lock():
        assert [path.name for path in tmp_path.iterdir()] == [".a.log.lock"]
        with pytest.raises(UsageError, match="is running already"), log.lock():
            pass
        assert [path.name for path in tmp_path.iterdir()] == [".a.log.lock"]
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_was_removed_meanwhile_is_none(tmp_path, monkeypatch):
    """Who waited for a lock, and gets it when its holder removes it, must not share it with who comes next."""
    log, n_locked = ResponseLog(tmp_path / "a.log"), 0
    lock = responses._try_lock

    def slow(handle, *, waits):
        nonlocal n_locked
        n_locked += 1
        found = lock(handle, waits=waits)
        if n_locked == 1:
            (tmp_path / ".a.log.lock").unlink()
        return found

    monkeypatch.setattr(responses, "_try_lock", slow)
    with log.lock():
        assert (tmp_path / ".a.log.lock").exists()
        with pytest.raises(UsageError, match="is running already"), log.lock():
            pass
    assert n_locked == 2 + responses.LOCK_ATTEMPTS


# --- checkpoints ------------------------------------------------------------------------------------------------------


AFRESH = "there is nothing to go on from; this evaluation starts afresh"


def header(k=10, selection=None, benchmarks=("small",), n=2, **more):
    """What an evaluation of two queries is begun with."""
    plan = {"benchmarks": list(benchmarks), "k": k, "selection": selection or {}}
    return {"schema": SCHEMA, "plan": plan, "datasets": {}, "files": {}, "versions": {}, "queries": {"0 p": n}, **more}


def begun(folder, content, name="", answers=()):
    """An evaluation that got as far as these answers."""
    checkpoint = find_checkpoint(folder, name, content)
    assert checkpoint.begin() == {}
    appender = checkpoint.log.appender()
    appender.append("0 p", answers)
    appender.close()
    return checkpoint


def resumed(folder, content, name=""):
    """What is known, and what was said."""
    said = []
    return find_checkpoint(folder, name, content).resume(said.append), said


ONE = [Response("q0", ["d"], [1.0])]
BOTH = [*ONE, Response("q1")]
FAILED = [*ONE, Response("q1", error="no")]


@pytest.mark.parametrize("name", ["", "plan-mine"], ids=["flags", "plan"])
def test_what_was_begun_is_found_and_known(tmp_path, name):
    begun(tmp_path, header(), name, ONE)
    assert resumed(tmp_path, header(), name) == ({"0 p": {"q0": ONE[0]}}, [])


@pytest.mark.parametrize("name", ["", "plan-mine"], ids=["flags", "plan"])
def test_half_a_line_at_the_end_is_cut_off(tmp_path, name):
    log = begun(tmp_path, header(), name, ONE).log
    whole = log.path.read_bytes()
    log.path.write_bytes(whole + b"00000000 {")
    assert resumed(tmp_path, header(), name)[0] == {"0 p": {"q0": ONE[0]}}
    assert log.path.read_bytes() == whole


@pytest.mark.parametrize("name", ["", "plan-mine"], ids=["flags", "plan"])
def test_where_nothing_was_begun_it_is_said_and_started(tmp_path, name):
    assert resumed(tmp_path, header(), name) == ({}, [AFRESH])
    assert resumed(tmp_path, header(), name) == ({}, [])


def test_a_plan_is_found_by_its_name_and_flags_by_all_they_say(tmp_path):
    def path(name, **changes):
        return find_checkpoint(tmp_path, name, header(**changes)).log.path.name

    assert path("plan-mine") == path("plan-mine", k=20)
    assert path("plan-mine") != path("plan-other")
    assert path("plan-mine").startswith("plan-mine-")
    assert path("") != path("", k=20)


@pytest.mark.parametrize("name", ["", "plan-mine"], ids=["flags", "plan"])
def test_every_selection_and_every_set_of_failures_has_a_log_of_its_own(tmp_path, name):
    contents = [
        header(),
        header(selection={"range": "0:5"}),
        header(selection={"range": "5:"}),
        header(again={"0 p": ["q1"]}),
    ]
    paths = [find_checkpoint(tmp_path, name, content).log.path for content in contents]
    assert len(set(paths)) == len(paths)


AFRESH_TOO = r"\. Without --resume it starts afresh"
CHANGES = {
    f"k was 10, is 20{AFRESH_TOO}$": {"k": 20},
    f"mine.py has changed since{AFRESH_TOO}, and --retry-failed result.json asks only what failed in that result$": {
        "files": {"mine.py": "b"}
    },
    f"the documents of small have changed since{AFRESH_TOO}$": {"datasets": {"small": {"documents": "y"}}},
    f"numpy was 1, is 2{AFRESH_TOO}$": {"versions": {"numpy": "2"}},
}
OLD = {"files": {"mine.py": "a"}, "datasets": {"small": {"documents": "x"}}, "versions": {"numpy": "1"}}


@pytest.mark.parametrize("difference", CHANGES)
def test_under_a_plan_s_name_any_change_is_refused_and_shown(tmp_path, difference):
    begun(tmp_path, header(**OLD), "plan-mine", BOTH)
    with pytest.raises(UsageError, match=f"^this is not what was begun: {difference}"):
        resumed(tmp_path, header(**{**OLD, **CHANGES[difference]}), "plan-mine")
    assert resumed(tmp_path, header(**OLD), "plan-mine")[0]


@pytest.mark.parametrize("difference", CHANGES)
def test_by_flags_a_change_is_refused_while_the_same_queries_are_not_finished(tmp_path, difference):
    begun(tmp_path, header(**OLD), answers=ONE)
    with pytest.raises(UsageError, match=f"^what was begun and not finished is another one: {difference}"):
        resumed(tmp_path, header(**{**OLD, **CHANGES[difference]}))


@pytest.mark.parametrize(
    "changes",
    [{"selection": {"limit": 3}}, {"benchmarks": ("other",)}, {"providers": ["dense"]}, {"again": {"0 p": ["q1"]}}],
    ids=["other queries", "another benchmark", "another provider", "what failed before"],
)
def test_by_flags_an_evaluation_of_something_else_was_not_meant(tmp_path, changes):
    begun(tmp_path, header(), answers=ONE)
    assert resumed(tmp_path, header(**changes)) == ({}, [AFRESH])


@pytest.mark.parametrize("answers", [BOTH, FAILED], ids=["answered", "failed"])
def test_by_flags_one_that_is_finished_was_not_meant(tmp_path, answers):
    begun(tmp_path, header(), answers=answers)
    assert resumed(tmp_path, header(k=20)) == ({}, [AFRESH])


def test_by_flags_the_log_of_a_plan_was_not_meant_nor_was_one_that_cannot_be_read(tmp_path):
    begun(tmp_path, header(), "plan-mine", ONE)
    (tmp_path / "0000.log").write_bytes(b"nothing of ours\n")
    assert resumed(tmp_path, header(k=20)) == ({}, [AFRESH])


def test_of_several_the_latest_is_shown(tmp_path):
    for age, k in enumerate((30, 20)):
        path = begun(tmp_path, header(k=k), answers=ONE).log.path
        os.utime(path, (1e9 - age, 1e9 - age))
    with pytest.raises(UsageError, match=r"k was 30, is 10"):
        resumed(tmp_path, header())


def test_of_many_differences_a_few_are_shown(tmp_path):
    begun(tmp_path, header(files={f"{n}.py": "a" for n in range(9)}), "plan-mine")
    with pytest.raises(UsageError, match=r"4\.py has changed since; and 4 more\. Without"):
        resumed(tmp_path, header(files={f"{n}.py": "b" for n in range(9)}), "plan-mine")


def test_to_begin_again_puts_aside_what_was(tmp_path):
    log = begun(tmp_path, header(), "plan-mine", ONE).log
    assert find_checkpoint(tmp_path, "plan-mine", header(k=20)).begin() == {}
    assert log.read()[1] == {}
    assert ResponseLog(log.path.with_name(f"{log.path.name}.before")).read()[1] == {"0 p": {"q0": ONE[0]}}


def test_all_that_answers_rest_on_is_described(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("one")
    dataset = benchmark(3)
    provider = BoundProvider(Provider("own", "", Told, sources=lambda: [Path("mine.py"), Path("gone.py")]), {})
    plan = make_plan({"benchmarks": ["small"], "providers": [provider], "metrics": ["mrr"]})

    def described():
        return describe_start(plan, {"small": dataset}, [Part(dataset, provider, dataset.queries, 10)])

    first = described()
    assert first["plan"]["providers"] == [{"provider": "own"}]
    assert first["providers"] == ["own"]
    assert set(first["datasets"]["small"]) == {"queries", "documents", "judgments"}
    assert set(first["files"]) == {"mine.py"}
    assert {"assay", "python", "numpy"} <= set(first["versions"])
    assert first["queries"] == {"0 small/own": 3}
    assert described() == first
    Path("mine.py").write_text("two")
    assert described()["files"] != first["files"]


# --- changes in words -------------------------------------------------------------------------------------------------


BEFORE = {
    "plan": {
        "k": 100,
        "metrics": ["mrr", "map"],
        "providers": [{"provider": "bm25"}],
        "policy": {"rel": None},
        "graded": True,
    },
    "providers": ["bm25"],
    "files": {"slow1.py": "a1b2"},
    "datasets": {"small.json": {"queries": "1", "documents": "2"}},
    "versions": {"numpy": "1.0"},
}


def test_each_change_is_told_without_hashes_and_dumps():
    for place, change, told in [
        ("plan", {"k": 50}, "k was 100, is 50"),
        ("plan", {"metrics": ["mrr"]}, "metrics were mrr, map, are mrr"),
        ("plan", {"policy": {"rel": 2}}, "rel was not set, is 2"),
        ("plan", {"graded": False}, "graded was on, is off"),
        ("plan", {"chunkers": ["fixed_lines"]}, "chunkers were not set, are fixed_lines"),
        ("plan", {"providers": [{"provider": "bm25", "k1": 2}]}, "the settings of the providers have changed"),
        ("files", {"slow1.py": "c3d4"}, "slow1.py has changed since"),
        ("files", {"more.py": "c3d4"}, "more.py was not used before"),
        (
            "datasets",
            {"small.json": {"queries": "3", "documents": "4"}},
            "the queries and documents of small.json have changed since",
        ),
        ("versions", {"numpy": "2.0"}, "numpy was 1.0, is 2.0"),
    ]:
        assert describe_changes(BEFORE, {**BEFORE, place: {**BEFORE[place], **change}}) == [told]


def test_providers_go_by_their_names():
    other = {**BEFORE, "plan": {**BEFORE["plan"], "providers": [{"provider": "dense"}]}, "providers": ["bm25", "dense"]}
    assert describe_changes(BEFORE, other) == ["providers were bm25, are bm25, dense"]


def test_what_is_the_same_is_not_told():
    assert describe_changes(BEFORE, BEFORE) == []


def test_a_file_that_is_not_there_any_more():
    assert describe_changes(BEFORE, {**BEFORE, "files": {}}) == ["slow1.py is not used any more"]
    assert has_changed_files(BEFORE, {**BEFORE, "files": {}})
    assert not has_changed_files(BEFORE, {**BEFORE, "providers": []})


# --- finished logs ----------------------------------------------------------------------------------------------------


@pytest.fixture
def finished(tmp_path):
    """Five complete logs, the oldest first, and one that is not complete."""
    logs = [ResponseLog(tmp_path / f"{name}.log") for name in "abcdef"]
    for number, log in enumerate(logs):
        log.begin({"number": number})
        if number < 5:
            mark_finished(log)
            os.utime(log.path.with_name(f"{log.path.name}.done"), (number, number))
    return logs


def names(folder):
    return sorted(path.name for path in folder.glob("*.log"))


def test_the_newest_complete_logs_stay(finished, tmp_path):
    size = finished[0].path.stat().st_size
    assert clear_finished(tmp_path) == (2, 2 * size)
    assert names(tmp_path) == ["c.log", "d.log", "e.log", "f.log"]
    assert clear_finished(tmp_path, keep=0)[0] == 3
    assert names(tmp_path) == ["f.log"]
    assert not list(tmp_path.glob("*.done"))


def test_a_log_that_is_begun_again_stays(finished, tmp_path):
    mark_unfinished(finished[0])
    with finished[1].lock():
        assert clear_finished(tmp_path, keep=0)[0] == 3
    assert names(tmp_path) == ["a.log", "b.log", "f.log"]


def test_there_may_be_no_folder(tmp_path):
    assert clear_finished(tmp_path / "gone") == (0, 0)


@pytest.mark.slow
def test_evaluations_leave_few_logs(tmp_path):
    """Each evaluation is another one; only the last three can be gone on from without asking again."""
    for limit in range(1, 6):
        content = {
            "benchmarks": ["rag-template"],
            "providers": ["bm25"],
            "metrics": ["mrr"],
            "selection": {"limit": limit},
            "cache": False,
        }
        execute_plan(make_plan(content, "test"), ExecutionOptions(home=tmp_path))
    assert len(names(tmp_path / "runs")) == 3
    said = []
    execute_plan(make_plan(content, "test"), ExecutionOptions(home=tmp_path, resume=True, say=said.append))
    assert said == []


# --- answers by content -----------------------------------------------------------------------------------------------


ANSWERS = {"q1": Response("q1", ["a"], [2.0], 1.5), "q2": Response("q2", error="broken")}


def part(provider="bm25", k=10, texts=("cats", "dogs"), document="cats sleep"):
    queries = {f"q{number}": Query(f"q{number}", text) for number, text in enumerate(texts, 1)}
    dataset = BenchmarkDataset("d", queries=queries, documents={"a": Document("a", document)})
    return Part(dataset, parse_provider(mark_written(provider)), queries, k)


def kept(folder, **changes):
    """What is known afterwards, in a part that differs in some way."""
    ResponseCache(folder, part()).store(ANSWERS, {})
    return ResponseCache(folder, part(**changes)).known()


def test_what_was_answered_is_known(tmp_path):
    assert kept(tmp_path)["q1"] == ANSWERS["q1"]


def test_errors_are_never_kept(tmp_path):
    assert set(kept(tmp_path)) == {"q1"}


def test_the_words_decide_and_not_the_id(tmp_path):
    assert kept(tmp_path, texts=("dogs", "cats")) == {"q2": Response("q2", ["a"], [2.0], 1.5)}


def test_another_depth_configuration_or_document_is_another_question(tmp_path):
    for change in ({"k": 11}, {"provider": "bm25(k1=0.9)"}, {"document": "dogs sleep"}):
        assert kept(tmp_path, **change) == {}, change


def test_a_provider_that_may_change_is_asked_each_time(tmp_path):
    elsewhere = part(provider="http(url='http://127.0.0.1:9/')")
    ResponseCache(tmp_path, elsewhere).store(ANSWERS, {})
    assert ResponseCache(tmp_path, elsewhere).known() == {}
    assert not list(tmp_path.iterdir())


def test_what_is_known_is_not_written_again(tmp_path):
    kept(tmp_path)
    (file,) = tmp_path.glob("*.log")
    before = file.read_bytes()
    ResponseCache(tmp_path, part()).store(ANSWERS, {"q1": ANSWERS["q1"]})
    assert file.read_bytes() == before


def test_a_damaged_file_is_read_as_far_as_it_is_whole(tmp_path):
    kept(tmp_path)
    (file,) = tmp_path.glob("*.log")
    file.write_bytes(file.read_bytes()[:-3])
    assert ResponseCache(tmp_path, part()).known() == {}


def test_what_a_batch_shared_stays_a_share(tmp_path):
    ResponseCache(tmp_path, part()).store({"q1": Response("q1", ["a"], [2.0], 1.5, n_together=7)}, {})
    assert ResponseCache(tmp_path, part()).known()["q1"].n_together == 7


def test_an_answer_whose_time_nobody_knows_is_not_kept(tmp_path):
    """It was read from a result, and JSON has no word for such a time: what comes after it could not be read."""
    mixed = {"q1": Response("q1", ["x"], [1.0], float("nan")), "q2": Response("q2", ["a"], [2.0], 1.5)}
    ResponseCache(tmp_path, part()).store(mixed, {})
    assert ResponseCache(tmp_path, part()).known() == {"q2": mixed["q2"]}


def test_after_a_damage_it_is_written_on(tmp_path):
    kept(tmp_path)
    (file,) = tmp_path.glob("*.log")
    file.write_bytes(file.read_bytes()[:-3])
    ResponseCache(tmp_path, part()).store(ANSWERS, {})
    assert ResponseCache(tmp_path, part()).known() == {"q1": ANSWERS["q1"]}


def test_a_folder_that_cannot_be_written_costs_time_and_no_answer(tmp_path):
    (tmp_path / "file").write_text("")
    cache = ResponseCache(tmp_path / "file", part())
    cache.store(ANSWERS, {})
    assert cache.known() == {}


def twins(scopes=(None, None, None)):
    """Three queries, two of them with the same words."""
    texts = ("cats sleep", "dogs bark", "cats sleep")
    queries = {f"q{n}": Query(f"q{n}", text, scope=scope) for n, (text, scope) in enumerate(zip(texts, scopes, strict=True))}
    documents = {name: Document(name, text, group=name) for name, text in (("a", "cats sleep"), ("b", "dogs bark at cats"))}
    dataset = BenchmarkDataset("twins", queries=queries, documents=documents, qrels={q: {"a": 1.0} for q in queries})
    return Part(dataset, parse_provider(mark_written("bm25")), queries, 10, batch=3)


@pytest.mark.parametrize("scopes", [(None, None, None), ("a", "a", "b")], ids=["anywhere", "in scopes"])
def test_equal_words_in_one_batch_have_their_answers_whether_asked_or_known(tmp_path, scopes):
    one = twins(scopes)
    asked = collect_responses(one, {}, None, Progress(one.name, 3))
    ResponseCache(tmp_path, one).store(asked, {})
    known = ResponseCache(tmp_path, one).known()
    assert list(known) == ["q0", "q1", "q2"]
    assert {query: answer.ranking for query, answer in known.items()} == {
        query: answer.ranking for query, answer in asked.items()
    }
    assert (asked["q0"].docs == asked["q2"].docs) == (scopes[0] == scopes[2])
