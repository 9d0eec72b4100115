"""No git: to describe the repository around each result would take most of the time of these tests."""

import pytest


@pytest.fixture(autouse=True)
def no_git(monkeypatch):
    """There is no program to be found."""
    monkeypatch.setenv("PATH", "")
