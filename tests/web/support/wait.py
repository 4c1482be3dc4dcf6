"""Waiting on conditions. The only place where the Python tests let time pass."""

import time

LIMIT_S = 10
INTERVAL_S = 0.02


def wait_for(condition, what):
    """Asks until the condition holds; raises when that takes longer than LIMIT_S."""
    end = time.monotonic() + LIMIT_S
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"not within {LIMIT_S} s: {what}")
        time.sleep(INTERVAL_S)
