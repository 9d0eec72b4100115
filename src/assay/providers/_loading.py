"""Loading what a user names as module:function, from the current folder too."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from assay.errors import ProviderError, near_matches
from assay.providers._explained import named_error

MANY_FILES = 200
"""Files of a package that are looked at."""
MOST_SHOWN = 8
"""Functions and classes of a module that are named."""


def module(name: str) -> ModuleType:
    """The module, from the current folder too."""
    here = _with_current_folder()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise ProviderError(f"there is no module {error.name}, neither installed nor in {here}") from None
        raise _not_imported(name, error) from error
    except (Exception, SystemExit) as error:
        raise _not_imported(name, error) from error


def _not_imported(name: str, error: BaseException) -> ProviderError:
    return ProviderError(f"module {name} cannot be imported: {named_error(error)}")


def _with_current_folder() -> str:
    """The current folder, in which modules can be found from now on."""
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
        importlib.invalidate_caches()
    return here


def named(text: str) -> Any:
    """What `module:name` names."""
    place, _, name = text.partition(":")
    return attribute(module(place), name)


def files_of(text: str) -> list[Path]:
    """The file of the module in `module:name`, or those of a package; none where it is not found. Nothing is run."""
    _with_current_folder()
    folders, spec = None, None
    name = ""
    for step in text.partition(":")[0].split("."):
        name = f"{name}.{step}".lstrip(".")
        spec = _found(name, folders)
        if spec is None:
            return []
        folders = spec.submodule_search_locations
    if folders:
        return sorted(file for folder in folders for file in Path(folder).rglob("*.py"))[:MANY_FILES]
    return [Path(spec.origin)] if spec and spec.has_location and spec.origin else []


def _found(name: str, folders: Sequence[str] | None) -> ModuleSpec | None:
    """Where a module is, as whoever imports would find it."""
    specs = (finder.find_spec(name, folders) for finder in sys.meta_path if hasattr(finder, "find_spec"))
    return next(filter(None, specs), None)


def attribute(owner: ModuleType, name: str) -> Any:
    """What a module has under a name, which may have dots."""
    found: Any = owner
    for part in name.split("."):
        if not hasattr(found, part):
            names = [one for one in getattr(found, "__dict__", ()) if not one.startswith("_")]
            near = near_matches(part, names)
            hint = f" Did you mean {' or '.join(near)}?" if near else _offered(found, names)
            raise ProviderError(f"{owner.__name__} has no {name}.{hint}")
        found = getattr(found, part)
    return found


def _offered(found: Any, names: Sequence[str]) -> str:
    """What there is instead, that was made there and can be called; empty where there is nothing of the kind."""
    place = getattr(found, "__name__", "")
    own = [one for one in names if callable(value := getattr(found, one)) and getattr(value, "__module__", place) == place]
    shown = ", ".join(own[:MOST_SHOWN]) + (" …" if len(own) > MOST_SHOWN else "")
    return f" It has {shown}." if own else " There is nothing in it that could be called."


def parse_function(text: str) -> str:
    """`module:function`; the name may have dots."""
    place, colon, name = text.partition(":")
    parts = [*place.split("."), *name.split(".")]
    if not colon or not all(part.isidentifier() for part in parts):
        raise ValueError("module:function, such as my_module:search")
    return text
