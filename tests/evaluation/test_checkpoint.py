"""Checkpoint: found again by what was asked for, and refused where that has changed."""

import os
from pathlib import Path

import pytest

from assay import UsageError
from assay.execution import Part, Response, make_plan
from assay.execution.checkpoint import describe_start, find_checkpoint
from assay.execution.responses import SCHEMA, ResponseLog
from assay.providers import BoundProvider, Provider

from ._retrievers import Told, benchmark

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
