"""What the tests of the store share: a store in SQLite, and one in a real PostgreSQL."""

import os
import uuid

import pytest

from assay.store import Store

from ._postgres import find_programs, running_server


def require(what, why):
    """Skip, unless this machine shall have everything."""
    if "all" in os.environ.get("ASSAY_TEST_REQUIRE", "").split(","):
        pytest.fail(f"ASSAY_TEST_REQUIRE=all, but {what} is missing: {why}")
    pytest.skip(f"needs {what}: {why}")


@pytest.fixture(scope="session")
def server():
    """The URL of a PostgreSQL server that lives as long as the tests."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        require("psycopg", "pip install 'assay-ir[postgres]'")
    if (programs := find_programs()) is None:
        require("PostgreSQL", "initdb and pg_ctl are not installed (Debian: apt-get install postgresql)")
    with running_server(programs) as url:
        yield url


@pytest.fixture
def postgres(server):
    """The URL of an empty database."""
    import psycopg

    name = f"store_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield server.replace("/postgres", f"/{name}")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def sqlite(tmp_path):
    """The URL of a file that is not there yet."""
    return f"sqlite:///{tmp_path / 'store.db'}"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def url(request):
    """Both kinds of store, one after the other."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def store(url):
    """An empty store of either kind."""
    with Store.open(url) as opened:
        yield opened


@pytest.fixture
def local(sqlite):
    """An empty store in SQLite, where the kind does not matter."""
    with Store.open(sqlite) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder without a store."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    return tmp_path
