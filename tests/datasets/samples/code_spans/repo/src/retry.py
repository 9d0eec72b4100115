"""Retries."""

import time


def retry(action, times=3):
    """Try an action a few times."""
    for attempt in range(times):
        try:
            return action()
        except OSError:
            time.sleep(attempt)
    raise TimeoutError
