"""Decimals: numbers in an array of bytes, read exactly as `float` reads them, eight digits at a time.

A number such as -12.3456 is a whole number of digits, divided by a power of ten. Both are exact floats if there are few
digits, so their quotient is correctly rounded. Up to eight digits fit into one word, from which the dot is taken out. More
digits need a quotient with more bits, which is rounded again; if that might give another number, and for everything that is
not written in this way (1e-5, inf), Python reads the text.
"""

from __future__ import annotations

import numpy as np

from assay.arrays import Bools, Floats, Ints
from assay.errors import DataError
from assay.files.blocks.byte_fields import MASKS, WIDTH, Bytes, Words, words_at
from assay.model import parse_number

U = np.uint64
ZEROS, SIXES, HIGH = U(0x3030303030303030), U(0x0606060606060606), U(0xF0F0F0F0F0F0F0F0)
ONES, TOPS, DOTS = U(0x0101010101010101), U(0x8080808080808080), U(0x2E2E2E2E2E2E2E2E)
DOT_DIGIT, DOT_DIGITS = U(0x1E), U(0x1E1E1E1E1E1E1E1E)
"""A dot in words from which the digit 0 was taken off."""
NOT_DIGITS = U(0x7676767676767676)
"""Added to a byte, it sets the highest bit unless the byte is 0 to 9."""
ONE, SEVEN, EIGHT_BITS, BYTE = U(1), U(7), U(8), U(0xFF)
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
ZERO = np.uint8(ord("0"))
LAST_BYTES = ~MASKS[::-1]
"""Number of bytes → the bits of the last so many bytes of a word."""


def parse_decimals(data: Bytes, start: Ints, end: Ints) -> Floats:
    """The numbers between start and end; a DataError if one of them is not a number. `data` has padding on both sides."""
    first = data.take(start, mode="clip")
    is_negative = first == MINUS
    begin = start + (is_negative | (first == PLUS))
    value, is_plain = _parse_short(data, begin, end)
    if not is_plain.all():
        rows = np.flatnonzero(~is_plain)
        value[rows], is_plain[rows] = _parse_long(data, begin[rows], end[rows])
    if is_negative.any():
        np.negative(value, out=value, where=is_negative)
    for row in np.flatnonzero(~is_plain).tolist():
        value[row] = parse_number_text(data[start[row] : end[row]].tobytes())
    return value


def _parse_short(data: Bytes, begin: Ints, end: Ints) -> tuple[Floats, Bools]:
    """The numbers without their signs, and whether each has at most eight digits and perhaps a dot, so that it is right."""
    n_letters = end - begin
    letters = words_at(data, end - WIDTH)
    letters ^= ZEROS
    letters &= LAST_BYTES.take(n_letters, mode="clip")
    dot = _dots(letters)
    after = dot * BYTE
    after |= dot - ONE
    before = letters & (dot - ONE)
    before <<= EIGHT_BITS
    digits = letters & ~after
    digits |= before
    has_dot = dot != 0
    if not has_dot.all():
        np.copyto(digits, letters, where=~has_dot)
    if n_letters.max(initial=0) > WIDTH:
        digits |= ((data.take(end - WIDTH - 1, mode="clip") ^ ZERO) * (n_letters == WIDTH + 1)).astype(np.uint64)
    n_digits = n_letters - has_dot
    others = digits + NOT_DIGITS
    others |= digits
    others &= TOPS
    is_plain = (others == 0) & (n_digits > 0) & (n_digits <= WIDTH)
    n_decimals = WIDTH - 1 - (np.bitwise_count(dot - ONE) >> 3).astype(np.int64)
    value = _joined(digits).astype(np.float64)
    value /= POWERS.take(n_decimals, mode="clip")
    return value, is_plain


def _dots(letters: Words) -> Words:
    """The lowest bit of the byte of the first dot in each word, or of all words if they have it at the same place; or 0."""
    marks = _dot_marks(letters[:1], DOT_DIGITS)
    if marks[0] and not ((letters & (marks[0] >> SEVEN) * BYTE) ^ (marks[0] >> SEVEN) * DOT_DIGIT).any():
        return marks >> SEVEN
    return _dot_marks(letters, DOT_DIGITS) >> SEVEN


def _parse_long(data: Bytes, begin: Ints, end: Ints) -> tuple[Floats, Bools]:
    """The same for numbers with more digits."""
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
    return value, is_plain


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
    return np.bitwise_count(_dot_marks(words, DOTS) - U(1)).astype(np.int64) >> 3


def _dot_marks(words: Words, dots: np.uint64) -> Words:
    """The highest bit of the byte of the first dot in each word; 0 if it has none. `dots` is a word of eight dots."""
    different = words ^ dots
    marks: Words = different - ONES
    np.invert(different, out=different)
    marks &= different
    marks &= TOPS
    marks &= ~marks + U(1)
    return marks


def _digits(data: Bytes, end: Ints, n_digits: Ints) -> tuple[Words, Bools]:
    """The whole number that ends at each place, and whether it has only digits."""
    number, is_plain = last_digits(data, end, n_digits)
    for done in (WIDTH, 2 * WIDTH):
        rows = np.flatnonzero(n_digits > done)
        if not len(rows):
            break
        more, more_is_plain = last_digits(data, end[rows] - done, n_digits[rows] - done)
        number[rows] += more * WHOLE_POWERS[done]
        is_plain[rows] &= more_is_plain
    return number, is_plain


def last_digits(data: Bytes, end: Ints, n_digits: Ints) -> tuple[Words, Bools]:
    """The number of the last eight digits, or of fewer if there are fewer, and whether they are digits."""
    words = words_at(data, end - WIDTH)
    missing = WIDTH - np.minimum(n_digits, WIDTH)
    if missing.max(initial=0):
        others = MASKS[missing]
        words = (words & ~others) | (ZEROS & others)
    is_plain = ((words & HIGH) == ZEROS) & (((words + SIXES) & HIGH) == ZEROS)
    words -= ZEROS
    return _joined(words), is_plain


def _joined(words: Words) -> Words:
    """The number that eight digits, one in each byte, are. The words are overwritten."""
    words *= PAIRS
    words >>= U(8)
    words &= EVERY_SECOND
    words *= FOURS
    words >>= U(16)
    words &= EVERY_FOURTH
    words *= EIGHT
    words >>= U(32)
    return words


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
