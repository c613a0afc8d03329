"""Real-time scheduling, where the system allows it: what a note needs runs before other programs."""

import os

ENGINE_PRIORITY = 15
"""Over everything ordinary, and equal to the clients of `jackd -P 20`, which run at 5 below their server.

At 14 each client that woke took the engine's processor, and the scheduler moved the engine to and fro: with a
period of 0.167 ms on two processors it waited 110 us for 75 us of work. Equals do not interrupt each other.
"""


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
