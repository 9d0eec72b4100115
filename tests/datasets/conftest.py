"""What the tests of datasets share: folders, caches, sizes, and files that are made and read in one go."""

import json

import pytest

from assay import DataError
from assay.datasets.format import load_dataset

from ._cases import write
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
def read_rag(tmp_path):
    """Read what a file of the format rag_template with this content says."""

    def reading(content, name="rag.json"):
        text = content if isinstance(content, str | bytes) else json.dumps(content)
        return load_dataset(write(tmp_path / name, text), format="rag_template")

    return reading


@pytest.fixture
def rag_fault(read_rag):
    """What is wrong with a file of the format rag_template with this content."""

    def faulting(content, name="rag.json"):
        with pytest.raises(DataError) as raised:
            read_rag(content, name)
        return str(raised.value)

    return faulting


@pytest.fixture
def ontology_cache(tmp_path, monkeypatch):
    """A cache of ontologies of the test's own."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "ontologies"
