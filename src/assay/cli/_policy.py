"""The conventions of Policy as flags, for every command that scores. Names, words and help come from the Policy itself."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from assay.errors import UnknownName, near_matches
from assay.evaluation import OWN, PROFILES, Profile, find_profile
from assay.model import Policy

LONG = 45
"""Letters of all choices together from which on they are listed in the help text instead of the usage."""


def add_policy_arguments(parser: argparse.ArgumentParser) -> None:
    """The profile to start from, and one flag per field to change it."""
    group = parser.add_argument_group("policy")
    group.add_argument("--profile", metavar="TOOL", help=f"score as another tool does: {', '.join(PROFILES)}")
    for setting in fields(Policy):
        flag, meaning = f"--{setting.name.replace('_', '-')}", setting.metadata["meaning"]
        if "choices" in setting.metadata:
            words = setting.metadata["choices"]
            shown = "|".join(word.replace("_", "-") if setting.name == "duplicates" else word for word in words)
            is_long = len(shown) > LONG
            help_text = (
                f"{meaning} ({shown.replace('|', ', ')}; default: {words[0]})"
                if is_long
                else f"{meaning} (default: {words[0]})"
            )
            metavar = "RULE" if is_long else shown
            group.add_argument(flag, type=_one_of(words), choices=words, metavar=metavar, help=help_text)
        elif setting.default is False:
            group.add_argument(flag, action="store_true", default=None, help=meaning)
        else:
            group.add_argument(flag, type=_number, metavar="GRADE", help=meaning)


def profile_of(options: argparse.Namespace) -> Profile:
    """The conventions the flags describe: those of a tool or our own, changed where a flag says so."""
    profile = find_profile(options.profile) if options.profile else OWN
    return profile.adjusted(**given_policy(options))


def given_policy(options: argparse.Namespace) -> dict[str, Any]:
    """The fields of a policy that flags set."""
    given = {setting.name: getattr(options, setting.name) for setting in fields(Policy)}
    return {name: value for name, value in given.items() if value is not None}


def _one_of(words: Sequence[str]) -> Callable[[str], str]:
    """What reads one of the words, with hyphens too; any other is answered with those that may have been meant."""

    def read(text: str) -> str:
        word = text.replace("-", "_")
        if word not in words:
            raise argparse.ArgumentTypeError(str(UnknownName("rule", text, near_matches(word, words), _all(words))))
        return word

    return read


def _all(words: Sequence[str]) -> str:
    return f"there are {', '.join(words)}"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a number, not {text!r}") from None
