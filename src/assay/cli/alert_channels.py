"""Alert channels: where alerts are sent, and which alerts each channel already has.

A channel that fails is retried and reported, and never stops the command.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import SplitResult, urlsplit

from assay.errors import DataError, UsageError
from assay.masking import add_secret, mask

if TYPE_CHECKING:
    from assay.store import StoreLocation


RETRY_PAUSES = (0.5, 2.0, 8.0)
"""Seconds before each retry."""
TIMEOUT = 15.0
COMMAND_TIMEOUT = 120.0
MIN_SECRET_LENGTH = 16
"""The number of characters from which a part of a URL may be a secret."""
RETRYABLE_STATUSES = (408, 425, 429)
"""HTTP statuses that are retried, in addition to all statuses from 500."""


def _key(name: str, secret: str) -> str:
    return f"{name} {hashlib.blake2b(secret.encode(errors='surrogateescape'), digest_size=8).hexdigest()}"


class Channel(Protocol):
    """A place that alerts are sent to."""

    @property
    def name(self) -> str:
        """Its name in messages, without secrets."""

    @property
    def key(self) -> str:
        """Its name in the file of sent alerts."""

    def send(self, message: Mapping[str, Any]) -> str:
        """Send the message; return what went wrong, or an empty text."""


@dataclass(frozen=True)
class WebhookChannel:
    """A URL that accepts JSON. Only its host is shown, because the rest of such a URL is a secret."""

    url: SplitResult

    @classmethod
    def of(cls, text: str) -> WebhookChannel:
        """The webhook of a URL, in which `${NAME}` is read from the environment."""
        from assay.providers import fill_variables

        try:
            url = urlsplit(fill_variables(text.strip(), "--webhook"))
            is_one = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
        except ValueError:
            is_one = False
        if not is_one:
            raise UsageError(
                "--webhook must be a URL such as https://hooks.example.com/services/…, or ${NAME_OF_A_VARIABLE}"
            )
        webhook = cls(url)
        for secret in webhook.secrets:
            add_secret(secret, "the URL of --webhook")
        return webhook

    @property
    def secrets(self) -> list[str]:
        """The password, and parts that are long enough to be a key."""
        parts = (self.url.path.strip("/"), self.url.path.rpartition("/")[2], self.url.query)
        return [*filter(None, [self.url.password]), *(part for part in parts if len(part) >= MIN_SECRET_LENGTH)]

    @property
    def name(self) -> str:
        """`https://hooks.slack.com`."""
        port = f":{self.url.port}" if self.url.port else ""
        return f"{self.url.scheme}://{self.url.hostname}{port}"

    @property
    def key(self) -> str:
        """The host, and a digest of the whole URL."""
        return _key(self.name, self.url.geturl())

    def send(self, message: Mapping[str, Any]) -> str:
        """Post the message. No response and retryable statuses are retried; other statuses are final."""
        from assay.providers import Connections, Request

        body = json.dumps(message).encode()
        headers = {"Content-Type": "application/json", "User-Agent": "assay"}
        connections, why = Connections(), ""
        try:
            for pause in (*RETRY_PAUSES, None):
                try:
                    status = connections.ask(Request(self.url, "POST", body, headers), TIMEOUT).status
                except (OSError, HTTPException, ValueError) as error:  # ValueError: the host is not a valid name
                    status, why = 0, str(error) or type(error).__name__
                if 200 <= status < 300:
                    return ""
                why = f"the server returned status {status}" if status else why
                if status and status < 500 and status not in RETRYABLE_STATUSES:
                    return why
                if pause is not None:
                    time.sleep(pause)
            return f"{why}, after {len(RETRY_PAUSES) + 1} attempts"
        finally:
            connections.close()


@dataclass(frozen=True)
class CommandChannel:
    """A command that reads the message from its standard input."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> CommandChannel:
        """The channel of a command line, which is run without a shell."""
        from assay.providers import add_secrets_of, command_line

        try:
            words = tuple(shlex.split(text))
        except ValueError as error:
            raise UsageError(f"--command: {error}") from None
        add_secrets_of(command_line, text)
        if not words:
            raise UsageError("--command must be a command line, such as 'mail -s assay team@example.com', not empty")
        return cls(words)

    @property
    def name(self) -> str:
        """The program alone, because its arguments may be secret."""
        return self.words[0]

    @property
    def key(self) -> str:
        """The program, and a digest of the whole command."""
        return _key(self.name, "\0".join(self.words))

    def send(self, message: Mapping[str, Any]) -> str:
        """Run the command once."""
        text = json.dumps(message)
        try:
            done = subprocess.run(  # noqa: S603 (the command is the user's own, and no shell reads it)
                self.words, input=text.encode(), capture_output=True, timeout=COMMAND_TIMEOUT, check=False
            )
        except subprocess.TimeoutExpired:
            return f"the command did not finish within {COMMAND_TIMEOUT:g} seconds"
        except OSError as error:
            return error.strerror or str(error)
        except ValueError as error:
            return str(error)
        last = mask(done.stderr.decode(errors="replace")).strip().rpartition("\n")[2]
        return f"the command exited with code {done.returncode}{f': {last}' if last else ''}" if done.returncode else ""


MAX_KEYS_PER_CHANNEL = 10_000
"""The number of keys that are remembered for a channel, newest first."""


def sent_alerts_path(place: StoreLocation) -> Path:
    """`assay.db.watch.json` next to a store file; for another database a file in .assay, with a digest of its URL."""
    if place.path is not None:
        return place.path.with_name(f"{place.path.name}.watch.json")
    digest = hashlib.blake2b(str(place).encode(), digest_size=4).hexdigest()
    return Path(".assay") / f"watch-{digest}.json"


def read_sent_alerts(path: Path) -> dict[str, list[str]]:
    """Channel → keys of the alerts that were sent to it; empty if the file is missing or cannot be read."""
    from assay.schema import convert_plain, parse_plain

    try:
        content = convert_plain(parse_plain(path.read_bytes(), str(path)), dict[str, Any], str(path))
        return dict(convert_plain(content.get("told"), dict[str, list[str]], str(path)))
    except (OSError, DataError):
        return {}


def write_sent_alerts(path: Path, sent_keys: Mapping[str, list[str]]) -> None:
    """Write the file completely or not at all."""
    from assay.atomic_write import atomic_write

    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"schema": "assay.watch/1", "told": {name: keys[-MAX_KEYS_PER_CHANNEL:] for name, keys in sent_keys.items()}}
    with atomic_write(path) as file:
        file.write(json.dumps(content, indent=1).encode())
