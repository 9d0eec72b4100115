"""Stand-ins for packages that are not installed here; tests/providers/adapters has the real ones."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest


def package(monkeypatch: pytest.MonkeyPatch, name: str, **content):
    """A package that can be imported for the time of a test."""
    module = ModuleType(name)
    module.__spec__ = ModuleSpec(name, None)
    vars(module).update(content)
    monkeypatch.setitem(sys.modules, name, module)
    return module


def absent(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Make a package look as if it were not installed."""
    import assay.providers.loading as extras

    monkeypatch.delitem(sys.modules, name, raising=False)
    real = extras.find_spec
    monkeypatch.setattr(extras, "find_spec", lambda asked: None if asked == name else real(asked))


class Record:
    """Something with attributes."""

    def __init__(self, **attributes):
        vars(self).update(attributes)
