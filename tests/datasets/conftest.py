"""What the tests of datasets share: folders and caches."""

import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all examples that hypothesis makes up, each of which replaces the last."""
    return tmp_path_factory.mktemp("examples")


@pytest.fixture
def ontology_cache(tmp_path, monkeypatch):
    """A cache of ontologies of the test's own."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "ontologies"
