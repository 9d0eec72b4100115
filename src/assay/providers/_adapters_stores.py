"""Stores: what those have in common that are opened by a folder, by an address or as an object in Python code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from assay.errors import ProviderError, near_matches
from assay.grammar import Param
from assay.providers._adapters_embedding import check_embed, files_of_embed
from assay.providers._adapters_objects import check_object
from assay.providers._adapters_params import ASKED_ALONE, READING, SCOPE, TIMEOUT
from assay.providers._extras import check_installed
from assay.providers._loading import files_of, parse_function
from assay.providers._refusals import PermanentFailure
from assay.providers._secrets import address, conceal, fill_variables, revealed
from assay.text import some_of


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


def filled(text: str, where: str) -> str:
    """A setting with its secrets and variables, as it is used."""
    return fill_variables(revealed(text), where)


def opened_by(folder: str, what: str) -> tuple[Param, ...]:
    """The ways to open a store that has a folder and objects in Python code."""
    return (
        Param("path", str, "", folder),
        Param("python", parse_function, "", f"module:name of {what}, or of a function without parameters that makes it"),
    )


def check_opened(owner: str, package: str, install: str, ways: Sequence[tuple[str, str]]) -> None:
    """Raise unless exactly one way of opening is set, what it needs is installed, and its folder is there.

    Each way is a pair of name and value. A folder that is not there would be made by most stores, and be empty.
    """
    given = [(name, value) for name, value in ways if value]
    if len(given) != 1:
        names = " or ".join(f"{name}=" for name, _ in ways)
        found = " and ".join(f"{name}=" for name, _ in given) or "none of them"
        raise ProviderError(f"{owner} is opened by one of {names}; found {found}")
    name, value = given[0]
    if name == "python":
        return
    check_installed(owner, package, install)
    if name == "path" and "://" not in value and not Path(value).is_dir():
        raise ProviderError(f"{owner}: there is no folder {value}, looked for from {Path.cwd()}")
    if name in ("url", "dsn"):
        filled(value, name)


def check_parts(owner: str, python: str, methods: Sequence[str], what: str, embed: str) -> None:
    """Raise unless the object in Python code and what embeds queries are there."""
    if python:
        check_object(python, methods, what)
    check_embed(owner, embed)


def files_of_store(python: str = "", embed: str = "", **_: Any) -> list[Path]:
    """The user's own code that a store is opened or asked with."""
    return [*(files_of(python) if python else []), *files_of_embed(embed)]


def is_told_scopes(scope: str = "", **_: Any) -> bool:
    """Whether a field is named by which a query's scope is searched alone."""
    return bool(scope)


ASKING = (SCOPE, *READING, TIMEOUT)
"""The parameters by which every store is asked, whatever it is opened by."""
AS_STORE: dict[str, Any] = {**ASKED_ALONE, "sources": files_of_store, "heeds_scope": is_told_scopes}
"""Fields of a record that stores have alike."""


def missing(owner: str, kind: str, name: str, names: Callable[[], Iterable[str]]) -> PermanentFailure:
    """The error over a collection or table that is not there, with those that are."""
    try:
        known = sorted(names())
    except Exception:  # noqa: BLE001 (the list is only there to help)
        known = []
    near = near_matches(name, known)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    there = some_of(known, 8) or "none"
    return PermanentFailure(f"{owner}: there is no {kind} {name!r} (there is: {there}).{hint}")
