"""explained: what other people's code raises, as an error that says whose it was and where."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import ProviderError
from assay.providers import _event_loop
from assay.providers._refusals import BUSY_STATUS, Busy


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Say whose error it was and where; one that tells of a busy service becomes Busy. Interruptions pass."""
    try:
        yield
    except ProviderError:
        raise
    except (Exception, SystemExit) as error:
        response = getattr(error, "response", None)
        status = getattr(error, "status_code", getattr(response, "status_code", None))
        what = f"{name} raised {type(error).__name__}: {error}{_place(error)}"
        raise Busy(None, what) if status in BUSY_STATUS else ProviderError(what) from error


def _place(error: BaseException) -> str:
    """Where it was raised; nowhere in their code if they only took too long."""
    places = traceback.extract_tb(error.__traceback__)
    if not places or places[-1].filename == _event_loop.__file__:
        return ""
    return f" ({Path(places[-1].filename).name}:{places[-1].lineno})"
