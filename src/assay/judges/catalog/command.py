"""command: a program that reads pairs and writes grades as JSON lines."""

from __future__ import annotations

import json
import shlex
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from assay.errors import ProviderError
from assay.grammar import REQUIRED, Param, positive
from assay.judges.definition import Judge
from assay.judges.grades import PairGrade, read_returned, ungraded
from assay.judges.ledger import Ledger
from assay.judges.pairs import Pair
from assay.masking import mask
from assay.providers import Ended, Program, command_line, conceal, file_digests, fill_variables, revealed
from assay.text import printable, shortened

EXAMPLE = '{"id": "…", "grade": 2, "reason": "…"}'


def parse_command(text: str) -> str:
    """A command line, shown without its secrets."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if not words:
        raise ValueError("a command such as 'python judge.py'")
    return conceal(command_line, text)


def record_of(pair: Pair) -> dict[str, Any]:
    """What the program gets for a pair."""
    return {"id": pair.key, "query": pair.query_text, "document": pair.document_text}


class CommandJudge:
    """Keeps one program running and sends it one pair at a time. After an exit or a timeout it is started again."""

    def __init__(
        self,
        command: str,
        timeout: float,
        record: Callable[[Pair], Mapping[str, Any]] = record_of,
        read: Callable[[Any], PairGrade] = read_returned,
    ) -> None:
        words = shlex.split(revealed(command))
        self._arguments = [fill_variables(word, "command") for word in words]
        self._timeout, self._record, self._read, self._lock = timeout, record, read, threading.Lock()
        self._program: Program | None = None

    def grade(self, pairs: Sequence[Pair], _: Ledger) -> list[PairGrade | Exception]:
        """A grade for each pair, or its error."""
        with self._lock:
            return [self._grade(pair) for pair in pairs]

    def _grade(self, pair: Pair) -> PairGrade | Exception:
        try:
            return self._exchange(pair)
        except TimeoutError:
            self._stop()
            return ProviderError(f"the program wrote nothing within {self._timeout:g} s")
        except Ended:
            how, error = self._program.last_words() if self._program else ("", "")
            self._stop()
            return ProviderError(f"the program exited{how}{f': {printable(mask(error))}' if error else ''}")
        except ProviderError as failure:
            self._stop()
            return failure

    def _exchange(self, pair: Pair) -> PairGrade:
        if self._program is None:
            self._program = Program(self._arguments)
        deadline, key = monotonic() + self._timeout, pair.key
        self._program.send([json.dumps(self._record(pair)).encode()], deadline)
        while True:
            line = self._program.next_line(deadline)
            try:
                content = json.loads(line)
            except (ValueError, RecursionError):
                return ungraded(f"expected a line such as {EXAMPLE}, found {shortened(line.decode('utf-8', 'replace'))}")
            if isinstance(content, Mapping) and content.get("id", key) == key:
                return self._read(content)

    def _stop(self) -> None:
        if self._program is not None:
            self._program.stop()
            self._program = None


def settings_of(command: str, **_: Any) -> Mapping[str, Any]:
    """The command and the content of the files that it names."""
    files = [Path(word) for word in shlex.split(revealed(command)) if "${" not in word]
    return {"command": str(command), "files": sorted(file_digests(files).values())}


def check_command(command: str, **_: Any) -> None:
    """Raise unless every variable is set."""
    fill_variables(revealed(command), "command")


COMMAND = Judge(
    "command",
    'a program that reads {"id", "query", "document"} and writes {"id", "grade", "reason"}, one line each',
    CommandJudge,
    params=(
        Param("command", parse_command, REQUIRED, "command line of the program", is_private=True),
        Param("timeout", positive, 60.0, "seconds to wait for a grade"),
    ),
    short_for="command",
    settings=settings_of,
    check=check_command,
)
