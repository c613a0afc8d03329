"""Real-time scheduling, where the system allows it: what a note needs runs before other programs."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

ENGINE_PRIORITY = 15
"""Over everything ordinary, and equal to the clients of `jackd -P 20`, which run at 5 below their server.

At 14 each client that woke took the engine's processor, and the scheduler moved the engine to and fro: with a
period of 0.167 ms on two processors it waited 110 us for 75 us of work. Equals do not interrupt each other.
"""
STARTING_PRIORITY = 2
"""While a process starts, for some 100 ms: over everything ordinary, under JACK's threads (5 and up)."""


def ask_for_real_time(priority: int = ENGINE_PRIORITY) -> bool:
    """Put this thread, and those it starts, before ordinary programs; False where that is not allowed.

    Linux gives it to root and to users with an `rtprio` limit (the `audio` group on most systems).
    """
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    except (AttributeError, OSError):
        return False
    return True


def back_to_ordinary() -> None:
    """Take this thread back, so that the programs it starts are ordinary ones."""
    try:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    except (AttributeError, OSError):
        pass


@contextmanager
def ahead_of_ordinary() -> Generator[None]:
    """Run this thread before ordinary programs for a while, with the processes that it starts meanwhile.

    A child asks for real time itself, but on a busy machine it gets there late: an ordinary process
    took 0.3 s to its first line at a load of 10.
    """
    scheduling = cast(Any, os)  # the functions are missing on some systems
    try:
        is_ordinary = scheduling.sched_getscheduler(0) == scheduling.SCHED_OTHER
    except (AttributeError, OSError):
        is_ordinary = False
    if not (is_ordinary and ask_for_real_time(STARTING_PRIORITY)):
        yield
        return
    try:
        yield
    finally:
        back_to_ordinary()
