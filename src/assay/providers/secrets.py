"""Secrets in settings: they are masked wherever a setting is shown, and variables are read when they are needed."""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from assay.errors import BadParameter
from assay.grammar import split_arguments
from assay.masking import MASK, add_secret, add_variable, add_variable_name, is_secret_name
from assay.providers.retriever import PermanentFailure

if TYPE_CHECKING:
    from assay.providers.provider import BoundProvider, Provider


VARIABLE = re.compile(r"\$\{(\w+)\}")
HARMLESS = re.compile(r"(?:\w+ )?\$\{\w+\}|\{\w+\}|")
"""Values that give nothing away: variables and placeholders."""
SCHEMES = ("bearer", "basic", "token", "apikey")
"""Words that stand before a key in a header."""

Cover = Callable[[str, str], str]
"""Name and value → what is shown as the value."""
Shape = Callable[[str, Cover], str]
"""A text in which values stand under names, with each value covered."""


class MaskedText(str):
    """A setting with its secrets masked; `revealed` has them, `advised` has a variable in the place of each."""

    __slots__ = ("advised", "revealed")
    revealed: str
    advised: str

    @classmethod
    def of(cls, masked: str, revealed: str, advised: str) -> str:
        """A setting that is shown otherwise than it is; plain text where there is nothing to hide."""
        if MASK in revealed and MASK in masked:
            raise ValueError(f"needed with its secrets, of which {MASK} tells that they were left out")
        if masked == revealed:
            return revealed
        concealed = cls(masked)
        concealed.revealed, concealed.advised = revealed, advised
        return concealed


def revealed(setting: str) -> str:
    """A setting with its secrets."""
    return setting.revealed if isinstance(setting, MaskedText) else setting


def is_literal(name: str, value: str) -> bool:
    """Whether a secret itself stands under a name, and no variable that holds it."""
    return is_secret_name(name) and not HARMLESS.fullmatch(value)


def mask_setting(name: str, value: str) -> str:
    """A value as it may be shown under a name."""
    return MASK if is_literal(name, value) else value


def advised(name: str, value: str) -> str:
    """A value as it is better written: the variable that holds it, or one called like the name; a scheme is kept."""
    if not is_literal(name, value):
        return value
    scheme, secret = _split_scheme(name, value)
    own = re.sub(r"\W+", "_", name).strip("_").upper()
    holding = next((variable for variable, held in os.environ.items() if held == secret), own)
    return f"{scheme}${{{holding}}}"


def add_setting(name: str, value: str) -> None:
    """Know what stands under a secret name: the key after `Bearer`, each value of a cookie, a password in base64."""
    if not is_secret_name(name):
        return
    for variable in VARIABLE.findall(value):
        add_variable_name(variable)
    if not is_literal(name, value) or VARIABLE.search(value):
        return
    scheme, secret = _split_scheme(name, value)
    what = f"the value of {name}"
    for part in re.findall(r"=\s*([^;]+)", secret) if "cookie" in name.lower() else ():
        if not part.isalpha():
            add_secret(part.strip("\"'"), what)
    add_secret(secret, what)
    if scheme.lower() == "basic ":
        add_secret(_password(secret), what)


def _split_scheme(name: str, value: str) -> tuple[str, str]:
    """`Bearer abc` under `Authorization` → `Bearer ` and `abc`; elsewhere two words are a secret of two words."""
    bare = value.strip("'\"")
    shape = re.fullmatch(r"([A-Za-z]+ +)(\S+)", bare)
    is_scheme = shape is not None and ("authorization" in name.lower() or shape[1].strip().lower() in SCHEMES)
    return (shape[1], shape[2]) if shape and is_scheme else ("", bare)


def _password(encoded: str) -> str:
    """The password of a header `Basic`; empty where it is none."""
    try:
        return base64.b64decode(encoded, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""


def address(text: str, cover: Cover) -> str:
    """An address: its password, or a user that is a key because no password follows, and what its query names."""
    covered = re.sub(r"(://[^/?#@:]*:)([^/?#@]+)(?=@)", lambda m: m[1] + cover("password", m[2]), text)
    covered = re.sub(r"(https?://)([^/?#@:]+)(?=:?@)", lambda m: m[1] + cover("password", m[2]), covered)
    return re.sub(r"([?&;])([^=&;#]+)=([^&;#]*)", lambda m: f"{m[1]}{m[2]}={cover(m[2], m[3])}", covered)


def json_text(text: str, cover: Cover) -> str:
    """JSON: texts under their names."""
    pair = r'("(?P<name>[^"]*)"\s*:\s*")(?P<value>(?:[^"\\]|\\.)*)'
    return re.sub(pair, lambda m: m[1] + cover(m["name"], m["value"]), text)


def command_line(text: str, cover: Cover) -> str:
    """A command line: options, variables, and headers as curl takes them."""
    for option in (r"([\w-]+)(=)", r"(?<!\S)(--?[\w-]+)(\s+)(?!-)"):
        text = re.sub(option + r"('[^']*'|\"[^\"]*\"|\S+)", lambda m: m[1] + m[2] + cover(m[1], m[3]), text)
    return re.sub(r"([\w-]+)(:\s+)([^'\"]+)", lambda m: m[1] + m[2] + cover(m[1], m[3]), text)


def whole_key(text: str, cover: Cover) -> str:
    """A setting that is a key as a whole."""
    return cover("api_key", text)


def check_variable_syntax(text: str) -> None:
    """A ValueError where a variable is not written as `${NAME}`."""
    if re.search(r"\$\{(?!\w+\})", text):
        raise ValueError("one in which variables are written as ${NAME}")


def conceal(shape: Shape, text: str) -> str:
    """A text shown without the values that its names make secret; they are masked everywhere from now on."""
    add_secrets_of(shape, text)
    return MaskedText.of(shape(text, mask_setting), text, shape(text, advised))


def add_secrets_of(shape: Shape, text: str) -> None:
    """Know the values that the names in a text make secret, and what its variables stand for."""

    def noted(name: str, value: str) -> str:
        add_setting(name, value)
        return value

    shape(text, noted)
    add_variables_of(text)


def add_variables_of(text: str) -> None:
    """Know what the variables in a text stand for, as far as they are set."""
    for name in VARIABLE.findall(text):
        if name in os.environ:
            add_variable(name, os.environ[name])


def variable(name: str, where: str) -> str:
    """An environment variable, read now, and masked from now on."""
    if name not in os.environ:
        raise PermanentFailure(f"the environment variable {name}, which {where} names, is not set")
    add_variable(name, os.environ[name])
    return os.environ[name]


def fill_variables(text: str, where: str) -> str:
    """The text with `${NAME}` read from the environment, now."""
    return VARIABLE.sub(lambda match: variable(match[1], where), text)


WHERE_SECRETS_SHOW = "lists of processes, histories of shells and copies of the file"


def notes_on_literals(providers: Iterable[BoundProvider]) -> list[str]:
    """A sentence for each setting that holds a secret itself, once; with the form to use."""
    return list(dict.fromkeys(note for provider in providers for note in _notes(provider)))


def _notes(provider: BoundProvider) -> Iterator[str]:
    for name, value in provider.params.items():
        if isinstance(value, MaskedText):
            new = sorted(set(VARIABLE.findall(value.advised)) - set(VARIABLE.findall(revealed(value))))
            yield (
                f"{provider.provider.name}: {name} holds a secret, which {WHERE_SECRETS_SHOW} show. Set "
                f"{' and '.join(new)} in the environment and write {name}='{value.advised}'; "
                "at a terminal with single quotes around the whole, so that the shell does not fill it in"
            )
    for part in provider.parts:
        yield from _notes(part)


def without_private(text: str, providers: Iterable[Provider]) -> str:
    """How a provider was written; only its name where it, or a part of it, may hold a secret."""
    private = [provider.name for provider in providers if any(param.may_hold_secret for param in provider.params)]
    if not re.search(rf"\b(?:{'|'.join(private)})\b", text):
        return text
    start = re.match(r"\s*([\w-]*)", text)
    return f"{start[1] if start else ''}(…)"


def arguments_of(inside: str, text: str, shown_text: str) -> list[str]:
    """What stands between commas; where quotes or brackets do not match, the error shows no more than it may."""
    try:
        return split_arguments(inside)
    except BadParameter:
        if shown_text == text:
            raise
        raise BadParameter(f"{shown_text}: its brackets or quotes do not match") from None
