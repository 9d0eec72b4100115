"""Secrets in settings: they are masked wherever a setting is shown, and variables are read only when they are needed."""

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
"""Values that contain no secret: variables and placeholders."""
SCHEMES = ("bearer", "basic", "token", "apikey")
"""Words that may precede a key in a header."""

Cover = Callable[[str, str], str]
"""Name and value → the value as it is shown."""
Shape = Callable[[str, Cover], str]
"""A text with named values, and the function that covers each value → the text with all values covered."""


class MaskedText(str):
    """A setting with its secrets masked; `revealed` contains them, `advised` has a variable in place of each."""

    __slots__ = ("advised", "revealed")
    revealed: str
    advised: str

    @classmethod
    def of(cls, masked: str, revealed: str, advised: str) -> str:
        """A setting that is shown masked; plain text if it contains no secret."""
        if MASK in revealed and MASK in masked:
            raise ValueError(f"complete, but it contains {MASK} in place of a secret. Write the secret as ${{NAME}}")
        if masked == revealed:
            return revealed
        concealed = cls(masked)
        concealed.revealed, concealed.advised = revealed, advised
        return concealed


def revealed(setting: str) -> str:
    """A setting with its secrets."""
    return setting.revealed if isinstance(setting, MaskedText) else setting


def is_literal(name: str, value: str) -> bool:
    """Whether the value of a name is the secret itself, not a variable that holds it."""
    return is_secret_name(name) and not HARMLESS.fullmatch(value)


def mask_setting(name: str, value: str) -> str:
    """The value of a name as it may be shown."""
    return MASK if is_literal(name, value) else value


def advised(name: str, value: str) -> str:
    """How to write the value without a secret: as the variable that holds it, or one named like the setting."""
    if not is_literal(name, value):
        return value
    scheme, secret = _split_scheme(name, value)
    own = re.sub(r"\W+", "_", name).strip("_").upper()
    holding = next((variable for variable, held in os.environ.items() if held == secret), own)
    return f"{scheme}${{{holding}}}"


def add_setting(name: str, value: str) -> None:
    """Register the secrets under a secret name: the key after `Bearer`, each value of a cookie, a password in base64."""
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
    """`Bearer abc` under `Authorization` → `Bearer ` and `abc`; under other names both words are the secret."""
    bare = value.strip("'\"")
    shape = re.fullmatch(r"([A-Za-z]+ +)(\S+)", bare)
    is_scheme = shape is not None and ("authorization" in name.lower() or shape[1].strip().lower() in SCHEMES)
    return (shape[1], shape[2]) if shape and is_scheme else ("", bare)


def _password(encoded: str) -> str:
    """The password in a `Basic` header; empty if the header is not valid."""
    try:
        return base64.b64decode(encoded, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""


def address(text: str, cover: Cover) -> str:
    """Cover an address: its password, or its user if no password follows (it is a key then), and its query parameters."""
    covered = re.sub(r"(://[^/?#@:]*:)([^/?#@]+)(?=@)", lambda m: m[1] + cover("password", m[2]), text)
    covered = re.sub(r"(https?://)([^/?#@:]+)(?=:?@)", lambda m: m[1] + cover("password", m[2]), covered)
    return re.sub(r"([?&;])([^=&;#]+)=([^&;#]*)", lambda m: f"{m[1]}{m[2]}={cover(m[2], m[3])}", covered)


def json_text(text: str, cover: Cover) -> str:
    """Cover JSON: the texts under their names."""
    pair = r'("(?P<name>[^"]*)"\s*:\s*")(?P<value>(?:[^"\\]|\\.)*)'
    return re.sub(pair, lambda m: m[1] + cover(m["name"], m["value"]), text)


def command_line(text: str, cover: Cover) -> str:
    """Cover a command line: options, variables, and headers as for curl."""
    for option in (r"([\w-]+)(=)", r"(?<!\S)(--?[\w-]+)(\s+)(?!-)"):
        text = re.sub(option + r"('[^']*'|\"[^\"]*\"|\S+)", lambda m: m[1] + m[2] + cover(m[1], m[3]), text)
    return re.sub(r"([\w-]+)(:\s+)([^'\"]+)", lambda m: m[1] + m[2] + cover(m[1], m[3]), text)


def whole_key(text: str, cover: Cover) -> str:
    """Cover a setting that is one key."""
    return cover("api_key", text)


def check_variable_syntax(text: str) -> None:
    """Raise ValueError unless every variable is written as `${NAME}`."""
    if re.search(r"\$\{(?!\w+\})", text):
        raise ValueError("a text with variables written as ${NAME}")


def conceal(shape: Shape, text: str) -> str:
    """The text, shown without the values whose names mark them as secret; they are masked everywhere from now on."""
    add_secrets_of(shape, text)
    return MaskedText.of(shape(text, mask_setting), text, shape(text, advised))


def add_secrets_of(shape: Shape, text: str) -> None:
    """Register the secret values in a text and the values of its variables."""

    def noted(name: str, value: str) -> str:
        add_setting(name, value)
        return value

    shape(text, noted)
    add_variables_of(text)


def add_variables_of(text: str) -> None:
    """Register the values of the variables in a text that are set."""
    for name in VARIABLE.findall(text):
        if name in os.environ:
            add_variable(name, os.environ[name])


def variable(name: str, where: str) -> str:
    """The value of an environment variable, which is masked from now on."""
    if name not in os.environ:
        raise PermanentFailure(
            f"the environment variable {name} is not set, but {where} uses it. Set it before you run assay"
        )
    add_variable(name, os.environ[name])
    return os.environ[name]


def fill_variables(text: str, where: str) -> str:
    """The text with each `${NAME}` replaced from the environment."""
    return VARIABLE.sub(lambda match: variable(match[1], where), text)


WHERE_SECRETS_SHOW = "process lists, the shell history and copies of a plan"


def notes_on_literals(providers: Iterable[BoundProvider]) -> list[str]:
    """One sentence for each setting that contains a secret, with the form to use instead."""
    return list(dict.fromkeys(note for provider in providers for note in _notes(provider)))


def _notes(provider: BoundProvider) -> Iterator[str]:
    for name, value in provider.params.items():
        if isinstance(value, MaskedText):
            new = sorted(set(VARIABLE.findall(value.advised)) - set(VARIABLE.findall(revealed(value))))
            yield (
                f"{provider.provider.name}: {name} contains a secret, which is visible in {WHERE_SECRETS_SHOW}. Set "
                f"{' and '.join(new)} in the environment and write {name}='{value.advised}'. "
                "In a shell, inside double quotes, write \\${…}, so that the shell does not replace the variable"
            )
    for part in provider.parts:
        yield from _notes(part)


def without_private(text: str, providers: Iterable[Provider]) -> str:
    """The text of a provider; only its name if it or one of its parts may contain a secret."""
    private = [provider.name for provider in providers if any(param.may_hold_secret for param in provider.params)]
    if not re.search(rf"\b(?:{'|'.join(private)})\b", text):
        return text
    start = re.match(r"\s*([\w-]*)", text)
    return f"{start[1] if start else ''}(…)"


def arguments_of(inside: str, text: str, shown_text: str) -> list[str]:
    """The parts between commas. If quotes or brackets do not match, the error shows only `shown_text`."""
    try:
        return split_arguments(inside)
    except BadParameter:
        if shown_text == text:
            raise
        raise BadParameter(f"{shown_text}: the brackets or quotes do not match. Close each of them") from None
