"""python: a function in Python code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.errors import ProviderError
from assay.grammar import REQUIRED, Param
from assay.judges.definition import BoundJudge, Judge
from assay.judges.grades import PairGrade, read_returned
from assay.judges.ledger import Ledger
from assay.judges.pairs import Pair
from assay.providers import EventLoop, describe_library_error, file_digests, files_of, load_named, parse_function
from assay.text import shortened


class FunctionJudge:
    """Calls a function with the texts of one pair at a time. It may be a coroutine."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name, self.function, self._loop = name, function, EventLoop()

    def grade(self, pairs: Sequence[Pair], _: Ledger) -> list[PairGrade | Exception]:
        """A grade for each pair, or the error that the function raised."""
        return [self._grade(pair) for pair in pairs]

    def _grade(self, pair: Pair) -> PairGrade | Exception:
        try:
            with describe_library_error(self.name):
                return read_returned(self._loop.result(self.function(pair.query_text, pair.document_text)))
        except ProviderError as error:
            return error


def load_function(function: str) -> Callable[..., Any]:
    """The function that `module:name` names."""
    target = load_named(function)
    if not callable(target):
        what = "a function of the query text and the document text"
        raise ProviderError(f"{function} must be {what}, not {shortened(target)}")
    return target


def settings_of(function: str) -> Mapping[str, Any]:
    """The name of the function and the content of its files."""
    return {"function": function, "files": sorted(file_digests(files_of(function)).values())}


def check_function(function: str) -> None:
    """Raise unless the function exists."""
    load_function(function)


PYTHON = Judge(
    "python",
    "a function of your own that gets the query text and the document text and returns a grade",
    lambda function: FunctionJudge(function, load_function(function)),
    params=(Param("function", parse_function, REQUIRED, "module:name of the function"),),
    short_for="function",
    settings=settings_of,
    check=check_function,
)


def judge_from_function(function: Callable[..., Any]) -> BoundJudge:
    """A judge from a function object; its name and the content of its module are its identity."""
    name = f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', type(function).__qualname__)}"
    record = Judge(
        "python",
        PYTHON.meaning,
        lambda function: FunctionJudge(name, load_object(function)),
        params=PYTHON.params,
        short_for="function",
        settings=lambda **_: settings_of(name),
    )

    def load_object(_: str) -> Callable[..., Any]:
        return function

    return BoundJudge(record, {"function": name}, (), frozenset({"function"}))
