"""Matches the failures of actions with their events, which may arrive earlier or later than the failures."""

from conductor.domain.wire_rows import FailureRow, TraceRow


class FailureMatcher:
    """Matches failures with traces as the monitor sends them."""

    def __init__(self) -> None:
        self._early: list[FailureRow] = []
        self._last = -1
        """The sequence number of the latest printed trace; traces arrive in order."""

    def keep_unless_late(self, failure: FailureRow) -> bool:
        """Return whether the event of a failure has already been printed.

        Otherwise, keep the failure until its event arrives.
        """
        if failure["sequence"] <= self._last:
            return True
        self._early.append(failure)
        return False

    def collect_for(self, trace: TraceRow) -> list[FailureRow]:
        """Remove and return the failures that belong to a trace that is about to be printed."""
        self._last = trace["sequence"]
        return self._remove_below(trace["sequence"] + 1)

    def collect_skipped(self, trace: TraceRow) -> list[FailureRow]:
        """Remove and return the failures of earlier events that the monitor has skipped."""
        return self._remove_below(trace["sequence"])

    def collect_rest(self) -> list[FailureRow]:
        """Remove and return the failures whose trace has never arrived."""
        unmatched, self._early = self._early, []
        return unmatched

    def _remove_below(self, below: int) -> list[FailureRow]:
        found = [failure for failure in self._early if failure["sequence"] < below]
        self._early = [failure for failure in self._early if failure["sequence"] >= below]
        return found
