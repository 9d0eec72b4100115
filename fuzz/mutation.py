"""Mutation: an input from examples, by bytes, by words or by structure. The same random numbers give the same input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from fuzz.component import Component
from fuzz.files import join_files, split_files
from fuzz.structure import mutate_json, mutate_json_lines, mutate_yaml

INTEGERS = (0, 1, 2, 7, 8, 16, 31, 32, 63, 64, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1)
NUMBERS = b"0 -1 1e999 -0.0 nan NaN inf -inf Infinity 1_000 0x10 1. .5 1e-400 1e308 2147483648 9223372036854775808 \xd9\xa3"
SIGNS = (
    b"# \" ' , ; : | { } [ ] ( ) \\ / - -- @ = & * % ! \xff \xfe \xc3 \xc3\xa9 \xef\xbb\xbf \xed\xa0\x80 \xf0\x9f\x98\x80"
)
BLANKS = b" |\t|\n|\r|\r\n|\0|\x0b|\x0c|\x1c|\xc2\xa0|\xc2\x85|\xe2\x80\xa8"
NAMES = b"true false null None NULL \\u0000 \\ud800 %s %00 {} ${HOME} ../ =1+1 python:canary:run !!python/object:os.system"
LONG = (b"", b"9" * 20, b"9" * 401, b"a" * 300, b"[" * 60, b"{" * 60, b"(" * 60, b'{"a":' * 60)
WORDS = (*NUMBERS.split(b" "), *SIGNS.split(b" "), *BLANKS.split(b"|"), *NAMES.split(b" "), *LONG)
"""What separates, what ends, what is no number, and what somebody might run."""


def make_input(component: Component, random: Random) -> bytes:
    """One input: from the grammar, an example as it is (rarely), or an example that was mutated a few times."""
    if component.make is not None and (not component.examples or random.random() < 0.34):
        made = component.make(random)
        return _mutated(component, random, made) if random.random() < 0.3 else made
    data = random.choice(component.examples)
    if random.random() < 0.01:
        return data
    return _mutated(component, random, data)


def _mutated(component: Component, random: Random, data: bytes) -> bytes:
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 5))):
        data = mutate(data, component.shape, random, component.tokens, component.examples)
    return data[: component.longest]


def mutate(data: bytes, shape: str, random: Random, tokens: Sequence[bytes] = (), others: Sequence[bytes] = ()) -> bytes:
    """One change of an input."""
    if shape == "folder":
        return _mutate_folder(data, random, tokens, others)
    by_structure = STRUCTURES.get(shape)
    if by_structure is not None and random.random() < 0.6:
        changed = by_structure(data, random)
        if changed is not None:
            return changed
    if shape != "bytes" and random.random() < 0.6:
        return _mutate_words(data, random, tokens)
    return random.choice(BYTE_MUTATIONS)(data, random, others)


STRUCTURES: dict[str, Callable[[bytes, Random], bytes | None]] = {
    "json": mutate_json,
    "jsonl": mutate_json_lines,
    "yaml": mutate_yaml,
    "request": mutate_json,
}
ENDINGS = {"json": "json", "jsonl": "jsonl", "yaml": "yaml", "parquet": "bytes", "npy": "bytes", "db": "bytes"}


def _mutate_folder(data: bytes, random: Random, tokens: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """One file of several is changed; rarely one is left out, emptied or swapped with another."""
    files = split_files(data)
    if not files:
        return data
    name = random.choice(sorted(files))
    choice = random.random()
    if choice < 0.04:
        del files[name]
    elif choice < 0.06:
        files[name] = b""
    elif choice < 0.08:
        files[name] = files[random.choice(sorted(files))]
    else:
        pieces = [split_files(one).get(name, b"") for one in others]
        files[name] = mutate(files[name], ENDINGS.get(name.rpartition(".")[2], "text"), random, tokens, pieces)
    return join_files(files)


def _mutate_words(data: bytes, random: Random, tokens: Sequence[bytes]) -> bytes:
    """A word put in, or put in the place of a word or a line that is there; or words and lines swapped."""
    word = random.choice(tokens) if tokens and random.random() < 0.5 else random.choice(WORDS)
    choice = random.random()
    if choice < 0.3:
        place = random.randint(0, len(data))
        return data[:place] + word + data[place:]
    if choice < 0.75:
        start, end = _word_at(data, random.randint(0, max(0, len(data) - 1)))
        return data[:start] + word + data[end:]
    lines = data.split(b"\n")
    place = random.randrange(len(lines))
    if choice < 0.85:
        lines.insert(place, random.choice(lines))
    elif choice < 0.92:
        del lines[place]
    else:
        other = random.randrange(len(lines))
        lines[place], lines[other] = lines[other], lines[place]
    return b"\n".join(lines)


BREAKS = frozenset(b" \t\r\n,;:|\"'(){}[]<>=/@#&?")


def _word_at(data: bytes, place: int) -> tuple[int, int]:
    """Where the word begins and ends that a place is in."""
    start = end = place
    while start > 0 and data[start - 1] not in BREAKS and place - start < 100:
        start -= 1
    while end < len(data) and data[end] not in BREAKS and end - place < 100:
        end += 1
    return start, end


def _flip(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    if not data:
        return b"\0"
    place = random.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << random.randrange(8))]) + data[place + 1 :]


def _replace(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    place = random.randint(0, len(data))
    return data[:place] + random.randbytes(random.randint(1, 4)) + data[place + random.randint(0, 4) :]


def _delete(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    place = random.randint(0, len(data))
    return data[:place] + data[place + random.choice((1, 1, 2, 4, 16, 64)) :]


def _duplicate(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    start = random.randint(0, len(data))
    piece = data[start : start + random.choice((1, 2, 4, 16, 64))]
    return data[:start] + piece * random.choice((2, 2, 2, 3, 50)) + data[start:]


def _truncate(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    return data[: random.randint(0, len(data))]


def _splice(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    other = random.choice(others) if others else data
    return data[: random.randint(0, len(data))] + other[random.randint(0, len(other)) :]


def _integer(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    width = random.choice((1, 2, 4, 8))
    number = random.choice(INTEGERS) % (1 << (8 * width))
    if random.random() < 0.2:
        number = (1 << (8 * width)) - 1 - number
    place = random.randint(0, max(0, len(data) - width))
    order = random.choice(("little", "big"))
    return data[:place] + number.to_bytes(width, order) + data[place + width :]  # type: ignore[arg-type]


BYTE_MUTATIONS = (_flip, _flip, _replace, _delete, _duplicate, _truncate, _splice, _integer)
