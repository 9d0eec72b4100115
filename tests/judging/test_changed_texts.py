"""Changed texts: which grades are about another text than the document has now."""

from __future__ import annotations

import pytest

from assay.judging import PAGE_LETTERS, about_other_texts
from assay.store import Judgment, digest_of_text

LONG = "word " * 5000


@pytest.mark.parametrize(
    ("seen", "now", "is_other"),
    [
        ("text", ["text"], False),
        ("text", ["new text"], True),
        ("text", ["Title\ntext", "text"], False),
        ("", ["text"], False),  # no text was shown
        ("text", [], False),  # the text is unknown now
        (LONG[: PAGE_LETTERS - 1] + "…", [LONG], False),  # as the page of a query shows it
        (LONG[:20_000], [LONG], False),  # as the queue shows it
        (LONG[:300], [LONG], True),
    ],
)
def test_a_grade_is_about_the_text_that_was_shown(seen, now, is_other):
    judgment = Judgment("b", "q", "d", "Ana", 1, text_digest=digest_of_text(seen))
    assert about_other_texts([judgment], lambda _: now) == ([judgment] if is_other else [])
