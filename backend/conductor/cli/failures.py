"""Puts each failed action to its event: the failure may be told before it, or long after."""

from typing import Any

Plain = dict[str, Any]


class Failures:
    """Joins failures and traces, which come as they are pushed to monitors."""

    def __init__(self) -> None:
        self._early: list[Plain] = []
        self._last = -1
        """The newest trace that was shown; they come in order."""

    def is_late(self, failure: Plain) -> bool:
        """Return whether its event was shown already; if not, it is kept for it."""
        if failure["sequence"] <= self._last:
            return True
        self._early.append(failure)
        return False

    def of(self, trace: Plain) -> list[Plain]:
        """Return the failures of a trace that is about to be shown."""
        self._last = trace["sequence"]
        return self._take(trace["sequence"] + 1)

    def without_event(self, trace: Plain) -> list[Plain]:
        """Return, once, the failures whose event should have come before this trace and was left out."""
        return self._take(trace["sequence"])

    def left(self) -> list[Plain]:
        """Return the failures whose trace has not come, at the end."""
        lost, self._early = self._early, []
        return lost

    def _take(self, below: int) -> list[Plain]:
        found = [one for one in self._early if one["sequence"] < below]
        self._early = [one for one in self._early if one["sequence"] >= below]
        return found
