"""Busy: a service that asks to be asked again later."""

from __future__ import annotations

from assay.errors import ProviderError

BUSY_STATUS = (429, 503)
"""What a busy service answers in HTTP: too many requests, service unavailable."""


class Busy(ProviderError):
    """The service has too much to do; `retry_after` is the wait in seconds it asked for, None where it named none."""

    def __init__(self, retry_after: float | None = None, message: str = "") -> None:
        wait = "" if retry_after is None else f"; it asks to wait {retry_after:g} s"
        super().__init__((message or "the service is busy") + wait)
        self.retry_after, self.message = retry_after, message

    def __reduce__(self) -> tuple[type[Busy], tuple[float | None, str]]:
        return type(self), (self.retry_after, self.message)
