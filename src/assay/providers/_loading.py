"""Loading what a user names as module:function, from the current folder too."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from assay.errors import ProviderError, near_matches


def module(name: str) -> ModuleType:
    """The module, from the current folder too."""
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
        importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise ProviderError(f"there is no module {error.name}, neither installed nor in {here}") from None
        raise ProviderError(f"module {name} cannot be imported: {error}") from error
    except Exception as error:
        raise ProviderError(f"module {name} cannot be imported: {type(error).__name__}: {error}") from error


def attribute(owner: ModuleType, name: str) -> Any:
    """What a module has under a name, which may have dots."""
    found: Any = owner
    for part in name.split("."):
        if not hasattr(found, part):
            near = near_matches(part, [one for one in vars(found) if not one.startswith("_")])
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            raise ProviderError(f"{owner.__name__} has no {name}.{hint}")
        found = getattr(found, part)
    return found


def parse_function(text: str) -> str:
    """`module:function`; the name may have dots."""
    place, colon, name = text.partition(":")
    parts = [*place.split("."), *name.split(".")]
    if not colon or not all(part.isidentifier() for part in parts):
        raise ValueError("module:function, such as my_module:search")
    return text
