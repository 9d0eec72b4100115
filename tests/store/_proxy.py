"""A proxy before a server, which cuts connections at a chosen word: before the server hears it, or before it answers."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Proxy:
    """`cut` is the word; `hears` is whether the server still hears it; `times` is how often it cuts."""

    def __init__(self, port: int) -> None:
        self._server = port
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.cut, self.hears, self.times = b"", False, 0
        self.n_cut = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def arm(self, cut: bytes, *, hears: bool = False, times: int = 1) -> None:
        self.cut, self.hears, self.times, self.n_cut = cut, hears, times, 0

    def close(self) -> None:
        self._socket.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._socket.accept()
                server = socket.create_connection(("127.0.0.1", self._server))
                threading.Thread(target=self._forth, args=(client, server), daemon=True).start()
                threading.Thread(target=self._back, args=(client, server), daemon=True).start()

    def _forth(self, client: socket.socket, server: socket.socket) -> None:
        """From the client to the server, until it is cut or closed."""
        with suppress(OSError), client:
            while content := client.recv(1 << 16):
                if self.cut and self.n_cut < self.times and self.cut in content:
                    self.n_cut += 1
                    client.shutdown(socket.SHUT_RDWR)  # no answer reaches it
                    if self.hears:
                        server.sendall(content)
                    break
                server.sendall(content)
        with suppress(OSError):
            server.shutdown(socket.SHUT_WR)  # which the server reads after what was sent

    def _back(self, client: socket.socket, server: socket.socket) -> None:
        """From the server to the client, until the server has no more to say."""
        with server:
            while content := self._received(server):
                with suppress(OSError):
                    client.sendall(content)

    def _received(self, server: socket.socket) -> bytes:
        with suppress(OSError):
            return server.recv(1 << 16)
        return b""


@contextmanager
def proxy_before(port: int) -> Iterator[Proxy]:
    proxy = Proxy(port)
    try:
        yield proxy
    finally:
        proxy.close()
