"""Vector stores: opened by a folder, an address or an object in Python code, and searched by the vector of a query."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from assay.embeddings import WORDLLAMA
from assay.errors import ProviderError, near_matches
from assay.extras import install_command
from assay.grammar import Param
from assay.providers.adapters import ASKED_ALONE, READING, SCOPE, TIMEOUT
from assay.providers.embeddings import check_model, embed
from assay.providers.event_loop import EventLoop
from assay.providers.loading import check_installed, describe_library_error, files_of, parse_function
from assay.providers.objects import check_object, is_fitting, load_object
from assay.providers.retriever import PermanentFailure
from assay.providers.secrets import address, conceal, fill_variables, revealed
from assay.text import shortened

METHODS = ("embed_query", "get_query_embedding", "encode")
"""Methods that embed a query in LangChain, LlamaIndex and sentence-transformers."""
CALLED = "__call__"
IN_CODE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")

Embed = Callable[[str], Any]
"""A text → its vector as a list of numbers, or another value that the store accepts."""


def check_embed(owner: str, name: str) -> None:
    """Raise unless the function, or the package of the model, exists. Nothing is called or loaded."""
    if IN_CODE.fullmatch(name):
        check_object(name, (*METHODS, CALLED), "function that embeds a text")
    elif name == WORDLLAMA:
        check_model(owner, name)
    elif name:
        check_installed(f"{owner}(embed='{name}')", "sentence_transformers", install_command("sentence-transformers"))


def load_embed(owner: str, name: str) -> Embed:
    """The function that embeds a query: from Python code, or by a model that `dense` supports."""
    if not IN_CODE.fullmatch(name):
        check_embed(owner, name)
        return partial(_of_model, owner, name)
    target = load_object(name, (*METHODS, CALLED), "function that embeds a text")
    method = next((method for method in METHODS if is_fitting(target, (method,))), CALLED)
    return partial(_of_function, name, getattr(target, method) if method != CALLED else target)


def files_of_embed(name: str) -> list[Path]:
    """The user's own files that embed queries."""
    return files_of(name) if IN_CODE.fullmatch(name) else []


def _of_model(owner: str, name: str, text: str) -> list[float]:
    return embed(owner, name, [text])[0].tolist()


def _of_function(name: str, function: Callable[[str], Any], text: str) -> Any:
    with describe_library_error(name):
        return as_vector(name, EventLoop().result(function(text)))


def as_vector(name: str, vector: Any) -> Any:
    """A list of numbers from a list, an array or a tensor, also from one with a single row; any other object is unchanged.

    None, a text, a number, an empty list and a list with anything but finite numbers are a PermanentFailure.
    """
    vector = vector.tolist() if callable(getattr(vector, "tolist", None)) else vector
    if not isinstance(vector, list | tuple):
        if vector is None or isinstance(vector, str | int | float):
            raise PermanentFailure(f"{name} must return a vector (a list of numbers) for a text, not {shortened(vector)}")
        return vector
    row = vector[0] if len(vector) == 1 and isinstance(vector[0], list | tuple) else vector
    row = [number.item() if callable(getattr(number, "item", None)) else number for number in row]
    if not row or not all(isinstance(number, int | float) and math.isfinite(number) for number in row):
        raise PermanentFailure(f"{name} must return a vector (a list of finite numbers) for a text, not {shortened(vector)}")
    return row


WAYS = f"embed='module:function', or embed={WORDLLAMA} for the model of assay-ir[dense]"
"""How to set the embedding, for messages."""


def parse_address(text: str) -> str:
    """The address of a server, shown without its password."""
    try:
        parts = urlsplit(text)
        fits = text.startswith("${") or (parts.scheme in ("http", "https") and bool(parts.hostname))
    except ValueError:
        fits = False
    if not fits:
        raise ValueError("an address such as http://127.0.0.1:6333")
    return conceal(address, text)


def fill_address(text: str, where: str) -> str:
    """A setting with its secrets and variables filled in."""
    return fill_variables(revealed(text), where)


def opening_params(folder: str, what: str) -> tuple[Param, ...]:
    """The parameters of a store that can be opened by a folder or as an object in Python code."""
    return (
        Param("path", str, "", folder),
        Param("python", parse_function, "", f"module:name of {what}, or of a function without parameters that returns it"),
    )


def check_opened(owner: str, package: str, install: str, ways: Sequence[tuple[str, str]]) -> None:
    """Raise unless exactly one way to open the store is set, its package is installed, and its folder exists.

    Each way is a pair of name and value. Most stores would create a missing folder, and it would be empty.
    """
    used_ways = [(name, value) for name, value in ways if value]
    if len(used_ways) != 1:
        names = ", ".join(f"{name}=" for name, _ in ways)
        used_names = " and ".join(f"{name}=" for name, _ in used_ways) or "none of them"
        raise ProviderError(f"{owner} needs exactly one of {names}, found {used_names}")
    name, value = used_ways[0]
    if name == "python":
        return
    check_installed(owner, package, install)
    if name == "path" and "://" not in value and not Path(value).is_dir():
        raise ProviderError(f"{owner}: there is no folder {value} (current folder: {Path.cwd()})")
    if name in ("url", "dsn"):
        fill_address(value, name)


def check_parts(owner: str, python: str, methods: Sequence[str], what: str, embed: str) -> None:
    """Raise unless the object in Python code and the function or model that embeds queries exist."""
    if python:
        check_object(python, methods, what)
    check_embed(owner, embed)


def files_of_store(python: str = "", embed: str = "", **_: Any) -> list[Path]:
    """The user's own code that opens a store or embeds queries."""
    return [*(files_of(python) if python else []), *files_of_embed(embed)]


def receives_scopes(scope: str = "", **_: Any) -> bool:
    """Whether the field is set by which a search is limited to the scope of a query."""
    return bool(scope)


ASKING = (SCOPE, *READING, TIMEOUT)
"""The parameters for searching, which all stores have."""
AS_STORE: dict[str, Any] = {**ASKED_ALONE, "sources": files_of_store, "heeds_scope": receives_scopes}
"""Record fields that all stores share."""


def missing_error(owner: str, kind: str, name: str, names: Callable[[], Iterable[str]]) -> PermanentFailure:
    """The error for a collection or table that does not exist, with the names of those that do."""
    try:
        known = sorted(names())
    except Exception:  # noqa: BLE001 (the list is only a hint)
        known = []
    near = near_matches(name, known)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    choices = f"choose from {', '.join(known[:8])}{' …' if len(known) > 8 else ''}" if known else f"there are no {kind}s"
    return PermanentFailure(f"{owner}: no {kind} is called {name!r}.{hint}   ({choices})")
