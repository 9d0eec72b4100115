"""command: a program that reads queries and writes hits as JSON lines."""

from __future__ import annotations

import json
import shlex
import shutil
import threading
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

from assay.errors import ProviderError
from assay.grammar import REQUIRED, Param, flag, positive
from assay.masking import mask
from assay.model import Document, Hit, Query, key_id
from assay.providers.process import Ended, Program
from assay.providers.provider import Provider
from assay.providers.reporting import report_delay
from assay.providers.responses import Answers, hits_from, names_in
from assay.providers.retriever import PermanentFailure, not_indexed_error, with_reported_fields
from assay.providers.secrets import command_line, conceal, fill_variables, revealed
from assay.serialize import to_json
from assay.text import printable, shortened

WINDOW = 64
"""Queries that are sent before the first response arrives."""
ALONE = 60.0
"""Seconds until a query fails, if no timeout is set."""
EXAMPLE = '{"id": "q1", "hits": [{"id": "d1", "score": 0.9}]}'
SECONDS_UNTIL_HINT, HINT_SHARE = 5.0, 0.8
"""Seconds without any output after which the user reads why that usually is; at most this share of the timeout."""
MAX_SHOWN_LETTERS = 200
"""Characters of its error output that a message shows."""
MAX_ENDS_WITHOUT_ANSWER = 3
"""After so many exits in a row without a response, the program is not started again."""

AnswersByPlace = dict[int, list[Hit] | ProviderError]
"""Position of a query in its batch → its hits or its error."""


class CommandRetriever:
    """Keeps one program running. If it exits or hangs, it is restarted, and only the query that caused this fails."""

    def __init__(self, command: str, index: bool = True, timeout: float | None = None, index_timeout: float = 600.0) -> None:
        self._command, self._arguments = conceal(command_line, revealed(command)), shlex.split(revealed(command))
        self._timeout, self._index_timeout = timeout or ALONE, index_timeout
        self.indexes = index
        self._documents: Collection[Document] | None = None if index else ()
        self._program: Program | None = None
        self._lock = threading.Lock()
        self._is_ready = True
        self._n_ends = 0
        self._strays = StrayLines()
        self._last_reason = ""
        self._has_written = self._has_answered = self._has_hinted = False

    def index(self, documents: Iterable[Document]) -> None:
        """Start the program and send it the documents, which are kept in case it has to be restarted."""
        with self._lock:
            if self.indexes:
                self._documents = documents if isinstance(documents, Collection) else list(documents)
            self._stop()
            self._n_ends = 0
            self._running()

    def search(self, queries: Sequence[Query], k: int) -> Answers:
        """Send many queries at a time. If that fails, send the rest one by one, so that only the query at fault fails."""
        if self._documents is None:
            raise not_indexed_error("command")
        answers: AnswersByPlace = {}
        with self._lock:
            for start in range(0, len(queries), WINDOW):
                some = dict(enumerate(queries[start : start + WINDOW], start))
                error = self._ask(some, k, answers)
                left = {place: query for place, query in some.items() if place not in answers}
                for place, query in left.items():
                    if len(left) > 1:
                        error = self._ask({place: query}, k, answers)
                    if error is not None:
                        answers.setdefault(place, error)
        return [answers[place] for place in range(len(queries))]

    def close(self) -> None:
        """End the program."""
        with self._lock:
            self._stop()

    def _stop(self) -> None:
        if self._program is not None:
            self._program.stop()
            self._program = None

    def _running(self) -> Program:
        """The program, started if necessary; its documents are being sent."""
        if self._program is not None:
            return self._program
        if self._n_ends >= MAX_ENDS_WITHOUT_ANSWER:
            raise PermanentFailure(
                f"{self._command}: not started again, because it failed {MAX_ENDS_WITHOUT_ANSWER} times without a response. "
                f"{self._last_reason or 'Run it in a shell to see why'}"
            )
        arguments = [fill_variables(argument, "command") for argument in self._arguments]
        try:
            self._program = Program(arguments)
        except ProviderError as error:
            raise ProviderError(str(error)) from None
        self._is_ready, self._strays = not self.indexes, StrayLines()
        if self.indexes and self._documents is not None:
            try:
                self._program.send(_document_lines(self._documents), monotonic() + self._index_timeout)
            except TimeoutError:
                raise self._failed(
                    f"did not read the documents within {self._index_timeout:g} s. Increase index_timeout="
                ) from None
            except BaseException:
                self._stop()
                raise
        return self._program

    def _ask(self, queries: dict[int, Query], k: int, answers: AnswersByPlace) -> ProviderError | None:
        """Send queries and read the responses as they arrive; return the error if some queries get none."""
        waiting: dict[str, deque[int]] = {}
        for place, query in queries.items():
            waiting.setdefault(query.query_id, deque()).append(place)
        try:
            program = self._running()
            program.send([_query_line(query, k) for query in queries.values()], monotonic() + self._patience)
            began = monotonic()
            while waiting:
                if self._take(self._next_line(program, began), waiting, k, answers):
                    began = monotonic()
        except TimeoutError:
            self._last_reason = self._strays.sentence
            why = self._last_reason or (SLOW if self._has_written else f"{BUFFERED}. {SLOW}")
            return self._failed(f"did not respond within {self._patience:g} s. {why}")
        except Ended:
            return self._failed("exited", has_ended=True)
        except ProviderError as error:
            self._stop()
            return error
        except BaseException:
            self._stop()
            raise
        return None

    def _next_line(self, program: Program, began: float) -> bytes:
        """The next line of output. Lines that are not responses do not extend the time since `began`.

        If the program has never responded, a message says after some seconds why that usually is.
        """
        patience = min(SECONDS_UNTIL_HINT, HINT_SHARE * self._timeout)
        until_hint = began + patience
        while (now := monotonic()) < began + self._patience:
            hints = not self._has_answered and not self._has_hinted
            if hints and now >= until_hint:
                self._hint(program, until_hint - began)
                until_hint += patience
            with suppress(TimeoutError):
                return program.next_line(min(began + self._patience, until_hint if hints else inf))
        raise TimeoutError

    def _hint(self, program: Program, seconds: float) -> None:
        """Report why there is no response, unless the program still has input to read, or has said only that it is ready."""
        why = self._strays.sentence or ("" if self._has_written else BUFFERED)
        if why and program.has_its_input:
            self._has_hinted = True
            report_delay(seconds, why)

    @property
    def _patience(self) -> float:
        """Seconds to wait for a response; a program that has not responded to any query may still read its documents."""
        return self._timeout if self._is_ready else max(self._timeout, self._index_timeout)

    def _failed(self, what: str, has_ended: bool = False) -> ProviderError:
        """Stop a program that cannot be used any more, and return its error."""
        how, last_line = self._program.last_words() if self._program and has_ended else ("", "")
        self._stop()
        self._n_ends += 1
        last_line = printable(mask(last_line))[:MAX_SHOWN_LETTERS]
        why = f": {last_line}" if last_line else f" before it responded. {READ_ON}" if has_ended else ""
        return ProviderError(f"{self._command} {what}{how}{why}")

    def _take(self, line: bytes, waiting: dict[str, deque[int]], k: int, answers: AnswersByPlace) -> bool:
        """Read one line of output, and return whether it is a response. Any other line is kept for a message."""
        self._has_written = True
        content = _decoded(line)
        answer = content if isinstance(content, dict) else None
        if answer is not None and answer.get("type") == "ready":
            self._is_ready = True
            return True
        try:
            query = key_id(answer["id"]) if answer is not None else ""
            place = waiting[query].popleft()
        except KeyError:
            self._strays.add(line)
            self._is_ready = self._is_ready or _has_list(content)  # it responds to queries, but in another shape
            return False
        if not waiting[query]:
            del waiting[query]
        self._is_ready = self._has_answered = True
        self._n_ends, self._strays = 0, StrayLines()
        answers[place] = hits = _hits(answer or {}, k)
        if isinstance(hits, ProviderError):
            masked = _decoded(mask(line.decode("utf-8", "replace")).encode("utf-8", "replace"))
            answers[place] = _hits(masked if isinstance(masked, dict) else {}, k)
        return True


@dataclass
class StrayLines:
    """Lines of output since the last response that are not responses."""

    n: int = 0
    last: bytes = b""

    def add(self, line: bytes) -> None:
        """Count a line, unless it is empty."""
        if line.strip():
            self.n, self.last = self.n + 1, line

    @property
    def sentence(self) -> str:
        """What the program wrote and what was expected; empty if there are no such lines."""
        text = printable(mask(self.last.decode("utf-8", "replace").strip()))
        are = "line that is not a response" if self.n == 1 else "lines that are not responses"
        return f"It wrote {self.n:,} {are}, such as {shortened(text)}. Expected {EXAMPLE}" if self.n else ""


READ_ON = "It must read queries from standard input until the input ends"
SLOW = "Increase the timeout if it needs more time"
BUFFERED = "Its output is probably buffered: flush it after every line (flush=True, python -u, or stdbuf -oL)"


def _decoded(line: bytes) -> Any:
    """The JSON value in a line; None if the line is not JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _has_list(content: Any) -> bool:
    """Whether a JSON value is a list or an object with a list, as hits are. Lines of a log usually have no lists."""
    values = content.values() if isinstance(content, dict) else (content,)
    return any(isinstance(value, list) for value in values)


def _hits(answer: dict[str, Any], k: int) -> list[Hit] | ProviderError:
    if answer.get("error") is not None:
        return ProviderError(printable(str(answer["error"])))
    if "hits" not in answer:
        return PermanentFailure(f"expected a response such as {EXAMPLE}, found {names_in(answer)}")
    try:
        return with_reported_fields(hits_from(answer["hits"], k), answer)
    except ProviderError as error:
        return error


def _query_line(query: Query, k: int) -> bytes:
    line = {"type": "search", "id": query.query_id, "query": query.text, "k": k, "scope": query.scope}
    return json.dumps(line).encode()


def _document_lines(documents: Collection[Document]) -> Iterator[bytes]:
    """A line with the number of documents, then a line per document; fields without a value are left out."""
    yield json.dumps({"type": "index", "documents": len(documents)}).encode()
    for document in documents:
        named: dict[str, Any] = {"type": "document", "id": document.doc_id, "title": document.title, "text": document.text}
        named |= {"group": document.group, "source": document.source, "metadata": document.metadata}
        yield json.dumps({name: value for name, value in named.items() if value is not None}, default=to_json).encode()


def parse_command(text: str) -> str:
    """A command line, shown without its secrets."""
    try:
        arguments = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"a command line ({error})") from None
    if not arguments:
        raise ValueError("a command line")
    return conceal(command_line, text)


def _program_of(command: str) -> tuple[str | None, list[str]]:
    """The path of the program (None if it does not exist), and all words of its command line with variables filled in."""
    words = [fill_variables(word, "command") for word in shlex.split(revealed(command))]
    return shutil.which(words[0]), words


def check_program(command: str, **_: Any) -> None:
    """Raise unless the program exists and the variables are set."""
    if _program_of(command)[0] is None:
        name = shlex.split(revealed(command))[0]
        raise ProviderError(
            f"command: there is no program {name}: it is neither an executable file nor on the PATH. Check its name and path"
        )


def files_of(command: str, **_: Any) -> Iterator[Path]:
    """The program, and every argument that is a file."""
    try:
        program, words = _program_of(command)
    except ProviderError:
        return
    yield from map(Path, [*([program] if program else []), *words[1:]])


PROVIDER = Provider(
    "command",
    "a program in any language that reads queries and writes hits as JSON lines",
    CommandRetriever,
    params=(
        Param(
            "command",
            parse_command,
            REQUIRED,
            "the program and its arguments; ${NAME} is read from the environment",
            is_private=True,
        ),
        Param("index", flag, True, "send the documents before the queries"),
        Param(
            "timeout",
            positive,
            None,
            "seconds to wait for a response before a query fails (default: the timeout of the evaluation)",
        ),
        Param("index_timeout", positive, 600.0, "seconds to wait for the first response after the documents are sent"),
    ),
    indexes=lambda index, **_: bool(index),
    is_repeatable=False,
    short_for="command",
    check=check_program,
    sources=files_of,
)
