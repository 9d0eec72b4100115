"""Vector stores: opened by a folder, an address or an object in Python code, and asked with the vector of a query."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from assay.errors import ProviderError, near_matches
from assay.extras import install_command
from assay.grammar import Param
from assay.providers.adapters import ASKED_ALONE, READING, SCOPE, TIMEOUT
from assay.providers.embeddings import WORDLLAMA, check_model, embed, load_model
from assay.providers.event_loop import EventLoop
from assay.providers.loading import check_installed, describe_library_error, files_of, parse_function
from assay.providers.objects import check_object, is_fitting, load_object
from assay.providers.retriever import PermanentFailure
from assay.providers.secrets import address, conceal, fill_variables, revealed
from assay.text import shortened, some_of

METHODS = ("embed_query", "get_query_embedding", "encode")
"""What embedding models of LangChain, LlamaIndex and sentence-transformers call it."""
CALLED = "__call__"
IN_CODE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")

Embed = Callable[[str], Any]
"""A text → its vector, as a list of numbers; or what the store takes in its place."""


def check_embed(owner: str, name: str) -> None:
    """Raise unless the function is there, or the package of the model. It is not called, and nothing loaded."""
    if IN_CODE.fullmatch(name):
        check_object(name, (*METHODS, CALLED), "function that embeds a text")
    elif name == WORDLLAMA:
        check_model(owner, name)
    elif name:
        check_installed(f"{owner}(embed='{name}')", "sentence_transformers", install_command("sentence-transformers"))


def load_embed(owner: str, name: str) -> Embed:
    """What embeds a query: a function or model in Python code, or a model that `dense` takes."""
    if not IN_CODE.fullmatch(name):
        check_embed(owner, name)
        return partial(_of_model, name)
    target = load_object(name, (*METHODS, CALLED), "function that embeds a text")
    method = next((method for method in METHODS if is_fitting(target, (method,))), CALLED)
    return partial(_of_function, name, getattr(target, method) if method != CALLED else target)


def files_of_embed(name: str) -> list[Path]:
    """The user's own files that embed queries."""
    return files_of(name) if IN_CODE.fullmatch(name) else []


def _of_model(name: str, text: str) -> list[float]:
    return embed(load_model(name), [text])[0].tolist()


def _of_function(name: str, function: Callable[[str], Any], text: str) -> Any:
    with describe_library_error(name):
        return as_vector(name, EventLoop().result(function(text)))


def as_vector(name: str, vector: Any) -> Any:
    """A list of numbers out of a list, an array or a tensor, or out of one with a single row; anything else as it is.

    A list that holds something else, or no number at all, is a PermanentFailure.
    """
    vector = vector.tolist() if callable(getattr(vector, "tolist", None)) else vector
    if not isinstance(vector, list | tuple):
        if vector is None or isinstance(vector, str | int | float):
            raise PermanentFailure(
                f"{name} was to embed a text and returned {shortened(vector)}, which is no list of numbers"
            )
        return vector
    row = vector[0] if len(vector) == 1 and isinstance(vector[0], list | tuple) else vector
    row = [number.item() if callable(getattr(number, "item", None)) else number for number in row]
    if not row or not all(isinstance(number, int | float) and math.isfinite(number) for number in row):
        raise PermanentFailure(
            f"{name} was to embed a text and returned {shortened(vector)}, which is no list of finite numbers"
        )
    return row


WAYS = f"embed='module:function', or embed={WORDLLAMA} for the model of assay[dense]"
"""How to say it, for messages."""


def parse_address(text: str) -> str:
    """An address of a server, shown without the password in it."""
    try:
        parts = urlsplit(text)
        fits = text.startswith("${") or (parts.scheme in ("http", "https") and bool(parts.hostname))
    except ValueError:
        fits = False
    if not fits:
        raise ValueError("an address such as http://127.0.0.1:6333")
    return conceal(address, text)


def fill_address(text: str, where: str) -> str:
    """A setting with its secrets and variables, as it is used."""
    return fill_variables(revealed(text), where)


def opening_params(folder: str, what: str) -> tuple[Param, ...]:
    """The ways to open a store that has a folder and objects in Python code."""
    return (
        Param("path", str, "", folder),
        Param("python", parse_function, "", f"module:name of {what}, or of a function without parameters that makes it"),
    )


def check_opened(owner: str, package: str, install: str, ways: Sequence[tuple[str, str]]) -> None:
    """Raise unless exactly one way of opening is set, what it needs is installed, and its folder is there.

    Each way is a pair of name and value. A folder that is not there would be made by most stores, and be empty.
    """
    used_ways = [(name, value) for name, value in ways if value]
    if len(used_ways) != 1:
        names = " or ".join(f"{name}=" for name, _ in ways)
        used_names = " and ".join(f"{name}=" for name, _ in used_ways) or "none of them"
        raise ProviderError(f"{owner} is opened by one of {names}; found {used_names}")
    name, value = used_ways[0]
    if name == "python":
        return
    check_installed(owner, package, install)
    if name == "path" and "://" not in value and not Path(value).is_dir():
        raise ProviderError(f"{owner}: there is no folder {value}, looked for from {Path.cwd()}")
    if name in ("url", "dsn"):
        fill_address(value, name)


def check_parts(owner: str, python: str, methods: Sequence[str], what: str, embed: str) -> None:
    """Raise unless the object in Python code and what embeds queries are there."""
    if python:
        check_object(python, methods, what)
    check_embed(owner, embed)


def files_of_store(python: str = "", embed: str = "", **_: Any) -> list[Path]:
    """The user's own code that a store is opened or asked with."""
    return [*(files_of(python) if python else []), *files_of_embed(embed)]


def receives_scopes(scope: str = "", **_: Any) -> bool:
    """Whether a field is named by which a query's scope is searched alone."""
    return bool(scope)


ASKING = (SCOPE, *READING, TIMEOUT)
"""The parameters by which every store is asked, whatever it is opened by."""
AS_STORE: dict[str, Any] = {**ASKED_ALONE, "sources": files_of_store, "heeds_scope": receives_scopes}
"""Fields of a record that stores have alike."""


def missing_error(owner: str, kind: str, name: str, names: Callable[[], Iterable[str]]) -> PermanentFailure:
    """The error over a collection or table that is not there, with those that are."""
    try:
        known = sorted(names())
    except Exception:  # noqa: BLE001 (the list is only there to help)
        known = []
    near = near_matches(name, known)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    there = some_of(known, 8) or "none"
    return PermanentFailure(f"{owner}: there is no {kind} {name!r} (there is: {there}).{hint}")
