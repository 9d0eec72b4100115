"""Store location: a file, or a database by URL. Passwords are never shown."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlencode

from assay.atomic_write import atomic_write
from assay.errors import BadParameter, DataError, StoreError
from assay.extras import install_command
from assay.masking import add_secret

VARIABLE = "ASSAY_STORE"
"""The environment variable that names the store if no option does."""
DEFAULT_PATH = Path(".assay") / "assay.db"
INSTALL_POSTGRES = install_command("postgres")
LOCATION_FORMS = "a path such as results.db, sqlite:///results.db, or postgresql://user@host/database"
SECRET_NAME = re.compile(r"pass|secret|key$|token", re.IGNORECASE)


@dataclass(frozen=True)
class StoreLocation:
    """An SQLite file, or the URL of a PostgreSQL database."""

    path: Path | None = None
    url: str = ""
    is_read_only: bool = False

    def __str__(self) -> str:
        """The location without passwords."""
        return str(self.path) if self.path is not None else _mask_passwords(self.url)

    def __repr__(self) -> str:
        return f"Place({str(self)!r})"

    @property
    def exists(self) -> bool:
        """Whether the file exists; always true for a server, where it is unknown."""
        return self.path is None or self.path.exists()

    def make_room(self) -> None:
        """Create the folder of the file. The default folder gets a .gitignore, even if a killed process created it."""
        if self.path is None:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"{self}: its folder cannot be created: {error.strerror or error}. Choose another place with --store"
            ) from None
        mark = self.path.parent / ".gitignore"
        if self.path.parent.name == DEFAULT_PATH.parent.name and not mark.exists():
            with suppress(DataError), atomic_write(mark) as file:
                file.write(b"*\n")


def is_named(url: str | Path | None, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a store is named, by an argument or by ASSAY_STORE; otherwise it is the usual file."""
    return bool(url or environment.get(VARIABLE))


def parse_location(url: str | Path | None = None, environment: Mapping[str, str] = os.environ) -> StoreLocation:
    """The given location, else ASSAY_STORE, else ./.assay/assay.db."""
    text = str(url or environment.get(VARIABLE) or DEFAULT_PATH)
    add_passwords(text)
    scheme, separator, rest = text.partition("://")
    if not separator:
        if text.startswith("sqlite:") or text == ":memory:":
            raise BadParameter(f"a store must be {LOCATION_FORMS}, not {text!r}")
        return StoreLocation(Path(text).expanduser())
    if scheme == "sqlite":
        return _sqlite_location(rest)
    if scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        return StoreLocation(url=f"postgresql+psycopg://{rest}")
    raise BadParameter(f"a store must be {LOCATION_FORMS}, not a URL that begins with {scheme}://")


def _sqlite_location(rest: str) -> StoreLocation:
    """Parse `sqlite:///relative.db` or `sqlite:////absolute.db`, optionally with ?mode=ro."""
    where, _, query = rest.partition("?")
    options = dict(parse_qsl(query))
    if not where.startswith("/") or where in ("/", "/:memory:"):
        forms = "sqlite:///results.db (in this folder) or sqlite:////data/results.db (an absolute path)"
        raise BadParameter(f"a store must be a file: {forms}")
    if options not in ({}, {"mode": "ro"}):
        raise BadParameter(f"the only option of sqlite:/// is ?mode=ro (read-only), not {query!r}")
    return StoreLocation(Path(unquote(where[1:])), is_read_only=bool(options))


def add_passwords(text: str) -> bool:
    """Whether a URL contains passwords; they are masked from now on, also in messages of the database."""
    before, _, query = text.partition("//")[2].partition("?")
    password = before.rpartition("@")[0].partition(":")[2]
    passwords = [
        secret for secret in (password, *(value for name, value in parse_qsl(query) if SECRET_NAME.search(name))) if secret
    ]
    for secret in passwords:
        add_secret(secret, "the password of the store")
    return bool(passwords)


def _mask_passwords(url: str) -> str:
    """The URL with all passwords masked."""
    scheme, _, rest = url.partition("://")
    before, mark, query = rest.partition("?")
    who, at, where = before.rpartition("@")
    user, colon, _ = who.partition(":")
    masked_options = [(name, "***" if SECRET_NAME.search(name) else value) for name, value in parse_qsl(query)]
    options = mark + urlencode(masked_options, safe="*", quote_via=quote)
    return f"{scheme.partition('+')[0]}://{user}{':***' if colon else ''}{at}{where}{options}"
