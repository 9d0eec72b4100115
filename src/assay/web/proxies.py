"""Proxies: `X-Forwarded-For`, `-Proto` and `-Host` are trusted only from addresses that were named.

`Forwarded` is never read, because a proxy that knows only one of the two kinds of headers passes on the other kind as the
visitor wrote it.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING

from assay.errors import BadParameter

if TYPE_CHECKING:
    from assay.web.security import App, Receive, Scope, Send

SCHEMES = ("http", "https")


class Proxies:
    """The named proxies: `"192.0.2.7" in proxies`."""

    def __init__(self, named: Iterable[str] = ()) -> None:
        self._networks = tuple(map(_network, named))

    def __bool__(self) -> bool:
        return bool(self._networks)

    def __contains__(self, address: object) -> bool:
        plain = plain_address(str(address))
        if not self._networks or not plain:
            return False
        ip = ip_address(plain)
        return any(ip in network for network in self._networks if network.version == ip.version)

    def visitor(self, forwarded_for: str) -> str:
        """The last address that is not a named proxy; a visitor can fake everything before it. Empty if unknown."""
        for entry in reversed(forwarded_for.split(",")):
            plain = plain_address(_without_port(entry.strip()))
            if not plain:
                return ""
            if plain not in self:
                return plain
        return ""


class ForwardedHeaders:
    """An ASGI application around another: it replaces a named proxy by the visitor that the proxy forwards."""

    def __init__(self, app: App, proxies: Proxies) -> None:
        self.app, self.proxies = app, proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request; forwarded headers from other addresses are ignored."""
        client = scope.get("client")
        if scope["type"] == "http" and client and client[0] in self.proxies:
            self._believe(scope, client)
        await self.app(scope, receive, send)

    def _believe(self, scope: Scope, client: tuple[str, int]) -> None:
        headers: dict[bytes, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name, []).append(value.decode("latin-1"))
        visitor = self.proxies.visitor(",".join(headers.get(b"x-forwarded-for", [])))
        scope["client"] = (visitor, 0) if visitor else client
        scheme = _last(headers.get(b"x-forwarded-proto", []))
        if scheme in SCHEMES:
            scope["scheme"] = scheme
        if host := _last(headers.get(b"x-forwarded-host", [])):
            others = [pair for pair in scope["headers"] if pair[0] != b"host"]
            scope["headers"] = [*others, (b"host", host.encode("latin-1"))]


def plain_address(text: str) -> str:
    """An IP address in its plain form, as IPv4 if it is an IPv4 address written as IPv6; empty if it is not an address."""
    try:
        ip = ip_address(text.partition("%")[0])
    except ValueError:
        return ""
    mapped = ip.ipv4_mapped if isinstance(ip, IPv6Address) else None
    return str(mapped or ip)


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError:
        examples = "such as 192.0.2.7 or 192.0.2.0/24"
        raise BadParameter(f"a proxy must be an address or a network, {examples}, not {text!r}") from None


def _without_port(entry: str) -> str:
    if entry.startswith("["):
        return entry[1:].partition("]")[0]
    return entry.partition(":")[0] if entry.count(":") == 1 else entry


def _last(values: list[str]) -> str:
    """The value from the nearest proxy."""
    return values[-1].rpartition(",")[2].strip().lower() if values else ""
