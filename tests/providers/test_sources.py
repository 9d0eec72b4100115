"""Sources: the files that decide the answers of a provider, and nothing of them is run."""

from __future__ import annotations

import sys

import pytest

from assay.providers.loading import MANY_FILES, files_of

from ._written import parse_provider


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder of one's own, which is the current one; what is imported there is forgotten."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("sources_")]:
        del sys.modules[name]


def test_the_module_of_a_function_is_hashed_and_not_run(here):
    (here / "sources_one.py").write_text("raise SystemExit")
    bound = parse_provider("python:sources_one:search")
    (before,) = bound.sources().items()
    assert before[0] == "sources_one.py"
    (here / "sources_one.py").write_text("raise SystemExit  # again")
    assert bound.sources() != dict([before])
    (here / "sources_one.py").write_text("raise SystemExit")
    assert bound.sources() == dict([before])


def test_a_package_counts_with_all_its_files_and_a_module_in_it_alone(here):
    folder = here / "sources_two" / "deep"
    folder.mkdir(parents=True)
    for file in (here / "sources_two" / "__init__.py", here / "sources_two" / "one.py", folder / "two.py"):
        file.write_text("raise SystemExit")
    assert list(parse_provider("python:sources_two:search").sources()) == [
        *("sources_two/__init__.py", "sources_two/deep/two.py", "sources_two/one.py")
    ]
    assert list(parse_provider("python:sources_two.one:search").sources()) == ["sources_two/one.py"]
    for number in range(MANY_FILES + 10):
        (folder / f"more{number}.py").touch()
    assert len(files_of("sources_two:search")) == MANY_FILES


def test_what_is_not_there_is_left_out(here):
    for text in ("python:sources_gone:x", "python:sources_gone.deep:x", "replay:gone.run", "command:no-such-program x"):
        assert parse_provider(text).sources() == {}
    assert parse_provider("python:sys:exit").sources() == {}
    assert parse_provider("bm25").sources() == {}


def test_a_program_and_its_files(here, monkeypatch):
    (here / "search.py").write_text("print()")
    (here / "config.toml").write_text("")
    monkeypatch.setenv("CONFIG", "config.toml")
    found = parse_provider(f"command:'{sys.executable}' search.py ${{CONFIG}} --deep gone.txt").sources()
    assert list(found) == [sys.executable, "search.py", "config.toml"]
    monkeypatch.delenv("CONFIG")
    assert parse_provider("command:search.py ${CONFIG}").sources() == {}


def test_parts_and_runs_elsewhere(here, tmp_path_factory):
    other = tmp_path_factory.mktemp("other") / "a.run"
    other.write_text("q Q0 a 1 2 x\n")
    (here / "sources_three.py").touch()
    found = parse_provider(f"rerank(replay:{other}, function=sources_three:score)").sources()
    assert set(found) == {"sources_three.py", other.as_posix()}


def test_a_file_that_may_not_be_read_is_left_out(here, monkeypatch):
    def refuse(*_):
        raise PermissionError

    (here / "a.run").touch()
    monkeypatch.setattr("pathlib.Path.open", refuse)
    assert parse_provider("replay:a.run").sources() == {}
