"""explained: what other people's code raises, as an error that says whose it was and where."""

from __future__ import annotations

import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from assay.errors import ProviderError
from assay.providers import _event_loop
from assay.providers._refusals import BUSY_STATUS, RetryLater


@contextmanager
def describe_library_error(name: str) -> Iterator[None]:
    """Say whose error it was and where; one that tells of a busy service becomes Busy. Interruptions pass."""
    try:
        yield
    except ProviderError:
        raise
    except (Exception, SystemExit) as error:
        response = getattr(error, "response", None)
        status = getattr(error, "status_code", getattr(response, "status_code", None))
        what = f"{name} raised {named_error(error)}"
        raise RetryLater(None, what) if status in BUSY_STATUS else ProviderError(what) from error


def named_error(error: BaseException) -> str:
    """Its kind, the first line of what it says, and where it was raised: `KeyError: 'x' (mine.py:3)`.

    A first line that ends in a colon announces what it leaves out, so the error it came from speaks for it.
    """
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    text = said.strip().partition("\n")[0].rstrip()
    if text.endswith(":") and error.__cause__ is not None:
        return f"{type(error).__name__}: {text} {named_error(error.__cause__)}"
    return f"{type(error).__name__}{f': {text}' if text else ''}{_place(error)}"


def _place(error: BaseException) -> str:
    """The line of the user's own code where it came from, else the last; nowhere if they only took too long."""
    if isinstance(error, SyntaxError) and error.filename and not error.filename.startswith("<"):
        return f" ({Path(error.filename).name}:{error.lineno})"
    places = traceback.extract_tb(error.__traceback__)
    if not places or places[-1].filename == _event_loop.__file__:
        return ""
    theirs = [place for place in places if not place.filename.startswith(_installed())]
    last = (theirs or [place for place in places if not place.filename.startswith("<")] or places)[-1]
    return f" ({Path(last.filename).name}:{last.lineno})"


@cache
def _installed() -> tuple[str, ...]:
    """How the files begin that are nobody's own: those of Python, of installed packages and of assay itself."""
    paths = sysconfig.get_paths()
    own = str(Path(__file__).parent.parent)
    return ("<", own, *(paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")))
