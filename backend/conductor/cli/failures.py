"""Matches failed actions with the traces of their events, which may arrive before or after the failures."""

from conductor.domain.wire_rows import FailureRow, TraceRow


class FailureMatcher:
    """Stores failures of actions until the traces of their events arrive."""

    def __init__(self) -> None:
        self._early: list[FailureRow] = []
        self._last = -1
        """The sequence number of the last printed trace; traces arrive in order."""

    def keep_unless_late(self, failure: FailureRow) -> bool:
        """Return whether the trace of a failure has already been printed.

        If not, store the failure until the trace arrives.
        """
        if failure["sequence"] <= self._last:
            return True
        self._early.append(failure)
        return False

    def collect_for(self, trace: TraceRow) -> list[FailureRow]:
        """Remove and return the stored failures of a trace that is about to be printed."""
        self._last = trace["sequence"]
        return self._remove_below(trace["sequence"] + 1)

    def collect_skipped(self, trace: TraceRow) -> list[FailureRow]:
        """Remove and return the stored failures of events before a trace, which the monitor has skipped."""
        return self._remove_below(trace["sequence"])

    def collect_rest(self) -> list[FailureRow]:
        """Remove and return all stored failures, whose traces have not arrived."""
        unmatched, self._early = self._early, []
        return unmatched

    def _remove_below(self, below: int) -> list[FailureRow]:
        found = [failure for failure in self._early if failure["sequence"] < below]
        self._early = [failure for failure in self._early if failure["sequence"] >= below]
        return found
