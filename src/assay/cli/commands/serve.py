"""assay serve: the results of a store as web pages."""

from __future__ import annotations

import argparse
import os
import shlex
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from assay.cli.exit_codes import HANGUP_SIGNALS, TerminationSignal, signal_handler
from assay.cli.output_options import add_store_argument, open_store
from assay.cli.program import Command, Group
from assay.cli.reading_options import add_documents_argument
from assay.cli.scoring_options import integer_parser
from assay.errors import UsageError
from assay.extras import check_extra
from assay.masking import add_secret
from assay.text import counted

if TYPE_CHECKING:
    import socket
    from types import FrameType

    from starlette.applications import Starlette

    from assay.datasets import BenchmarkDataset

EXAMPLES = """\
  assay serve
  assay serve --port 0
  assay serve --datasets my-benchmark.json
  assay serve --datasets queries.jsonl --documents ./corpus
  assay serve --host 0.0.0.0 --token-file token.txt"""
ENV_VARIABLE = "ASSAY_TOKEN"
"""The environment variable with the token, if there is no file. A command has none, because other users can read it."""
DEFAULT_PORT = 8765
MAX_PORT = 65_535
MIN_TOKEN_LENGTH = 12
"""Characters of a token; a shorter one is easy to guess."""
MAKE_COMMAND = 'python -c "import secrets; print(secrets.token_urlsafe())"'
"""A command that creates a token that cannot be guessed."""
MAX_WAITING_CONNECTIONS = 128
"""The number of connections that may wait until the server accepts them."""
READABLE_BY_OTHERS = stat.S_IRGRP | stat.S_IROTH
WILDCARD_HOSTS = ("0.0.0.0", "::", "")  # noqa: S104 (names it, binds nothing)


class _TokenInCommand(argparse.Action):
    """`--token`, which was removed: the error says what to use instead, and does not repeat the token."""

    def __call__(self, *_: Any) -> NoReturn:
        """Refuse it."""
        raise UsageError(
            f"--token was removed, because all users of this machine can read the options of a command. "
            "Write the token into a file and "
            f"use --token-file FILE, or set the environment variable {ENV_VARIABLE}"
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The store, and the address of the server."""
    add_store_argument(parser)
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="HOST",
        help="address to listen on (default: 127.0.0.1, which only this machine can reach)",
    )
    parser.add_argument(
        "--port",
        type=integer_parser(MAX_PORT),
        default=DEFAULT_PORT,
        metavar="PORT",
        help=f"port to listen on; 0 chooses a free one (default: {DEFAULT_PORT})",
    )
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help=f"file with the token that visitors must enter (at least {MIN_TOKEN_LENGTH} characters); required if other "
        f"machines can reach the server (default: ${ENV_VARIABLE})",
    )
    parser.add_argument("--token", action=_TokenInCommand, nargs="?", help=argparse.SUPPRESS)
    parser.add_argument(
        "--datasets",
        nargs="+",
        default=[],
        metavar="PATH",
        help="benchmarks whose texts the pages may show next to the ids, if the result has the same fingerprint",
    )
    add_documents_argument(parser)
    parser.add_argument(
        "--proxy",
        nargs="+",
        default=[],
        metavar="ADDRESS",
        help="addresses or networks of proxies whose X-Forwarded-* headers (For, Proto, Host) are trusted",
    )


def run_serve(options: argparse.Namespace) -> int:
    """All options are checked before the port is opened. The server runs until a signal such as Ctrl-C ends it."""
    _check_dependencies()
    token = _token(options)
    _check_proxy_has_token(options.proxy, token)
    with open_store(options) as store:
        datasets = _datasets(options.datasets)
        listening = _open_socket(options.host, options.port)
        try:
            _print_address(options.host, listening.getsockname()[1], str(store.place))
            _serve(_app(store, token, datasets, options.proxy), options.proxy, listening)
        finally:
            listening.close()
    return 0


def _token(options: argparse.Namespace) -> str:
    """The token. It is required, and must be long, if other machines can reach the server; else a short one is noted."""
    from assay.web import is_loopback

    token = _read_token(Path(options.token_file)) if options.token_file else os.environ.get(ENV_VARIABLE, "").strip()
    add_secret(token, "the token")
    is_open = not is_loopback(options.host)
    if is_open and not token:
        raise UsageError(
            f"other machines can reach {options.host}, so a token is required: assay serve --host {options.host} "
            f"--token-file FILE, or set the environment variable {ENV_VARIABLE}"
        )
    if token and len(token) < MIN_TOKEN_LENGTH:
        message = f"a token of {counted(len(token), 'character')} is easy to guess"
        needed = f"at least {MIN_TOKEN_LENGTH} are required if other machines can reach the server"
        if is_open:
            raise UsageError(f"{message}; {needed}. To create one: {MAKE_COMMAND}")
        sys.stderr.write(f"note: {message}; {needed}. To create one: {MAKE_COMMAND}\n")
    return token


def _check_proxy_has_token(proxies: Sequence[str], token: str) -> None:
    """Check that there is a token if a proxy is given, because other machines can then reach the server."""
    from assay.web import Proxies

    if Proxies(proxies) and not token:
        raise UsageError(
            "other machines can reach the server through a proxy, so a token is required: add --token-file FILE, "
            f"or set the environment variable {ENV_VARIABLE}"
        )


def _read_token(path: Path) -> str:
    """The one line of a file; with a note if other users of this machine can read the file."""
    if not path.exists():
        named_path = f" {path}" if set("./\\") & set(str(path)) else ""  # else it may be the token itself
        raise UsageError(f"--token-file{named_path}: no such file. The file must contain the token in one line")
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "the file is not UTF-8 text"
        raise UsageError(f"--token-file {path}: the token cannot be read: {why}") from None
    if not text or len(text.splitlines()) > 1:
        n_lines = counted(len(text.splitlines()), "line")
        raise UsageError(
            f"--token-file {path}: expected one line with the token, found {n_lines}. To create one: {MAKE_COMMAND}"
        )
    if os.name == "posix" and mode & READABLE_BY_OTHERS:
        sys.stderr.write(f"note: other users can read {path}. To prevent that: chmod 600 {shlex.quote(str(path))}\n")
    return text


def _datasets(paths: Sequence[str]) -> list[BenchmarkDataset]:
    """The given benchmarks, read now, so that a wrong path is an error before the server starts."""
    from assay.datasets import load_dataset

    return [load_dataset(path) for path in paths]


def _check_dependencies() -> None:
    check_extra("the web pages need", "web", "starlette", "uvicorn", "python_multipart", "jinja2", "vl_convert")


def _open_socket(host: str, port: int) -> socket.socket:
    """The socket, opened now, so that a used port is an error at once, and the number for port 0 is known."""
    import socket

    listener = None
    try:
        family, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, else answers wait for 40 ms
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(MAX_WAITING_CONNECTIONS)
    except OSError as error:
        if listener is not None:
            listener.close()
        raise UsageError(
            f"cannot listen on {host}:{port}: {error.strerror or error}. To use any free port: --port 0"
        ) from None
    return listener


def _print_address(host: str, port: int, place: str) -> None:
    name = _reachable_host(host)
    address = f"[{name}]" if ":" in name else name
    sys.stdout.write(f"serving {place} at http://{address}:{port}/ (Ctrl-C to stop)\n")
    sys.stdout.flush()


def _reachable_host(host: str) -> str:
    """An address by which other machines can reach this one, if it listens on all addresses."""
    import socket

    if host not in WILDCARD_HOSTS:
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a reserved address (RFC 5737); nothing is sent
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()


def _app(store: Any, token: str, datasets: Sequence[BenchmarkDataset], proxies: Sequence[str]) -> Starlette:
    from assay.web import make_app

    return make_app(store, token=token, datasets=datasets, proxies=proxies)


def _serve(app: Starlette, proxies: Sequence[str], listening: socket.socket) -> None:
    from assay.web import make_server

    server, hangups = make_server(app, proxies=proxies), list[int]()

    def hang_up(number: int, frame: FrameType | None) -> None:
        hangups.append(number)
        server.handle_exit(number, frame)

    with signal_handler(hang_up, HANGUP_SIGNALS):
        server.run(sockets=[listening])  # shuts down cleanly, then raises the signal that ended it, if it knows the signal
    if hangups:
        raise TerminationSignal(hangups[0])


COMMAND = Command("serve", "serve the results of a store as web pages", add_arguments, run_serve, EXAMPLES, group=Group.SHOW)
