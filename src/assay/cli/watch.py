"""assay watch: look at the newest result of each series, and tell somebody when it got worse."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli._channels import Channel, Program, Webhook
from assay.cli._command import Command
from assay.cli._store import add_store_argument, open_store
from assay.cli._stored import find_baseline, read_rules
from assay.cli._told import read_told, told_file, write_told
from assay.errors import AssayError, DataError, NothingSelected
from assay.text import counted, printable

if TYPE_CHECKING:
    from assay.evaluation.result import Result
    from assay.monitoring.alerts import Alert
    from assay.monitoring.rule import Rule
    from assay.store import Entry, Store

EXAMPLES = """\
  assay watch --rules gate.yaml --webhook '${SLACK_WEBHOOK}'
  assay watch --rule "ndcg@10 >= 0.7" -m latency_p95 --command 'mail -s retrieval team@example.com'"""
PRINTED = "printed"
"""The channel that is always there: what was printed is not printed as new again."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to look at, and whom to tell."""
    parser.add_argument("--rules", action="append", default=[], metavar="FILE", help="gate.yaml; may be repeated")
    parser.add_argument("--rule", action="append", default=[], metavar="RULE", help="one more rule; may be repeated")
    parser.add_argument("-m", "--metrics", nargs="+", default=[], metavar="METRIC", help="look for steps in these as well")
    parser.add_argument("--baseline", default="main", metavar="NAME", help="what rules compare with (default: main)")
    parser.add_argument(
        "--webhook", action="append", default=[], metavar="URL", help="post alerts as JSON; ${NAME} is read late"
    )
    parser.add_argument(
        "--command", action="append", default=[], metavar="CMD", help="run this with alerts as JSON on its input"
    )
    parser.add_argument("--state", metavar="FILE", help="what was told already (default: beside the store)")
    add_store_argument(parser)


def run_watch(options: argparse.Namespace) -> int:
    """A channel that fails is told about and tried again next time; only a broken store or wrong rules stop the watch."""
    rules = read_rules(options.rules, options.rule) if options.rules or options.rule else []
    channels: list[Channel] = [*map(Webhook.of, options.webhook), *map(Program.of, options.command)]
    with open_store(options) as store:
        state = Path(options.state) if options.state else told_file(store.place)
        alerts = _alerts(options, store, rules)
    _tell_all(channels, alerts, state)
    return 0


def _alerts(options: argparse.Namespace, store: Store, rules: Sequence[Rule]) -> list[Alert]:
    from assay.metrics._parse import parse_metrics
    from assay.monitoring.alerts import alerts_of_series
    from assay.monitoring.history import series_of

    newest = _newest(store)
    metrics = [metric.name for metric in parse_metrics(options.metrics)] if options.metrics else []
    metrics += [rule.metric.name for rule in rules if rule.metric]
    metrics = metrics or [next(iter(entry.figures)) for entry in newest if entry.figures]
    series = [one for name in dict.fromkeys(metrics) for one in series_of(store.history(name), name)]
    broken = _alerts_of_rules(options, _results(store, newest), rules, store) if rules else []
    return [*broken, *alerts_of_series(series)]


def _newest(store: Store) -> list[Entry]:
    """The newest result of each benchmark and provider."""
    found: dict[tuple[str, str], Entry] = {}
    for entry in store.list():
        found.setdefault((entry.benchmark, entry.provider), entry)
    if not found:
        raise NothingSelected("the store is empty, so there is nothing to watch; assay eval puts results there")
    return list(found.values())


def _results(store: Store, newest: Sequence[Entry]) -> list[Result]:
    """Of each evaluation only what is the newest; each is read once."""
    wanted: dict[str, set[tuple[str, str]]] = {}
    for entry in newest:
        wanted.setdefault(entry.evaluation, set()).add((entry.benchmark, entry.provider))
    return [
        result
        for evaluation, names in wanted.items()
        for result in store.find(evaluation).results
        if (printable(result.benchmark), printable(result.name)) in names
    ]


def _alerts_of_rules(options: argparse.Namespace, results: list[Result], rules: Sequence[Rule], store: Store) -> list[Alert]:
    """Where the baseline cannot be compared, that is an alert too, and rules that need none are still held."""
    from assay.monitoring.alerts import Alert, alerts_of_rules
    from assay.monitoring.gate import gate
    from assay.monitoring.history import best_before, series_of
    from assay.monitoring.rule_ratchet import RatchetRule

    names = dict.fromkeys(rule.bound.name for rule in rules if isinstance(rule, RatchetRule))
    series = [one for name in names for one in series_of(store.history(name), name)]
    best = {key: figure for one in series for key, figure in best_before([one], one.points[-1].evaluation).items()}
    before, _ = find_baseline(options.baseline, options.store)
    if before is None:
        return alerts_of_rules(gate(results, None, rules, best=best))
    try:
        return alerts_of_rules(gate(results, before.results, rules, name=options.baseline, best=best))
    except DataError as error:
        said = f"cannot be checked: {error}"
        return [Alert(f"rule {said}", "broken", said, {}), *alerts_of_rules(gate(results, None, rules, best=best))]


def _tell_all(channels: Sequence[Channel], alerts: Sequence[Alert], state: Path) -> None:
    """Each channel hears of what it has not heard of; what it could not be told, it hears next time."""
    from assay.monitoring.alerts import message_of, not_told, still_told

    told = {name: still_told(alerts, keys) for name, keys in read_told(state).items()}
    for channel in channels:
        new = not_told(alerts, told.get(channel.name, ()))
        if not new:
            continue
        if why := channel.send(message_of(new)):
            sys.stderr.write(
                f"note: {printable(f'{channel.name}: alerts could not be sent: {why}; the next run tries again')}\n"
            )
        else:
            told.setdefault(channel.name, []).extend(alert.key for alert in new)
    printed = not_told(alerts, told.get(PRINTED, ()))
    told.setdefault(PRINTED, []).extend(alert.key for alert in printed)
    known = len(alerts) - len(printed)
    for alert in printed:
        sys.stdout.write("ALERT  " + "\n".join(map(printable, alert.text.split("\n"))) + "\n")
    sys.stdout.write(f"{counted(len(printed), 'new alert')}{f', {known} known before' if known else ''}\n")
    try:
        write_told(state, told)
    except (OSError, AssayError) as error:
        sys.stderr.write(f"note: {state}: what was told cannot be remembered: {printable(str(error))}\n")


COMMAND = Command("watch", "tell somebody when the newest results got worse", add_arguments, run_watch, EXAMPLES)
