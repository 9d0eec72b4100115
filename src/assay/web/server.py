"""The server: uvicorn with limits; the application handles forwarded headers, because it knows the named proxies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assay.web.proxies import Proxies

if TYPE_CHECKING:
    from socket import socket
    from types import FrameType

    import uvicorn
    from starlette.applications import Starlette

    from assay.web.connections import Limits

GRACE = 3
"""Seconds that requests have to finish after Ctrl-C."""


def make_server(app: Starlette, *, proxies: Iterable[str] = (), limits: Limits | None = None) -> uvicorn.Server:
    """A server for the pages: `make_server(app).run(sockets=[…])`."""
    import uvicorn

    from assay.web.connections import LimitedProtocol, Limits, Register

    used_limits = Limits() if limits is None else limits

    class Protocol(LimitedProtocol):
        """The protocol with the connections of this server."""

        register = Register(used_limits, Proxies(proxies))

    class Server(uvicorn.Server):
        """Reads the overview at startup, and ends event streams on shutdown, because they would run forever."""

        async def startup(self, sockets: list[socket] | None = None) -> None:
            await super().startup(sockets)
            app.state.app_state.read_ahead()

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            app.state.app_state.is_ending = True
            super().handle_exit(sig, frame)

    config = uvicorn.Config(
        app,
        http=Protocol,
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=used_limits.idle_seconds,
        timeout_graceful_shutdown=GRACE,
        h11_max_incomplete_event_size=used_limits.head_bytes,
    )
    return Server(config)
