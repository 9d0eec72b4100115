"""What happened on a cluster: the failed, killed and repeated tasks of all jobs, from the event log that Spark writes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def settings(folder: Path) -> dict[str, str]:
    """Settings of a driver that writes its events to a folder, as lines of JSON."""
    return {
        "spark__eventLog__enabled": "true",
        "spark__eventLog__dir": str(folder),
        "spark__eventLog__compress": "false",
        "spark__eventLog__rolling__enabled": "false",
    }


def read_events(folder: Path) -> Iterator[dict[str, Any]]:
    """The events that were written so far; the last line may be unfinished."""
    for file in folder.iterdir():
        for line in file.read_text(encoding="utf-8").splitlines(keepends=True):
            if line.endswith("\n"):
                yield json.loads(line)


def count_ends(folder: Path) -> Counter[str]:
    """How tasks ended: `Success`, `ExceptionFailure`, `ExecutorLostFailure`, `TaskKilled` …

    `lost` counts the executors that went away, and `speculative` the second attempts that Spark started by itself.
    """
    counts: Counter[str] = Counter()
    for event in read_events(folder):
        if event["Event"] == "SparkListenerTaskEnd":
            counts[event["Task End Reason"]["Reason"]] += 1
            counts["speculative"] += event["Task Info"]["Speculative"]
        counts["lost"] += event["Event"] == "SparkListenerExecutorRemoved"
    return counts


def result_bytes(folder: Path) -> int:
    """The bytes that all tasks so far have sent to the driver as their results."""
    tasks = (event for event in read_events(folder) if event["Event"] == "SparkListenerTaskEnd")
    return sum(task.get("Task Metrics", {}).get("Result Size", 0) for task in tasks)
