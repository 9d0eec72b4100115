"""Provider: the record of a kind of retriever, and how the text of a provider is parsed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from assay.catalog import find_entry, load_entries
from assay.errors import BadParameter, UnknownName
from assay.grammar import (
    REQUIRED,
    Param,
    WrittenName,
    cutoff,
    depth,
    flag,
    fraction,
    fractions,
    not_negative,
    number,
    numbers,
    parse_setting,
    persistence,
    positive,
    show,
    unquoted,
)
from assay.masking import MASK, add_environment, is_secret_name, mask, mask_nested
from assay.model import Hit, Query
from assay.providers.protocols import BATCH, Adapted, Retriever, adapt
from assay.providers.secrets import arguments_of, revealed, without_private
from assay.serialize import to_json

HARMLESS = (cutoff, depth, flag, fraction, fractions, not_negative, number, numbers, persistence, positive)
"""Parsers of parameters that can only be numbers or true or false."""


@dataclass(frozen=True)
class Provider:
    """One kind of retriever."""

    name: str
    meaning: str
    make: Callable[..., Retriever]
    """Parameters, and parts if it has any → a retriever."""
    params: tuple[Param, ...] = ()
    takes_parts: bool = False
    """Whether it combines other providers: `hybrid(bm25, dense)`."""
    default_parts: tuple[str, ...] = ()
    batch: int = BATCH
    """Queries sent at once; 1 if queries are sent one by one, several of them in parallel."""
    indexes: bool | Callable[..., bool] = True
    """Whether it gets the documents, or a function of its parameters that decides this. If not, it has its own documents
    and must respect scopes itself.
    """
    is_repeatable: bool = False
    """Whether its hits depend only on its configuration, so that they can be cached."""
    unless_set: tuple[str, ...] = ()
    """Parameters that name something that may change, such as a folder with a model."""
    short_for: str = ""
    """The parameter that `name:value` sets: `python:module:function`."""
    first_value: str = ""
    """The parameter whose value may be without a name in brackets: `feature(12)`."""
    check: Callable[..., None] | None = None
    """Parameters and bound parts → an error if it certainly cannot work. It sends no queries."""
    sources: Callable[..., Iterable[Path]] | None = None
    """Parameters → the user's own files on which the hits depend."""
    heeds_scope: bool | Callable[..., bool] = True
    """Whether it gets the scope of a query, so that it can search only there; or a function of its parameters."""
    is_exhaustive: bool = False
    """Whether fewer hits than requested mean that no other document fits, if this is so for its parts. A repeatable
    provider is exhaustive.
    """
    keeps_first: bool = False
    """Whether its hits contain the ranking before it reordered them."""
    reads_features: bool = False
    """Whether it ranks the documents of a query by their features, which only benchmarks for learning to rank have."""
    needs_text: bool = True
    """Whether it searches by the text of a query. If not, a query may have only an id or an image."""
    notes: Callable[..., Iterable[str]] | None = None
    """Queries and parameters → what readers of the result should know about how it handles these queries."""


@dataclass(frozen=True)
class BoundProvider:
    """A provider with its parameters and parts."""

    provider: Provider
    params: Mapping[str, Any]
    parts: tuple[BoundProvider, ...] = ()
    explicit_params: frozenset[str] = field(default=frozenset(), compare=False)
    """Names of the parameters that the user set."""
    label: str = field(default="", compare=False)
    """Its name in tables, if the user set one."""

    @property
    def name(self) -> str:
        """Its label; without one, its text: `bm25(k1=0.9)`, `hybrid(bm25, dense)`. Secrets are left out."""
        return mask(self.label or self._written)

    @property
    def _written(self) -> str:
        settings = {
            param.name: self.params[param.name]
            for param in self.provider.params
            if self.params[param.name] != param.default and not is_secret_name(param.name)
        }
        if self.provider.short_for and set(settings) == {self.provider.short_for}:
            return f"{self.provider.name}:{settings[self.provider.short_for]}"
        inside = [part.name for part in self.parts]
        unnamed = self.provider.first_value
        inside += [_quoted(value) if name == unnamed else f"{name}={_quoted(value)}" for name, value in settings.items()]
        return f"{self.provider.name}({', '.join(inside)})" if inside else self.provider.name

    @property
    def configuration(self) -> dict[str, Any]:
        """All parameters, including defaults, with secrets masked."""
        settings = {name: MASK if is_secret_name(name) and value else to_json(value) for name, value in self.params.items()}
        parts = {"parts": [part.configuration for part in self.parts]} if self.parts else {}
        plain: dict[str, Any] = mask_nested({"provider": self.provider.name, **settings, **parts})
        return plain

    @property
    def fingerprint(self) -> str:
        """A short hash of the configuration, secrets included."""
        later = {param.name: param.default for param in self.provider.params if param.is_later}
        params = {name: value for name, value in self.params.items() if name not in later or value != later[name]}
        plain = {name: revealed(value) if isinstance(value, str) else value for name, value in params.items()}
        content = json.dumps([self.provider.name, to_json(plain), [part.fingerprint for part in self.parts]], sort_keys=True)
        return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()

    @property
    def is_repeatable(self) -> bool:
        """Whether its hits can be cached, and those of its parts."""
        changes = any(self.params[name] not in (None, "") for name in self.provider.unless_set)
        return self.provider.is_repeatable and not changes and all(part.is_repeatable for part in self.parts)

    @property
    def is_exhaustive(self) -> bool:
        """Whether fewer hits than requested mean that no other document fits; for a combined provider, in all its parts."""
        own = self.provider.is_exhaustive or self.provider.is_repeatable
        return own and all(part.is_exhaustive for part in self.parts)

    @property
    def indexes(self) -> bool:
        """Whether it searches the documents of the benchmark; a combined provider does if any of its parts does."""
        if self.parts:
            return any(part.indexes for part in self.parts)
        indexes = self.provider.indexes
        return indexes(**self.params) if callable(indexes) else indexes

    @property
    def reads_features(self) -> bool:
        """Whether it or one of its parts ranks documents by their features."""
        return self.provider.reads_features or any(part.reads_features for part in self.parts)

    @property
    def needs_text(self) -> bool:
        """Whether it searches by the text of a query; a combined provider does if any of its parts that search does."""
        if self.parts and not self.provider.keeps_first:
            return any(part.needs_text for part in self.parts)
        return self.provider.needs_text and not self.provider.reads_features

    @property
    def heeds_scope(self) -> bool:
        """Whether it and each of its parts can search only the scope of a query."""
        heeds = self.provider.heeds_scope
        own = heeds(**self.params) if callable(heeds) else heeds
        return own and all(part.heeds_scope for part in self.parts)

    def check(self) -> None:
        """Raise if it or one of its parts certainly cannot work. It sends no queries and indexes nothing."""
        for part in self.parts:
            part.check()
        if self.provider.check is not None:
            self.provider.check(**({"parts": self.parts} if self.provider.takes_parts else {}), **self.params)

    def sources(self) -> dict[str, str]:
        """File → a short hash of its content, for the user's own files on which the hits depend."""
        own = self.provider.sources(**self.params) if self.provider.sources is not None else ()
        prints = file_digests(own)
        for part in self.parts:
            prints |= part.sources()
        return prints

    def notes_on(self, queries: Sequence[Query]) -> Iterator[str]:
        """What readers of a result should know about how it and its parts handle these queries; also of cached responses.

        A note on a part starts with the name of the part. Reports write the name of the whole provider before each note.
        """
        if self.provider.notes is not None:
            yield from self.provider.notes(queries, **self.params)
        for part in self.parts:
            yield from (f"{part.provider.name}: {note}" for note in part.notes_on(queries))

    def filled(self, **values: Any) -> BoundProvider:
        """The same provider; it and its parts get these values for parameters that the user did not set."""
        taken = {param.name for param in self.provider.params} - self.explicit_params
        fitting = {name: value for name, value in values.items() if name in taken}
        return replace(self, params={**self.params, **fitting}, parts=tuple(part.filled(**values) for part in self.parts))

    def make(self) -> Adapted:
        """A retriever, ready to index or search. Its code can read the environment, so secrets in it are now masked."""
        add_environment()
        parts = {"parts": [part.make() for part in self.parts]} if self.provider.takes_parts else {}
        made = self.provider.make(**parts, **self.params)
        return adapt(made, batch=self.provider.batch, indexes=self.provider.indexes is not False)


def _quoted(value: Any) -> str:
    text = show(value)
    return f"'{text}'" if isinstance(value, str) and re.search(r"[\s,()=:'\"]", text) else text


@cache
def all_providers() -> Mapping[str, Provider]:
    """Name → provider, sorted by name."""
    return load_entries("assay.providers.catalog", Provider, "assay.providers")


def find_provider(name: str) -> Provider:
    """The provider of that name."""
    return find_entry("provider", name, all_providers())


def parse_provider(text: WrittenName | Mapping[WrittenName, Any]) -> BoundProvider:
    """Parse `bm25(k1=0.9)`, `hybrid(bm25, dense, method=rrf)`, `python:module:function`, or a mapping from YAML.

    Names of code, commands, files and addresses are accepted only in text that the user wrote.
    """
    if isinstance(text, Mapping):
        return _of_mapping(text)
    shape = re.fullmatch(r"\s*(?P<name>\w[\w-]*)\s*(?:\((?P<inside>.*)\)|:(?P<short>.+?))?\s*", text, re.DOTALL)
    shown_text = _marked_like(text, without_private(text, all_providers().values()))
    _check_names_provider(text)
    if not shape:
        what = "has no closing bracket" if "(" in text and text.rstrip()[-1] != ")" else "is not a provider"
        raise BadParameter(f"{shown_text!r} {what}. Write name, name(parameter=value) or python:module:function")
    provider = find_provider(shape["name"].replace("-", "_"))
    if shape["short"]:
        if not provider.params:
            raise BadParameter(f"{shown_text}: {provider.name} has no parameters. Write {provider.name}")
        if not provider.short_for:
            raise BadParameter(
                f"{shown_text}: write the parameters of {provider.name} in brackets, as in {_example(provider)}"
            )
        settings = _setting(shown_text, provider, provider.short_for, shape["short"])
        return _bound(shown_text, provider, settings, [])
    settings = {}
    parts: list[BoundProvider] = []
    for part in arguments_of(shape["inside"] or "", text, shown_text):
        if setting := re.fullmatch(r"(\w+)\s*=\s*(.*)", part, re.DOTALL):
            settings |= _setting(shown_text, provider, setting[1], setting[2])
        elif provider.first_value and not settings:
            settings = _setting(shown_text, provider, provider.first_value, part)
        elif not provider.takes_parts:
            raise BadParameter(f"{shown_text}: {_without_names(provider, part)}")
        else:
            parts.append(parse_provider(_marked_like(text, part)))
    return _bound(shown_text, provider, settings, parts)


def _setting(written: str, provider: Provider, name: str, value: str) -> dict[str, Any]:
    """Parse one parameter. In text that is not marked as written by the user, only numbers, flags and fixed choices are
    accepted, because any other text may name code, a command, a file or an address.
    """
    setting = parse_setting(written, provider.name, provider.params, name, value)
    if isinstance(written, WrittenName):
        return setting
    for param in provider.params:
        if param.name in setting and param.parse not in HARMLESS and not param.choices:
            what = f"{provider.name}: {param.name}"
            raise BadParameter(f"{what} is accepted only in text that you write yourself, such as a plan, not from data")
    return setting


def _without_names(provider: Provider, part: str) -> str:
    """The error for a value without the name of its parameter. A value that may hold a secret is shown without it."""
    if not provider.params:
        return f"{provider.name} has no parameters. Write {provider.name}"
    required = [param for param in provider.params if param.default is REQUIRED] or provider.params[:1]
    example = f"{provider.name}({', '.join(f'{param.name}=…' for param in required)})"
    if provider.short_for:
        (param,) = (param for param in provider.params if param.name == provider.short_for)
        try:
            value = str(param.parse(unquoted(part)))
            value = f"'{value}'" if " " in value else value
            example = f"{provider.name}:{value} or {example}"
        except ValueError:
            example = f"{provider.name}:… or {example}"
    return (
        f"{provider.name} does not combine other providers, so each value needs the name of its parameter. Write {example}"
    )


def _marked_like(whole: Any, part: str) -> Any:
    """The part, marked as written by the user if the whole is."""
    return WrittenName(part) if isinstance(whole, WrittenName) else part


def _check_names_provider(text: str) -> None:
    """Raise for `my_module:search`, which must be `python:my_module:search`."""
    place, colon, name = text.strip().partition(":")
    is_function = all(part.isidentifier() for part in (*place.split("."), *name.split(".")))
    if colon and is_function and place not in all_providers():
        raise UnknownName("provider", text.strip(), [f"python:{place}:{name}"], f"choose from {', '.join(all_providers())}")


def _of_mapping(content: Mapping[Any, Any]) -> BoundProvider:
    """`{bm25: {k1: 0.9}}`, or `{name: bm25, k1: 0.9}`; parts under `providers`."""
    if "name" in content:
        name, settings = (
            _marked_like(content["name"], str(content["name"])),
            {key: value for key, value in content.items() if key != "name"},
        )
    elif len(content) == 1:
        ((name, settings),) = content.items()
        settings = dict(settings or {})
    else:
        raise BadParameter(
            f"a provider must be a name or a map with one name, such as {{bm25: {{k1: 0.9}}}}, not {sorted(content)}"
        )
    provider = find_provider(name)
    parts = [parse_provider(part) for part in settings.pop("providers", [])]
    own_settings: dict[str, Any] = {}
    for key, value in settings.items():
        text = value if isinstance(value, str) else json.dumps(value) if isinstance(value, Mapping | list) else show(value)
        own_settings |= _setting(name, provider, key, text)
    return _bound(name, provider, own_settings, parts)


def _bound(text: str, provider: Provider, user_settings: Mapping[str, Any], parts: Sequence[BoundProvider]) -> BoundProvider:
    settings = {param.name: user_settings.get(param.name, param.default) for param in provider.params}
    missing = [name for name, value in settings.items() if value is REQUIRED]
    if missing:
        hint = f"assay providers {provider.name} explains all parameters"
        example = _example(provider, missing[0])
        raise BadParameter(f"{text}: {provider.name} needs {' and '.join(missing)}, as in {example}   ({hint})")
    if parts and not provider.takes_parts:
        raise BadParameter(f"{text}: {provider.name} does not combine other providers. Write parameters as name=value")
    if provider.takes_parts and not parts:
        parts = [_bound(name, find_provider(name), {}, []) for name in provider.default_parts]
    return BoundProvider(provider, settings, tuple(parts), frozenset(user_settings))


def _example(provider: Provider, name: str = "") -> str:
    """`http(url=…)` or `python:…`: the provider with this parameter, or with its first one."""
    first = name or provider.params[0].name
    if first == provider.first_value:
        return f"{provider.name}(…)"
    return f"{provider.name}:…" if first == provider.short_for else f"{provider.name}({first}=…)"


def hits_of_ids(ids: Sequence[str], scores: Sequence[float]) -> list[Hit]:
    """Hits from parallel lists of ids and scores."""
    return [Hit(doc_id, float(score)) for doc_id, score in zip(ids, scores, strict=True)]


def file_digests(files: Iterable[Path]) -> dict[str, str]:
    """File → a short hash of its content; files that do not exist or cannot be read are left out."""
    prints: dict[str, str] = {}
    for file in files:
        try:
            if file.is_file():
                prints[_shown(file)] = _digest_of(file)
        except OSError:
            continue
    return prints


def _digest_of(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, partial(hashlib.blake2b, digest_size=8)).hexdigest()


def _shown(file: Path) -> str:
    """Its path, relative to the current folder if it is inside it."""
    path, here = file.absolute(), Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


def whole_number(text: str) -> int:
    """0, 1, 2, …"""
    try:
        return cutoff(text) if text.strip("0") or not text else 0
    except ValueError:
        raise ValueError("a whole number from 0 to 1,000,000,000") from None
