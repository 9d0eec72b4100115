"""Errors as the terminal shows them, `error:` in red and commands left whole; and the exit code of each."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable

from assay.cli._streams import words_of
from assay.cli._terminal import may_colour, terminal_width
from assay.errors import AssayError, DataError
from assay.masking import mask
from assay.text import printable, wrapped

LABEL = "error:"
RED, PLAIN = "\x1b[1;31m", "\x1b[0m"
PASTED = "  assay "
"""How a line begins that can be pasted: it is not broken."""
NO_MEMORY = "there is not enough memory; give fewer or smaller files at once, or allow the process more"
NO_MEMORY_LEFT: dict[type[Exception], tuple[str, ...]] = {
    RuntimeError: ("can't start new thread", "bad_alloc"),
    ImportError: ("failed to map segment", "annot allocate memory"),
}
"""What Python says of a thread, C++ of itself and the loader of a library: their types mean much else, too."""
BUG = 70


def exit_code_with_message(run: Callable[[], int]) -> int:
    """The exit code of what is run; where it fails, the error is written first. Everything printed has then been written."""
    try:
        code = run()
        sys.stdout.flush()
    except AssayError as error:
        write_error(str(error))
        return error.exit_code
    except MemoryError:
        write_error(NO_MEMORY)
        return DataError.exit_code
    except OSError as error:
        if isinstance(error, BrokenPipeError) and error.filename:  # whoever read that output has seen enough
            return 0
        write_error(words_of(error))
        return DataError.exit_code
    except Exception as error:  # noqa: BLE001 (told apart from user errors, traceback kept)
        if _lacks_memory(error):
            write_error(NO_MEMORY)
            return DataError.exit_code
        traceback.print_exc()
        write_error("this is a bug in assay; please report it with the lines above")
        return BUG
    return code


def _lacks_memory(error: Exception) -> bool:
    """Whether the error is DuckDB's own for no memory; only where no type says it are words looked at."""
    duckdb = sys.modules.get("duckdb")  # if nobody has loaded it, the error is not DuckDB's
    if duckdb is not None and isinstance(error, duckdb.OutOfMemoryException):
        return True
    return any(
        words in str(error) for kind, all_words in NO_MEMORY_LEFT.items() if isinstance(error, kind) for words in all_words
    )


def write_error(message: str) -> None:
    """On standard error; as it is, line by line, where nobody watches."""
    width = terminal_width(sys.stderr)
    lines = [printable(line) for line in f"{LABEL} {mask(message)}".split("\n")]
    if width:
        lines = [line if line.startswith(PASTED) else wrapped(line, width) for line in lines]
    text = "\n".join(lines) + "\n"
    label = f"{RED}{LABEL}{PLAIN}" if may_colour(sys.stderr) else LABEL
    sys.stderr.write(label + text.removeprefix(LABEL))
