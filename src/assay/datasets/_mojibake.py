"""Mojibake: text in UTF-8 that was read as cp1252 or Latin-1, such as `Ã¤` for ä and `â€™` for an apostrophe."""

from __future__ import annotations

import re

LOST = "\ufffd"
"""What decoders put where they could not read."""
_FOLLOWING = "\x80-\xbf" + bytes(range(0x80, 0xA0)).decode("cp1252", "ignore")
"""What bytes 80 … BF look like."""
_CLOSING = "’”»›…–—™®•·\xa0"
"""Of these, what may well stand behind a capital with an accent: “CAFÉ”, IRMÃ…"""
_UNMISTAKABLE = (
    f"(?<=Ã)(?![{_CLOSING}])[{_FOLLOWING}]",
    "(?<=Â)[\xa0-\xac\xae-\xb6\xb8-\xba\xbc-\xbf]",
    "(?<=[ÄÅ])[ƒ‚„†‡ˆŠŒŽ¡¥¯±º¼¾]",
    f"(?<=â)[€„‚][{_FOLLOWING}]",
    "(?<=ï)»¿|(?<=ï)¿½",
    f"(?<=ð)Ÿ[{_FOLLOWING}]{{2}}",
    rf"(?<!\w[ÃÄÅ])(?<=[ÃÄÅ])[{_FOLLOWING}](?=[^\W\d_])",
    f"(?<=[a-zß-ÿ][ÂÃÄÅ])[{_FOLLOWING}]",
    r"(?<!\wÃ)(?<=Ã)\xa0",
)
_LETTER = f"(?:[Â-ß][{_FOLLOWING}]|[à-ï][{_FOLLOWING}]{{2}}|[ð-ô][{_FOLLOWING}]{{3}})"
_ANY_TWO = "|".join(
    f"(?<=[{leads}])[{_FOLLOWING}]{{{n_more}}}{_LETTER}+" for leads, n_more in (("Â-ß", 1), ("à-ï", 2), ("ð-ô", 3))
)
"""Two letters side by side: other scripts."""
_SUSPECT = re.compile(f"[Â-ô](?=[{_FOLLOWING}])(?:{_ANY_TWO}|{'|'.join(_UNMISTAKABLE)})")
"""It starts with one class of letters, which the machinery of `re` looks for quickly."""


def find_mojibake(text: str) -> tuple[str, str] | None:
    """The first wrong letters and what they should be; nothing after it where that is lost. None for good text.

    Only what really is UTF-8 once written as cp1252 counts; a lone capital with a closing quote behind it does not.
    """
    if text.isascii():
        return None
    for match in _SUSPECT.finditer(text):
        try:
            return match[0], b"".join(map(_byte, match[0])).decode()
        except UnicodeDecodeError:
            continue
    return (LOST, "") if LOST in text else None


def _byte(letter: str) -> bytes:
    """The byte that was read as this letter."""
    try:
        return letter.encode("cp1252")
    except UnicodeEncodeError:
        return letter.encode("latin-1")
