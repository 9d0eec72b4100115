"""Loading other people's code: `module:function` and optional packages, and errors that say whose they are and where."""

from __future__ import annotations

import importlib
import sys
import sysconfig
import traceback
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
"""Files of a package that are looked at."""
MISSING: Any = object()
MAX_SHOWN = 8
"""Functions and classes of a module that are named."""


def load_module(name: str) -> ModuleType:
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
    return ProviderError(f"module {name} cannot be imported: {describe_error(error)}")


def _with_current_folder() -> str:
    """The current folder, in which modules can be found from now on."""
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
        importlib.invalidate_caches()
    return here


def load_named(text: str) -> Any:
    """What `module:name` names."""
    place, _, name = text.partition(":")
    return find_attribute(load_module(place), name)


def files_of(text: str) -> list[Path]:
    """The file of the module in `module:name`, or those of a package; none where it is not found. Nothing is run."""
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
    """Where a module is, as whoever imports would find it."""
    finds = filter(None, (getattr(finder, "find_spec", None) for finder in sys.meta_path))
    return next(filter(None, (find(name, folders) for find in finds)), None)


def find_attribute(owner: ModuleType, name: str) -> Any:
    """What a module has under a name, which may have dots."""
    value: Any = owner
    for part in name.split("."):
        inner = getattr(value, part, MISSING)
        if inner is MISSING:
            names = [
                attribute_name for attribute_name in getattr(value, "__dict__", ()) if not attribute_name.startswith("_")
            ]
            near = near_matches(part, names)
            hint = f" Did you mean {' or '.join(near)}?" if near else _describe_callables(value, names)
            raise ProviderError(f"{owner.__name__} has no {name}.{hint}")
        value = inner
    return value


def _describe_callables(owner: Any, names: Sequence[str]) -> str:
    """What there is instead, that was made there and can be called; empty where there is nothing of the kind."""
    place = getattr(owner, "__name__", "")
    own = [
        name for name in names if callable(value := getattr(owner, name)) and getattr(value, "__module__", place) == place
    ]
    callables = ", ".join(own[:MAX_SHOWN]) + (" …" if len(own) > MAX_SHOWN else "")
    return f" It has {callables}." if own else " There is nothing in it that could be called."


def parse_function(text: str) -> str:
    """`module:function`; the name may have dots."""
    place, colon, name = text.partition(":")
    parts = [*place.split("."), *name.split(".")]
    if not colon or not all(part.isidentifier() for part in parts):
        raise ValueError("module:function, such as my_module:search")
    return text


@contextmanager
def describe_library_error(name: str) -> Iterator[None]:
    """Say whose error it was and where; one that tells of a busy service becomes RetryLater. Interruptions pass."""
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
    """Its kind, the first line of what it says, and where it was raised: `KeyError: 'x' (mine.py:3)`.

    A first line that ends in a colon announces what it leaves out, so the error it came from speaks for it.
    """
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    text = message.strip().partition("\n")[0].rstrip()
    if text.endswith(":") and error.__cause__ is not None:
        return f"{type(error).__name__}: {text} {describe_error(error.__cause__)}"
    return f"{type(error).__name__}{f': {text}' if text else ''}{_raised_at(error)}"


def _raised_at(error: BaseException) -> str:
    """The line of the user's own code where it came from, else the last; nowhere if they only took too long."""
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
    """How the files begin that are nobody's own: those of Python, of installed packages and of assay itself."""
    paths = sysconfig.get_paths()
    own = str(Path(__file__).parent.parent)
    return ("<", own, *(paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")))


def check_installed(owner: str, package: str, install: str) -> None:
    """Raise one line that names the command to install the package, unless it is there; it is not imported."""
    if find_spec(package) is None:
        raise ProviderError(f"{owner} needs {package.replace('_', '-')}: {install}")


def import_package(owner: str, package: str, install: str) -> Any:
    """The package, imported; or one line that names the command to install it."""
    check_installed(owner, package, install)
    return importlib.import_module(package)
