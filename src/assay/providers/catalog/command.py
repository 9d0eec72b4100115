"""command: a program that is spoken to in JSON lines."""

from __future__ import annotations

import json
import shlex
import shutil
import threading
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from assay.errors import ProviderError
from assay.grammar import REQUIRED, Param, flag, positive
from assay.masking import mask
from assay.model import Document, Hit, Query, key_id
from assay.providers.process import Ended, Program
from assay.providers.provider import Provider
from assay.providers.responses import Answers, hits_from, names_in
from assay.providers.retriever import PermanentFailure, not_indexed_error, with_reported_fields
from assay.providers.secrets import command_line, conceal, fill_variables, revealed
from assay.serialize import to_json
from assay.text import printable, shortened

WINDOW = 64
"""Queries that are sent before the first of them is answered."""
ALONE = 60.0
"""Seconds until a query has failed, where nobody says how many."""
MAX_SHOWN_LETTERS = 200
"""Characters of its error output that a message shows."""
MAX_ENDS_WITHOUT_ANSWER = 3
"""Ends in a row, without an answer in between, after which the program is not started again."""

AnswersByPlace = dict[int, list[Hit] | ProviderError]
"""Place of a query in its batch → what came of it."""


class CommandRetriever:
    """Keeps one program running. If it ends or hangs it is started anew, and only the query that did it has failed."""

    def __init__(self, command: str, index: bool = True, timeout: float | None = None, index_timeout: float = 600.0) -> None:
        self._command, self._arguments = conceal(command_line, revealed(command)), shlex.split(revealed(command))
        self._timeout, self._index_timeout = timeout or ALONE, index_timeout
        self.indexes = index
        self._documents: Collection[Document] | None = None if index else ()
        self._program: Program | None = None
        self._lock = threading.Lock()
        self._is_ready = True
        self._n_ends = 0
        self._stray = ""

    def index(self, documents: Iterable[Document]) -> None:
        """Start the program and hand over the documents. They are kept, for a program that has to be started anew."""
        with self._lock:
            if self.indexes:
                self._documents = documents if isinstance(documents, Collection) else list(documents)
            self._stop()
            self._n_ends = 0
            self._running()

    def search(self, queries: Sequence[Query], k: int) -> Answers:
        """Ask many at a time; where that fails, the ones without an answer one by one, so that the right one is blamed."""
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
        """The program, started if need be, with its documents on their way."""
        if self._program is not None:
            return self._program
        if self._n_ends >= MAX_ENDS_WITHOUT_ANSWER:
            raise PermanentFailure(
                f"{self._command}: given up after it ended {MAX_ENDS_WITHOUT_ANSWER} times without an answer"
            )
        arguments = [fill_variables(argument, "command") for argument in self._arguments]
        try:
            self._program = Program(arguments)
        except ProviderError as error:
            raise ProviderError(str(error)) from None
        self._is_ready, self._stray = not self.indexes, ""
        if self.indexes and self._documents is not None:
            try:
                self._program.send(_document_lines(self._documents), monotonic() + self._index_timeout)
            except TimeoutError:
                raise self._failed(f"did not read its documents within {self._index_timeout:g} s") from None
            except BaseException:
                self._stop()
                raise
        return self._program

    def _ask(self, queries: dict[int, Query], k: int, answers: AnswersByPlace) -> ProviderError | None:
        """Send queries and take their answers as they come; the error where some have none."""
        waiting: dict[str, deque[int]] = {}
        for place, query in queries.items():
            waiting.setdefault(query.query_id, deque()).append(place)
        try:
            program = self._running()
            program.send([_query_line(query, k) for query in queries.values()], self._deadline())
            while waiting:
                self._take(program.next_line(self._deadline()), waiting, k, answers)
        except TimeoutError:
            return self._failed(f"did not answer within {self._patience:g} s{self._stray or FLUSH}")
        except Ended:
            return self._failed("ended", has_ended=True)
        except ProviderError as error:
            self._stop()
            return error
        except BaseException:
            self._stop()
            raise
        return None

    @property
    def _patience(self) -> float:
        return self._timeout if self._is_ready else max(self._timeout, self._index_timeout)

    def _deadline(self) -> float:
        return monotonic() + self._patience

    def _failed(self, what: str, has_ended: bool = False) -> ProviderError:
        """The error of a program that is of no use any more."""
        how, last_line = self._program.last_words() if self._program and has_ended else ("", "")
        self._stop()
        self._n_ends += 1
        last_line = printable(mask(last_line))[:MAX_SHOWN_LETTERS]
        return ProviderError(f"{self._command} {what}{how}{f': {last_line}' * bool(last_line)}")

    def _take(self, line: bytes, waiting: dict[str, deque[int]], k: int, answers: AnswersByPlace) -> None:
        """One line of output. What is no answer to a query that waits is passed over, but remembered."""
        answer = _decoded(line)
        if answer is not None and answer.get("type") == "ready":
            self._is_ready = True
            return
        try:
            query = key_id(answer["id"]) if answer is not None else ""
            place = waiting[query].popleft()
        except KeyError:
            text = printable(mask(line.decode("utf-8", "replace").strip()))
            self._stray = f"; it said {shortened(text)}, which answers nothing that was asked" if text else self._stray
            return
        if not waiting[query]:
            del waiting[query]
        self._is_ready, self._n_ends, self._stray = True, 0, ""
        answers[place] = hits = _hits(answer or {}, k)
        if isinstance(hits, ProviderError):
            masked = _decoded(mask(line.decode("utf-8", "replace")).encode("utf-8", "replace"))
            answers[place] = _hits(masked or {}, k)


FLUSH = "; does it flush its output after every line?"


def _decoded(line: bytes) -> dict[str, Any] | None:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def _hits(answer: dict[str, Any], k: int) -> list[Hit] | ProviderError:
    if answer.get("error") is not None:
        return ProviderError(printable(str(answer["error"])))
    if "hits" not in answer:
        return PermanentFailure(f"the answer has neither hits nor error, but {names_in(answer)}")
    try:
        return with_reported_fields(hits_from(answer["hits"], k), answer)
    except ProviderError as error:
        return error


def _query_line(query: Query, k: int) -> bytes:
    line = {"type": "search", "id": query.query_id, "query": query.text, "k": k, "scope": query.scope}
    return json.dumps(line).encode()


def _document_lines(documents: Collection[Document]) -> Iterator[bytes]:
    """How many there are, then each; what a document has not is left out."""
    yield json.dumps({"type": "index", "documents": len(documents)}).encode()
    for document in documents:
        named: dict[str, Any] = {"type": "document", "id": document.doc_id, "title": document.title, "text": document.text}
        named |= {"group": document.group, "source": document.source, "metadata": document.metadata}
        yield json.dumps({name: value for name, value in named.items() if value is not None}, default=to_json).encode()


def parse_command(text: str) -> str:
    """A command line, shown without the keys in it."""
    try:
        arguments = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"a command line ({error})") from None
    if not arguments:
        raise ValueError("a command line")
    return conceal(command_line, text)


def _program_of(command: str) -> tuple[str | None, list[str]]:
    """Where the program is, None where there is none; and all words of its command line, variables filled in."""
    words = [fill_variables(word, "command") for word in shlex.split(revealed(command))]
    return shutil.which(words[0]), words


def check_program(command: str, **_: Any) -> None:
    """Raise unless the program is there and the variables are set."""
    if _program_of(command)[0] is None:
        name = shlex.split(revealed(command))[0]
        raise ProviderError(f"command: there is no program {name}, neither as a file that can be run nor on the PATH")


def files_of(command: str, **_: Any) -> Iterator[Path]:
    """The program, and every argument that is a file."""
    try:
        program, words = _program_of(command)
    except ProviderError:
        return
    yield from map(Path, [*([program] if program else []), *words[1:]])


PROVIDER = Provider(
    "command",
    "a program in any language that reads queries and writes answers as JSON lines",
    CommandRetriever,
    params=(
        Param(
            "command",
            parse_command,
            REQUIRED,
            "the program and its arguments; ${NAME} is read from the environment",
            is_private=True,
        ),
        Param("index", flag, True, "whether it is given the documents before the queries"),
        Param(
            "timeout",
            positive,
            None,
            "seconds without an answer until a query has failed; else what the evaluation allows",
        ),
        Param("index_timeout", positive, 600.0, "seconds until the first answer after the documents"),
    ),
    indexes=lambda index, **_: bool(index),
    is_repeatable=False,
    short_for="command",
    check=check_program,
    sources=files_of,
)
