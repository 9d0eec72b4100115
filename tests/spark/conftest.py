"""What the tests of Spark share: sessions, a Connect server and a cluster, all on the loopback interface.

They need PySpark and Java: `make test-spark-local` and `make test-spark` run them in an environment of their own. Elsewhere
they are skipped, and with ASSAY_TEST_REQUIRE=spark they fail. Files called `test_without_*.py` need neither.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest
from tests.spark import _cluster, _connect, _events, _tables
from tests.spark._driver import LOCAL, open_session, running_driver
from tests.spark._kills import SETTINGS, Work

HERE = Path(__file__).parent


def missing():
    """What this machine lacks for Spark; nothing if it has all."""
    if importlib.util.find_spec("pyspark") is None:
        return "PySpark is not installed (pip install 'assay-ir[spark]')"
    return "" if _cluster.java() else "there is no java on the path (Debian: apt-get install default-jre-headless)"


def pytest_collection_modifyitems(items):
    """A session takes seconds to start, and other people's packages warn about each other."""
    own = [item for item in items if item.path.is_relative_to(HERE) and not item.path.name.startswith("test_without_")]
    reason = missing() if own else ""
    for item in own:
        item.add_marker(pytest.mark.slow)
        item.add_marker(pytest.mark.filterwarnings("ignore"))
        if reason and "spark" not in os.environ.get("ASSAY_TEST_REQUIRE", "").split(","):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def installed():
    """Fails where Spark is required but missing."""
    if reason := missing():
        pytest.fail(f"ASSAY_TEST_REQUIRE=spark, but {reason}")


@pytest.fixture(scope="session")
def spark(installed, tmp_path_factory):
    """A session with two threads in this process, for all tests."""
    folder = tmp_path_factory.mktemp("spark")
    settings = LOCAL | {"spark.sql.warehouse.dir": str(folder / "warehouse")}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in _cluster.environment(folder).items():
            if name.startswith(("SPARK_", "PYSPARK_")):
                patch.setenv(name, value)
        session = open_session("local[2]", "", settings)
        yield session
        session.stop()


@pytest.fixture(scope="session")
def connect_url(installed, tmp_path_factory):
    """The address of a Spark Connect server."""
    with _connect.running_server(tmp_path_factory.mktemp("connect")) as url:
        yield url


@pytest.fixture(scope="session")
def connect(connect_url, tmp_path_factory):
    """A process with a session on the Connect server."""
    with running_driver(tmp_path_factory.mktemp("connect-driver"), remote=connect_url) as driver:
        yield driver


@pytest.fixture(scope="session")
def cluster(installed, tmp_path_factory):
    """A standalone master with two workers."""
    with _cluster.running_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """200 queries with 1,500 documents each, in two files."""
    return _tables.write_tables(tmp_path_factory.mktemp("tables"), 200, 1_500, n_files=2)


@pytest.fixture(scope="session")
def expected(tables):
    """What one process computes from these tables."""
    return _tables.evaluate_locally(tables)


@pytest.fixture(scope="session")
def work(cluster, tables, expected, tmp_path_factory):
    """Evaluations of these tables on the cluster, which replaces slow tasks."""
    events, folder = tmp_path_factory.mktemp("events"), tmp_path_factory.mktemp("driver")
    with running_driver(folder, cluster.url, **SETTINGS, **_events.settings(events)) as driver:
        yield Work(driver, events, tables, expected)
