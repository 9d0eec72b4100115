"""Stores that many tests look at, made once; but for `fresh` nobody may change them."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("starlette")
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def usual(tmp_path_factory):
    """Thirty nights of two providers."""
    from _stores import usual_store

    return usual_store(tmp_path_factory.mktemp("web") / "usual.db")


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    """Names, queries and documents that mean harm."""
    from _stores import hostile_store

    return hostile_store(tmp_path_factory.mktemp("web") / "hostile.db")


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """Four nights of two providers."""
    from _stores import usual_store

    return usual_store(tmp_path_factory.mktemp("web") / "small.db", nights=4)


@pytest.fixture(scope="session")
def one_result(tmp_path_factory):
    """A single result."""
    from _stores import result_of, saved

    return saved(tmp_path_factory.mktemp("web") / "one.db", [result_of(1)])


@pytest.fixture
def fresh(one_result, tmp_path):
    """A store of a single result that the test may change."""
    from assay.store import Store

    with Store.open(shutil.copy(one_result, tmp_path / "fresh.db")) as store:
        yield store


@pytest.fixture(scope="session")
def stored(usual):
    """What the usual store holds."""
    from _stores import Stored

    return Stored(usual)


@pytest.fixture(scope="session")
def attacked(hostile):
    """A client on the store that means harm."""
    from _clients import client_of

    return client_of(hostile)


@pytest.fixture(scope="session")
def client(usual):
    """A browser without scripts, on the usual store."""
    from _clients import client_of

    return client_of(usual)
