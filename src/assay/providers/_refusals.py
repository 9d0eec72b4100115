"""Refusals: errors that say what asking again would bring. Busy: try later; Final: it would not help."""

from __future__ import annotations

from assay.errors import ProviderError
from assay.masking import mask

BUSY_STATUS = (429, 503)
"""What a busy service answers in HTTP: too many requests, service unavailable."""
FINAL_STATUS = (301, 308, 400, 401, 403, 404, 405, 410, 413, 414, 415, 422)
"""What a service answers in HTTP to a request that it will never take."""

BUGS = (TypeError, AttributeError, NameError, ImportError, LookupError, ArithmeticError, AssertionError, NotImplementedError)
"""What code raises that is wrong, and not only unlucky."""


class RetryLater(ProviderError):
    """The service has too much to do; `retry_after` is the wait in seconds it asked for, None where it named none."""

    def __init__(self, retry_after: float | None = None, message: str = "") -> None:
        wait = "" if retry_after is None else f"; it asks to wait {retry_after:g} s"
        super().__init__((message or "the service is busy") + wait)
        self.retry_after, self.message = retry_after, mask(message)

    def __reduce__(self) -> tuple[type[RetryLater], tuple[float | None, str]]:
        return type(self), (self.retry_after, self.message)


class PermanentFailure(ProviderError):
    """Asking again would not help: the same question gets the same refusal."""


def may_pass(error: BaseException) -> bool:
    """Whether asking another time may help: not after a refusal that is final, nor where code has to be mended first."""
    return not isinstance(error, PermanentFailure) and not any(isinstance(one, BUGS) for one in (error, error.__cause__))
