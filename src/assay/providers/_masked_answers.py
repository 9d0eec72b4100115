"""Masked answers: hits, and what is said beside them, without the secrets that a retriever repeats.

All that is kept of an evaluation comes from here, so no secret reaches a file, a store or a page.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import msgspec

from assay.errors import ProviderError
from assay.masking import find_secret, has_secrets, mask_nested
from assay.model import Hit
from assay.providers._answers import Answers
from assay.providers._refusals import PermanentFailure
from assay.providers._reported import Reported


def masked_answers(answers: Answers) -> Answers:
    """The answers; those in which no secret occurs as they are. A secret in an id makes an error of the answer."""
    if not has_secrets() or not find_secret(_everything(answers)):
        return answers
    return [one if isinstance(one, ProviderError) else _masked(one) for one in answers]


def _everything(answers: Answers) -> str:
    """All texts in the answers, run together; a text that cannot be encoded is written as Python would."""
    said = [one.said for one in answers if isinstance(one, Reported)]
    texts = _texts(hit for hits in answers if not isinstance(hits, ProviderError) for hit in hits)
    try:
        return "\n".join(texts) + msgspec.json.encode(said, enc_hook=str).decode() if said else "\n".join(texts)
    except (TypeError, ValueError, UnicodeEncodeError, RecursionError):
        return "\n".join([*texts, repr(said)])


def _texts(hits: Iterable[Hit]) -> list[str]:
    found = []
    for hit in hits:
        found.append(hit.doc_id)
        if hit.text is not None:
            found.append(hit.text)
        if hit.metadata:
            found.append(_encoded(hit.metadata))
    return found


def _encoded(metadata: Any) -> str:
    try:
        return msgspec.json.encode(metadata, enc_hook=str).decode()
    except (TypeError, ValueError, UnicodeEncodeError, RecursionError):
        return repr(metadata)


def _masked(hits: list[Hit]) -> list[Hit] | ProviderError:
    for place, hit in enumerate(hits, 1):
        if what := find_secret(hit.doc_id):
            return PermanentFailure(f"hit {place}: its document id contains a secret ({what}), so the answer is not kept")
    masked = [replace(hit, text=mask_nested(hit.text), metadata=mask_nested(hit.metadata)) for hit in hits]
    return Reported(masked, mask_nested(hits.said)) if isinstance(hits, Reported) else masked
