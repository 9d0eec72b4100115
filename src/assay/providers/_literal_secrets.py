"""Literal secrets: keys that somebody wrote into a command or a plan, and how to write a variable in their place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.providers._provider import BoundProvider
from assay.providers._secrets import VARIABLE, Concealed, revealed

WHERE = "lists of processes, histories of shells and copies of the file"


def notes_on_literals(providers: Iterable[BoundProvider]) -> list[str]:
    """A sentence for each setting that holds a secret itself, once; with the form to use."""
    return list(dict.fromkeys(note for provider in providers for note in _notes(provider)))


def _notes(provider: BoundProvider) -> Iterator[str]:
    for name, value in provider.params.items():
        if isinstance(value, Concealed):
            new = sorted(set(VARIABLE.findall(value.advised)) - set(VARIABLE.findall(revealed(value))))
            yield (
                f"{provider.provider.name}: {name} holds a secret, which {WHERE} show. Set {' and '.join(new)} in the "
                f"environment and write {name}='{value.advised}'; at a terminal with single quotes around the whole, "
                "so that the shell does not fill it in"
            )
    for part in provider.parts:
        yield from _notes(part)
