"""assay doctor: versions, extras, store and caches, and what is missing for what."""

import importlib.metadata
import json

import pytest


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    return tmp_path


def facts(assay, *arguments):
    done = assay("doctor", "--format", "json", *arguments)
    return done.code, json.loads(done.out)


def without(monkeypatch, *names):
    """As if these distributions were not installed."""
    real = importlib.metadata.version

    def version(name):
        if name in names:
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr("importlib.metadata.version", version)


def test_everything_is_shown(here, assay):
    (here / "cache").mkdir()
    (here / "cache" / "some.js").write_bytes(b"x" * 2_000_000)
    assert assay("eval", "--benchmarks", "rag-template", "--providers", "bm25", "--quiet").code == 0
    done = assay("doctor")
    assert done.code == 0
    for part in (
        "assay ",
        "Python ",
        "numpy ",
        "1 result, ",
        "1 file, 2.0 MB",
        "HTML reports and charts",
        "assay works",
    ):
        assert part in done.out
    code, plain = facts(assay)
    assert (code, plain["store"]["n_evaluations"], plain["faults"]) == (0, 1, [])
    cache = {"name": "shared cache", "path": str(here / "cache"), "n_files": 1, "n_bytes": 2_000_000, "error": ""}
    assert plain["caches"][0] == cache


def test_a_missing_extra_is_named_with_the_command_that_installs_it(here, assay, monkeypatch):
    without(monkeypatch, "wordllama", "vl-convert-python")
    done = assay("doctor")
    assert done.code == 0
    assert "pip install 'assay-ir[report]'" in done.out
    _, plain = facts(assay)
    state = {extra["name"]: (extra["missing"], extra["install"]) for extra in plain["extras"]}
    assert state["dense"] == (["wordllama"], "pip install 'assay-ir[dense]'")
    assert state["report"] == (["vl-convert-python"], "pip install 'assay-ir[report]'")
    assert state["postgres"] == ([], "")


def test_what_keeps_assay_from_working_is_an_error(here, assay, monkeypatch):
    (here / "broken.db").write_text("not a database\n" * 100)
    code, plain = facts(assay, "--store", "broken.db")
    assert code == 6
    assert "the store cannot be read" in plain["faults"][0]
    without(monkeypatch, "duckdb")
    code, plain = facts(assay)
    assert (code, plain["faults"]) == (3, ["duckdb is not installed: pip install duckdb"])


def test_nothing_is_created(here, assay):
    assert assay("doctor").code == 0
    assert list(here.iterdir()) == []


def test_passwords_are_masked_however_short(here, assay, monkeypatch):
    monkeypatch.setenv("ASSAY_STORE", "postgresql://me:ab@127.0.0.1:1/results")
    done = assay("doctor")
    assert (done.code, "me:***@127.0.0.1" in done.out, ":ab@" in done.out + done.err) == (6, True, False)
    assert ":ab@" not in assay("doctor", "--format", "json").out


def test_without_metadata_nothing_is_claimed_about_extras(here, assay, monkeypatch):
    def requires(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.requires", requires)
    code, plain = facts(assay)
    assert (code, "is not installed" in plain["faults"][0]) == (3, True)
    assert assay("doctor").out.count(" unknown ") == len(plain["extras"])


def test_a_cache_that_cannot_be_read_is_a_row_of_its_own(here, assay, monkeypatch):
    (here / "cache").mkdir()

    def rglob(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.rglob", rglob)
    code, plain = facts(assay)
    assert (code, "the shared cache cannot be read" in plain["faults"][0]) == (3, True)
