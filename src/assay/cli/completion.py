"""Shell completion: the possible words, read from the parsers and the catalogs; and scripts for bash, zsh and fish.

The scripts are static: nothing is run and no file is read while the user types.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.cli.program import Parser


@dataclass(frozen=True)
class Option:
    """One option of a command."""

    flags: tuple[str, ...]
    help: str
    takes: str
    """`nothing`, `one` value, or `many`."""
    words: tuple[str, ...] = ()
    """Its known values; if there are none, files are offered."""


@dataclass(frozen=True)
class CommandWords:
    """One command: its options, and its positional words."""

    name: str
    help: str
    options: tuple[Option, ...]
    words: tuple[str, ...] = ()

    @property
    def flags(self) -> tuple[str, ...]:
        """All flags, including short ones."""
        return tuple(flag for option in self.options for flag in option.flags)


def command_words(parser: Parser) -> list[CommandWords]:
    """Every command of the program with its options and words."""
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    about = {action.dest: action.help or "" for action in commands._choices_actions}
    known = _catalogs()
    return [_words_of_command(name, about[name], sub._actions, known) for name, sub in commands.choices.items()]


def _words_of_command(
    name: str, about: str, actions: Iterable[argparse.Action], known: Mapping[str, tuple[str, ...]]
) -> CommandWords:
    visible = [action for action in actions if action.help != argparse.SUPPRESS]
    options = [_option(action, known) for action in visible if action.option_strings]
    bare = [word for action in visible if not action.option_strings for word in _known_values(action, known, name)]
    return CommandWords(name, about, tuple(options), tuple(dict.fromkeys(bare)))


def _option(action: argparse.Action, known: Mapping[str, tuple[str, ...]]) -> Option:
    takes = "nothing" if action.nargs == 0 else "one" if action.nargs is None else "many"
    about = (action.help or "").replace("%%", "%").replace("%(default)s", str(action.default))
    return Option(tuple(action.option_strings), about, takes, _known_values(action, known))


def _known_values(action: argparse.Action, known: Mapping[str, tuple[str, ...]], command: str = "") -> tuple[str, ...]:
    """Its choices; else the words in its metavar; else the names of its catalog."""
    if action.nargs == 0:
        return ()
    if action.choices:
        return tuple(map(str, action.choices))
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    if "|" in metavar:
        return tuple(metavar.split("|"))
    return known.get(action.dest) or (known.get(command, ()) if action.dest == "words" else ())


def _catalogs() -> dict[str, tuple[str, ...]]:
    """Name of an option or argument → the names that it accepts."""
    named = {names: tuple(read()) for names, read in CATALOGS.items()}
    return {name: words for names, words in named.items() for name in names.split()}


def _benchmarks() -> Iterable[str]:
    from assay.datasets import bundled

    return bundled()


def _charts() -> Iterable[str]:
    from assay.charts import all_charts

    return all_charts()


def _chunkers() -> Iterable[str]:
    from assay.chunkers import all_chunkers

    return all_chunkers()


def _corrections() -> Iterable[str]:
    from assay.stats import CORRECTIONS

    return CORRECTIONS


def _formats() -> Iterable[str]:
    from assay.datasets import all_formats

    return all_formats()


def _formulas() -> Iterable[str]:
    from assay.ontology import all_similarities

    return all_similarities()


def _fusions() -> Iterable[str]:
    from assay.fusion import all_fusions

    return all_fusions()


def _metrics() -> Iterable[str]:
    from assay.metrics import all_metrics

    return all_metrics()


def _norms() -> Iterable[str]:
    from assay.fusion import NORMALISATIONS

    return NORMALISATIONS


def _profiles() -> Iterable[str]:
    from assay.evaluation import PROFILES

    return PROFILES


def _providers() -> Iterable[str]:
    from assay.providers import all_providers

    return all_providers()


def _renderers() -> Iterable[str]:
    from assay.reports import all_renderers

    return all_renderers()


def _resolvers() -> Iterable[str]:
    from assay.relevance import all_resolvers

    return ("auto", *all_resolvers())


def _tests() -> Iterable[str]:
    from assay.stats import all_tests

    return all_tests()


def _topics() -> Iterable[str]:
    from assay.conformance import all_topics

    return all_topics()


CATALOGS: Mapping[str, Callable[[], Iterable[str]]] = {
    "benchmarks benchmark dataset": _benchmarks,
    "kind": _charts,
    "chunkers chunker": _chunkers,
    "correction": _corrections,
    "dataset_format to": _formats,
    "formula": _formulas,
    "method": _fusions,
    "metrics metric tune sort": _metrics,
    "norm": _norms,
    "profile": _profiles,
    "providers provider": _providers,
    "format": _renderers,
    "relevance": _resolvers,
    "test": _tests,
    "topic": _topics,
}
"""Names of options and arguments → a function that lists the names that they accept."""


PROGRAM_FLAGS = ("--help", "--version")
BASH_TEMPLATE = """\
_assay() {
    local cur="${COMP_WORDS[COMP_CWORD]}" opt="" words="" flags="" bare="" takes="" i
    COMPREPLY=()
    if [ "$COMP_CWORD" -le 1 ]; then
        COMPREPLY=( $(compgen -W "%(commands)s" -- "$cur") )
        return 0
    fi
    i=$((COMP_CWORD - 1))
    while [ "$i" -gt 1 ]; do
        case "${COMP_WORDS[i]}" in -?*) opt="${COMP_WORDS[i]}"; break ;; esac
        i=$((i - 1))
    done
    if [ "${COMP_WORDS[i + 1]}" = "=" ]; then
        i=$((i + 1))
        if [ "$cur" = "=" ]; then cur=""; i=$((i - 1)); fi
    fi
    case "${COMP_WORDS[1]}" in
%(cases)s
    esac
    if [ -z "$takes" ] || { [ "$takes" = one ] && [ "$i" -lt "$((COMP_CWORD - 1))" ]; }; then
        words="$bare"
    fi
    case "$cur" in -*) words="$flags" ;; esac
    COMPREPLY=( $(compgen -W "$words" -- "$cur") )
    return 0
}
complete -o default -F _assay assay
"""


def bash_script(commands: Sequence[CommandWords]) -> str:
    """For bash: `eval "$(assay completion bash)"`."""
    names = " ".join((*(command.name for command in commands), *PROGRAM_FLAGS))
    return BASH_TEMPLATE % {"commands": names, "cases": "\n".join(map(_bash_case, commands))}


def _bash_case(command: CommandWords) -> str:
    """The options and words of one command; options with the same values share a line."""
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for option in command.options:
        if option.takes != "nothing":
            alike.setdefault((option.takes, option.words), []).extend(option.flags)
    lines = [
        f"                {'|'.join(flags)}) takes={takes} words={_quoted(words)} ;;"
        for (takes, words), flags in sorted(alike.items(), key=lambda pair: pair[1])
    ]
    flags = f"flags={_quoted(command.flags)} bare={_quoted(command.words)}"
    return "\n".join(
        (f"        {command.name})", f"            {flags}", '            case "$opt" in', *lines, "            esac ;;")
    )


def zsh_script(commands: Sequence[CommandWords]) -> str:
    """For zsh, which can run completions of bash: `eval "$(assay completion zsh)"` after compinit."""
    return "autoload -U +X bashcompinit && bashcompinit\n" + bash_script(commands)


def fish_script(commands: Sequence[CommandWords]) -> str:
    """For fish: `assay completion fish > ~/.config/fish/completions/assay.fish`."""
    lines = []
    for command in commands:
        lines.append(f"complete -c assay -n __fish_use_subcommand -f -a {command.name} -d {_quoted([command.help])}")
        here = f"complete -c assay -n '__fish_seen_subcommand_from {command.name}'"
        if command.words:
            lines.append(f"{here} -a {_quoted(command.words)}")
        lines += [f"{here} {_fish_option(option)}" for option in command.options]
        lines += [
            _fish_further_values(command, option) for option in command.options if option.takes == "many" and option.words
        ]
    return "\n".join(lines) + "\n"


def _fish_option(option: Option) -> str:
    """Its flags, whether it needs a value, its values, and its help."""
    names = [f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags]
    needs = [] if option.takes == "nothing" else ["-r"]
    values = [f"-a {_quoted(option.words)}"] if option.words else []
    return " ".join((*names, *needs, *values, f"-d {_quoted([option.help])}"))


def _fish_further_values(command: CommandWords, option: Option) -> str:
    """The second and later values, which fish offers only after an option that accepts several."""
    last = '(commandline -opc | string match -- "-*")[-1]'
    behind = f"__fish_seen_subcommand_from {command.name}; and contains -- {last} {' '.join(option.flags)}"
    return f"complete -c assay -n '{behind}' -f -a {_quoted(option.words)}"


def _quoted(words: Sequence[str]) -> str:
    """Words in one pair of quotes that every shell reads in the same way. Special characters are left out."""
    return "'" + " ".join(" ".join(words).translate(UNSAFE_CHARACTERS).split()) + "'"


UNSAFE_CHARACTERS = str.maketrans(dict.fromkeys("'\\", "") | {"\n": " "})
SCRIPTS: Mapping[str, Callable[[Sequence[CommandWords]], str]] = {
    "bash": bash_script,
    "zsh": zsh_script,
    "fish": fish_script,
}
