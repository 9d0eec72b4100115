"""Decimals: numbers in an array of bytes, read exactly as `float` reads them, eight digits at a time.

A number such as -12.3456 is a whole number of digits, divided by a power of ten. Both are exact floats if there are few
digits, so their quotient is correctly rounded. More digits need a quotient with more bits, which is rounded again; if that
might give another number, and for everything that is not written in this way (1e-5, inf), Python reads the text.
"""

from __future__ import annotations

import numpy as np

from assay.arrays import Bools, Floats, Ints
from assay.errors import DataError
from assay.files.byte_fields import MASKS, WIDTH, Bytes, Words, words_at
from assay.model import parse_number

U = np.uint64
ZEROS, SIXES, HIGH = U(0x3030303030303030), U(0x0606060606060606), U(0xF0F0F0F0F0F0F0F0)
ONES, TOPS, DOTS = U(0x0101010101010101), U(0x8080808080808080), U(0x2E2E2E2E2E2E2E2E)
PAIRS, FOURS, EIGHT = U(2561), U(6553601), U(42949672960001)
"""Factors that join neighbouring groups of digits: tens and ones, then hundreds, then ten thousands."""
EVERY_SECOND, EVERY_FOURTH = U(0x00FF00FF00FF00FF), U(0x0000FFFF0000FFFF)
POWERS = 10.0 ** np.arange(23)
"""The powers of ten that are exact floats."""
WHOLE_POWERS = np.array([10**exponent for exponent in range(20)], dtype=np.uint64)
MAX_DIGITS = 19
"""Whole numbers of so many digits fit into 64 bits."""
MAX_EXACT = U(2**53)
HAS_MORE_BITS = np.finfo(np.longdouble).nmant >= 63
MINUS, PLUS, DOT = b"-+."


def parse_decimals(data: Bytes, start: Ints, end: Ints) -> Floats:
    """The numbers between start and end; a DataError if one of them is not a number. `data` has padding on both sides."""
    first = data[start]
    is_negative = first == MINUS
    begin = start + (is_negative | (first == PLUS))
    dot = _find_dots(data, begin, end)
    n_decimals = np.maximum(end - dot - 1, 0)
    whole, whole_is_plain = _digits(data, dot, dot - begin)
    decimals, decimals_are_plain = _digits(data, end, n_decimals)
    n_digits = dot - begin + n_decimals
    is_plain = whole_is_plain & decimals_are_plain & (n_digits > 0) & (n_digits <= MAX_DIGITS)
    is_plain &= (dot == end) | (data[dot] == DOT)
    exponent = np.minimum(n_decimals, MAX_DIGITS)
    digits = whole * WHOLE_POWERS[exponent] + decimals
    value = digits.astype(np.float64) / POWERS[exponent]
    is_long = is_plain & (digits >= MAX_EXACT)
    if is_long.any():
        is_plain[is_long] = _round_long(value, np.flatnonzero(is_long), digits, exponent)
    np.negative(value, out=value, where=is_negative)
    for row in np.flatnonzero(~is_plain).tolist():
        value[row] = parse_number_text(data[start[row] : end[row]].tobytes())
    return value


def parse_number_text(text: bytes) -> float:
    """The number that a text is; a DataError if it is none, or nan."""
    try:
        decoded = text.decode()
        value = float(decoded) if "_" not in decoded and decoded.isascii() else parse_number(decoded)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(str(error)) from None
    if value != value:
        raise DataError("not a number")
    return value


def _find_dots(data: Bytes, begin: Ints, end: Ints) -> Ints:
    """The place of the first dot of each number; its end if it has none."""
    dot = np.minimum(begin + _place_of_dot(words_at(data, begin)), end)
    for _ in range(MAX_DIGITS // WIDTH):
        rows = np.flatnonzero((dot < end) & (data[dot] != DOT))
        if not len(rows):
            break
        dot[rows] = np.minimum(dot[rows] + _place_of_dot(words_at(data, dot[rows])), end[rows])
    return dot


def _place_of_dot(words: Words) -> Ints:
    """The place of the first dot in each word; 8 if it has none."""
    different = words ^ DOTS
    marks = (different - ONES) & ~different & TOPS
    lowest = marks & (~marks + U(1))
    return np.bitwise_count(lowest - U(1)).astype(np.int64) >> 3


def _digits(data: Bytes, end: Ints, n_digits: Ints) -> tuple[Words, Bools]:
    """The whole number that ends at each place, and whether it has only digits."""
    number, is_plain = _last_digits(data, end, n_digits)
    for done in (WIDTH, 2 * WIDTH):
        rows = np.flatnonzero(n_digits > done)
        if not len(rows):
            break
        more, more_is_plain = _last_digits(data, end[rows] - done, n_digits[rows] - done)
        number[rows] += more * WHOLE_POWERS[done]
        is_plain[rows] &= more_is_plain
    return number, is_plain


def _last_digits(data: Bytes, end: Ints, n_digits: Ints) -> tuple[Words, Bools]:
    """The number of the last eight digits, or of fewer if there are fewer, and whether they are digits."""
    words = words_at(data, end - WIDTH)
    missing = WIDTH - np.minimum(n_digits, WIDTH)
    if missing.max(initial=0):
        others = MASKS[missing]
        words = (words & ~others) | (ZEROS & others)
    is_plain = ((words & HIGH) == ZEROS) & (((words + SIXES) & HIGH) == ZEROS)
    words -= ZEROS
    words = ((words * PAIRS) >> U(8)) & EVERY_SECOND
    words = ((words * FOURS) >> U(16)) & EVERY_FOURTH
    return (words * EIGHT) >> U(32), is_plain


def _round_long(value: Floats, rows: Ints, digits: Words, exponent: Ints) -> Bools:
    """Set the values of numbers with many digits; whether each is certainly the nearest float."""
    if not HAS_MORE_BITS:
        return np.zeros(len(rows), dtype=bool)
    exact = digits[rows].astype(np.longdouble) / WHOLE_POWERS[exponent[rows]].astype(np.longdouble)
    nearest = exact.astype(np.float64)
    value[rows] = nearest
    half = np.spacing(nearest) / 2
    off_middle = np.abs(np.abs((exact - nearest).astype(np.float64)) - half)
    return off_middle > half / 256
