"""What the tests of datasets share: folders."""

import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all examples that hypothesis makes up, each of which replaces the last."""
    return tmp_path_factory.mktemp("examples")
