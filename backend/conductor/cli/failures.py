"""Finds the event that a failed action belongs to: its failure may be told before it, or long after."""

import json
from collections import deque
from typing import Any

from conductor.domain.actions import ACTION_KINDS

AT_ONCE_S = 0.1
"""An action that is done at once fails this soon after its event."""
KEPT = 200

Plain = dict[str, Any]


class Failures:
    """Joins failures and traces, which come as they are pushed to monitors."""

    def __init__(self) -> None:
        self._early: list[Plain] = []
        self._done: deque[tuple[str, float, int]] = deque(maxlen=KEPT)
        """What was shown as done: which action of which mapping, when, in which trace."""

    def sequence_of(self, failure: Plain) -> int | None:
        """Give the trace shown before that this belongs to; None while it is still to come."""
        key = _key(failure)
        patience_s = float("inf") if _may_take_long(failure["action"]) else AT_ONCE_S
        for row in reversed(self._done):
            done, at, sequence = row
            if done == key and 0 <= failure["time"] - at <= patience_s:
                self._done.remove(row)
                return sequence
        self._early.append(failure)
        return None

    def of(self, trace: Plain) -> list[Plain]:
        """Give the failures of a trace that is about to be shown."""
        event, found = trace["event"], list[Plain]()
        for effect in trace["effects"]:
            key = _key(effect)
            early = (f for f in self._early if _key(f) == key and f["time"] >= event["time"])
            failure = next(early, None)
            if failure is None:
                self._done.append((key, event["time"], trace["sequence"]))
            else:
                self._early.remove(failure)
                found.append(failure)
        return found

    def without_event(self, trace: Plain) -> list[Plain]:
        """Give, once, the failures whose event should have come before this trace and did not."""
        until = trace["event"]["time"] - AT_ONCE_S
        lost = [failure for failure in self._early if failure["time"] < until]
        self._early = [failure for failure in self._early if failure["time"] >= until]
        return lost

    def left(self) -> list[Plain]:
        """Give the failures whose trace has not come, at the end."""
        lost, self._early = self._early, []
        return lost


def _key(row: Plain) -> str:
    return f"{row['mapping']}\n{json.dumps(row['action'], sort_keys=True)}"


def _may_take_long(action: Plain) -> bool:
    kind = ACTION_KINDS.get(action["type"])
    return kind is not None and kind.blocking
