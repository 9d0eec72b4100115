"""Judge: the record of a kind of judge, and a judge with its parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

from assay.catalog import find_entry, load_entries
from assay.execution import digest
from assay.grammar import Param, show
from assay.judges.grades import PairGrade
from assay.judges.ledger import Ledger
from assay.judges.pairs import Pair
from assay.masking import MASK, add_environment, is_secret_name, mask, mask_nested
from assay.serialize import to_json

IDENTITY_BYTES = 12
MARK_DIGITS = 8
"""Digits of the hash in the name of a judge."""
MAX_LABEL = 68
"""Characters of the name of a judge, without the hash."""


class Grader(Protocol):
    """A judge at work."""

    def grade(self, pairs: Sequence[Pair], ledger: Ledger, /) -> Sequence[PairGrade | Exception]:
        """For each pair a grade, or an error that may be retried. Each request is written down in the ledger."""


@dataclass(frozen=True)
class Preview:
    """What would be sent for a pair."""

    host: str
    """Where it goes; empty if it stays on this machine."""
    text: str
    """The whole request, with secrets masked."""
    n_in: int = 0
    """Tokens, estimated."""
    most_out: int = 0


@dataclass(frozen=True)
class Judge:
    """One kind of judge."""

    name: str
    meaning: str
    make: Callable[..., Grader]
    """Parameters → a judge that can grade."""
    params: tuple[Param, ...] = ()
    takes_parts: bool = False
    """Whether it combines other judges: `panel(a, b)`."""
    short_for: str = ""
    """The parameter that `name:value` sets: `python:module:function`."""
    gives_grades: bool = True
    """Whether its values are grades; if not, they only order pairs."""
    batch: int = 1
    """Pairs that it gets at once."""
    is_concurrent: bool = False
    """Whether several pairs are sent at the same time."""
    settings: Callable[..., Mapping[str, Any]] | None = None
    """Parameters → everything that its grades depend on, such as the digest of its prompt."""
    check: Callable[..., None] | None = None
    """Parameters → an error if it certainly cannot work. Nothing is sent."""
    preview: Callable[..., Preview] | None = None
    """Pair and parameters → what would be sent; None: nothing leaves this machine."""
    model: Callable[..., str] | None = None
    """Parameters → the model that is asked for."""


@dataclass(frozen=True)
class BoundJudge:
    """A judge with its parameters and parts."""

    judge: Judge
    params: Mapping[str, Any]
    parts: tuple[BoundJudge, ...] = ()
    explicit_params: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def name(self) -> str:
        """Its text: `openai(model=small)`, `panel(words, replay)`. Secrets are left out."""
        settings = {
            param.name: self.params[param.name]
            for param in self.judge.params
            if self.params[param.name] != param.default and not is_secret_name(param.name)
        }
        if self.judge.short_for and set(settings) == {self.judge.short_for}:
            return mask(f"{self.judge.name}:{settings[self.judge.short_for]}")
        inside = [part.name for part in self.parts] + [f"{name}={_quoted(value)}" for name, value in settings.items()]
        return mask(f"{self.judge.name}({', '.join(inside)})" if inside else self.judge.name)

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that its grades depend on, with secrets masked."""
        own: Mapping[str, Any] = self.params if self.judge.settings is None else self.judge.settings(**self.params)
        plain = {name: MASK if is_secret_name(name) and value else to_json(value) for name, value in own.items()}
        parts = {"parts": [part.settings for part in self.parts]} if self.parts else {}
        settings: dict[str, Any] = mask_nested({"judge": self.judge.name, **plain, **parts})
        return settings

    @property
    def identity(self) -> str:
        """A hash of everything that its grades depend on. The model that answers is known only afterwards."""
        return digest(self.settings, IDENTITY_BYTES)

    @property
    def model(self) -> str:
        """The model that is asked for; empty if it has none."""
        return "" if self.judge.model is None else self.judge.model(**self.params)

    @property
    def gives_grades(self) -> bool:
        """Whether it and all its parts give grades."""
        return self.judge.gives_grades and all(part.gives_grades for part in self.parts)

    @property
    def members(self) -> tuple[BoundJudge, ...]:
        """The judges that are asked: itself, or the parts of a panel."""
        return tuple(member for part in self.parts for member in part.members) if self.parts else (self,)

    def stored_name(self, model: str) -> str:
        """The name of the judge in the store: the model that answered, and a hash of its identity and of that model."""
        label = f"{self.judge.name} of {len(self.parts)}" if self.parts else model or self.model or self.name
        return f"{label[:MAX_LABEL].strip()} #{digest([self.identity, model])[:MARK_DIGITS]}"

    def check(self) -> None:
        """Raise if it or one of its parts certainly cannot work. Nothing is sent."""
        for part in self.parts:
            part.check()
        if self.judge.check is not None:
            self.judge.check(**({"parts": self.parts} if self.judge.takes_parts else {}), **self.params)

    def make(self) -> Grader:
        """A judge that can grade. Its code can read the environment, so secrets in it are now masked."""
        add_environment()
        return self.judge.make(**self.params)

    def preview(self, pair: Pair) -> Preview | None:
        """What would be sent for a pair; None if nothing leaves this machine."""
        return None if self.judge.preview is None else self.judge.preview(pair, **self.params)


def _quoted(value: Any) -> str:
    text = show(value)
    return f"'{text}'" if isinstance(value, str) and re.search(r"[\s,()=:'\"]", text) else text


@cache
def all_judges() -> Mapping[str, Judge]:
    """Name → judge, sorted by name."""
    return load_entries("assay.judges.catalog", Judge, "assay.judges")


def find_judge(name: str) -> Judge:
    """The judge of that name."""
    return find_entry("judge", name, all_judges())


def hosts_of(previews: Iterable[Preview]) -> list[str]:
    """The hosts that would get data, each once."""
    return list(dict.fromkeys(preview.host for preview in previews if preview.host))
