"""Addresses: which master or server of Spark a command connects to, checked before Spark waits for it for minutes."""

from __future__ import annotations

import os
import re
import shutil
import socket
from pathlib import Path

from assay.errors import ProviderError, UsageError

CONNECT = "sc://"
MASTER = re.compile(r"local(-cluster)?(\[[^\]]+\])?|spark://.+:\d+|yarn|k8s://.+|sc://.+")
PORT_OF_CONNECT = "15002"
SECONDS = 10
"""The longest time to wait until a host accepts a connection."""
PROXIES = ("grpc_proxy", "https_proxy", "http_proxy")
"""Variables with which a server of Spark Connect is reached through another host."""


def check_address(address: str) -> None:
    """Raise an error for an unknown kind of master, for a missing Java, or if no host of the address answers."""
    if not MASTER.fullmatch(address):
        choices = "local[4], spark://host:7077, yarn, k8s://https://host:443, sc://host:15002"
        raise UsageError(f"{address!r} is not a master of Spark. Write one like these: {choices}")
    if not address.startswith(CONNECT):
        _check_java()
    hosts = _hosts(address)
    reasons = [_why_closed(host, port) for host, port in hosts]
    if hosts and all(reasons):
        places = ", ".join(f"{host}:{port} ({reason})" for (host, port), reason in zip(hosts, reasons, strict=True))
        raise ProviderError(f"nothing answers at {places}. Check the address, and that Spark runs there", source=address)


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
    scheme, _, rest = address.partition("://")
    if scheme == "sc" and any(os.environ.get(name) or os.environ.get(name.upper()) for name in PROXIES):
        return []
    if scheme not in ("sc", "spark"):
        return []
    places = (place.rpartition(":") for place in rest.partition("/")[0].split(","))
    pairs = [(host, port) if host else (port, PORT_OF_CONNECT) for host, _, port in places]
    return [(host.strip("[]"), int(port)) for host, port in pairs if port.isdecimal() and int(port) < 2**16]


def _why_closed(host: str, port: int) -> str:
    """Why a host does not accept a connection; empty if it does."""
    try:
        socket.create_connection((host, port), SECONDS).close()
    except OSError as error:
        return error.strerror or str(error)
    return ""
