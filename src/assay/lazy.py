"""Lazy: the front doors of packages. Each name is imported when it is first used."""

from __future__ import annotations

import ast
import sys
from importlib import import_module

TYPE_CHECKING = False  # typing takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def front_door(
    package: str, absent: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package, read from the stub next to it, which type checkers read as well.

    The stub says which file each name comes from: `from package.file import name as name`. Its `__all__` lists the public
    names; without it, all names are public. A name is looked up in its file each time, so a replacement there has effect.
    `absent` are names that a user may expect, with what to do instead.
    """
    loaded: Any = sys.modules[package]
    stub = loaded.__spec__.loader.get_data(f"{loaded.__path__[0]}/__init__.pyi")  # from a folder or a zip file alike
    body = ast.parse(stub.decode("utf-8")).body
    homes = {
        alias.asname or alias.name: (str(node.module), alias.name)
        for node in body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    lists = [ast.literal_eval(node.value) for node in body if isinstance(node, ast.Assign)]
    public = sorted(lists[0] if lists else homes)

    def get(name: str) -> Any:
        if absent and name in absent:  # an ImportError, because `from package import name` hides the text of any other error
            raise ImportError(f"{name} is not in {package}: {absent[name]}", name=package)
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, original = homes[name]
        return import_module(f"{package}.{name}") if module == package else getattr(import_module(module), original)

    return get, lambda: public, public
