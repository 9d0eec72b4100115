"""Help without colours: the same text as rich-argparse prints, without the time to import it."""

from __future__ import annotations

import argparse
from typing import Any


class PlainHelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Headings have capital letters, an option names its value once, and words are not broken at hyphens."""

    def add_usage(self, usage: str | None, actions: Any, groups: Any, prefix: str | None = None) -> None:
        """Add the usage."""
        super().add_usage(usage, actions, groups, prefix or "Usage: ")

    def start_section(self, heading: str | None) -> None:
        """Begin a section."""
        super().start_section(heading.title() if heading else heading)

    def format_help(self) -> str:
        """The text, without blanks at the ends of lines."""
        return "\n".join(line.rstrip() for line in super().format_help().split("\n"))

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        values = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {values}"

    def _split_lines(self, text: str, width: int) -> list[str]:
        import textwrap

        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)
