"""Plain letters: what is written where a terminal knows no more than ASCII."""

from __future__ import annotations

import codecs

NAME = "assay.plain_letters"
SIGNS = "→ -> ← <- … ... – - — - − - · | × x Δ d κ kappa ✓ + ✗ x ≥ >= ≤ <= ± +/- ≈ ~ ∞ inf ▲ ^ ▼ v ◇ o • * ━ = ╸ = ─ - █ #"
PLAIN = {
    **dict(zip(SIGNS.split()[::2], SIGNS.split()[1::2], strict=True)),
    **dict(zip("▁▂▃▄▅▆▇", "_.-=+*%", strict=True)),
    **dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True)),
    **dict(zip("“”‘’\xa0", "\"\"'' ", strict=True)),
}
"""Signs that assay itself writes → what stands for them. Any other letter is written out as Python does: `\\xe9`."""


def plain_letters() -> str:
    """The name of the rule for letters that cannot be written, for `errors=` of a stream."""
    codecs.register_error(NAME, _written)
    return NAME


def _written(error: UnicodeError) -> tuple[str | bytes, int]:
    """What stands for the letters that cannot be written, and where to go on."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(PLAIN.get(one, one.encode("ascii", "backslashreplace").decode()) for one in letters), error.end
