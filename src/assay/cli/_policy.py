"""The conventions of Policy as flags, for every command that scores. Names, words and help come from the Policy itself."""

from __future__ import annotations

import argparse
from dataclasses import fields
from typing import Any

from assay.model.policy import Policy


def add_policy_arguments(parser: argparse.ArgumentParser) -> None:
    """One flag per field."""
    group = parser.add_argument_group("policy")
    for setting in fields(Policy):
        flag, meaning = f"--{setting.name.replace('_', '-')}", setting.metadata["meaning"]
        if "choices" in setting.metadata:
            words = setting.metadata["choices"]
            spellings = dict.fromkeys(spelling for word in words for spelling in (word, word.replace("_", "-")))
            shown = "|".join(word.replace("_", "-") if setting.name == "duplicates" else word for word in words)
            help_text = f"{meaning} (default: {words[0]})"
            group.add_argument(flag, choices=list(spellings), metavar=shown, help=help_text)
        elif setting.default is False:
            group.add_argument(flag, action="store_true", default=None, help=meaning)
        else:
            group.add_argument(flag, type=_number, metavar="GRADE", help=meaning)


def policy_of(options: argparse.Namespace) -> Policy:
    """The policy the flags describe."""
    given = {setting.name: getattr(options, setting.name) for setting in fields(Policy)}
    return Policy(**{name: _word(value) for name, value in given.items() if value is not None})


def _word(value: Any) -> Any:
    return value.replace("-", "_") if isinstance(value, str) else value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a number, not {text!r}") from None
