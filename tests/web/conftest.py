"""Stores that many tests look at, made once; but for `fresh` nobody may change them."""

import shutil

import pytest

pytest.importorskip("starlette")

from assay.store import Store

from ._clients import client_of
from ._stores import Stored, hostile_store, result_of, saved, usual_store


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("web")


@pytest.fixture(scope="session")
def usual(folder):
    """Thirty nights of two providers."""
    return usual_store(folder / "usual.db")


@pytest.fixture(scope="session")
def small(folder):
    """Four nights of two providers."""
    return usual_store(folder / "small.db", nights=4)


@pytest.fixture(scope="session")
def hostile(folder):
    """Names, queries and documents that mean harm."""
    return hostile_store(folder / "hostile.db")


@pytest.fixture(scope="session")
def one_result(folder):
    """A single result."""
    return saved(folder / "one.db", [result_of(1)])


@pytest.fixture
def undrawn(monkeypatch):
    """Charts are not drawn, which takes the longest of what a page does; for tests that do not look at them."""
    monkeypatch.setattr("assay.web.drawing.Drawer.svg_of", lambda *_: '<svg class="marks" width="1"><g></g></svg>')


@pytest.fixture
def fresh(one_result, tmp_path):
    """A store of a single result that the test may change."""
    with Store.open(shutil.copy(one_result, tmp_path / "fresh.db")) as store:
        yield store


@pytest.fixture(scope="session")
def stored(usual):
    """What the usual store holds."""
    return Stored(usual)


@pytest.fixture(scope="session")
def client(usual):
    """A browser without scripts, on the usual store."""
    return client_of(usual)


@pytest.fixture(scope="session")
def attacked(hostile):
    """The same on the store that means harm."""
    return client_of(hostile)
