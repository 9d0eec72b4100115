"""Options of commands that ask a service: prices, limits, retries, and progress."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from assay.cli.scoring_options import integer_parser
from assay.errors import ProviderError
from assay.grammar import not_negative, positive
from assay.masking import mask
from assay.text import counted, printable

if TYPE_CHECKING:
    from assay.judges import AskOptions, DryRun, Totals

MAX_CONCURRENCY = 1000
PAIRS_PER_LINE = 100


def add_limits(group: argparse._ActionsContainer) -> None:
    """The options for prices, limits and retries."""
    group.add_argument(
        "--price", type=_number(not_negative), nargs=2, metavar=("IN", "OUT"), help="prices of a million tokens"
    )
    group.add_argument(
        "--most-cost", type=_number(positive), metavar="COST", help="stop before the cost exceeds this; needs --price"
    )
    group.add_argument("--rpm", type=_number(positive), metavar="N", help="start at most N requests in a minute")
    group.add_argument(
        "--concurrency",
        type=integer_parser(MAX_CONCURRENCY, 1),
        default=4,
        metavar="N",
        help="requests at the same time (default: 4)",
    )
    group.add_argument(
        "--retries", type=integer_parser(100), default=3, metavar="N", help="retries of a request (default: 3)"
    )
    group.add_argument("--resume", action="store_true", help="send pairs that failed before again")
    group.add_argument("--no-cache", action="store_true", help="send all pairs again, also those with a grade")


def _number(parse: Callable[[str], float]) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"must be {error}, not {text!r}") from None

    return read


def ask_options(options: argparse.Namespace, noun: str = "pairs") -> AskOptions:
    """How a service is asked, as the options say. Progress counts what the noun says."""
    from assay.judges import AskOptions, Prices

    return AskOptions(
        send=options.send,
        resume=options.resume,
        is_fresh=options.no_cache,
        concurrency=options.concurrency,
        per_minute=options.rpm,
        retries=options.retries,
        prices=Prices(*options.price) if options.price else None,
        most_cost=options.most_cost,
        watch=(lambda _n_done, _n_all: None) if options.quiet else partial(_show_progress, noun),
    )


def planned_requests(plan: DryRun) -> Iterator[str]:
    """The requests of a dry run: where to, how many, and what they cost at most."""
    yield f"hosts      {', '.join(plan.hosts) or 'none'}"
    yield f"requests   {plan.requests:,}, without retries"
    yield f"tokens     about {plan.tokens_in:,} to send, at most {plan.most_tokens_out:,} to receive"
    price = "unknown; add --price IN OUT" if plan.most_cost is None else f"at most about {plan.most_cost:,.4f}"
    yield f"price      {price}"
    if plan.truncated:
        yield f"cut        {counted(plan.truncated, 'document')} longer than max_chars"


def sums_of(totals: Totals) -> str:
    """Requests, tokens and cost on one line, and tries that did not reach the service."""
    about = f" (estimated for {counted(totals.estimated, 'request')})" if totals.estimated else ""
    cost = "" if totals.cost is None else f", cost {totals.cost:,.4f}"
    lost = f"; {counted(totals.unreached, 'try')} without a connection" if totals.unreached else ""
    tokens = f"{totals.tokens_in:,} tokens sent, {totals.tokens_out:,} received"
    return f"{counted(totals.requests, 'request')}, {tokens}{about}{cost}{lost}"


def print_notes(notes: Iterable[str], failure: str = "") -> None:
    """Print notes on standard error, without the note that repeats an error."""
    for note in notes:
        if not failure or failure not in note:
            sys.stderr.write(printable(mask(f"note: {note}")) + "\n")


def raise_if_stopped(failure: str, unsent: str, options: argparse.Namespace) -> None:
    """Raise if the service refused all requests or could not be reached. Earlier outcomes are in the cache."""
    if failure:
        again = "run the same command again, without --no-cache" if options.no_cache else "run the same command again"
        raise ProviderError(mask(f"{failure}. Not sent: {unsent}. The outcomes so far are kept. To continue, {again}"))


def request_lines(plan: DryRun, judge: str) -> Iterator[str]:
    """The first request of a dry run in full."""
    if not plan.request:
        yield f"{judge} sends no request to a service."
        return
    yield "The first request, in full:"
    yield ""
    yield from plan.request.splitlines()
    yield ""


def _show_progress(noun: str, n_done: int, n_all: int) -> None:
    if n_done % PAIRS_PER_LINE == 0 or n_done == n_all:
        sys.stderr.write(f"{n_done:,} of {n_all:,} {noun}\n")
