"""assay serve: the web pages over a store."""

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
from assay.cli.program import Command
from assay.cli.scoring_options import integer_parser
from assay.errors import UsageError
from assay.extras import install_command
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
  assay serve --host 0.0.0.0 --token-file token.txt"""
ENV_VARIABLE = "ASSAY_TOKEN"
"""The environment variable that holds the token where no file does; none stands in a command, which everybody can read."""
DEFAULT_PORT = 8765
MAX_PORT = 65_535
MIN_TOKEN_LENGTH = 12
"""Letters of a token; one with fewer is guessed too easily."""
MAKE_COMMAND = 'python -c "import secrets; print(secrets.token_urlsafe())"'
"""A command that makes a token nobody guesses."""
MAX_WAITING_CONNECTIONS = 128
"""Visitors that may wait until the server takes them, from the moment its address is printed."""
READABLE_BY_OTHERS = stat.S_IRGRP | stat.S_IROTH
WILDCARD_HOSTS = ("0.0.0.0", "::", "")  # noqa: S104 (names it, binds nothing)


class _TokenInCommand(argparse.Action):
    """`--token`, which is no flag any more: it says what to write in its place, and nothing of what was written."""

    def __call__(self, *_: Any) -> NoReturn:
        """Refuse it."""
        raise UsageError(
            f"--token is gone, for everybody on this machine can read a command: write the token into a file and use "
            f"--token-file FILE, or set the variable {ENV_VARIABLE}"
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which store, and where it is served."""
    add_store_argument(parser)
    parser.add_argument("--host", default="127.0.0.1", metavar="HOST", help="default: 127.0.0.1, this machine alone")
    parser.add_argument(
        "--port",
        type=integer_parser(MAX_PORT),
        default=DEFAULT_PORT,
        metavar="PORT",
        help=f"default: {DEFAULT_PORT}; 0: any that is free",
    )
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help=f"file that holds the token visitors must give, {MIN_TOKEN_LENGTH} letters or more; needed for any other host "
        f"(default: the variable {ENV_VARIABLE})",
    )
    parser.add_argument("--token", action=_TokenInCommand, nargs="?", help=argparse.SUPPRESS)
    parser.add_argument(
        "--datasets",
        nargs="+",
        default=[],
        metavar="PATH",
        help="benchmarks whose documents may be shown: results with the same fingerprint get words beside their ids",
    )
    parser.add_argument(
        "--proxy",
        nargs="+",
        default=[],
        metavar="ADDRESS",
        help="proxies whose X-Forwarded-* headers are trusted (For, Proto, Host): addresses or networks",
    )


def run_serve(options: argparse.Namespace) -> int:
    """Everything that can be refused is, before the port is taken. It runs until a signal ends it, as Ctrl-C does."""
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
    """The token. Where other machines are let in it is needed, and has a length; on this machine a short one is noted."""
    from assay.web import is_loopback

    token = _read_token(Path(options.token_file)) if options.token_file else os.environ.get(ENV_VARIABLE, "").strip()
    add_secret(token, "the token")
    is_open = not is_loopback(options.host)
    if is_open and not token:
        raise UsageError(
            f"{options.host} lets other machines in, so a token is needed: assay serve --host {options.host} "
            f"--token-file FILE, or the environment variable {ENV_VARIABLE}"
        )
    if token and len(token) < MIN_TOKEN_LENGTH:
        message = f"a token of {counted(len(token), 'letter')} is easily guessed; {MIN_TOKEN_LENGTH} or more are needed"
        if is_open:
            raise UsageError(f"{message} where other machines are let in. This makes one: {MAKE_COMMAND}")
        sys.stderr.write(f"note: {message} as soon as other machines are let in; this makes one: {MAKE_COMMAND}\n")
    return token


def _check_proxy_has_token(proxies: Sequence[str], token: str) -> None:
    """A proxy is named by its address, and lets other machines in."""
    from assay.web import Proxies

    if Proxies(proxies) and not token:
        raise UsageError(
            f"a proxy lets other machines in, so a token is needed: --token-file FILE, or the variable {ENV_VARIABLE}"
        )


def _read_token(path: Path) -> str:
    """The one line of a file. A note where other users of this machine can read it too."""
    if not path.exists():
        named_path = f" {path}" if set("./\\") & set(str(path)) else ""  # else it may be the token itself
        raise UsageError(f"--token-file{named_path}: there is no such file; it holds the token in one line")
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise UsageError(f"--token-file {path}: the token cannot be read: {why}") from None
    if not text or len(text.splitlines()) > 1:
        n_lines = counted(len(text.splitlines()), "line")
        raise UsageError(
            f"--token-file {path}: expected one line, which is the token; found {n_lines}. One is made by: {MAKE_COMMAND}"
        )
    if os.name == "posix" and mode & READABLE_BY_OTHERS:
        sys.stderr.write(
            f"note: other users can read {path}; this makes it yours alone: chmod 600 {shlex.quote(str(path))}\n"
        )
    return text


def _datasets(paths: Sequence[str]) -> list[BenchmarkDataset]:
    """The benchmarks that were given, read now: a path that is wrong is told before anybody is served."""
    from assay.datasets import load_dataset

    return [load_dataset(path) for path in paths]


def _check_dependencies() -> None:
    from importlib.util import find_spec

    names = {"starlette": "web", "uvicorn": "web", "python_multipart": "web", "jinja2": "report", "vl_convert": "report"}
    if lacking := {extra: name for name, extra in names.items() if find_spec(name) is None}:
        raise UsageError(f"the web pages need {', '.join(lacking.values())}: {install_command(*lacking)}")


def _open_socket(host: str, port: int) -> socket.socket:
    """The socket, so that a port which is taken is told at once, and port 0 is known."""
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
        raise UsageError(f"{host}:{port} cannot be listened on: {error.strerror or error}; --port 0 takes any") from None
    return listener


def _print_address(host: str, port: int, place: str) -> None:
    name = _reachable_host(host)
    address = f"[{name}]" if ":" in name else name
    sys.stdout.write(f"serving {place} at http://{address}:{port}/ (Ctrl-C ends it)\n")
    sys.stdout.flush()


def _reachable_host(host: str) -> str:
    """What others may call this machine by, where it listens on every address it has."""
    import socket

    if host not in WILDCARD_HOSTS:
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address of nobody (RFC 5737); nothing is sent
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
        server.run(sockets=[listening])  # it ends in good order, then raises the signal that ended it, if it knows that one
    if hangups:
        raise TerminationSignal(hangups[0])


COMMAND = Command("serve", "serve the web pages over a store", add_arguments, run_serve, EXAMPLES)
