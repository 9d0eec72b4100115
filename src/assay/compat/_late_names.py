"""late_names: the names of a drop-in, imported when they are first asked for, so that to import it costs next to nothing."""

from __future__ import annotations

import importlib
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def late_names(
    package: str, homes: Mapping[str, str], absent: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package whose names live in other modules: name → module.

    A name whose home is the package's own module of that name is the module itself. `absent` are names that the original
    has, with what to do instead: whoever imports one is told (by an ImportError, as any other would be lost on the way).
    """
    instead = absent or {}

    def get(name: str) -> Any:
        if name in instead:
            raise ImportError(f"{name} is not in {package}: {instead[name]}", name=package)
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = importlib.import_module(homes[name])
        value = home if homes[name] == f"{package}.{name}" else getattr(home, name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted(homes)
