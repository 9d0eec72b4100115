"""Variants of a test under one id."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any


def for_each(names: str, values: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for every value of a parameter, or of several (`"a, b"`); the failure names the values."""
    parameters = [name.strip() for name in names.split(",")]
    rows = [value if len(parameters) > 1 else (value,) for value in values]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def loop(**fixtures: Any) -> None:
            for row in rows:
                chosen = dict(zip(parameters, row, strict=True))
                try:
                    test(**fixtures, **chosen)
                except BaseException as error:
                    error.add_note(f"with {chosen}")
                    raise

        left = [parameter for name, parameter in signature.parameters.items() if name not in parameters]
        loop.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return loop

    return decorate
