"""Stand-ins for packages that are not installed here; tests/providers/adapters has the real ones."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from types import SimpleNamespace as Record

import pytest

__all__ = ["Record", "absent", "package"]


def package(monkeypatch: pytest.MonkeyPatch, name: str, **content):
    """A package that can be imported for the time of a test."""
    module = ModuleType(name)
    module.__spec__ = ModuleSpec(name, None)
    vars(module).update(content)
    monkeypatch.setitem(sys.modules, name, module)
    return module


def absent(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Make a package look as if it were not installed."""
    monkeypatch.setitem(sys.modules, name, None)
