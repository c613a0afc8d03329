"""Requests real-time scheduling for the engine and its port processes, where the system allows it."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

ENGINE_PRIORITY = 15
"""The real-time priority of the engine. It is above ordinary programs, and equal to the clients of `jackd -P
20`, which run 5 below their server.

At 14, every JACK client that woke up preempted the engine, and the scheduler moved the engine between
processors: with a period of 0.167 ms on two processors it waited 110 us for 75 us of work. Threads of equal
priority do not preempt each other.
"""
STARTING_PRIORITY = 2
"""The real-time priority while a process starts, for about 100 ms. It is above ordinary programs and below
JACK's threads (5 and up)."""


def request_real_time(priority: int = ENGINE_PRIORITY) -> bool:
    """Switch this thread, and threads it starts, to real-time scheduling; return False if that is not allowed.

    Linux allows it for root and for users with an `rtprio` limit (the `audio` group on most systems).
    """
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    except (AttributeError, OSError):
        return False
    return True


def leave_real_time() -> None:
    """Switch this thread back to ordinary scheduling, so that programs that it starts are ordinary too."""
    try:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    except (AttributeError, OSError):
        pass


@contextmanager
def start_in_real_time() -> Generator[None]:
    """Run this thread, and processes started inside the context, with `STARTING_PRIORITY`.

    A child requests real-time scheduling itself, but on a busy machine it is late to do so: at a load of 10
    an ordinary process took 0.3 s to reach its first line.
    """
    scheduling = cast(Any, os)  # some systems do not have these functions
    try:
        is_ordinary = scheduling.sched_getscheduler(0) == scheduling.SCHED_OTHER
    except (AttributeError, OSError):
        is_ordinary = False
    if not (is_ordinary and request_real_time(STARTING_PRIORITY)):
        yield
        return
    try:
        yield
    finally:
        leave_real_time()
