"""What the tests of datasets share: folders, caches and sizes."""

import pytest

from ._sizes import sizes


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all examples that hypothesis makes up, each of which replaces the last."""
    return tmp_path_factory.mktemp("examples")


@pytest.fixture(scope="module")
def everything_is_large():
    """The quick way is taken however small a source is."""
    with sizes(0):
        yield


@pytest.fixture
def ontology_cache(tmp_path, monkeypatch):
    """A cache of ontologies of the test's own."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "ontologies"
