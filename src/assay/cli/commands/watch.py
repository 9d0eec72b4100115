"""assay watch: check the newest result of each series, and send alerts if it got worse."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.alert_channels import (
    Channel,
    CommandChannel,
    WebhookChannel,
    read_sent_alerts,
    sent_alerts_path,
    write_sent_alerts,
)
from assay.cli.gate_inputs import BASELINE_HELP, add_rule_arguments, read_rules
from assay.cli.output_options import add_store_argument, open_store
from assay.cli.program import Command, Group
from assay.errors import AssayError, DataError, NothingSelected, UnknownName
from assay.grammar import WrittenName
from assay.text import counted, printable

if TYPE_CHECKING:
    from assay.metrics import BoundMetric
    from assay.monitoring import Alert, NewestResults, Rule
    from assay.store import Entry, Store

EXAMPLES = """\
  assay watch --rules gate.yaml --webhook '${SLACK_WEBHOOK}'
  assay watch --rule "ndcg@10 >= 0.7" -m latency_p95 --command 'mail -s retrieval team@example.com'"""
PRINTED_CHANNEL = "printed"
"""The channel that is always present: an alert that was printed once is not printed as new again."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to check, and where to send alerts."""
    add_rule_arguments(parser)
    parser.add_argument(
        "-m",
        "--metrics",
        type=WrittenName,
        nargs="+",
        default=[],
        metavar="METRIC",
        help="metrics to check for sudden changes, in addition to the metrics in the rules",
    )
    parser.add_argument("--baseline", default="main", metavar="NAME", help=BASELINE_HELP)
    parser.add_argument(
        "--webhook",
        action="append",
        default=[],
        metavar="URL",
        help="post alerts to this URL as JSON; ${NAME} is read from the environment; may be repeated",
    )
    parser.add_argument(
        "--command",
        action="append",
        default=[],
        metavar="CMD",
        help="run this command with the alerts as JSON on its standard input; may be repeated",
    )
    parser.add_argument(
        "--state", metavar="FILE", help="file that records which alerts were sent (default: a file next to the store)"
    )
    add_store_argument(parser)


def _note_literal_addresses(webhooks: Sequence[str]) -> None:
    """Note a webhook URL in the command: it is a secret, and other users can read commands."""
    if any("${" not in text and WebhookChannel.of(text).secrets for text in webhooks):
        _note(
            "anyone who can read the URL of --webhook can post to it. Put the URL into an environment variable, "
            "and write --webhook '${SLACK_WEBHOOK}'"
        )


def run_watch(options: argparse.Namespace) -> int:
    """A channel that fails is noted and retried in the next run. Only a broken store or wrong rules are errors."""
    rules = (
        read_rules(options.rules, options.rule, lambda: _stored_metrics(options)) if options.rules or options.rule else []
    )
    _note_literal_addresses(options.webhook)
    channels: list[Channel] = [*map(WebhookChannel.of, options.webhook), *map(CommandChannel.of, options.command)]
    with open_store(options) as store:
        state = Path(options.state) if options.state else sent_alerts_path(store.place)
        alerts = _alerts(options, store, rules)
    _send_alerts(list({channel.key: channel for channel in channels}.values()), alerts, state)
    return 0


def _alerts(options: argparse.Namespace, store: Store, rules: Sequence[Rule]) -> list[Alert]:
    from assay.monitoring import alerts_of_series, read_series

    newest = _newest(store)
    metrics = [metric for name in options.metrics for metric in _find_metrics(store, name)]
    metrics += [rule.metric for rule in rules if rule.metric]
    metrics = metrics or [store.metric(next(iter(entry.figures))) for entry in newest if entry.figures]
    watched = {metric.name: metric for metric in metrics}
    series = [line for metric in watched.values() for line in read_series(store, metric)]
    broken = _alerts_of_rules(options, store, newest, rules) if rules else []
    return [*broken, *alerts_of_series(series)]


def _stored_metrics(options: argparse.Namespace) -> list[BoundMetric]:
    """The metrics of the newest results."""
    with open_store(options) as store:
        names = dict.fromkeys(name for entry in _newest(store) for name in entry.figures)
        return [store.metric(name) for name in names]


def _find_metrics(store: Store, name: WrittenName) -> list[BoundMetric]:
    """The metrics that a word means; an unknown metric is looked up by its name in stored results."""
    from assay.metrics import parse_metrics

    try:
        return parse_metrics(name)
    except UnknownName:
        return [store.metric(str(name))]


def _newest(store: Store) -> list[Entry]:
    """The newest result of each benchmark and provider; of each version of the data, if versions alternate."""
    entries_by_system: dict[tuple[str, str], list[Entry]] = {}
    for entry in store.list():
        entries_by_system.setdefault((entry.benchmark, entry.provider), []).append(entry)
    if not entries_by_system:
        raise NothingSelected("the store is empty. To add results: assay eval")
    return [entry for entries in entries_by_system.values() for entry in _newest_of_each_version(entries)]


def _newest_of_each_version(entries: Sequence[Entry]) -> list[Entry]:
    by_data: dict[str, Entry] = {}
    for entry in entries:
        by_data.setdefault(entry.dataset, entry)
    n_turns = len(list(groupby(entries, key=lambda entry: entry.dataset)))
    return list(by_data.values()) if n_turns > len(by_data) else list(entries[:1])


def _evaluations(store: Store, newest: Sequence[Entry], rules: Sequence[Rule]) -> list[NewestResults]:
    """The evaluations of the newest results, each read once, and which of their results are the newest."""
    from assay.monitoring import NewestResults, best_so_far

    history = cache(store.history)
    systems_by_evaluation: dict[str, set[tuple[str, str]]] = {}
    for entry in newest:
        systems_by_evaluation.setdefault(entry.evaluation, set()).add((entry.benchmark, entry.provider))
    evaluations = []
    for evaluation, names in systems_by_evaluation.items():
        results = store.find(evaluation).results
        is_newest = tuple((printable(result.benchmark), printable(result.name)) in names for result in results)
        evaluations.append(NewestResults(results, is_newest, best_so_far(rules, history, evaluation)))
    return evaluations


def _alerts_of_rules(
    options: argparse.Namespace, store: Store, newest: Sequence[Entry], rules: Sequence[Rule]
) -> Sequence[Alert]:
    """The alerts of the rules on each newest result; rules that cannot be checked are noted."""
    from assay.monitoring import check_newest
    from assay.store import find_baseline

    before, meant = find_baseline(options.baseline, options.store)
    if before is None and options.require_baseline:
        raise DataError(_describe_no_baseline(options, meant))
    evaluations = _evaluations(store, newest, rules)
    baseline = before.results if before else None
    checked = check_newest(evaluations, baseline, rules, name=options.baseline, memory=store.guards)
    if checked.unchecked:
        rules_left = "; ".join(checked.unchecked)
        no_baseline = f"{_describe_no_baseline(options, meant)}. Not checked: {rules_left}"
        _note(f"not checked, because there is nothing to compare with: {rules_left}" if before else no_baseline)
    for note in checked.notes:
        _note(note)
    return checked.alerts


def _describe_no_baseline(options: argparse.Namespace, meant: str) -> str:
    return f"no baseline is called {options.baseline} yet{meant}. To create it: assay bless latest --as {options.baseline}"


def _send_alerts(channels: Sequence[Channel], alerts: Sequence[Alert], state: Path) -> None:
    """Send each channel the alerts that it does not have yet. Alerts that cannot be sent are sent in the next run."""
    from assay.monitoring import lasting_keys, unsent_alerts

    sent_keys = {name: lasting_keys(alerts, keys) for name, keys in read_sent_alerts(state).items()}
    for channel in channels:
        if new := unsent_alerts(alerts, sent_keys.get(channel.key, ())):
            if _is_sent(channel, new):
                sent_keys.setdefault(channel.key, []).extend(alert.key for alert in new)
            _save_sent_alerts(state, sent_keys)
    printed = unsent_alerts(alerts, sent_keys.get(PRINTED_CHANNEL, ()))
    sent_keys.setdefault(PRINTED_CHANNEL, []).extend(alert.key for alert in printed)
    known = len(alerts) - len(printed)
    for alert in printed:
        sys.stdout.write("ALERT  " + "\n".join(map(printable, alert.text.split("\n"))) + "\n")
    sys.stdout.write(f"{counted(len(printed), 'new alert')}{f', {known} already reported' if known else ''}\n")
    sys.stdout.flush()  # alerts that cannot be printed are printed in the next run
    _save_sent_alerts(state, sent_keys)


def _is_sent(channel: Channel, alerts: Sequence[Alert]) -> bool:
    """Whether a channel accepted the alerts. A failure is noted, and the other channels still get them."""
    from assay.monitoring import alert_message

    try:
        why = channel.send(alert_message(alerts))
    except Exception as error:  # noqa: BLE001 (a channel that fails, in whatever way, never fails the run)
        why = f"{type(error).__name__}: {error}"
    if why:
        _note(f"{channel.name}: alerts could not be sent: {why}. The next run tries again")
    return not why


def _save_sent_alerts(state: Path, sent_keys: dict[str, list[str]]) -> None:
    """Save after each channel, so that no alert is sent twice if the next channel hangs."""
    try:
        write_sent_alerts(state, sent_keys)
    except (OSError, AssayError) as error:
        _note(f"{state}: the list of sent alerts could not be saved, so these alerts will be sent again: {error}")


def _note(text: str) -> None:
    sys.stderr.write(f"note: {printable(text)}\n")


COMMAND = Command(
    "watch", "send alerts if the newest results are worse", add_arguments, run_watch, EXAMPLES, group=Group.FOLLOW
)
