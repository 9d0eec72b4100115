"""Scripts that complete what is typed: one function for bash and zsh, and lines of `complete` for fish.

They are static: nothing is run and no file is read while somebody types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from assay.cli._completion_words import Option, Typed

PROGRAM = ("--help", "--version")
FUNCTION = """\
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


def bash_script(commands: Sequence[Typed]) -> str:
    """For bash: `eval "$(assay completion bash)"`."""
    names = " ".join((*(command.name for command in commands), *PROGRAM))
    return FUNCTION % {"commands": names, "cases": "\n".join(map(_bash_case, commands))}


def _bash_case(command: Typed) -> str:
    """What one command takes; options with the same values share a line."""
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


def zsh_script(commands: Sequence[Typed]) -> str:
    """For zsh, which can run what bash runs: `eval "$(assay completion zsh)"` behind compinit."""
    return "autoload -U +X bashcompinit && bashcompinit\n" + bash_script(commands)


def fish_script(commands: Sequence[Typed]) -> str:
    """For fish: `assay completion fish > ~/.config/fish/completions/assay.fish`."""
    lines = []
    for command in commands:
        lines.append(f"complete -c assay -n __fish_use_subcommand -f -a {command.name} -d {_quoted([command.help])}")
        here = f"complete -c assay -n '__fish_seen_subcommand_from {command.name}'"
        if command.words:
            lines.append(f"{here} -a {_quoted(command.words)}")
        lines += [f"{here} {_fish_option(option)}" for option in command.options]
        lines += [_fish_more(command, option) for option in command.options if option.takes == "many" and option.words]
    return "\n".join(lines) + "\n"


def _fish_option(option: Option) -> str:
    """Its names, whether it needs a value, which values there are, and what it means."""
    names = [f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags]
    needs = [] if option.takes == "nothing" else ["-r"]
    values = [f"-a {_quoted(option.words)}"] if option.words else []
    return " ".join((*names, *needs, *values, f"-d {_quoted([option.help])}"))


def _fish_more(command: Typed, option: Option) -> str:
    """The second value and those behind it, which fish offers only where the last option is one that takes several."""
    last = '(commandline -opc | string match -- "-*")[-1]'
    behind = f"__fish_seen_subcommand_from {command.name}; and contains -- {last} {' '.join(option.flags)}"
    return f"complete -c assay -n '{behind}' -f -a {_quoted(option.words)}"


def _quoted(words: Sequence[str]) -> str:
    """Words in one pair of quotes that every shell reads alike: what would end them, or be read in them, is left out."""
    return "'" + " ".join(" ".join(words).translate(UNSAFE).split()) + "'"


UNSAFE = str.maketrans(dict.fromkeys("'\\", "") | {"\n": " "})
SCRIPTS: Mapping[str, Callable[[Sequence[Typed]], str]] = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}
