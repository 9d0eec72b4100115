"""Addresses: which master or server of Spark a command connects to, checked before Spark waits for it for minutes."""

from __future__ import annotations

import os
import re
import shutil
import socket
from pathlib import Path
from urllib.parse import unquote

from assay.errors import ProviderError, UsageError
from assay.masking import add_secret, is_secret_name

CONNECT = "sc://"
MASTER = re.compile(r"local(-cluster)?(\[[^\]]+\])?|spark://.+:\d+|yarn|k8s://.+|sc://.+")
PORT_OF_CONNECT = 15002
PARAMETERS = re.compile(r"[;?#]")
"""What begins the parameters of an address, and divides them: `sc://host/;token=…;use_ssl=true`."""
LOGIN = re.compile(r"(?P<scheme>(\w+://)*)(?P<user>[^:]*)(:(?P<password>.*))?@(?P<rest>[^@]*)")
"""An address with the name of a user, and perhaps a password."""
PLACE = re.compile(r"(?P<host>\[[^\]]*\]|[^:]*)(:(?P<port>.*))?")
SECONDS = 10
"""The longest time to wait until a host accepts a connection."""
PROXIES = ("grpc_proxy", "https_proxy", "http_proxy")
"""Variables with which a server of Spark Connect is reached through another host."""


def check_address(address: str) -> None:
    """Raise an error for an unknown kind of master, for a missing Java, or if no host of the address answers."""
    shown = shown_address(address)
    if not MASTER.fullmatch(address):
        choices = "local[4], spark://host:7077, yarn, k8s://https://host:443, sc://host:15002"
        raise UsageError(f"{shown!r} is not a master of Spark. Write one like these: {choices}")
    hosts = _hosts(address)
    if not address.startswith(CONNECT):
        _check_java()
    reasons = [_why_closed(host, port) for host, port in hosts]
    if hosts and all(reasons):
        places = ", ".join(f"{host}:{port} ({reason})" for (host, port), reason in zip(hosts, reasons, strict=True))
        raise ProviderError(f"nothing answers at {places}. Check the address, and that Spark runs there", source=shown)


def shown_address(address: str) -> str:
    """The address as errors and notes show it: without names, passwords and parameters, which may be secrets.

    Their values are masked from now on, because Spark writes them into its own errors.
    """
    place, *parameters = PARAMETERS.split(address)
    for name, _, value in (parameter.partition("=") for parameter in parameters):
        if is_secret_name(name):
            add_secret(unquote(value), f"the {name} of the address")
    place = place.removesuffix("/") if parameters else place
    if login := LOGIN.fullmatch(place):
        add_secret(unquote(login["password"] or ""), "the password of the address")
        return login["scheme"] + login["rest"]
    return place


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java", path=str(Path(home, "bin")) if home else None):
        return
    where = f"JAVA_HOME is {home}, but it has no bin/java" if home else "there is no java on the path"
    raise UsageError(
        f"Spark needs Java 17 or newer, and {where}. On Debian and Ubuntu: apt-get install default-jre-headless. "
        "A server of Spark Connect (--master sc://host) needs no Java on this machine"
    )


def _hosts(address: str) -> list[tuple[str, int]]:
    """The hosts and ports that a driver connects to; none if Spark finds them itself, or if a proxy is between."""
    shown = shown_address(address)
    scheme, _, rest = shown.partition("://")
    if scheme not in ("sc", "spark"):
        return []
    places = [PLACE.fullmatch(place) for place in rest.partition("/")[0].split(",")]
    hosts = [(place["host"].strip("[]"), _port(shown, place["port"])) for place in places if place]
    if scheme == "sc" and any(os.environ.get(name) or os.environ.get(name.upper()) for name in PROXIES):
        return []
    return hosts


def _port(shown: str, text: str | None) -> int:
    """The number of a port; Spark Connect has one that need not be written."""
    if text is None:
        return PORT_OF_CONNECT
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 2**16):
        raise UsageError(f"the port in {shown} is {text!r}, not a number from 1 to 65535")
    return int(text)


def _why_closed(host: str, port: int) -> str:
    """Why a host does not accept a connection; empty if it does."""
    try:
        socket.create_connection((host, port), SECONDS).close()
    except OSError as error:
        return error.strerror or str(error)
    return ""
