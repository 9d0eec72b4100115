"""Loading the user's code: `module:function` and optional packages, and errors that name the function and the line."""

from __future__ import annotations

import importlib
import sys
import sysconfig
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from assay.errors import ProviderError, near_matches
from assay.providers import event_loop
from assay.providers.retriever import BUSY_STATUS, RetryLater

MANY_FILES = 200
"""The most files of a package that are read."""
MISSING: Any = object()
MAX_SHOWN = 8
"""The most functions and classes of a module that a message lists."""


def load_module(name: str) -> ModuleType:
    """The module, which may be in the current folder."""
    here = _with_current_folder()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise ProviderError(
                f"there is no module {error.name}: it is neither installed nor in {here}. "
                "Check its name (without .py) and the current folder"
            ) from None
        raise _not_imported(name, error) from error
    except (Exception, SystemExit) as error:
        raise _not_imported(name, error) from error


def _not_imported(name: str, error: BaseException) -> ProviderError:
    return ProviderError(f"cannot import module {name}: {describe_error(error)}")


def _with_current_folder() -> str:
    """The current folder; from now on, its modules can be imported."""
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
        importlib.invalidate_caches()
    return here


def load_named(text: str) -> Any:
    """The object that `module:name` names."""
    place, _, name = text.partition(":")
    return find_attribute(load_module(place), name)


def files_of(text: str) -> list[Path]:
    """The file of the module in `module:name`, or all files of a package; empty if it is not found. No code is run."""
    _with_current_folder()
    folders, spec = None, None
    name = ""
    for step in text.partition(":")[0].split("."):
        name = f"{name}.{step}".lstrip(".")
        spec = _find_spec(name, folders)
        if spec is None:
            return []
        folders = spec.submodule_search_locations
    if folders:
        return sorted(file for folder in folders for file in Path(folder).rglob("*.py"))[:MANY_FILES]
    return [Path(spec.origin)] if spec and spec.has_location and spec.origin else []


def _find_spec(name: str, folders: Sequence[str] | None) -> ModuleSpec | None:
    """Where an import would find a module."""
    finds = filter(None, (getattr(finder, "find_spec", None) for finder in sys.meta_path))
    return next(filter(None, (find(name, folders) for find in finds)), None)


def find_attribute(owner: ModuleType, name: str) -> Any:
    """The attribute of a module with this name, which may contain dots."""
    value: Any = owner
    for part in name.split("."):
        inner = getattr(value, part, MISSING)
        if inner is MISSING:
            names = [
                attribute_name for attribute_name in getattr(value, "__dict__", ()) if not attribute_name.startswith("_")
            ]
            near = near_matches(part, names)
            hint = f" Did you mean {' or '.join(near)}?" if near else _describe_callables(value, names)
            raise ProviderError(f"module {owner.__name__} has no {name!r}.{hint}")
        value = inner
    return value


def _describe_callables(owner: Any, names: Sequence[str]) -> str:
    """A sentence that lists the functions and classes that a module defines."""
    place = getattr(owner, "__name__", "")
    own = [
        name for name in names if callable(value := getattr(owner, name)) and getattr(value, "__module__", place) == place
    ]
    callables = ", ".join(own[:MAX_SHOWN]) + (f" and {len(own) - MAX_SHOWN} more" if len(own) > MAX_SHOWN else "")
    return f" It defines {callables}." if own else " It defines no functions or classes."


def parse_function(text: str) -> str:
    """`module:function`; both may contain dots."""
    place, colon, name = text.partition(":")
    parts = [*place.split("."), *name.split(".")]
    if not colon or not all(part.isidentifier() for part in parts):
        raise ValueError("module:name, such as my_module:search")
    return text


@contextmanager
def describe_library_error(name: str) -> Iterator[None]:
    """Turn an exception into a ProviderError that names its source and line, or into RetryLater if a service is busy."""
    try:
        yield
    except ProviderError:
        raise
    except (Exception, SystemExit) as error:
        response = getattr(error, "response", None)
        status = getattr(error, "status_code", getattr(response, "status_code", None))
        what = f"{name} raised {describe_error(error)}"
        raise RetryLater(None, what) if status in BUSY_STATUS else ProviderError(what) from error


def describe_error(error: BaseException) -> str:
    """Type, first line of the message, and where it was raised: `KeyError: 'x' (mine.py:3)`.

    If the first line ends in a colon, the text of the cause follows.
    """
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    text = message.strip().partition("\n")[0].rstrip()
    if text.endswith(":") and error.__cause__ is not None:
        return f"{type(error).__name__}: {text} {describe_error(error.__cause__)}"
    return f"{type(error).__name__}{f': {text}' if text else ''}{_raised_at(error)}"


def _raised_at(error: BaseException) -> str:
    """The last line of the user's own code, or else the last line of all; empty for a timeout."""
    if isinstance(error, SyntaxError) and error.filename and not error.filename.startswith("<"):
        return f" ({Path(error.filename).name}:{error.lineno})"
    places = traceback.extract_tb(error.__traceback__)
    if not places or places[-1].filename == event_loop.__file__:
        return ""
    theirs = [place for place in places if not place.filename.startswith(_installed())]
    last = (theirs or [place for place in places if not place.filename.startswith("<")] or places)[-1]
    return f" ({Path(last.filename).name}:{last.lineno})"


@cache
def _installed() -> tuple[str, ...]:
    """Path prefixes of files that are not the user's: Python, installed packages and assay."""
    paths = sysconfig.get_paths()
    own = str(Path(__file__).parent.parent)
    return ("<", own, *(paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")))


def check_installed(owner: str, package: str, install: str) -> None:
    """Raise an error with the install command unless the package is installed; it is not imported."""
    if find_spec(package) is None:
        raise ProviderError(f"{owner} needs the package {package.replace('_', '-')}: {install}")


def import_package(owner: str, package: str, install: str) -> Any:
    """The imported package; if it is missing, an error with the install command."""
    check_installed(owner, package, install)
    with warnings.catch_warnings():  # in a notebook without ipywidgets, tqdm warns of progress bars that assay never shows
        warnings.filterwarnings("ignore", message="IProgress not found")
        return importlib.import_module(package)
